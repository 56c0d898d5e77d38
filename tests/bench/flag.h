/*
 * A flag that is never set, in a file of its own, so that no compiler knows.
 */
#ifndef BENCH_FLAG_H
#define BENCH_FLAG_H

#include <stdint.h>

extern uint32_t bench_flag[1024];
void bench_flag_is_set(uint64_t turn);

#endif
