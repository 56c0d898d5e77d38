/*
 * A group of counters: perf events that are scheduled and read together, so that their counts are
 * of the same time. Used by the CPI source and by libcpc.
 *
 * A group counts one processor, or one thread. It is read by one system call; by the thread
 * that it counts, in user mode where the kernel and the processor allow that.
 *
 * Descriptors are high above those that programs use: one that closes all unknown ones
 * gets an error here and not its own file read. Each reading carries the events' identities,
 * which are compared.
 *
 * libtrace/counters/perf owns groups of hardware counters. It includes counters, core and events.
 * Errors: 0 or a negative errno here; perf.h has states of its own. Threads: opening, mapping and
 * closing are the caller's to order; a group that is open may be read by any number of threads.
 */
#ifndef SWT_COUNTERS_PERF_GROUP_H
#define SWT_COUNTERS_PERF_GROUP_H

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../core/private_abi.h"
#include "snapshot.h"

enum { PERF_GROUP_MAX = 32 };

/* The system calls, so that tests can simulate a machine with counters. */
struct perf_calls {
	int (*open)(
		struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags);
	ssize_t (*read)(int fd, void *bytes, size_t size);
	int (*ioctl)(int fd, unsigned long request, void *argument);
	int (*close)(int fd);
	/* An event's first pages; fd -1: zeros, of which a child has none. NULL: not to be had. */
	void *(*map)(int fd, size_t pages);
	void (*unmap)(void *page, size_t pages);
	/* Replaces the mapping at `onto` in one step. Returns where the pages are now; NULL: where
	 * they were. */
	void *(*move_map)(void *page, size_t pages, void *onto);
	void (*blank)(void *page, size_t pages); /* zeros replace them in one step */
	int (*move)(int fd, int least);		 /* to the lowest free number from `least` on */
};

extern struct perf_calls perf_calls PRIVATE_ABI(perf_calls);

struct perf_member {
	int fd;
	uint64_t id;
	struct perf_event_mmap_page *page; /* NULL: read by system calls only */
	bool counts_instructions;
};

struct perf_group {
	unsigned count; /* 0: not open; member[0] leads */
	bool mapped;	/* every member has its page */
	struct perf_member member[PERF_GROUP_MAX];
};

struct perf_group_reading {
	uint64_t enabled, running; /* ns; running is less when counters were shared */
	bool in_user_mode;	   /* by no system call */
	uint64_t count[PERF_GROUP_MAX];
	/* In user mode. Of a group that is not on the counters: no pages. */
	struct perf_snapshot snapshot[PERF_GROUP_MAX];
};

/* Whether the kernel has perf events at all and no filter says otherwise. Opens nothing. */
bool perf_group_supported(void) PRIVATE_ABI(perf_group_supported);

/*
 * Opens attr[0..count) as one group of thread pid (0: the caller) on any processor, or of
 * processor cpu (pid -1). Size and read_format of each attr are set here; attr[0] decides whether
 * it starts disabled. On AArch64 the caller's own hardware events ask, where their config1 is 0,
 * for counters that user mode may read, if there are any. Members beyond the first that do not
 * exist are an error: *failed (NULL: not wanted) is the index of the one that failed; nothing stays
 * open.
 */
int perf_group_open(struct perf_group *g, struct perf_event_attr *attr, unsigned count, pid_t pid,
	int cpu, unsigned *failed) PRIVATE_ABI(perf_group_open);

/* Maps the pages of a group of the calling thread, for perf_group_read_here. All or none;
 * where the kernel refuses, the group is read by system calls. */
void perf_group_map(struct perf_group *g) PRIVATE_ABI(perf_group_map);

/* By a system call. -EBADF: its descriptors are gone; -ENODATA: its processor went offline,
 * or it lost its counters for good. */
int perf_group_read(const struct perf_group *g, struct perf_group_reading *r)
	PRIVATE_ABI(perf_group_read);

/* The words that the kernel returns: number of counters, enabled, running; then a count and an
 * identity for each counter. */
enum {
	PERF_WORD_ENABLED = 1,
	PERF_WORD_RUNNING = 2,
	PERF_WORD_COUNTS = 3,
	PERF_COUNT_WORDS = 2,
	PERF_WORDS = PERF_WORD_COUNTS + PERF_COUNT_WORDS * PERF_GROUP_MAX
};

/* perf_group_read, inlined: after a system call the processor mispredicts each return. */
static inline __attribute__((always_inline)) int perf_group_read_words(
	const struct perf_group *g, uint64_t word[PERF_WORDS])
{
	const size_t want =
		(PERF_WORD_COUNTS + PERF_COUNT_WORDS * (size_t)g->count) * sizeof(uint64_t);
	ssize_t n;

	if (g->count == 0)
		return -EBADF;
	do
		n = perf_calls.read(g->member[0].fd, word, want);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	/* When a processor goes offline the kernel dissolves its groups: fewer values come, or
	 * none. */
	if (n == 0)
		return -ENODATA;
	if (n < (ssize_t)((PERF_WORD_COUNTS + PERF_COUNT_WORDS) * sizeof *word) ||
		word[PERF_WORD_COUNTS + 1] != g->member[0].id)
		return -EBADF;
	if (n != (ssize_t)want || word[0] != g->count)
		return -ENODATA;
	for (unsigned i = 1; i < g->count; i++)
		if (word[PERF_WORD_COUNTS + PERF_COUNT_WORDS * i + 1] != g->member[i].id)
			return -EBADF;
	return 0;
}

/* The same, by the thread that it counts only: in user mode where that works now. */
int perf_group_read_here(const struct perf_group *g, struct perf_group_reading *r)
	PRIVATE_ABI(perf_group_read_here);

/* The whole group, from zero counted on; from where it was; stop. Async-signal-safe. */
int perf_group_reset(const struct perf_group *g) PRIVATE_ABI(perf_group_reset);
int perf_group_enable(const struct perf_group *g);
int perf_group_disable(const struct perf_group *g);

/* Closes only descriptors that are still its own. In a child of fork the pages are not there:
 * `forked` leaves them alone. */
void perf_group_close(struct perf_group *g, bool forked) PRIVATE_ABI(perf_group_close);

#endif
