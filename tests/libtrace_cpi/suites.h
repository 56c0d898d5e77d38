#ifndef TEST_SUITES_H
#define TEST_SUITES_H

#include "../lib/suites.h"

Suite *busy_suite(void);
Suite *core_types_suite(void);
Suite *cpus_suite(void);
Suite *figures_suite(void);
Suite *group_suite(void);
Suite *idle_suite(void);
Suite *online_suite(void);
Suite *script_suite(void);
Suite *perf_suite(void);
Suite *perf_group_suite(void);
Suite *perf_page_suite(void);
Suite *difference_suite(void);
Suite *events_suite(void);
Suite *events_cpus_suite(void);
Suite *activity_suite(void);
Suite *refusals_suite(void);
Suite *switch_page_suite(void);
Suite *instance_suite(void);
Suite *instance_figures_suite(void);
Suite *instance_loop_suite(void);
Suite *instance_trace_suite(void);
Suite *instance_quality_suite(void);
Suite *orphans_suite(void);

#endif
