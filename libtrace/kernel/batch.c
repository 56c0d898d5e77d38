#include "batch.h"

#include <string.h>

static void batch_put_u64(UINT32 *words, uint64_t v)
{
	words[0] = (UINT32)(v >> 32);
	words[1] = (UINT32)v;
}

/* Returns whether there was room for it. */
static bool batch_write_hook(uint64_t *hooks, UINT32 minor, UINT32 count, UINT32 *words)
{
	if (TraceHookWords(KERNEL_MAJOR, minor, count, words) != PU_SUCCESS)
		return false;
	++*hooks;
	return true;
}

static void batch_write(struct switch_batch *b)
{
	b->words[KERNEL_SWITCHES_CPU] = b->cpu;
	b->words[KERNEL_SWITCHES_COUNT] = b->count;
	if (batch_write_hook(&b->hooks, KERNEL_MINOR_SWITCHES,
		    KERNEL_SWITCHES_WORDS + b->count * KERNEL_SWITCH_WORDS, b->words))
		b->written += b->count;
	else
		b->dropped += b->count;
	b->count = 0;
}

/* The hook's head: the running thread, and until when. */
static void batch_begin(struct switch_batch *b, uint64_t at)
{
	batch_put_u64(&b->words[KERNEL_SWITCHES_SINCE], b->since < at ? b->since : at);
	batch_put_u64(&b->words[KERNEL_SWITCHES_FIRST], at);
	b->words[KERNEL_SWITCHES_PREV_PID] = b->pid;
	b->words[KERNEL_SWITCHES_PREV_TID] = b->tid;
	b->first = at;
}

void switch_batch_flush(struct switch_batch *b)
{
	if (b->count)
		batch_write(b);
}

void switch_batch_add(struct switch_batch *b, const struct kernel_record *r, uint64_t at)
{
	UINT32 *words;

	/* Another thread leaves than the one that came: records are missing. One that has no number
	 * any more is the one that came. */
	if (!b->is_chain || (b->tid != r->tid && r->tid != KERNEL_TID_UNKNOWN)) {
		switch_batch_flush(b);
		if (!b->is_begun || b->since > at)
			b->since = at;
		b->pid = r->pid;
		b->tid = r->tid;
	}
	if (b->since > at)
		at = b->since;
	if (b->count && at - b->first > UINT32_MAX)
		batch_write(b);
	if (b->count == 0)
		batch_begin(b, at);
	words = &b->words[KERNEL_SWITCHES_WORDS + b->count * KERNEL_SWITCH_WORDS];
	words[KERNEL_SWITCH_AFTER] = (UINT32)(at - b->first);
	words[KERNEL_SWITCH_PID] = r->other_pid;
	words[KERNEL_SWITCH_TID] = r->other_tid;
	words[KERNEL_SWITCH_HOW] = r->preempted ? KERNEL_SWITCH_PREEMPTED : 0;
	b->is_chain = true;
	b->is_begun = false;
	b->pid = r->other_pid;
	b->tid = r->other_tid;
	b->since = at;
	if (++b->count == KERNEL_SWITCHES_MOST)
		batch_write(b);
}

void switch_batch_end(struct switch_batch *b, uint64_t at)
{
	switch_batch_flush(b);
	if (!(b->is_chain || b->is_begun) || at <= b->since)
		return;
	if (!b->is_chain) {
		b->pid = 0;
		b->tid = KERNEL_TID_UNKNOWN;
	}
	batch_begin(b, at);
	batch_write(b);
	b->since = at;
}

void switch_batch_lose(struct switch_batch *b, uint64_t records, uint64_t until)
{
	UINT32 words[KERNEL_LOST_WORDS];

	switch_batch_flush(b);
	words[KERNEL_LOST_CPU] = b->cpu;
	batch_put_u64(&words[KERNEL_LOST_SINCE],
		(b->is_chain || b->is_begun) && b->since < until ? b->since : until);
	batch_put_u64(&words[KERNEL_LOST_UNTIL], until);
	batch_put_u64(&words[KERNEL_LOST_RECORDS], records);
	batch_write_hook(&b->hooks, KERNEL_MINOR_LOST, KERNEL_LOST_WORDS, words);
	b->is_chain = b->is_begun = false;
}

/* ------------------------------------------------------------------------ wake-ups */

static void waking_batch_write(struct waking_batch *b)
{
	b->words[KERNEL_WAKEUPS_CPU] = b->cpu;
	b->words[KERNEL_WAKEUPS_COUNT] = b->count;
	batch_put_u64(&b->words[KERNEL_WAKEUPS_SINCE], b->since);
	batch_put_u64(&b->words[KERNEL_WAKEUPS_FIRST], b->first);
	if (batch_write_hook(&b->hooks, KERNEL_MINOR_WAKEUPS,
		    KERNEL_WAKEUPS_WORDS + b->count * KERNEL_WAKEUP_WORDS, b->words))
		b->written += b->count;
	else
		b->dropped += b->count;
	b->count = 0;
	b->since = b->last;
}

void waking_batch_flush(struct waking_batch *b)
{
	if (b->count)
		waking_batch_write(b);
}

void waking_batch_end(struct waking_batch *b, uint64_t at)
{
	waking_batch_flush(b);
	if (at <= b->last)
		return;
	b->first = b->last = at;
	waking_batch_write(b);
}

void waking_batch_add(struct waking_batch *b, const struct kernel_record *r, uint64_t at)
{
	UINT32 *words;

	/* An interrupt's record may precede that of the interrupted thread. */
	if (at < b->last)
		at = b->last;
	if (b->count && at - b->first > UINT32_MAX)
		waking_batch_flush(b);
	if (!b->count)
		b->first = at;
	b->last = at;
	words = &b->words[KERNEL_WAKEUPS_WORDS + b->count * KERNEL_WAKEUP_WORDS];
	words[KERNEL_WAKEUP_AFTER] = (UINT32)(at - b->first);
	words[KERNEL_WAKEUP_TID] = r->other_tid;
	words[KERNEL_WAKEUP_WAKER_PID] = r->pid;
	words[KERNEL_WAKEUP_WAKER_TID] = r->tid;
	words[KERNEL_WAKEUP_HOW] = r->how;
	if (++b->count == KERNEL_WAKEUPS_MOST)
		waking_batch_flush(b);
}
