#include <stdlib.h>

#include "../../formats/cpuutil_hooks.h"
#include "double.h"
#include "util_suites.h"

int main(void)
{
	SRunner *runner = srunner_create(stat_suite());
	int failed;

	ring_double.major = CPUUTIL_MAJOR;
	srunner_add_suite(runner, frequency_suite());
	srunner_add_suite(runner, interval_suite());
	srunner_add_suite(runner, interval_idle_suite());
	srunner_add_suite(runner, method_suite());
	srunner_add_suite(runner, ai_suite());
	srunner_add_suite(runner, instance_suite());
	srunner_add_suite(runner, trace_suite());
	srunner_add_suite(runner, sampling_suite());
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
