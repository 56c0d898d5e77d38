/*
 * How often, and by how much, the session's clock was behind the stamps (struct shm_ring,
 * clock_back), as after a restored snapshot or a migrated machine. Members write these figures,
 * so they are only reported: no decision depends on them.
 */
#ifndef SWT_SESSION_CLOCK_BACK_H
#define SWT_SESSION_CLOCK_BACK_H

#include <stddef.h>

#include "session.h"

struct clock_back {
	uint64_t entries; /* of sections, of all rings, since init */
	uint64_t most;	  /* ticks */
};

/* Returns false if the session has no rings, or they cannot be read. */
bool session_clock_back(const struct session *s, struct clock_back *back);

/* The largest step in seconds. */
double clock_back_seconds(const struct clock_back *back, const struct shm_geometry *g);

/* "found behind the stamps at 3 section entries, by 2.1 s at most"; entries is not 0. */
void clock_back_text(
	const struct clock_back *back, const struct shm_geometry *g, char *text, size_t size);

#endif
