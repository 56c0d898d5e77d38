/* For the tests of CPI instances. */
#ifndef TEST_INSTANCES_H
#define TEST_INSTANCES_H

#include "../../include/perfutil.h"

/* SWTRACE_COUNTERS; a script's text. */
void use_counters(const char *counters);
void use_script(const char *text);

void sleep_ms(long ms);
/* Causes as many page faults. */
void touch_fresh_pages(unsigned pages);

/* Time hooks in a group of an instance of this mode, without quality, of the software source: one
 * if the thread's clock is read for its cycles, which takes a known rate of the processors. */
unsigned time_hooks(UINT32 mode);

/* An instance; fails the test if there is none to be had. */
void *init(UINT32 mode);

#endif
