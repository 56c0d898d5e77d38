/*
 * A dump as NRM2 (formats/nrm2.md): the sections of the rings one after the other, as they
 * would stand in a trace.bin.
 */
#ifndef SWT_DUMP_NRM2_H
#define SWT_DUMP_NRM2_H

#include "dump.h"
#include "file_head.h"
#include "rings.h"

struct nrm2_dump {
	struct session *session;
	const struct file_head *head;
	struct rings *rings;
	struct output *out;
	struct dump_result *result;
	struct session_error *error;
	/* After every section of the rings; false: give up. */
	bool (*section_done)(void *arg);
	void *arg;
};

/* All of the file. 0 or a PU_ code. */
int nrm2_dump_write(const struct nrm2_dump *d);

#endif
