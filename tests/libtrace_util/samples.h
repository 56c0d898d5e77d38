/* Samples for the tests of intervals: an interval of 100 ms, of CPUS processors. */
#ifndef TEST_UTIL_SAMPLES_H
#define TEST_UTIL_SAMPLES_H

#include "../../include/perfutil.h"
#include "../../libtrace/counters/usage/usage.h"

enum { CPUS = 4 };

/* This test's samples. */
extern struct counter_sample *from, *to;
extern struct counter_interval *out;

/* ms in ticks of this machine's clock; in ns. */
uint64_t ticks(uint64_t ms);
#define MS UINT64_C(1000000)

/* Nothing measured but the clock, 100 ms apart. */
void samples_begin(int method);
void samples_end(void);

/* usage_difference, each for itself; looks that the parts are parts of the whole. */
void difference(void);

/* Within a millionth: the error of rounding to ticks. */
void about(uint64_t value, uint64_t want);

#endif
