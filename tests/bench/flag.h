/*
 * A flag that is never set, in a translation unit of its own so that the compiler cannot know.
 */
#ifndef BENCH_FLAG_H
#define BENCH_FLAG_H

#include <stdint.h>

extern uint32_t bench_flag[1024];
void bench_flag_is_set(uint64_t turn);

#endif
