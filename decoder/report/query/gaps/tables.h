/*
 * Threads, labels and sums from which gaps are computed, filled by a walk over intervals or from
 * partial results. Functions that return int return 0 or a CPIDECODE_E code.
 */
#ifndef SWT_DECODER_REPORT_QUERY_GAPS_TABLES_H
#define SWT_DECODER_REPORT_QUERY_GAPS_TABLES_H

#include "gaps.h"

#define GAP_NONE UINT32_MAX
enum { GAP_ID_BYTES = 16 };

/* Instead of a group: all labels of a thread that are summed as others. */
#define GAP_OTHERS (UINT32_MAX - 1)

/* Numbers keys from 0 in order of first use. Starts zeroed. */
struct gap_keys {
	struct hash_index index;
	uint64_t *at;
	size_t count, room;
};

/* A thread's activity in intervals of a label. In cells these are differences, negative in
 * between. */
struct gap_sums {
	int64_t ticks; /* self time: without nested intervals */
	int64_t started, off_ns, tell_off;
};

/* A label on a thread. */
struct gap_pair {
	struct gap_sums sums; /* of all of its intervals, up to now */
	struct tally_group *group;
	uint32_t thread, next;	/* next: pair of the thread; GAP_NONE: none */
	uint32_t filler;	/* its pair in cells: itself or the others */
	uint64_t elapsed;	/* ticks, of all of its intervals */
	uint64_t rate;		/* ticks per second */
	uint64_t last_end;	/* ticks, of the selected ones */
	uint64_t end;		/* of those up to now */
	uint64_t count, inside; /* the selected ones; those that are open */
	bool has_begun, is_over;
};

/* Time of a pair's thread in intervals of another pair (filler), between the pair's first start and
 * last end and outside its intervals. */
struct gap_cell {
	struct gap_sums sums;
	uint32_t pair, filler;
};

/* An interval that is open in the walk. */
struct gap_open {
	uint64_t end, least_end; /* ticks; least_end: of it and those before it */
	uint64_t off_ns;
	uint32_t pair;
	bool is_selected;
	bool is_plain; /* nothing is nested in it, or overlaps it */
};

struct gap_thread {
	const struct task *task; /* of its last interval in the first walk */
	uint32_t pairs;		 /* first pair: no interval; second: others */
	uint64_t now;		 /* ticks */
	struct tick_range slice; /* only time in it counts */
	struct gap_open *open;
	size_t count, room;
	uint32_t *around; /* pairs with a selected interval that is open, each once */
	size_t naround, around_room;
};

/* Starts zeroed. */
struct gap_search {
	struct report *r;		   /* NULL: of partial results */
	uint8_t (*machines)[GAP_ID_BYTES]; /* by number: the least id of its traces */
	size_t nmachines, machines_room;
	struct hash_index machine_ids; /* of machines read from partial results */
	struct tally names;
	struct gap_keys thread_keys, pair_keys, cell_keys;
	struct gap_thread *threads;
	struct gap_pair *pairs;
	struct gap_cell *cells;
	size_t threads_room, pairs_room, cells_room;
	struct gap_row *rows; /* by group, or by pair */
	size_t nrows, rows_room;
	struct gap_filler *fillers;
	size_t nfillers;
	bool has_intervals, by_thread;
	struct report_children_lost lost; /* of the selected intervals */
};

/* index: of the group, or GAP_NONE or GAP_OTHERS. NULL: no memory. */
struct gap_pair *gaps_find_pair(
	struct gap_search *s, uint32_t thread, uint32_t index, struct tally_group *g);
/* The thread's number; GAP_NONE: no memory. */
uint32_t gaps_find_thread(struct gap_search *s, uint32_t machine, uint32_t tid);
/* NULL: no memory. */
struct tally_group *gaps_find_group(struct gap_search *s, bool has_label, const char *label,
	uint32_t length, uint8_t major, uint8_t mm);
/* Adds sums * times to a cell. */
int gaps_add_cell(struct gap_search *s, uint32_t pair, uint32_t filler, const struct gap_sums *sums,
	int64_t times);
/* The number of the row with a pair's gaps. */
uint32_t gaps_find_row(const struct gap_search *s, const struct gap_pair *p);
/* Makes rows for at least n pairs or groups. */
int gaps_make_rows(struct gap_search *s, size_t n);
/* Upper bound of the rows needed. */
size_t gaps_count_rows(const struct gap_search *s);
double gaps_duration_ns(const struct gap_pair *p, uint64_t ticks);
void gaps_free(struct gap_search *s);

/* Adds *s, with its rows, to *p as an answer (formats/partial.md). */
int gaps_put(struct partial *p, const struct gap_search *s);
/* Reads and merges all answers of *p into *s. CPIDECODE_EINVAL: damaged. */
int gaps_get(struct gap_search *s, const struct partial *p);
/* Joins the answers of *p, several, into one. Returns as gaps_get. */
int gaps_settle(struct partial *p);

#endif
