/* For the tests of CPI instances. */
#ifndef TEST_INSTANCES_H
#define TEST_INSTANCES_H

#include "../../include/perfutil.h"

/* SWTRACE_COUNTERS; a script's text. */
void use(const char *counters);
void use_script(const char *text);

void sleep_ms(long ms);

/* An instance; fails the test if there is none to be had. */
void *init(UINT32 mode);

#endif
