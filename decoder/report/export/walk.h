/*
 * Shared by the exports: the walk over the interval stream as lanes, and how an interval's name,
 * thread, flags and figures are found.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_WALK_H
#define SWT_DECODER_REPORT_EXPORT_WALK_H

#include "../../model/intervals/stream.h"
#include "../report.h"
#include "lanes.h"

/* *base: the first start, or that of the trace without intervals. */
int export_find_base(struct report *r, struct interval_stream *s, int64_t *base);

/* Notes what did not nest, and where it is ("further tracks"). */
void export_note_lanes(struct report *r, const struct lanes *l, const char *where);

/* Adds all of the stream to lanes, and ends them. */
int export_lanes(struct report *r, struct interval_stream *s, struct lanes *l);

/* The name of a thread: its task's, or `tid N` in `room`. */
enum { EXPORT_THREAD_ROOM = 24 };
const char *export_thread_name(const struct lane_thread *t, char room[EXPORT_THREAD_ROOM]);

/*
 * What an interval's columns have besides its slice (name, times, thread, nesting) and figures.
 * Without those that say nothing: minor and types of 0, CPI's own major, and the processor where it
 * began if it also ended there.
 */
struct export_attribute {
	const char *name;
	const char *text; /* NULL: a number */
	union {
		uint64_t number;
		size_t length;
	};
};

enum { EXPORT_ATTRIBUTES = 9 };
/* Returns how many there are. Texts may be in `to`. */
unsigned export_find_attributes(
	const struct interval *iv, struct out *to, struct export_attribute at[EXPORT_ATTRIBUTES]);

/*
 * The name of a value: event.NAME or arg_NAME, in `room`, where a column has that name.
 * (trace_processor reads a dot in an argument's name as _.) taken: by kind and name, what was found
 * out before, zeroed at first, of export_names_new; NULL: nothing is kept.
 */
struct trace_text export_name_value(const struct report *r, enum value_kind kind, uint32_t name,
	uint8_t *taken, struct out *room);
uint8_t *export_names_new(const struct report *r); /* for free(); NULL: no memory */

/*
 * A named figure of intervals: an integer or a real. Where it was not measured there is none.
 */
struct export_figure {
	const char *name;
	size_t offset; /* in struct interval */
	bool is_time;  /* ns; else a count */
};

/* uint64_t, NOT_MEASURED; from EXPORT_COUNTS_OFTEN_0 on those that are often 0 */
extern const struct export_figure export_counts[];
extern const struct export_figure export_reals[]; /* double, NAN */
enum { EXPORT_COUNTS = 13, EXPORT_COUNTS_OFTEN_0 = 7, EXPORT_REALS = 7 };

/* A figure that every interval has. */
#define EXPORT_ELAPSED_CYCLES "elapsed_cycles"
/* With r->compensate: the elapsed time less the library's own cost; slices keep start and end. */
#define EXPORT_COMPENSATED "compensated_ns"

static inline uint64_t export_count(const struct interval *iv, unsigned i)
{
	uint64_t v;

	memcpy(&v, (const char *)iv + export_counts[i].offset, sizeof v);
	return v;
}

static inline double export_real(const struct interval *iv, unsigned i)
{
	double v;

	memcpy(&v, (const char *)iv + export_reals[i].offset, sizeof v);
	return v;
}

#endif
