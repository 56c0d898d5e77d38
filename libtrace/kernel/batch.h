/*
 * Switches and wake-ups of one processor on their way to hooks: some of them make one hook.
 */
#ifndef SWT_KERNEL_BATCH_H
#define SWT_KERNEL_BATCH_H

#include "../../formats/kernel_hooks.h"
#include "../../include/perfutil.h"
#include "records.h"
#include "stamps.h"

struct switch_batch {
	uint32_t cpu;
	bool is_chain; /* pid, tid run since `since`, as far as is known */
	bool is_begun; /* there was no switch since `since`; the running thread may be unknown */
	uint32_t pid, tid;
	uint64_t since;		   /* ticks */
	uint64_t first;		   /* of those in `words` */
	uint32_t count;		   /* of switches in `words` */
	uint64_t written, dropped; /* switches; dropped: the ring had no room for them */
	uint64_t hooks;
	UINT32 words[KERNEL_SWITCHES_WORDS + KERNEL_SWITCHES_MOST * KERNEL_SWITCH_WORDS];
};

/* Wake-ups by threads and interrupts of the processor. */
struct waking_batch {
	uint32_t cpu;
	uint32_t count; /* in `words` */
	uint64_t since; /* ticks: the end of the hook before, even if there was no room for it */
	uint64_t first, last;	   /* of those in `words`; last: begins as `since` */
	uint64_t written, dropped; /* dropped: the ring had no room for them */
	uint64_t hooks;
	UINT32 words[KERNEL_WAKEUPS_WORDS + KERNEL_WAKEUPS_MOST * KERNEL_WAKEUP_WORDS];
};

/* Writes a hook when it is full. */
void waking_batch_add(struct waking_batch *b, const struct kernel_record *record, uint64_t at);
/* Writes what there is. */
void waking_batch_flush(struct waking_batch *b);
/* Flushes; then there was no other wake-up up to that time. */
void waking_batch_end(struct waking_batch *b, uint64_t at);

/* at: ticks, not before the last one's. Writes a hook when it is full. */
void switch_batch_add(struct switch_batch *b, const struct kernel_record *record, uint64_t at);
/* Writes what there is. */
void switch_batch_flush(struct switch_batch *b);
/* Flushes; then there was no other switch up to that time. */
void switch_batch_end(struct switch_batch *b, uint64_t at);
/* Flushes, and notes that records were lost up to that time: unknown threads ran. 0: a number that
 * is not known. */
void switch_batch_lose(struct switch_batch *b, uint64_t records, uint64_t until);

#endif
