#include "wakers.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../base/grow.h"

/* NULL: no memory. */
static struct waker *wakers_find(struct wakers *w, const struct wait *wait)
{
	const bool is_interrupt = wait->how & (KERNEL_WAKEUP_HARD_IRQ | KERNEL_WAKEUP_SOFT_IRQ);

	/* The thread that the interrupt interrupted did not cause the wake-up. */
	const struct waker wanted = {.pid = is_interrupt ? 0 : wait->pid,
		.tid = is_interrupt ? 0 : wait->by,
		.is_interrupt = is_interrupt};

	if (wanted.tid == KERNEL_TID_UNKNOWN)
		return &w->unknown;
	for (size_t i = 0; i < w->count; i++)
		if (w->at[i].tid == wanted.tid && w->at[i].pid == wanted.pid &&
			w->at[i].is_interrupt == is_interrupt)
			return &w->at[i];
	if (w->count == WAKERS_MOST)
		return &w->others;
	if (array_grow(&w->at, w->count, &w->room, sizeof *w->at))
		return NULL;
	w->at[w->count] = wanted;
	return &w->at[w->count++];
}

int wakers_add_wait(struct wakers *w, const struct trace_file *f, const struct waits *waits,
	const struct wait *wait)
{
	const struct wait *ended = waits_find(waits, wait);
	struct waker *waker = ended ? wakers_find(w, ended) : &w->unknown;

	if (!waker)
		return CPIDECODE_ENOMEM;
	waker->waits++;
	waker->waited_ns += trace_duration_ns(f, wait->back - wait->left);
	if (waker == &w->unknown)
		return 0;
	waker->seen = ended->at;
	waker->to_run_ns += trace_duration_ns(
		f, wait->back - (ended->at > wait->left ? ended->at : wait->left));
	return 0;
}

static int wakers_compare(const void *x, const void *y)
{
	const struct waker *a = x, *b = y;
	int c;

	if (a->waited_ns != b->waited_ns)
		return a->waited_ns < b->waited_ns ? 1 : -1;
	c = compare_u64(a->tid, b->tid);
	return c ? c : compare_u64_pair(a->pid, b->pid, a->is_interrupt, b->is_interrupt);
}

void wakers_end(struct wakers *w, const struct switch_names *names, uint32_t machine)
{
	for (size_t i = 0; i < w->count; i++) {
		struct waker *waker = &w->at[i];
		const struct switch_name *name =
			waker->is_interrupt
				? NULL
				: switch_names_find(names, machine, waker->tid, waker->seen);

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
}
