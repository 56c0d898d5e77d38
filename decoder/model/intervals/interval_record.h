/*
 * The sorter's form of an interval: bytes that only this process reads, in memory or in a
 * temporary file. Unwanted and unmeasured values take no room.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_INTERVAL_RECORD_H
#define SWT_DECODER_MODEL_INTERVALS_INTERVAL_RECORD_H

#include "../trace/trace.h"

/* The key and the record's size and parts. Records start on multiples of 8. */
struct interval_record {
	uint64_t start; /* end - elapsed: of one that began before tick 0, modulo 2^64 */
	uint64_t end;	/* ticks */
	uint64_t position;
	uint32_t era; /* 2 * machine, and 1 if it began at tick 0 or after */
	uint32_t ring, tid, file;
	uint32_t label_len, depth;
	uint16_t size;	/* bytes, including this head */
	uint16_t flags; /* enum interval_flag */
	uint8_t mm, types;
	uint8_t marks; /* RECORD_... */
	uint8_t major;
};

enum {
	RECORD_KEPT = 1, /* else only a key, for the depth of others */
	RECORD_LABEL = 2,
	RECORD_CPUS = 4,
	RECORD_OUTSIDE = 8, /* label and processors */
};

/* With the wants: place and parent are kept, too. */
#define RECORD_PLACES (1u << 16)

enum {
	/* Longer labels and arrays are stored in the file separately. */
	RECORD_MAX_INSIDE = 8 << 10,
	RECORD_MAX_SIZE = RECORD_MAX_INSIDE + 256, /* fits its 16 bits */
};

/* Bytes of its label and processors. */
size_t interval_record_tail(const struct interval *iv);
/* Copies them. */
void interval_record_put_tail(uint8_t *to, const struct interval *iv);

/*
 * Writes iv, at most RECORD_MAX_SIZE bytes, and returns how many. A tail longer than
 * RECORD_MAX_INSIDE is not written but stands at `outside` of the file. kept false: the key
 * is all that is written. wants: of enum interval_want, and RECORD_PLACES.
 */
size_t interval_record_put(
	uint8_t *to, const struct interval *iv, unsigned wants, bool kept, uint64_t outside);

/* The tail's offset in the file, if it is outside, and its size. */
uint64_t interval_record_outside(const struct interval_record *r, unsigned wants, size_t *bytes);
/*
 * The interval, whose label and cpus point into the record or, if it is outside, into
 * the tail. wants as it was put.
 */
void interval_record_get(const struct interval_record *r, unsigned wants, const uint8_t *tail,
	const struct trace *t, struct interval *iv);

/* By machine, start, longer first, then as they stand in the trace. Never 0 for two of a trace. */
int interval_record_compare(const struct interval_record *a, const struct interval_record *b);
/* By CLOCK_REALTIME, for records of WANT_START, then as above. */
int interval_record_compare_times(const struct interval_record *a, const struct interval_record *b);
/* CLOCK_REALTIME of the start, of a record of WANT_START that was kept. */
int64_t interval_record_start_ns(const struct interval_record *r);

#endif
