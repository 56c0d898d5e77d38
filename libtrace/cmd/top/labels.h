/*
 * The figures of each label's intervals, of the last round and since the start. Intervals without a
 * label have a row for each mm.
 */
#ifndef SWT_CMD_TOP_LABELS_H
#define SWT_CMD_TOP_LABELS_H

#include "../../../formats/base/hash_index.h"
#include "histogram.h"

/* A sum, and the number of intervals that had the figure. */
struct top_sum {
	uint64_t count;
	double sum;
};

struct top_figures {
	struct top_histogram elapsed; /* ticks */
	double elapsed_sum;
	struct top_sum on_cpu_ns, off_cpu_ns;
	/* CPI: of counts where all have them, else the ratios' mean by elapsed time. */
	uint64_t with_counts;
	double instructions, cycles;
	uint64_t with_ratio;
	double weighted, weight;
};

struct top_label {
	char *name; /* NULL: intervals without a label */
	uint32_t length;
	uint8_t mm;
	uint64_t hash;
	struct top_figures current, last, total; /* total is without `current` */
};

/* Starts zeroed. */
struct top_labels {
	struct top_label *row;
	size_t count, room;
	struct hash_index by_name;
	/* Row + 1 of a label's number, 0: not known yet. */
	uint32_t *by_number;
	size_t numbers;
	/* Intervals in no row, since the start: there were too many labels, or too little memory.
	 */
	uint64_t left_out;
};

struct event;

/* Counts an interval: e has an elapsed time. */
void top_labels_add(struct top_labels *l, const struct event *e, double ns_per_tick);
/* Makes the current round the last one. */
void top_labels_close_round(struct top_labels *l);
void top_labels_free(struct top_labels *l);

/* The label's row, or NULL. */
const struct top_label *top_labels_find(const struct top_labels *l, const char *name);

/* Figures to display. NAN: n/a. */
struct top_summary {
	uint64_t count;
	double per_second, mean_ns, p50_ns, p99_ns, max_ns, cpi, on_cpu_ns, off_cpu_ns;
};

struct top_summary top_summarize(const struct top_figures *f, double seconds, double ns_per_tick);

#endif
