/*
 * The sorter's form of an interval: bytes that only this process reads, in memory or in a
 * temporary file. Unwanted and unmeasured values need no room.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_RECORD_H
#define SWT_DECODER_MODEL_INTERVALS_RECORD_H

#include "../../../formats/record.h"
#include "../../base/sorter/sorter.h"
#include "../trace/clock/cursor.h"
#include "../trace/trace.h"

/*
 * The sorter's key and what all records have. By ticks, the key is the start (end - elapsed, modulo
 * 2^64 if it began before tick 0) and the group 2 * machine + 1, or 2 * machine if it began before
 * tick 0. By CLOCK_REALTIME (RECORD_PLACES), the key is the start's time, and the group 0.
 */
struct interval_record {
	struct sorter_record sort; /* its spare bits: enum interval_flag */
	/* With RECORD_WIDE elapsed, position, file and label_len are undefined: the wide form has
	 * them. */
	uint32_t elapsed;  /* ticks */
	uint32_t position; /* in units of REC_ALIGN */
	uint32_t tid, ring;
	union {
		uint32_t own_pair; /* ticks, or RECORD_NO_PAIR */
		uint32_t depth;	   /* with RECORD_PLACES */
	};
	uint32_t task; /* its number among the machine's, or RECORD_NO_TASK */
	uint16_t file, label_len;
	uint8_t mm, types;
	uint8_t marks; /* RECORD_... */
	uint8_t major;
};

/* Follows a record with RECORD_WIDE, of which a member of the same name would not fit. */
struct interval_record_wide {
	uint64_t elapsed;
	uint64_t position; /* in bytes */
	uint32_t file, label_len;
};

enum {
	RECORD_KEPT = 1, /* else only a key, for the depth of others */
	RECORD_LABEL = 2,
	RECORD_CPUS = 4,
	RECORD_OUTSIDE = 8, /* label, processors and named values */
	RECORD_VALUES = 16,
	RECORD_LABEL_STAYS = 32, /* a pointer to it: it lives as long as the trace */
	RECORD_WIDE = 64,
};

#define RECORD_NO_TASK UINT32_MAX
#define RECORD_NO_PAIR UINT32_MAX

/* With the wants: sorts by CLOCK_REALTIME, which needs WANT_START, and keeps place and parent. */
#define RECORD_PLACES (1u << 16)
/* With the wants: keeps a selection of each record, also of those that are only keys. */
#define RECORD_SELECTION (1u << 17)

enum {
	/* Longer labels and arrays are stored in the file separately. */
	RECORD_MAX_INSIDE = 8 << 10,
	RECORD_MAX_SIZE = RECORD_MAX_INSIDE + 392, /* fits its 16 bits */
};

size_t interval_record_arrays(const struct interval *iv); /* of processors and named values */
/* Bytes of its label, processors and named values. */
static inline size_t interval_record_tail(const struct interval *iv)
{
	const size_t label = iv->has_label && !iv->label_stays ? iv->label_len : 0;

	return iv->cpus || iv->num_values ? interval_record_arrays(iv) + label : label;
}
/* Copies them. */
void interval_record_put_tail(uint8_t *to, const struct interval *iv);

/*
 * Writes iv, at most RECORD_MAX_SIZE bytes. tail: interval_record_tail. A tail longer than
 * RECORD_MAX_INSIDE is not written but is at `outside` of the file. kept false: the key
 * is all that is written, and the selection. tasks: of its file's record_clock. wants: of enum
 * interval_want, RECORD_PLACES and RECORD_SELECTION; on_cpu_ns is kept with any value.
 */
void interval_record_put(uint8_t *to, const struct interval *iv, const struct task *tasks,
	unsigned wants, bool kept, size_t tail, uint64_t outside, uint64_t selection);

static inline struct interval_record_wide interval_record_widen(const struct interval_record *r)
{
	if (r->marks & RECORD_WIDE)
		return *(const struct interval_record_wide *)(const void *)(r + 1);
	return (struct interval_record_wide){
		r->elapsed, (uint64_t)r->position * REC_ALIGN, r->file, r->label_len};
}

/* The values, behind the members that all records have. */
static inline const uint8_t *interval_record_body(const struct interval_record *r)
{
	return (const uint8_t *)(r + 1) +
	       (r->marks & RECORD_WIDE ? sizeof(struct interval_record_wide) : 0);
}

/* The selection of a record written with RECORD_SELECTION. */
static inline uint64_t interval_record_selection(const struct interval_record *r)
{
	return *(const uint64_t *)(const void *)interval_record_body(r);
}

/* The tail's offset in the file, if it is outside, and its size. */
uint64_t interval_record_outside(const struct interval_record *r, unsigned wants, size_t *bytes);
/* A file's cursors from ticks to times, which come nearly in order. An array has them by file. */
struct record_clock {
	const struct trace_file *file;
	const struct task *tasks; /* the machine's; NULL: it has none */
	struct clock_cursor starts, ends;
};
/* One for each file, for the caller to free; NULL: no memory. */
struct record_clock *record_clocks_new(const struct trace *t);

/*
 * Reads the interval. Its label, cpus and values point into the record or its tail. wants: as
 * passed when it was written. Leaves members that the record lacks unchanged: place and parent
 * without RECORD_PLACES, measured values if none is wanted. *iv starts as interval_blank.
 */
void interval_record_get(const struct interval_record *r, unsigned wants, const uint8_t *tail,
	struct record_clock *clocks, struct interval *iv);

/* Orders records of one machine and start: longer first, then in the order of the trace. Never 0
 * for two of a trace. */
int interval_record_compare(const struct sorter_record *a, const struct sorter_record *b);
/* Orders records of RECORD_PLACES whose starts have the same CLOCK_REALTIME. */
int interval_record_compare_times(const struct sorter_record *a, const struct sorter_record *b);

#endif
