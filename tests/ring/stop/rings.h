/*
 * The rings of the writers that are stopped: in every mode, each with one section held by another
 * process; and the processes that write to them at the same time.
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
/* Hooks of the parent and the holder in these rings, under id VICTIMS. */
extern uint64_t own;

/* Opens a session for trials of this kind and pins the calling process. */
void open_rings(const struct kind *of);
/* Makes new rings for a trial. */
void prepare_rings(void);
/* Number of rings with a section held by a live process, one record each. */
uint32_t rings_used(void);
/* Ends a trial. False if the held bytes changed. */
bool holder_is_fine(void);

/* Attaches the calling thread to the rings of the trial. */
void attach_writer(void);
void hook_of(uint32_t id, uint32_t sequence);

/* Continuous mode: releases the others' sections at once from here on. */
void drain(void);
/* The others write laps of all rings, or hooks until the rings are full. False if they could
 * not. */
bool others(uint32_t laps);

#endif
