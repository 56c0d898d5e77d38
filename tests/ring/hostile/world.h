/*
 * Writers on rings that are left intact and, beside them, on rings that are scribbled on.
 */
#ifndef SWT_TESTS_RING_HOSTILE_WORLD_H
#define SWT_TESTS_RING_HOSTILE_WORLD_H

#include "scribble.h"
#include "storm.h"
#include "traced.h"

enum {
	INTACT_WRITERS = 2,
	LONGEST_MS = 10000, /* what one step of a reader may take, on a busy machine */
};

struct hostile_world {
	bool guest;
	uint32_t pause; /* us, of the intact rings' writers, every 64 hooks */
	struct session box;
	uint64_t intact; /* rings, a bit each */
	pid_t scribbler;
	struct {
		uint32_t running;
		uint32_t rest; /* the writers of intact rings wait, between two hooks */
		uint64_t done[INTACT_WRITERS]; /* attempts on intact rings */
	} * shared;
};

/* Says why there can be none here, or NULL. */
const char *hostile_world_none(bool guest);
/* A session, its writers and its scribbler; they are at work when it returns. */
void hostile_world_start(struct hostile_world *w, uint32_t mode);
/* Lets all of them end. Returns how many writers failed. */
int hostile_world_stop(struct hostile_world *w);
uint64_t hostile_world_done(const struct hostile_world *w);

/* The hooks of intact rings in a trace. */
struct hostile_seen {
	const struct hostile_world *world;
	struct follow follow;
	uint64_t hooks;
};

void hostile_see(void *seen, uint32_t ring, const cpidecode_hook *hook);

/* All other things that the owner's commands read. */
void hostile_other_readers(struct session *s);

/* Writers whose rings are truncated: they die, and are started again. */
pid_t hostile_mortal_writers(const uint32_t *running);

uint64_t hostile_milliseconds(void);

#endif
