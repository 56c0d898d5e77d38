/*
 * Throughput-bound work, and the loops of an op. Included where ops are defined.
 */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#include "bench.h"

/*
 * One turn of work: every item is one load, multiplication, shift, addition and store, and
 * depends on nothing but itself a turn ago. So the processor always has more to do than it
 * can finish, and what a hook adds is what it takes from the work's share of the machine.
 * Kept scalar (-fno-tree-vectorize), to be the same on every compiler. The loop is unrolled
 * until its few rounds are always predicted: one wrong guess would cost as much as a hook.
 */
#define WORK_1(k) item[k] = item[k] * 0x9E3779B97F4A7C15u + (item[k] >> 29)
#define WORK_4(k)                                                                                  \
	WORK_1(k);                                                                                 \
	WORK_1(k + 1);                                                                             \
	WORK_1(k + 2);                                                                             \
	WORK_1(k + 3)
#define WORK_16(k)                                                                                 \
	WORK_4(k);                                                                                 \
	WORK_4(k + 4);                                                                             \
	WORK_4(k + 8);                                                                             \
	WORK_4(k + 12)

static inline __attribute__((always_inline)) void work_turn(uint64_t *item, unsigned n)
{
	for (uint64_t *end = item + n; item < end; item += WORK_STEP) {
		WORK_16(0);
		WORK_16(16);
	}
}

/* All loops have one shape and alignment. The empty asm keeps turns from being merged, and
 * costs no instruction. BODY may use i, the turn. */
#define OP_LOOPS(name, before, body)                                                               \
	static __attribute__((noinline, aligned(64))) void tight_##name(uint64_t turns)            \
	{                                                                                          \
		before;                                                                            \
		for (uint64_t i = 0; i < turns; i++) {                                             \
			body;                                                                      \
			__asm__ volatile("");                                                      \
		}                                                                                  \
	}                                                                                          \
	static __attribute__((noinline, aligned(64))) void work_##name(uint64_t turns)             \
	{                                                                                          \
		uint64_t *item = work_area();                                                      \
		unsigned items = work_items;                                                       \
		before;                                                                            \
		for (uint64_t i = 0; i < turns; i++) {                                             \
			work_turn(item, items);                                                    \
			body;                                                                      \
			__asm__ volatile("" ::: "memory");                                         \
		}                                                                                  \
	}

#endif
