#include "waits.h"

#include <stdlib.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/base/search.h"
#include "../../base/grow.h"
#include "../../model/trace/clock/clock.h"

enum { WAITS_FEW = 1024 };

/* ---------------------------------------------------------------------------- gaps */

int waits_add_hook(struct waits *w, const struct hook *h)
{
	struct wakeup_stretch s;
	struct switch_cpu *c;

	if (!wakeups_read_stretch(h, &s))
		return 0;
	c = switch_cpus_find(&w->chains, s.machine, s.cpu);
	if (!c)
		return CPIDECODE_ENOMEM;
	w->is_full |= w->ngaps == WAITS_MOST;
	if (!wakeups_advance(c, &s) || w->is_full)
		return 0;
	if (array_grow(&w->gaps, w->ngaps, &w->gaps_room, sizeof *w->gaps))
		return CPIDECODE_ENOMEM;
	w->gaps[w->ngaps++] =
		(struct waits_gap){.machine = s.machine, .start = s.start, .end = s.end};
	return 0;
}

static int waits_compare_gaps(const void *x, const void *y)
{
	const struct waits_gap *a = x, *b = y;

	return compare_u64_pair(a->machine, b->machine, a->start, b->start);
}

static void waits_join_gaps(struct waits *w)
{
	size_t n = 0;

	if (!w->ngaps)
		return;
	qsort(w->gaps, w->ngaps, sizeof *w->gaps, waits_compare_gaps);
	for (size_t i = 1; i < w->ngaps; i++) {
		struct waits_gap *last = &w->gaps[n];
		const struct waits_gap *gap = &w->gaps[i];

		if (last->machine != gap->machine || last->end < gap->start)
			w->gaps[++n] = *gap;
		else if (last->end < gap->end)
			last->end = gap->end;
	}
	w->ngaps = n + 1;
}

/* Whether a wake-up in (from, back] may be missing. */
static bool waits_has_gap(const struct waits *w, const struct wait *wait)
{
	struct search s = {0, w->ngaps};

	/* The first one that is later than the wait's end. */
	while (s.low < s.high) {
		const struct waits_gap *g = &w->gaps[search_middle(&s)];

		search_narrow(&s, g->machine < wait->machine ||
					  (g->machine == wait->machine && g->start <= wait->back));
	}
	return s.low && w->gaps[s.low - 1].machine == wait->machine &&
	       w->gaps[s.low - 1].end > wait->from;
}

/* --------------------------------------------------------------------------- waits */

static int waits_compare(const void *x, const void *y)
{
	const struct wait *a = x, *b = y;
	int c = compare_u64_pair(a->machine, b->machine, a->tid, b->tid);

	return c ? c : compare_u64_pair(a->back, b->back, a->left, b->left);
}

/* Sorts them, each once; with the earliest time of those of different intervals. */
static void waits_compact(struct waits *w)
{
	size_t n = 0;

	if (w->count)
		qsort(w->at, w->count, sizeof *w->at, waits_compare);
	for (size_t i = 1; i < w->count; i++)
		if (waits_compare(&w->at[n], &w->at[i]))
			w->at[++n] = w->at[i];
		else if (w->at[i].from < w->at[n].from)
			w->at[n].from = w->at[i].from;
	w->count = w->count ? n + 1 : 0;
	w->compacted = w->count;
}

int waits_add(struct waits *w, const struct trace_file *f, const struct wait *wait, uint64_t began)
{
	const uint64_t early = f->clock->rate / (1000000 / WAKEUP_EARLY_US);
	struct wait *added;

	if (!w->is_full && (w->count == WAITS_MOST || w->count >= 2 * w->compacted + WAITS_FEW)) {
		waits_compact(w);
		w->is_full = w->count > WAITS_MOST / 2;
	}
	if (w->is_full)
		return 0;
	if (array_grow(&w->at, w->count, &w->room, sizeof *w->at))
		return CPIDECODE_ENOMEM;
	added = &w->at[w->count++];
	*added = *wait;
	added->at = 0;
	added->from = wait->left - began > early ? wait->left - early : began;
	return 0;
}

void waits_sort(struct waits *w)
{
	waits_compact(w);
	waits_join_gaps(w);
}

/* The first wait of the thread that ends at that time or later; or where it would be. */
static size_t waits_search(const struct waits *w, const struct wait *wanted)
{
	struct search s = {0, w->count};

	while (s.low < s.high)
		search_narrow(&s, waits_compare(&w->at[search_middle(&s)], wanted) < 0);
	return s.low;
}

void waits_add_wakeup(struct waits *w, const struct wakeup *wakeup)
{
	const struct wait wanted = {
		.machine = wakeup->machine, .tid = wakeup->tid, .back = wakeup->at};
	const size_t i = waits_search(w, &wanted);
	struct wait *wait;

	if (i == w->count)
		return;
	wait = &w->at[i];
	if (wait->machine != wakeup->machine || wait->tid != wakeup->tid ||
		wakeup->at <= wait->from || wakeup->at < wait->at)
		return;
	/* If two have one time, the choice must not depend on the order of files. */
	if (wakeup->at == wait->at &&
		(wakeup->by < wait->by || (wakeup->by == wait->by && wakeup->how <= wait->how)))
		return;
	wait->at = wakeup->at;
	wait->pid = wakeup->pid;
	wait->by = wakeup->by;
	wait->how = wakeup->how;
}

const struct wait *waits_find(const struct waits *w, const struct wait *wait)
{
	const size_t i = waits_search(w, wait);

	if (i == w->count || waits_compare(&w->at[i], wait) || !w->at[i].at ||
		waits_has_gap(w, &w->at[i]))
		return NULL;
	return &w->at[i];
}

void waits_free(struct waits *w)
{
	free(w->at);
	free(w->gaps);
	switch_cpus_free(&w->chains);
}
