#include "wakeups.h"

#include "switches.h"

int wakeups_each(
	const struct hook *h, int (*take)(void *ctx, const struct wakeup *wakeup), void *ctx)
{
	struct wakeup w = {.file = h->file, .machine = h->machine};
	uint64_t first, last = 0;
	uint32_t count, most;
	int rc = 0;

	if (!wakeups_has_hook(h) || h->nwords < KERNEL_WAKEUPS_WORDS)
		return 0;
	w.cpu = hook_word(h, KERNEL_WAKEUPS_CPU);
	count = hook_word(h, KERNEL_WAKEUPS_COUNT);
	first = get_hl64(h->words + 4 * KERNEL_WAKEUPS_FIRST);
	most = (h->nwords - KERNEL_WAKEUPS_WORDS) / (uint32_t)KERNEL_WAKEUP_WORDS;
	if (w.cpu >= SWITCH_CPUS_MAX || first > h->ticks)
		return 0;
	if (count > most)
		count = most;
	for (uint32_t i = 0; i < count && !rc; i++) {
		const unsigned at = KERNEL_WAKEUPS_WORDS + i * KERNEL_WAKEUP_WORDS;
		const uint32_t after = hook_word(h, at + KERNEL_WAKEUP_AFTER);

		/* Records are in order, and older than their hook. */
		if (after < last || after > h->ticks - first)
			return 0;
		last = after;
		w.at = first + after;
		w.tid = hook_word(h, at + KERNEL_WAKEUP_TID);
		w.pid = hook_word(h, at + KERNEL_WAKEUP_WAKER_PID);
		w.by = hook_word(h, at + KERNEL_WAKEUP_WAKER_TID);
		w.how = hook_word(h, at + KERNEL_WAKEUP_HOW);
		if (w.tid && w.tid != KERNEL_TID_UNKNOWN)
			rc = take(ctx, &w);
	}
	return rc;
}
