#include <stdlib.h>

#include "suites.h"

int main(void)
{
	SRunner *runner = srunner_create(figures_suite());
	int failed;

	srunner_add_suite(runner, busy_suite());
	srunner_add_suite(runner, core_types_suite());
	srunner_add_suite(runner, cpus_suite());
	srunner_add_suite(runner, group_suite());
	srunner_add_suite(runner, idle_suite());
	srunner_add_suite(runner, online_suite());
	srunner_add_suite(runner, script_suite());
	srunner_add_suite(runner, perf_group_suite());
	srunner_add_suite(runner, perf_page_suite());
	srunner_add_suite(runner, perf_suite());
	srunner_add_suite(runner, difference_suite());
	srunner_add_suite(runner, life_suite());
	srunner_add_suite(runner, instance_suite());
	srunner_add_suite(runner, instance_figures_suite());
	srunner_add_suite(runner, instance_trace_suite());
	srunner_add_suite(runner, instance_quality_suite());
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
