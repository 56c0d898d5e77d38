/*
 * Throughput-bound work, and the loops of an op. Included by files that define ops.
 */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#include "bench.h"

/*
 * One turn of work. Every item is a load, multiplication, shift, addition and store, and depends
 * only on itself a turn ago. The processor always has independent instructions to run, so a hook's
 * added cost is the throughput that it takes away. -fno-tree-vectorize keeps the work scalar, the
 * same on all compilers. The loop is unrolled until its few iterations always predict: one
 * misprediction would cost as much as a hook.
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

/* All loops have the same shape and alignment. The empty asm keeps the compiler from merging turns
 * and adds no instruction. BODY may use i, the turn. */
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
