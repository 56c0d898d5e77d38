/*
 * The cells of a heat map in partial results (formats/partial.md). Canonical: merging gives the
 * same bytes as reading the entire trace. A column's width is the greatest power of ten, in ns,
 * from which any map of these or more intervals can be made; columns count from the origin.
 *
 * decoder/report/heatmap owns heat maps. It includes report, base, model, query and sink. Errors as
 * in report.h.
 */
#ifndef SWT_DECODER_REPORT_HEATMAP_CELLS_H
#define SWT_DECODER_REPORT_HEATMAP_CELLS_H

#include "../../model/stats/partial/partial.h"

enum {
	HEATMAP_COLUMNS = 200, /* of a map, at most */
};

struct heatmap_cell {
	uint32_t column; /* since that of `first` */
	uint32_t bucket; /* bucket_of with HEATMAP_PARTS_MOST */
	uint64_t count;
};

/* Starts zeroed. */
struct heatmap_cells {
	char *host, *label;	 /* host NULL: unknown or several; label NULL: all */
	int64_t first, last;	 /* starts of intervals: CLOCK_REALTIME ns */
	uint64_t step;		 /* width of a column */
	uint64_t total;		 /* 0: no interval */
	struct heatmap_cell *at; /* by column, then bucket */
	size_t count, room;
};

/* The step of the cells of intervals that began from first to last. */
uint64_t heatmap_cells_step(int64_t first, int64_t last);
/* The column, counted from the origin, that a time is in. */
__int128 heatmap_column(int64_t ns, int64_t origin, uint64_t step);
/* Converts a cell's column to columns of a greater step, a multiple of the cells'. */
__int128 heatmap_cells_widen(
	const struct heatmap_cells *c, int64_t origin, uint32_t column, uint64_t step);
/* Appends a cell; call in order. 0 or CPIDECODE_ENOMEM. */
int heatmap_cells_add(struct heatmap_cells *c, const struct heatmap_cell *cell);
/* Adds the cells to *p as its answer; they count from p's origin. 0 or CPIDECODE_ENOMEM. */
int heatmap_cells_put(struct partial *p, const struct heatmap_cells *c);
/* Reads and merges all answers of *p. 0, CPIDECODE_ENOMEM, or CPIDECODE_EINVAL: damaged. */
int heatmap_cells_get(struct heatmap_cells *c, const struct partial *p);
/* Joins the answers of *p, several, into one, after the last merge. Returns as heatmap_cells_get.
 */
int heatmap_cells_settle(struct partial *p);
void heatmap_cells_free(struct heatmap_cells *c);

#endif
