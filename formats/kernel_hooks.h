/*
 * Hooks of the kernel's records: context switches and wake-ups of all processors, and the names of
 * threads.
 * kernel.hooks describes the words for decoders, trace-file.md their meaning; the writer's side is
 * libtrace/kernel/.
 */
#ifndef SWT_FORMATS_KERNEL_HOOKS_H
#define SWT_FORMATS_KERNEL_HOOKS_H

#include <stdint.h>

#define KERNEL_MAJOR 0xC3u

#define KERNEL_MINOR_SWITCHES 0x00000001u
#define KERNEL_MINOR_NAMES 0x00000002u
#define KERNEL_MINOR_LOST 0x00000003u
#define KERNEL_MINOR_WAKEUPS 0x00000004u

/* A switch's "how": the thread that left could have gone on. */
#define KERNEL_SWITCH_PREEMPTED 1u

/* A wake-up's "how": an interrupt did it, or one's deferred work; the waker is the thread that it
 * interrupted. */
#define KERNEL_WAKEUP_HARD_IRQ 1u
#define KERNEL_WAKEUP_SOFT_IRQ 2u

/* Instead of a thread's number: one that had ended so far that it had none any more. */
#define KERNEL_TID_UNKNOWN UINT32_MAX

/* The words of a switches hook, before the switches. Stamps are two words, high first. */
enum kernel_switches_word {
	KERNEL_SWITCHES_CPU = 0,
	KERNEL_SWITCHES_COUNT = 1,
	KERNEL_SWITCHES_SINCE = 2, /* the previous thread is known to run from here on */
	KERNEL_SWITCHES_FIRST = 4, /* of the first switch; without one: it still ran then */
	KERNEL_SWITCHES_PREV_PID = 6,
	KERNEL_SWITCHES_PREV_TID = 7,
	KERNEL_SWITCHES_WORDS = 8,
};

/* A switch: words of its turn. */
enum kernel_switch_word {
	KERNEL_SWITCH_AFTER = 0, /* ticks from the first switch to this one */
	KERNEL_SWITCH_PID = 1,	 /* who runs from now on; tid 0: idle */
	KERNEL_SWITCH_TID = 2,
	KERNEL_SWITCH_HOW = 3, /* KERNEL_SWITCH_PREEMPTED */
	KERNEL_SWITCH_WORDS = 4,
};

/* The words of a names hook, before the names; and of a name's turn. */
enum kernel_names_word {
	KERNEL_NAMES_COUNT = 0,
	KERNEL_NAMES_TEXTS = 1, /* strings, one a name */
	KERNEL_NAMES_WORDS = 2,
};
enum kernel_name_word {
	KERNEL_NAME_PID = 0,
	KERNEL_NAME_TID = 1,
	KERNEL_NAME_FROM = 2, /* the thread has this name from here, */
	KERNEL_NAME_TO = 4,   /* up to here, this stamp included */
	KERNEL_NAME_WORDS = 6,
};

enum kernel_lost_word {
	KERNEL_LOST_CPU = 0,
	KERNEL_LOST_SINCE = 1,
	KERNEL_LOST_UNTIL = 3,
	KERNEL_LOST_RECORDS = 5,
	KERNEL_LOST_WORDS = 7,
};

/* The words of a wakeups hook, before the wake-ups; and of a wake-up's turn. */
enum kernel_wakeups_word {
	KERNEL_WAKEUPS_CPU = 0, /* where the wakers ran */
	KERNEL_WAKEUPS_COUNT = 1,
	KERNEL_WAKEUPS_SINCE = 2, /* up to the first there was no other one from here on */
	KERNEL_WAKEUPS_FIRST = 4, /* of the first wake-up; without one: there was none up to then */
	KERNEL_WAKEUPS_WORDS = 6,
};
enum kernel_wakeup_word {
	KERNEL_WAKEUP_AFTER = 0, /* ticks from the first wake-up to this one */
	KERNEL_WAKEUP_TID = 1,	 /* who is woken */
	KERNEL_WAKEUP_WAKER_PID = 2,
	KERNEL_WAKEUP_WAKER_TID = 3, /* 0: idle */
	KERNEL_WAKEUP_HOW = 4,
	KERNEL_WAKEUP_WORDS = 5,
};

/* The most of a hook, so that it fits the smallest section. */
enum {
	KERNEL_SWITCHES_MOST = 180,
	KERNEL_NAMES_MOST = 64,
	KERNEL_WAKEUPS_MOST = 144,
	KERNEL_NAME_BYTES = 15,
};

#endif
