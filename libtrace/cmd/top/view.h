/* The figures of the last round as text, a table each. */
#ifndef SWT_CMD_TOP_VIEW_H
#define SWT_CMD_TOP_VIEW_H

#include "../../../decoder/sink/out.h"
#include "state.h"

/* Lines about the session, the most important first. */
void top_view_summary(struct out *o, const struct top *t);
/* Tables, with a line of headings. */
void top_view_rings(struct out *o, const struct top *t);
void top_view_programs(struct out *o, const struct top *t);
void top_view_labels(struct out *o, const struct top *t, bool since_start);
/* label NULL: there is none of that name yet. */
void top_view_histogram(
	struct out *o, const struct top *t, const char *name, const struct top_label *label);

/* All of it, for --batch. */
void top_view_batch(struct out *o, const struct top *t);

/* The bounds of a histogram's lines, in ns: 1, 2, 5, 10, ... Line i has [bound i, bound i + 1). */
enum { TOP_BOUNDS = 64 };
unsigned top_bounds(const struct top *t, const struct top_label *label, double bounds[TOP_BOUNDS]);
uint64_t top_between(
	const struct top *t, const struct top_figures *f, double from_ns, double to_ns);

/* The share of hooks that was seen; NAN: there were none. */
double top_share(uint64_t hooks, uint64_t missed);

#endif
