/*
 * The storm: episodes in which everything happens at once, at random, from a seed. An episode is
 * a session with writers of every kind and a controller that takes a sequence of actions, which
 * is a function of the seed; when they meet is the scheduler's choice.
 *
 * The account: a writer counts a hook as `maybe` before it begins and as `done` when it is known
 * to be in the ledger, by generation. What the session says is between the two sums, and equal
 * to both if no writer was ended in the middle.
 */
#ifndef SWT_TESTS_RING_STORM_HOUR_H
#define SWT_TESTS_RING_STORM_HOUR_H

#include "storm.h"
#include "traced.h"

enum {
	HOUR_GENERATIONS = 64, /* of an episode; generation % HOUR_GENERATIONS */
	HOUR_DEPTHS = 3,       /* of handlers in handlers */
	HOUR_IDS = 1 << 16,    /* of an episode, one a thread and depth */
	HOUR_GROUP = 4,	       /* hooks at most */
	HOUR_WRITERS = 6,      /* processes at once, without those that are short-lived */
};

/* What happens in an episode beside hooks; one bit each. */
enum hour_events {
	HOUR_KILLS = 1,	      /* writers are killed */
	HOUR_STOPS = 2,	      /* and stopped for a while */
	HOUR_EXITS = 4,	      /* processes end while their threads trace */
	HOUR_SIGNALS = 8,     /* handlers trace, also in one another */
	HOUR_FORKS = 16,      /* handlers fork, and children trace */
	HOUR_SPAWNS = 32,     /* programs are started, some without restartable sequences */
	HOUR_TOGGLES = 64,    /* off and on, suspend and resume, majors */
	HOUR_DISCARDS = 128,  /* while writers write */
	HOUR_INITS = 256,     /* so are rings made anew */
	HOUR_DUMPS = 512,     /* one or two at once */
	HOUR_RAW_CLOCK = 1024 /* all hooks go to guest rings */
};

struct hour_plan {
	uint64_t seed;
	uint32_t number, actions, mode, section, events;
	uint64_t ring_bytes;
};

struct hour_shared {
	uint32_t running, next_id, events;
	uint32_t changes; /* discards and inits: before and after each */
	uint64_t done[HOUR_GENERATIONS], maybe[HOUR_GENERATIONS];
	uint64_t lost[HOUR_GENERATIONS]; /* of those done */
	uint64_t unattached;		 /* maybe, of threads that know no generation */
	/* Of the hooks of this generation so many at least, and so many at most, were discarded. */
	uint64_t discarded_least, discarded_most;
	uint64_t hooks, kills, dumps; /* for what is printed */
};

extern struct hour_shared *hour;

/* splitmix64: *state is the whole of it. */
uint32_t hour_random(uint64_t *state);

/* A traced process, in a fork's child: writes until hour->running is 0 or its plan, drawn from
 * the seed, says. Does not return. */
__attribute__((noreturn)) void hour_writer(uint64_t seed);
/* A short one. */
__attribute__((noreturn)) void hour_short_writer(uint64_t seed);

/* A record's words, as the writers fill them. */
bool hour_is_whole(const uint8_t *record, uint32_t *id, uint32_t *sequence);

/* Follows sequence numbers by ring and id. */
struct hour_follow {
	uint32_t *last, rings;
	uint64_t not_whole, out_of_order, foreign;
};

void hour_follow_open(struct hour_follow *f, const struct shm_geometry *g);
void hour_follow_close(struct hour_follow *f);
void hour_follow_record(void *follow, uint32_t ring, uint64_t position, const uint8_t *record);
bool hour_follow_is_fine(const struct hour_follow *f);

/* In a fork's child, while writers write: a dump, and what it holds. */
void hour_check_live_dump(const struct hour_plan *p, const struct session_place *place, int n);
/* All writers have ended: the rings, a dump, and whether the rings go on. */
void hour_check_end(const struct hour_plan *p, struct session *box);
/* Of continuous mode: the files, which were closed in order. */
void hour_check_files(const struct hour_plan *p, struct session *box, const char *path);

/* A result that failed, with the seed. */
__attribute__((format(printf, 2, 3))) void hour_failed(
	const struct hour_plan *p, const char *format, ...);

#endif
