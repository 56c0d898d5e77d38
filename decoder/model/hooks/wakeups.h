/*
 * Who woke a thread, from the kernel's records (formats/kernel_hooks.h). Trusts nothing in these
 * hooks: contradictory records are left out.
 *
 * The last wake-up of a thread before it ran again ended its wait, unless hooks of that time are
 * missing, of whichever processor. It may be a little earlier than the record of the thread's
 * leaving (WAKEUP_EARLY_US): the kernel lets others wake a thread as soon as that is bound to
 * leave.
 */
#ifndef SWT_DECODER_MODEL_HOOKS_WAKEUPS_H
#define SWT_DECODER_MODEL_HOOKS_WAKEUPS_H

#include "../../../formats/kernel_hooks.h"
#include "../trace/trace.h"
#include "record.h"
#include "switches.h"

/* A wake-up this long before its thread left a processor did not end the wait. */
enum { WAKEUP_EARLY_US = 1000 };

struct wakeup {
	uint32_t file, machine, cpu; /* cpu: of the waker */
	uint32_t tid;		     /* the woken thread */
	uint32_t pid, by;	     /* waker, tid 0: idle; KERNEL_TID_UNKNOWN: not known */
	uint32_t how; /* KERNEL_WAKEUP_HARD_IRQ, _SOFT_IRQ: it was interrupted then */
	uint64_t at;  /* ticks */
};

/* Whether it is a hook of wake-ups. */
static inline bool wakeups_has_hook(const struct hook *h)
{
	return h->major == KERNEL_MAJOR && h->minor == KERNEL_MINOR_WAKEUPS;
}

/* A time of which a hook has all wake-ups by a processor; or of which hooks are missing. */
struct wakeup_stretch {
	uint32_t file, machine, cpu;
	uint64_t start, end; /* ticks */
};

/* The hook's stretch. False: not a hook of wake-ups. */
bool wakeups_read_stretch(const struct hook *h, struct wakeup_stretch *stretch);
/* Continues with the processor's next hook. True: *stretch becomes the time before it of which
 * hooks are missing. */
bool wakeups_advance(struct switch_cpu *c, struct wakeup_stretch *stretch);

/* The wake-ups of a hook, in order. 0, or the first result of take that is not 0. */
int wakeups_each(
	const struct hook *h, int (*visit)(void *ctx, const struct wakeup *wakeup), void *ctx);

#endif
