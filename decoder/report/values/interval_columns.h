/*
 * The columns of intervals as data: what --report intervals prints, and what --where asks. Rows are
 * struct interval.
 */
#ifndef SWT_DECODER_REPORT_VALUES_INTERVAL_COLUMNS_H
#define SWT_DECODER_REPORT_VALUES_INTERVAL_COLUMNS_H

#include "../../../formats/trace_file.h"
#include "../../model/intervals/intervals.h"
#include "../rows.h"

/* Columns that many traces say nothing for: of CPU utilisation, of the thread's time, of quality
 * hooks, of time that no switch explains, and of other containers than the session's owner's. */
enum {
	INTERVAL_HAS_UTIL = 1 << 0,
	INTERVAL_HAS_TIME = 1 << 1,
	INTERVAL_HAS_LIFE = 1 << 2,
	INTERVAL_HAS_UNEXPLAINED = 1 << 3,
	INTERVAL_HAS_MAJOR = 1 << 4,	/* another than CPI's */
	INTERVAL_HAS_OWN_COST = 1 << 5, /* of CSV and JSON */
	INTERVAL_HAS_CONTAINER = 1 << 6,
	INTERVAL_HAS_LIST = 1 << 7, /* never set: of columns that only a list shows */
};

/* Ends as rows_begin's list. */
extern const struct column interval_columns[];
/* Whether the column of that name shows how intervals nest. */
bool interval_column_is_nested(const char *name, size_t length);

/* rRING.POSITION, of a guest ring gRING.POSITION. It names every member, as cell_real does. */
static inline struct cell interval_id_cell(struct interval_hook hook, bool known)
{
	return (struct cell){.kind = known ? CELL_ID : CELL_NONE,
		.decimals = hook.ring & TF_GUEST_RING ? 'g' : 'r',
		.u = hook.position,
		.trace = hook.machine,
		.number = hook.ring & ~TF_GUEST_RING};
}

#endif
