/*
 * Checks all files of a drain: counted hooks (storm.h) occur once, complete and in order; the rest
 * is counted as torn or lost.
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
	const char *name; /* test name, for output */
	uint32_t cpus;
	struct follow follow;
	uint8_t *bits; /* a bit per id and sequence number */
	uint64_t hooks, torn, lost;
	uint32_t twice, files, bad_files;
};

void drained_open(struct drained *d, const char *name, const struct shm_geometry *g);
void drained_close(struct drained *d);

/* complete: the drain ended the file regularly, or rotated it. */
void drained_file(struct drained *d, const char *path, bool complete);
/* All of FILE.n to FILE.1 and FILE. */
void drained_all(struct drained *d, const char *path);
/* No duplicate or broken hook, and every file decodes. */
bool drained_fine(const struct drained *d);

/* Copies the file in its present state. */
bool drained_copy(const char *path, const char *to);

#endif
