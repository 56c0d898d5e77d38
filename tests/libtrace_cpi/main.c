#include <stdlib.h>

#include "suites.h"

int main(void)
{
	return suites_run(figures_suite(), busy_suite(), core_types_suite(), cpus_suite(),
		group_suite(), idle_suite(), online_suite(), script_suite(), perf_group_suite(),
		perf_page_suite(), perf_suite(), difference_suite(), activity_suite(),
		switch_page_suite(), refusals_suite(), instance_suite(), instance_figures_suite(),
		instance_loop_suite(), instance_trace_suite(), instance_quality_suite(),
		events_suite(), events_cpus_suite(), orphans_suite(), NULL);
}
