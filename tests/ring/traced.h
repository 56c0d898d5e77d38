/*
 * Reads a dump or a continuous file of a stress program through libcpidecode.
 */
#ifndef SWT_TESTS_RING_TRACED_H
#define SWT_TESTS_RING_TRACED_H

#include <stdbool.h>
#include <stdint.h>

#include "../../formats/session.h"
#include "../../include/cpidecode.h"

enum { TRACED_RINGS = 64 };

struct traced {
	uint32_t cpus;
	uint64_t bytes;
	uint64_t hooks, torn;		     /* in the file's sections */
	uint64_t malformed, damaged;	     /* numbers of records and of sections */
	uint64_t damaged_bytes;		     /* skipped by the scan in the middle of the file */
	uint64_t rest;			     /* bytes after the last complete section */
	bool cut_off;			     /* no END section */
	uint64_t in_ring[TRACED_RINGS];	     /* hooks per ring: the CPUs', then the guests' */
	uint64_t torn_in_ring[TRACED_RINGS]; /* from the sections' headers */
	cpidecode_loss_info loss[TRACED_RINGS];
	uint64_t lost[TRACED_RINGS]; /* hooks, summed over all causes */
};

typedef void traced_fn(void *arg, uint32_t ring, const cpidecode_hook *hook);

/* Reads the complete file; each (may be NULL) gets the hooks in the decoder's order. Returns 0 or
 * libcpidecode's error. cpus: the session's. */
int traced_read(const char *path, uint32_t cpus, struct traced *t, traced_fn *each, void *arg);

/* Calls file for each of a drain's files, oldest first: FILE.n to FILE.1, then FILE. */
void traced_files(const char *path, void (*file)(void *arg, const char *name), void *arg);

/* The ledger of some rings (a bit each): hooks in the sections, overwritten, lost and torn. */
uint64_t traced_sum(const struct traced *t, uint64_t rings);
uint64_t traced_lost(const struct traced *t);

/* Rebuilds the record that the hook had in its ring; for hooks of few words. */
enum { TRACED_RECORD = 4096 + 24 };
bool traced_record(const cpidecode_hook *hook, uint8_t record[TRACED_RECORD]);

#endif
