/*
 * Writers on intact rings and, next to them, on rings that are scribbled on.
 */
#ifndef SWT_TESTS_RING_HOSTILE_WORLD_H
#define SWT_TESTS_RING_HOSTILE_WORLD_H

#include "scribble.h"
#include "storm.h"
#include "traced.h"

enum {
	INTACT_WRITERS = 2,
	LONGEST_MS = 10000, /* limit for one step of a reader on a busy machine */
};

struct hostile_world {
	bool guest;
	uint32_t pause; /* us, for writers of intact rings, every 64 hooks */
	struct session box;
	uint64_t intact; /* a bit per ring */
	pid_t scribbler;
	struct {
		uint32_t running;
		uint32_t rest;		       /* writers of intact rings pause between two hooks */
		uint64_t done[INTACT_WRITERS]; /* attempts on intact rings */
	} * shared;
};

/* The body of a program: both scenarios, on guest rings where an argument asks for them or there
 * are no others. readers: their name. */
int hostile_world_play(struct hostile_world *w, int argc, char **argv, const char *readers,
	void (*scribbled)(const void *), void (*sizes)(const void *));
/* Says why there can be none here, or NULL. */
const char *hostile_world_none(bool guest);
/* Opens a session and starts its writers and scribbler; all are active on return. */
void hostile_world_start(struct hostile_world *w, uint32_t mode);
/* Ends all processes. Returns how many writers failed. */
int hostile_world_stop(struct hostile_world *w);
uint64_t hostile_world_done(const struct hostile_world *w);

/* The hooks of intact rings in a trace. */
struct hostile_seen {
	const struct hostile_world *world;
	struct follow follow;
	uint64_t hooks;
};

void hostile_see(void *seen, uint32_t ring, const cpidecode_hook *hook);

/* Calls everything else that the owner's commands read. */
void hostile_other_readers(struct session *s);

/* Writers on truncated rings: they die and are restarted. */
pid_t hostile_mortal_writers(const uint32_t *running);

#endif
