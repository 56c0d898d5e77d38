#include "wakeups.h"

/* A hook's head. */
struct wakeups_head {
	uint32_t cpu, count;
	uint64_t since, first;
};

static bool wakeups_read_head(const struct hook *h, struct wakeups_head *head)
{
	uint32_t most;

	if (!wakeups_has_hook(h) || h->nwords < KERNEL_WAKEUPS_WORDS)
		return false;
	most = (h->nwords - KERNEL_WAKEUPS_WORDS) / (uint32_t)KERNEL_WAKEUP_WORDS;
	*head = (struct wakeups_head){.cpu = hook_word(h, KERNEL_WAKEUPS_CPU),
		.count = hook_word(h, KERNEL_WAKEUPS_COUNT),
		.since = get_hl64(h->words + 4 * KERNEL_WAKEUPS_SINCE),
		.first = get_hl64(h->words + 4 * KERNEL_WAKEUPS_FIRST)};
	if (head->count > most)
		head->count = most;
	return head->cpu < SWITCH_CPUS_MAX && head->since <= head->first && head->first <= h->ticks;
}

/* Records are in order, and precede their hook. */
static bool wakeups_read_after(
	const struct hook *h, const struct wakeups_head *head, uint32_t i, uint32_t *after)
{
	const uint32_t last = *after;

	*after = hook_word(h, KERNEL_WAKEUPS_WORDS + i * KERNEL_WAKEUP_WORDS + KERNEL_WAKEUP_AFTER);
	return *after >= last && *after <= h->ticks - head->first;
}

bool wakeups_read_stretch(const struct hook *h, struct wakeup_stretch *stretch)
{
	struct wakeups_head head;
	uint32_t after = 0;

	if (!wakeups_read_head(h, &head))
		return false;
	*stretch = (struct wakeup_stretch){.file = h->file,
		.machine = h->machine,
		.cpu = head.cpu,
		.start = head.since,
		.end = head.first};
	for (uint32_t i = 0; i < head.count && wakeups_read_after(h, &head, i, &after); i++)
		stretch->end = head.first + after;
	return true;
}

bool wakeups_advance(struct switch_cpu *c, struct wakeup_stretch *stretch)
{
	const struct wakeup_stretch now = *stretch;
	const uint64_t known = c->end;

	if (now.end > known)
		c->end = now.end;
	stretch->start = known;
	stretch->end = now.start;
	return now.start > known;
}

int wakeups_each(
	const struct hook *h, int (*visit)(void *ctx, const struct wakeup *wakeup), void *ctx)
{
	struct wakeup w = {.file = h->file, .machine = h->machine};
	struct wakeups_head head;
	uint32_t after = 0;
	int rc = 0;

	if (!wakeups_read_head(h, &head))
		return 0;
	w.cpu = head.cpu;
	for (uint32_t i = 0; i < head.count && !rc; i++) {
		const unsigned at = KERNEL_WAKEUPS_WORDS + i * KERNEL_WAKEUP_WORDS;

		if (!wakeups_read_after(h, &head, i, &after))
			return 0;
		w.at = head.first + after;
		w.tid = hook_word(h, at + KERNEL_WAKEUP_TID);
		w.pid = hook_word(h, at + KERNEL_WAKEUP_WAKER_PID);
		w.by = hook_word(h, at + KERNEL_WAKEUP_WAKER_TID);
		w.how = hook_word(h, at + KERNEL_WAKEUP_HOW);
		if (w.tid && w.tid != KERNEL_TID_UNKNOWN)
			rc = visit(ctx, &w);
	}
	return rc;
}
