/*
 * The files of a drain, as a whole: counted hooks (storm.h) that are there once, whole, in
 * order; and what is counted as torn or lost.
 */
#ifndef SWT_TESTS_RING_DRAINED_H
#define SWT_TESTS_RING_DRAINED_H

#include "storm.h"
#include "traced.h"

enum {
	DRAINED_IDS = 2048,
	DRAINED_SEQUENCES = 1 << 20,
};

struct drained {
	const char *name; /* of who asks, for what is printed */
	uint32_t cpus;
	struct follow follow;
	uint8_t *bits; /* of each id and sequence number */
	uint64_t hooks, torn, lost;
	uint32_t twice, files, bad_files;
};

void drained_open(struct drained *d, const char *name, const struct shm_geometry *g);
void drained_close(struct drained *d);

/* complete: it was ended in order, or it is one that was rotated away. */
void drained_file(struct drained *d, const char *path, bool complete);
/* FILE.n to FILE.1 and FILE. */
void drained_all(struct drained *d, const char *path);
/* No hook twice, none broken, no file that does not read. */
bool drained_fine(const struct drained *d);

/* Copies the file as somebody would find it now. */
bool drained_copy(const char *path, const char *to);

#endif
