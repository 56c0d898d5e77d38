/*
 * The NRM2 writer (formats/nrm2.md): sections of hooks per ring, written as they fill up, and
 * tables of the trace's other facts.
 */
#ifndef SWT_DECODER_SINK_NRM2_H
#define SWT_DECODER_SINK_NRM2_H

#include "../../formats/nrm2_encode.h"
#include "out.h"

struct nrm2_ring {
	struct nrm2_section section;
	uint32_t cap; /* bytes of its data */
};

struct nrm2_out {
	struct out *out;
	const struct nrm2_file *file;
	struct nrm2_section table;
	struct nrm2_ring *rings; /* nrings, in order */
	size_t nrings;
	uint64_t written; /* bytes of the file */
	uint64_t held;	  /* bytes of all rings' data */
};

/*
 * rings, an array from malloc whose sections' ring and cpu are set, is taken over. Functions
 * return 0 or CPIDECODE_ENOMEM; failures of the output show in out->error. Always close it.
 */
int nrm2_out_open(struct nrm2_out *o, struct out *out, const struct nrm2_file *file,
	struct nrm2_ring *rings, size_t nrings);
void nrm2_out_close(struct nrm2_out *o);

/* Call before the hooks. string may be NULL; a string too long for a hook is cut. */
void nrm2_out_table(struct nrm2_out *o, uint16_t major, uint32_t minor, uint64_t stamp,
	const uint64_t *integers, unsigned n, const char *string, uint32_t length);
/* A text of any length, in pieces (integer 1: the first). */
void nrm2_out_text(
	struct nrm2_out *o, uint32_t minor, uint64_t first, const char *text, size_t length);
void nrm2_out_table_end(struct nrm2_out *o);

/* A hook of size bytes (nrm2_hook_bytes), written by tid on rings[ring]; group as for nrm2_add. */
int nrm2_out_hook(struct nrm2_out *o, size_t ring, const struct nrm2_hook_data *h, uint32_t size,
	uint32_t tid, uint64_t group);
/* Writes all buffered hooks. */
void nrm2_out_end(struct nrm2_out *o);
/* Call after the hooks: a section without hooks that records a ring's losses; loss NULL: no
 * ledger. */
void nrm2_out_loss(
	struct nrm2_out *o, size_t ring, uint32_t lost, bool full, const uint64_t loss[7]);

/* Call last: a header that locates the copies of kallsyms and modules of these sizes that
 * follow. */
void nrm2_out_kernel(struct nrm2_out *o, const uint64_t sizes[2]);

#endif
