/* The figures of the last round: lists in text or JSON, and the lines before them in text. */
#ifndef SWT_CMD_TOP_VIEW_H
#define SWT_CMD_TOP_VIEW_H

#include "../../../decoder/sink/document.h"
#include "state.h"

/* Lines about the session, the most important first. */
void top_view_summary(struct out *o, const struct top *t);
/* Tables, with a line of headings, or arrays. */
void top_view_rings(struct document *d, const struct top *t);
void top_view_programs(struct document *d, const struct top *t);
/* since_start: of text, which shows one of JSON's two summaries. */
void top_view_labels(struct document *d, const struct top *t, bool since_start);
/* The label's histogram. label NULL: there is none of that name yet. */
void top_view_buckets(struct document *d, const struct top *t, const struct top_label *label);
/* The same after a line of text. */
void top_view_histogram(
	struct document *d, const struct top *t, const char *name, const struct top_label *label);
/* Members: how far behind the drain is. */
void top_view_lag(struct json *j, const struct top *t);

/* All of it, for --batch. */
void top_view_batch(struct out *o, const struct top *t);

/* The share of hooks that was seen; NAN: there were none. */
double top_share(uint64_t hooks, uint64_t missed);

#endif
