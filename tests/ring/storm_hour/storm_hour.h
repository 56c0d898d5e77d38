/*
 * The storm: episodes of random events of every kind at once, from a seed. An episode is a session
 * with writers of every kind and a controller. The controller's sequence of actions is a function
 * of the seed; their timing is up to the scheduler.
 *
 * The account, per generation: a writer counts a hook as `maybe` before it begins and as `done`
 * once it is certainly in the ledger. The session's figures are between the two sums, and equal
 * both if no writer was killed inside a hook.
 */
#ifndef SWT_TESTS_RING_STORM_HOUR_H
#define SWT_TESTS_RING_STORM_HOUR_H

#include "storm.h"
#include "traced.h"

enum {
	HOUR_GENERATIONS = 64, /* per episode; generation % HOUR_GENERATIONS */
	HOUR_DEPTHS = 3,       /* of nested handlers */
	HOUR_IDS = 1 << 16,    /* per episode, one per thread and depth */
	HOUR_GROUP = 4,	       /* hooks at most */
	HOUR_WRITERS = 6,      /* concurrent processes, not counting short-lived ones */
};

/* Events of an episode besides hooks, one bit each. */
enum hour_events {
	HOUR_KILLS = 1,	      /* kill writers */
	HOUR_STOPS = 2,	      /* stop writers for a while */
	HOUR_EXITS = 4,	      /* processes exit while their threads trace */
	HOUR_SIGNALS = 8,     /* handlers trace, also nested */
	HOUR_FORKS = 16,      /* handlers fork, and the children trace */
	HOUR_SPAWNS = 32,     /* start programs, some without restartable sequences */
	HOUR_TOGGLES = 64,    /* off and on, suspend and resume, majors */
	HOUR_DISCARDS = 128,  /* discard while writers write */
	HOUR_INITS = 256,     /* make new rings while writers write */
	HOUR_DUMPS = 512,     /* one or two at a time */
	HOUR_RAW_CLOCK = 1024 /* all hooks go to guest rings */
};

struct hour_plan {
	uint64_t seed;
	uint32_t number, actions, mode, section, events;
	uint64_t ring_bytes;
};

struct hour_shared {
	uint32_t running, next_id, events;
	uint32_t changes; /* incremented before and after each discard and init */
	uint64_t done[HOUR_GENERATIONS], maybe[HOUR_GENERATIONS];
	uint64_t lost[HOUR_GENERATIONS]; /* lost part of done */
	uint64_t unattached;		 /* `maybe` counts of threads that know no generation */
	/* Bounds of how many hooks of this generation were discarded: */
	uint64_t discarded_least, discarded_most;
	uint64_t hooks, kills, dumps; /* for output */
};

extern struct hour_shared *hour;

/* splitmix64: *state is its complete state. */
uint32_t hour_random(uint64_t *state);

/* A traced process, in a forked child: writes until hour->running is 0 or its plan, drawn from the
 * seed, ends. Does not return. */
__attribute__((noreturn)) void hour_writer(uint64_t seed);
/* The same for a short time. */
__attribute__((noreturn)) void hour_short_writer(uint64_t seed);

/* Checks a record's words as the writers fill them. */
bool hour_is_whole(const uint8_t *record, uint32_t *id, uint32_t *sequence);

/* Follows sequence numbers per ring and id. */
struct hour_follow {
	uint32_t *last, rings;
	uint64_t not_whole, out_of_order, foreign;
};

void hour_follow_open(struct hour_follow *f, const struct shm_geometry *g);
void hour_follow_close(struct hour_follow *f);
void hour_follow_record(void *follow, uint32_t ring, uint64_t position, const uint8_t *record);
bool hour_follow_is_fine(const struct hour_follow *f);

/* In a forked child while writers write: makes a dump and checks it. */
void hour_check_live_dump(
	const struct hour_plan *p, const struct session_location *location, int n);
/* After all writers ended: checks the rings and a dump, and that the rings still work. */
void hour_check_end(const struct hour_plan *p, struct session *box);
/* Continuous mode: checks the files after their regular end. */
void hour_check_files(const struct hour_plan *p, struct session *box, const char *path);

/* Reports a failure, with the seed. */
__attribute__((format(printf, 2, 3))) void hour_failed(
	const struct hour_plan *p, const char *format, ...);

#endif
