/* Rotated files of a continuous trace that were not given. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "tell.h"

enum { TRACE_ID = 16 };

static int by_trace(const void *a, const void *b)
{
	const struct told_part *x = a, *y = b;
	int order = memcmp(x->trace_id, y->trace_id, TRACE_ID);
	if (order)
		return order;
	return x->rotation.number < y->rotation.number ? -1
						       : x->rotation.number > y->rotation.number;
}

/* Files from..to of the trace are not there; what follows them is. */
static void tell_missing(const struct told_part *next, uint64_t from, uint64_t to)
{
	if (from == to)
		complain("%s: file %" PRIu64 " of its trace is missing before it",
			told_name(next->path), from);
	else
		complain("%s: files %" PRIu64 " to %" PRIu64 " of its trace are missing before it",
			told_name(next->path), from, to);
}

/* Those before the oldest. Returns whether that is a loss. */
static bool tell_oldest(const struct told_part *oldest)
{
	uint64_t before = oldest->rotation.number - 1, keep = oldest->rotation.keep;
	if (!before)
		return false;
	if (!keep) {
		tell_missing(oldest, 1, before);
		return true;
	}
	complain("%s: the %" PRIu64 " file%s before it %s not here: the writer kept %" PRIu64
		 " (--keep)",
		told_name(oldest->path), before, plural(before), before == 1 ? "is" : "are", keep);
	return false;
}

bool tell_rotated(struct told_part *parts, size_t n)
{
	const struct told_part *before = NULL;
	bool bad = false;
	if (n)
		qsort(parts, n, sizeof *parts, by_trace);
	for (size_t i = 0; i < n; i++) {
		const struct told_part *p = &parts[i];
		if (!p->rotation.number)
			continue;
		if (!before || memcmp(before->trace_id, p->trace_id, TRACE_ID)) {
			bad |= tell_oldest(p);
		} else if (p->rotation.number > before->rotation.number + 1) {
			tell_missing(p, before->rotation.number + 1, p->rotation.number - 1);
			bad = true;
		}
		before = p;
	}
	return bad;
}
