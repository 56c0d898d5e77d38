/*
 * One reservation off the fast path: the ring it is tried on, and what it may still cost. Shared
 * by reserve.c, which picks the ring, and section.c, which finds room in it.
 */
#ifndef SWT_RING_TARGET_H
#define SWT_RING_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "../../formats/trace_file.h"
#include "../core/clock.h"
#include "hook.h"
#include "layout.h"
#include "thread.h"

/* Results of an attempt, besides HOOK_RESERVED: which loss it was, or go elsewhere. */
enum attempt {
	ATTEMPT_LOST = 0x100, /* + enum shm_loss */
	ATTEMPT_AGAIN = 0x200,
	ATTEMPT_ELSEWHERE, /* this thread cannot use a CPU's ring now */
};

/* Steps of work on sections: a record's control word is one, a first check of a section (entry
 * word, hint, the control word behind it) costs as much as these. */
enum { TARGET_LOOK_STEPS = 16 };

/* guest: the ring's lock is held. */
struct target {
	struct ring_thread *thread;
	/* Read once: a handler that forks or attaches may change the thread's own. */
	const struct ring_map *map;
	uint32_t generation; /* of map */
	const struct shm_geometry *geometry;
	struct shm_ring *ring;
	uint8_t *data;
	uint32_t number; /* in the file */
	uint32_t cpu;	 /* of an rseq target */
	bool guest;
	uint64_t at;	/* the time of the hook; 0: now */
	uint32_t steps; /* left: a check of a section, and a walk over one full of pads */
	/* The section found free last, for the next attempt if this one is aborted. The result
	 * holds as long as its entry word is `entry`. */
	struct {
		const uint8_t *at; /* NULL: none */
		uint64_t entry, start;
		uint64_t hooks, torn;
	} found;
};

static inline void target_aim(struct target *t, uint32_t number)
{
	struct shm_ring *ring = ring_at(t->map->base, t->geometry, number);

	if (ring == t->ring)
		return;
	t->number = number;
	t->ring = ring;
	t->data = (uint8_t *)ring + t->geometry->data_offset;
	t->steps = TARGET_LOOK_STEPS + t->geometry->section_size / 8;
	t->found.at = NULL;
}

/* In the session's clock. */
static inline uint64_t target_now(const struct target *t)
{
	return t->geometry->clock == TF_CLOCK_MONOTONIC_RAW ? clock_raw_ns() : clock_instruction();
}

/* The hook's. */
static inline uint64_t target_time(const struct target *t)
{
	return t->at ? t->at : target_now(t);
}

static inline uint64_t target_load_head(const struct target *t)
{
	/* Acquire: pairs with the release of head, so that the control words below it,
	 * which a survey reads, are there.
	 * tests/litmus/head-release.litmus */
	return __atomic_load_n(&t->ring->head, __ATOMIC_ACQUIRE);
}

/* The steps of the sequences on a guest ring, whose holder is alone: plain stores in the
 * sequences' order. */
static inline void guest_store_record(
	uint8_t *at, uint32_t control, uint32_t number, uint64_t stamp)
{
	/* Release: a signal handler's record may not be seen before what it follows.
	 * tests/litmus/handler-order.litmus */
	__atomic_store_n((uint32_t *)(at + REC_CONTROL), control, __ATOMIC_RELEASE);
	__atomic_store_n((uint32_t *)(at + REC_TID), number, __ATOMIC_RELAXED);
	__atomic_store_n((uint64_t *)(at + REC_STAMP), stamp, __ATOMIC_RELAXED);
}

static inline void guest_publish_head(struct shm_ring *ring, uint64_t head)
{
	__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
	/* Store-store, before the payload: see rseq_aarch64.h. C11 has no weaker fence.
	 * tests/litmus/payload-after-head.litmus */
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

/* The stamp of a record: `now`, but no less than the ring's last one. */
static inline uint64_t guest_stamp(struct shm_ring *ring, uint64_t now)
{
	uint64_t last = __atomic_load_n(&ring->last_stamp, __ATOMIC_RELAXED);

	if (now < last)
		now = last;
	__atomic_store_n(&ring->last_stamp, now, __ATOMIC_RELAXED);
	return now;
}

/* The record does not fit behind head: pads the section, enters the next one with it
 * (HOOK_RESERVED), or skips held ones. */
int target_switch_section(struct target *t, uint32_t size, struct hook_writer *w)
	__attribute__((visibility("hidden")));

/* Adds to a counter of the ring. If the sequence on a CPU's ring is aborted too often, or the CPU
 * has no ring, counts in the first guest ring: the sum over rings stays exact. */
void target_count(const struct target *t, enum shm_loss what, uint64_t n)
	__attribute__((visibility("hidden")));

#endif
