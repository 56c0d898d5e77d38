#include <stdlib.h>

#include "suites.h"

int main(void)
{
	SRunner *runner = srunner_create(figures_suite());
	int failed;

	srunner_add_suite(runner, group_suite());
	srunner_add_suite(runner, idle_suite());
	srunner_add_suite(runner, online_suite());
	srunner_add_suite(runner, script_suite());
	srunner_add_suite(runner, perf_suite());
	srunner_add_suite(runner, difference_suite());
	srunner_add_suite(runner, instance_suite());
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
