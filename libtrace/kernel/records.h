/*
 * The kernel's records of one processor: context switches, and the names, starts and ends of
 * threads, read from a perf event's buffer. The event counts nothing, so that a machine without a
 * PMU has it, too; it needs CAP_PERFMON or kernel.perf_event_paranoid <= 0. Wake-ups (wakings.h)
 * may join them in the same buffer, in order.
 *
 * libtrace/kernel owns the kernel's records, and turns them into hooks. It includes session,
 * counters and core. Errors: 0 or a negative errno.
 */
#ifndef SWT_KERNEL_RECORDS_H
#define SWT_KERNEL_RECORDS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wakings.h"

enum kernel_record_kind {
	KERNEL_RECORD_SWITCH,  /* pid, tid left; other_pid, other_tid run */
	KERNEL_RECORD_ARRIVAL, /* the same, of a switch that may have had its record already */
	KERNEL_RECORD_NAME,    /* of pid, tid */
	KERNEL_RECORD_FORK,    /* pid, tid begins, with the name of other_pid, other_tid */
	KERNEL_RECORD_EXIT,    /* pid, tid ends */
	KERNEL_RECORD_LOST,    /* `lost` records before this one */
	KERNEL_RECORD_WAKING,  /* pid, tid wakes other_tid; how: or interrupts do, and it ran */
};

struct kernel_record {
	enum kernel_record_kind kind;
	uint64_t at;				 /* CLOCK_MONOTONIC_RAW ns */
	uint32_t pid, tid, other_pid, other_tid; /* of switches: or KERNEL_TID_UNKNOWN */
	uint64_t lost;
	bool preempted; /* the previous thread was runnable */
	uint32_t how;	/* of wake-ups: KERNEL_WAKEUP_HARD_IRQ, KERNEL_WAKEUP_SOFT_IRQ */
	char name[16];
};

struct kernel_records {
	int fd;	       /* of the event: readable when the buffer is half full */
	int waking_fd; /* -1: wake-ups are not recorded */
	struct waking_format waking;
	uint32_t cpu;
	struct perf_event_mmap_page *page;
	size_t bytes; /* of the buffer behind the page */
	/* So far: wake-ups in the buffer; all records that were lost; and wake-ups that occurred,
	 * but are neither. */
	uint64_t samples, lost, missing;
};

/* Opens a processor's event, with room for wake-ups if there are to be any. -EACCES, -EPERM: not
 * permitted; -ENODEV: it is offline; -EXDEV: not in this PID namespace. */
int kernel_records_open(struct kernel_records *r, uint32_t cpu, bool has_wakings);
/* Adds wake-ups. 0 or a negative errno, see waking_explain. */
int kernel_records_add_wakings(struct kernel_records *r, const struct waking_format *format);
/* Wake-ups that are in the buffer already are skipped. */
void kernel_records_drop_wakings(struct kernel_records *r);
void kernel_records_close(struct kernel_records *r);

/* Why opening failed, and what to do. */
void kernel_records_explain(int error, char *text, size_t size);

/*
 * Hands over the records since the last call, in order, and frees their space. Returns whether the
 * buffer was too full for the longest record: records may be missing then, even if none of kind
 * LOST came so far.
 */
bool kernel_records_read(struct kernel_records *r,
	void (*visit)(void *ctx, const struct kernel_record *record), void *ctx);

#endif
