#include "wakers.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/grow.h"
#include "../../base/sort.h"

int wakers_add_wakeup(struct wakers *w, const struct wakeup *wakeup)
{
	if (w->nwakeups > WAKEUPS_MOST)
		return 0;
	if (grow(&w->wakeups, w->nwakeups, &w->wakeups_room, sizeof *w->wakeups))
		return CPIDECODE_ENOMEM;
	w->wakeups[w->nwakeups++] = *wakeup;
	return 0;
}

static int wakers_compare_wakeups(const void *x, const void *y)
{
	const struct wakeup *a = x, *b = y;
	int c = compare_u64(a->at, b->at);

	if (!c)
		c = compare_u64(a->by, b->by);
	return c ? c : compare_u64(a->how, b->how);
}

void wakers_sort_wakeups(struct wakers *w)
{
	if (w->nwakeups > WAKEUPS_MOST)
		w->nwakeups = 0;
	if (w->nwakeups)
		qsort(w->wakeups, w->nwakeups, sizeof *w->wakeups, wakers_compare_wakeups);
}

/* The last wake-up in (began, back]; NULL: none, or of a waker that is not known. */
static const struct wakeup *wakers_find_wakeup(
	const struct wakers *w, uint64_t began, uint64_t back)
{
	size_t low = 0, high = w->nwakeups;
	const struct wakeup *last;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (w->wakeups[middle].at <= back)
			low = middle + 1;
		else
			high = middle;
	}
	last = low ? &w->wakeups[low - 1] : NULL;
	if (!last || last->at <= began)
		return NULL;
	return last->by == KERNEL_TID_UNKNOWN && !wakeup_is_by_interrupt(last) ? NULL : last;
}

/* NULL: no memory. */
static struct waker *wakers_find(struct wakers *w, const struct wakeup *by)
{
	const bool is_interrupt = wakeup_is_by_interrupt(by);

	for (size_t i = 0; i < w->count; i++)
		if (w->at[i].tid == by->by && w->at[i].pid == by->pid &&
			w->at[i].is_interrupt == is_interrupt)
			return &w->at[i];
	if (w->count == WAKERS_MOST)
		return &w->others;
	if (grow(&w->at, w->count, &w->room, sizeof *w->at))
		return NULL;
	w->at[w->count] =
		(struct waker){.pid = by->pid, .tid = by->by, .is_interrupt = is_interrupt};
	return &w->at[w->count++];
}

int wakers_add_wait(
	struct wakers *w, const struct trace_file *f, uint64_t began, uint64_t left, uint64_t back)
{
	const struct wakeup *by = wakers_find_wakeup(w, began, back);
	struct waker *waker = by ? wakers_find(w, by) : &w->unknown;

	if (!waker)
		return CPIDECODE_ENOMEM;
	waker->waits++;
	waker->waited_ns += trace_duration_ns(f, back - left);
	if (by) {
		waker->seen = by->at;
		waker->to_run_ns += trace_duration_ns(f, back - (by->at > left ? by->at : left));
	}
	return 0;
}

static int wakers_compare(const void *x, const void *y)
{
	const struct waker *a = x, *b = y;
	int c;

	if (a->waited_ns != b->waited_ns)
		return a->waited_ns < b->waited_ns ? 1 : -1;
	c = compare_u64(a->tid, b->tid);
	if (!c)
		c = compare_u64(a->pid, b->pid);
	return c ? c : compare_u64(a->is_interrupt, b->is_interrupt);
}

void wakers_end(struct wakers *w, const struct switch_names *names, uint32_t machine)
{
	for (size_t i = 0; i < w->count; i++) {
		struct waker *waker = &w->at[i];
		const struct switch_name *name =
			switch_names_find(names, machine, waker->tid, waker->seen);

		waker->has_name = name != NULL;
		if (name)
			memcpy(waker->name, name->name, sizeof waker->name);
	}
	if (w->count)
		qsort(w->at, w->count, sizeof *w->at, wakers_compare);
}

void wakers_free(struct wakers *w)
{
	free(w->at);
	free(w->wakeups);
}
