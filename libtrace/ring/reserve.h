/*
 * The fast path of a reservation: no call, no division, no lock prefix. reserve.c does the rest:
 * attach, section switch, guest rings, losses.
 */
#ifndef SWT_RING_RESERVE_H
#define SWT_RING_RESERVE_H

#include "hook.h"
#include "layout.h"
#include "rseq.h"
#include "thread.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/*
 * Whether hooks of this major are wanted, and the thread is attached to the rings of now in
 * a process of its own. The gate holds the generation, so one comparison checks both.
 */
static inline bool ring_thread_may_write(const struct ring_thread *self, uint32_t major)
{
	return __atomic_load_n(&ring_gate_page()->gate[major], __ATOMIC_RELAXED) ==
		       self->generation &&
	       self->epoch == __atomic_load_n(&ring_epoch.value, __ATOMIC_RELAXED);
}

/* The same for the calling thread, without taking its address: UBSan checks the address for NULL by
 * the flags of an addition, which the linker may relax to an instruction that sets none. */
static inline bool ring_self_may_write(uint32_t major)
{
	return __atomic_load_n(&ring_gate_page()->gate[major], __ATOMIC_RELAXED) ==
		       ring_self.generation &&
	       ring_self.epoch == __atomic_load_n(&ring_epoch.value, __ATOMIC_RELAXED);
}

/* Whether the hook was reserved on the ring of another processor than this one; false if `cpu` has
 * no ring, or on a guest ring. */
static inline bool hook_left_cpu(const struct hook_writer *w, uint32_t cpu)
{
	const struct ring_map *map = ring_self.map;
	const struct shm_geometry *g = &map->geometry;
	const uint64_t at = (uint64_t)((uintptr_t)w->first - (uintptr_t)map->rings);

	return at - cpu * g->ring_stride >= g->ring_stride && cpu < g->cpus &&
	       at < g->cpus * g->ring_stride;
}

/* Bytes. */
enum { PREFETCHED_MOST = 512 };

/* at: as of hook_begin_at. */
int hook_begin_slow(struct hook_writer *w, uint32_t major, uint64_t bytes, uint32_t hooks,
	const struct hook_time *at) __attribute__((visibility("hidden")));

/* One attempt on this CPU's ring, inline; false: hook_begin_slow has to do it. at: NULL, the time
 * is now. */
static inline __attribute__((always_inline)) bool hook_begin_fast_at(
	struct hook_writer *w, uint32_t major, uint64_t bytes, const struct hook_time *at)
{
#if RING_HAS_RSEQ
	const struct ring_map *map;

	hook_raise_busy();
	if (unlikely(!ring_self_may_write(major)))
		goto out;
	/* A stamp from before the thread was attached would be another task's. */
	if (at && unlikely(__atomic_load_n(&ring_self.generation, __ATOMIC_RELAXED) !=
			   at->generation))
		goto out;
	map = ring_self.map;
	if (unlikely(bytes > ring_self.longest) ||
		unlikely(rseq_reserve(ring_self.rseq, map, bytes, &ring_self,
				 at ? at->ticks : rseq_clock(), &w->stamp, &w->first) != RSEQ_DONE))
		goto out;
	w->at = w->first;
	w->number = ring_self.number;
	/* Where the next section will be surveyed and written: in the cache by then. Beyond the
	 * ring's end it is a prefetch in vain. */
	const uint8_t *next = w->first + map->geometry.section_size;
	__builtin_prefetch(next, 0, 2);
	for (uint64_t line = 64; line < bytes && line < PREFETCHED_MOST; line += 64)
		__builtin_prefetch(next + line, 0, 2);
	return true;
out:
	hook_lower_busy();
	return false;
#else
	(void)w;
	(void)major;
	(void)bytes;
	(void)at;
	return false;
#endif
}

static inline __attribute__((always_inline)) bool hook_begin_fast(
	struct hook_writer *w, uint32_t major, uint64_t bytes)
{
	return hook_begin_fast_at(w, major, bytes, NULL);
}

/* hook_begin, inline. */
static inline int hook_begin_inline(
	struct hook_writer *w, uint32_t major, uint64_t bytes, uint32_t hooks)
{
	if (likely(hook_begin_fast(w, major, bytes)))
		return HOOK_RESERVED;
	return hook_begin_slow(w, major, bytes, hooks, NULL);
}

#endif
