/*
 * Stands in for the ring and the session: one buffer, and knobs.
 */
#ifndef TEST_DOUBLE_H
#define TEST_DOUBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "../../formats/session.h"

struct ring_double {
	_Alignas(8) uint8_t bytes[1 << 20];
	uint32_t size; /* of the last reservation; 0: none */
	uint32_t hooks;
	uint32_t reservations, refused;
	uint32_t major; /* that is written; 0: the CPI hooks' */
	bool on;
	bool with_time; /* the interval major is on, too */
	int rc;		/* if negative: returned by hook_begin */
	uint32_t limit; /* the largest group that fits */
	uint64_t stamp; /* 0: now */
	bool sleeps;	/* before each reservation, whose stamp is from then on: it was raised */
	uint32_t cpus, cpu; /* the ring is of that processor, of so many; 0: a guest ring */
	uint64_t stamped;
	_Atomic uint32_t readied;	       /* calls of attach_ready */
	_Atomic uint32_t source, source_flags; /* enum shm_source */
	const char *events;		       /* of the session; NULL: none */
	/* A label's number is this, its first character and its length added; 0: it has none. */
	uint32_t labels;
};

extern struct ring_double ring_double;

/* holds: the calling thread is attached and its check of the session is valid, so that interval
 * starts take the fast path. */
void ring_double_hold(bool holds);

/* The session gets other rings, and this list of events. */
void ring_double_renew(const char *events);

/* The words and the first string of the nth record of the last group. */
struct record_view {
	uint32_t control, minor, tid, nwords, nstrings;
	uint8_t major;
	uint64_t stamp;
	uint32_t word[20000];
	uint32_t length;
	const char *string;
	const uint8_t *strings; /* all of them, as in the record */
};

/* How many records the last group has; fails the test if its bytes do not add up. */
unsigned group_records(void);
const struct record_view *group_record(unsigned n);

/* Makes a file of this text; the name is good until the next call. */
const char *text_file(const char *text);

#endif
