/*
 * The order of intervals by the cells of any column: numbers, then texts by their bytes, then those
 * without a value. Texts get their ranks in a walk of their own. Functions that return int return 0
 * or a CPIDECODE_E code.
 */
#ifndef SWT_DECODER_REPORT_QUERY_CELL_ORDER_H
#define SWT_DECODER_REPORT_QUERY_CELL_ORDER_H

#include "../../base/sorter/text_ranks.h"
#include "../rows.h"

/* Starts zeroed but for the first two; to be freed in any case. */
struct cell_order {
	const struct column *column; /* of intervals; NULL: none has a value */
	bool falling;
	struct text_ranks texts;
};

/* All intervals, with their places from 0. */
int cell_order_see(struct cell_order *o, uint64_t place, const struct interval *iv);
/* After the last one; places: how many. */
int cell_order_settle(struct cell_order *o, uint64_t places);
/* A lower group comes first, and within it a lower rank. */
uint64_t cell_order_rank(
	struct cell_order *o, uint64_t place, const struct interval *iv, uint32_t *group);
void cell_order_free(struct cell_order *o);

#endif
