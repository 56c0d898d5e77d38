#ifndef TEST_SUITES_H
#define TEST_SUITES_H

#include <check.h>

Suite *figures_suite(void);
Suite *group_suite(void);
Suite *idle_suite(void);
Suite *online_suite(void);
Suite *script_suite(void);
Suite *perf_suite(void);
Suite *difference_suite(void);
Suite *instance_suite(void);

#endif
