/*
 * The rings that writers are stopped on: in every mode, each with one section held by somebody
 * else; and those who write there meanwhile.
 */
#ifndef SWT_TESTS_RING_STOP_RINGS_H
#define SWT_TESTS_RING_STOP_RINGS_H

#include "sandbox.h"

enum { VICTIMS = 2, MOST_HOOKS = 3000 };

struct kind {
	const char *name;
	uint32_t mode;
	bool guest;
};

extern struct session box;
extern const struct kind *kind;
/* Hooks of the parent and the holder in these rings, whose id is VICTIMS. */
extern uint64_t own;

/* A session for trials of a kind; the calling process is pinned. */
void open_rings(const struct kind *of);
/* New rings for a trial. */
void prepare_rings(void);
/* How many of them have a section held by the living, one record each. */
uint32_t rings_used(void);
/* The end of a trial: false if somebody touched what was held. */
bool holder_is_fine(void);

/* The calling thread writes to the rings of the trial from here on. */
void attach_writer(void);
void hook_of(uint32_t id, uint32_t sequence);

/* Continuous mode: from here on what the others write is taken at once. */
void drain(void);
/* The others write laps of the rings together, or hooks until nothing goes in any more; false:
 * they did not get there. */
bool others(uint32_t laps);

#endif
