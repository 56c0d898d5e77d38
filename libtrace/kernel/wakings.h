/*
 * Who wakes a thread: the kernel's tracepoint sched:sched_waking. It occurs in the waker, or in an
 * interrupt, at each wake-up of a thread that sleeps. Finding it needs tracefs, opening it root or
 * CAP_PERFMON.
 */
#ifndef SWT_KERNEL_WAKINGS_H
#define SWT_KERNEL_WAKINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The tracepoint's number, and where in its raw data the fields are. */
struct waking_format {
	uint64_t id;
	uint32_t flags_at; /* one byte: common_flags */
	uint32_t tid_at;   /* four bytes: the woken thread */
};

/* Reads a number that the kernel wrote, in its byte order. */
static inline uint32_t waking_u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

struct waking {
	uint64_t at;	   /* the event's clock */
	uint32_t pid, tid; /* the waker, or the thread that the interrupt interrupted */
	uint32_t woken;	   /* tid */
	uint32_t how;	   /* KERNEL_WAKEUP_HARD_IRQ, KERNEL_WAKEUP_SOFT_IRQ */
};

/* text: a tracepoint's file `format`. False: it is not understood. */
bool waking_parse_format(const char *text, struct waking_format *f);

/* Reads the format from tracefs. 0 or a negative errno; -ENOENT: tracefs is not mounted; -EPROTO:
 * the format is not understood. */
int waking_read_format(struct waking_format *f);

/* Opens a processor's event, which writes into the buffer of the event `output`, with the same
 * clock. A descriptor or a negative errno. */
int waking_open(const struct waking_format *f, uint32_t cpu, int output);
/* Tries whether this process may open a processor's event. 0 or a negative errno. */
int waking_try(const struct waking_format *f, uint32_t cpu);
/* How many wake-ups an event had so far, whether or not the kernel hands them over. 0: none, or it
 * cannot be read. */
uint64_t waking_count(int fd);

/* bytes, size: of the event's PERF_RECORD_SAMPLE, its header included. False: it is cut short, or
 * wakes no thread. */
bool waking_parse(
	const struct waking_format *f, const uint8_t *bytes, size_t size, struct waking *waking);

/* Why reading the format or opening failed, and what to do. */
void waking_explain(int error, char *text, size_t size);

#endif
