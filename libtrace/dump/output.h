/*
 * Where a dump goes: a file that appears whole, by rename, or a stream.
 */
#ifndef SWT_DUMP_OUTPUT_H
#define SWT_DUMP_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../session/session.h"

struct output {
	int fd;
	bool temporary; /* `temp` is to be renamed to `path`, or removed */
	uint64_t written;
	/* Asked when a signal interrupts a write: false gives up. NULL: never gives up. */
	bool (*go_on)(void *arg);
	void *go_on_arg;
	char path[PATH_MAX];
	char temp[PATH_MAX];
};

/*
 * path "-" is standard output. What exists and is no regular file (a device, a FIFO) is
 * written to directly; anything else through a temporary file in the same directory.
 * 0 or PU_ERR_FILE_ERROR.
 */
int output_open(struct output *o, const char *path, struct session_error *error);

/* Whether path would be written through a temporary file. */
bool output_is_file(const char *path);

/* All of it, whatever short writes and signals there are. */
int output_write(struct output *o, const void *bytes, size_t size, struct session_error *error);

/* Makes the file durable and visible. On failure it is as after output_abandon. */
int output_finish(struct output *o, struct session_error *error);

/* Removes what was written, as far as it can be removed. */
void output_abandon(struct output *o);

#endif
