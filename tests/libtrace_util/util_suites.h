#ifndef TEST_UTIL_SUITES_H
#define TEST_UTIL_SUITES_H

#include "../lib/suites.h"

Suite *ai_suite(void);
Suite *frequency_suite(void);
Suite *instance_suite(void);
Suite *interval_suite(void);
Suite *interval_idle_suite(void);
Suite *method_suite(void);
Suite *sampling_suite(void);
Suite *stat_suite(void);
Suite *trace_suite(void);

#endif
