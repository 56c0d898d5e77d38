#include <stdlib.h>

#include "../../formats/cpuutil_hooks.h"
#include "double.h"
#include "util_suites.h"

int main(void)
{
	ring_double.major = CPUUTIL_MAJOR;
	return suites_run(stat_suite(), frequency_suite(), interval_suite(), interval_idle_suite(),
		method_suite(), ai_suite(), instance_suite(), trace_suite(), sampling_suite(),
		NULL);
}
