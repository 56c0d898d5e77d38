/*
 * The intervals of a flame graph, sorted so that each comes after those that contain it. A record
 * has a number for its name, so it is small however long the name is.
 */
#ifndef SWT_DECODER_REPORT_FLAME_COLLECT_H
#define SWT_DECODER_REPORT_FLAME_COLLECT_H

#include "../../base/sorter/sorter.h"
#include "../../model/hooks/pass.h"
#include "../../model/intervals/stream.h"
#include "measures.h"
#include "names.h"
#include "tasks.h"

/*
 * Sorts by machine, then start, intervals that began before tick 0 first; of those that start
 * together longer ones first, then in the order of the trace. (The group and key of
 * interval_record.)
 */
struct flame_record {
	struct sorter_record sort; /* its spare bits: enum flame_shape */
	uint64_t end;		   /* ticks */
	uint64_t position;
	uint32_t ring, file, tid;
	uint32_t name, task; /* as its writer numbers them */
	uint32_t flags;	     /* enum interval_flag, FLAME_HAS_OWN, FLAME_HAS_OFF_CPU */
	/* As the shape says: weight; in pictures above, below, value; with FLAME_HAS_OWN its own
	 * cost; with FLAME_HAS_SELECTION the query's selection. Absent ones are not stored. */
	uint64_t words[6];
};

/* The last word but the selection is the library's own cost, in the weight's unit: of the pair,
 * inside (low half). */
#define FLAME_HAS_OWN (UINT32_C(1) << 31)
#define FLAME_HAS_SELECTION (UINT32_C(1) << 30)
/* Taken by the filter, but not measured. */
#define FLAME_LEFT_OUT (UINT32_C(1) << 29)
/* The counts are ns off the processors and of all: FLAME_OFF_CPU, which the shape has no bit for.
 */
#define FLAME_HAS_OFF_CPU (UINT32_C(1) << 28)

enum flame_shape {
	FLAME_WRITER = PASS_MAX_THREADS - 1, /* a mask: the thread that read it */
	FLAME_KIND = 10,		     /* a shift: enum flame_cpi, 2 bits: a CPI's */
	FLAME_HAS_COUNTS = 1 << 12,
	FLAME_HAS_VALUE = 1 << 13,
	/* Selected and measured: its own weight is part of its frame's. */
	FLAME_COUNTED = 1 << 14,
	FLAME_HAS_WEIGHT = 1 << 15, /* else its ticks */
};
_Static_assert(PASS_MAX_THREADS == 1 << FLAME_KIND, "the writer's bits");

/* The output of one thread of the pass. */
struct flame_writer;

struct flame_collection {
	const struct report *r;
	const struct interval_query *query; /* NULL: none; its walks are the caller's */
	size_t budget; /* bytes of records in memory before a file is used; 0: 8 MiB */
	struct flame_writer *writers;
	unsigned count;
	struct sorter *records;
	struct flame_names *names; /* of frames; the caller's */
	uint32_t **maps;	   /* of each writer's numbers to those in names; NULL: the same */
	uint32_t *spelled;  /* of each name that lines spell differently, that name; NULL: none */
	uint64_t counted;   /* intervals */
	uint64_t with_cost; /* of these, those with the library's own cost; to compensate */
	uint64_t left_out;  /* selected, not measured; with a query the builder counts both */
	const struct derived *metric; /* of WEIGHT_EVENT; NULL: it is an event */
	uint32_t event;		      /* trace_text_at */
	bool names_event;	      /* some interval names the event */
	bool names_containers;	      /* see flame_tasks */
	int64_t start, end;	      /* of those that count, in pictures; start > end: none */
};

/*
 * Reads the trace. c starts zeroed but for r, query, budget, names_containers and names, which is
 * empty. 0 or a negative code (errno for CPIDECODE_ESPOOL).
 */
int flame_collect(struct flame_collection *c);
/* Rewinds to the first record. 0 or a negative code. */
int flame_collection_rewind(struct flame_collection *c);
/* Returns 1 and the next record (valid until the next call), 0 at the end, or a negative code. */
int flame_collection_next(struct flame_collection *c, const struct flame_record **r);

/* NOT_MEASURED: not subtracted from its parent. */
static inline uint64_t flame_record_weight(const struct flame_record *r)
{
	return r->sort.spare & FLAME_HAS_WEIGHT ? r->words[0] : r->end - r->sort.key;
}

/* The library's own cost: how much of it is inside the interval. 0: unknown, or not subtracted. */
static inline uint64_t flame_record_own(const struct flame_record *r, uint64_t *pair)
{
	if (!(r->flags & FLAME_HAS_OWN)) {
		*pair = 0;
		return 0;
	}
	uint64_t own = ((const uint64_t *)r)[r->sort.size / sizeof(uint64_t) - 1 -
					     (r->flags & FLAME_HAS_SELECTION ? 1 : 0)];
	*pair = own >> 32;
	return own & UINT32_MAX;
}

/* With a query. */
static inline uint64_t flame_record_selection(const struct flame_record *r)
{
	return ((const uint64_t *)r)[r->sort.size / sizeof(uint64_t) - 1];
}

/* A record's weight in its frame of a picture. */
struct flame_part flame_collection_part(
	const struct flame_collection *c, const struct flame_record *r);

/* The number, in names, of a name of the record. */
static inline uint32_t flame_collection_name(
	const struct flame_collection *c, const struct flame_record *r, uint32_t name)
{
	const uint32_t *map = c->maps[r->sort.spare & FLAME_WRITER];

	if (map)
		name = map[name];
	return c->spelled && c->spelled[name] ? c->spelled[name] : name;
}

/* The numbers, in names, of the record's process and thread. */
struct flame_task flame_collection_task(
	const struct flame_collection *c, const struct flame_record *r);

/* Keeps counted, left_out, start and end, and the names. */
void flame_collection_free(struct flame_collection *c);

#endif
