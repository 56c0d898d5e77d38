/* Prints the sizes of the public structures, a line each. */
#include <cpc_event.h>
#include <cpidecode.h>
#include <libcpc.h>
#include <p4counters.h>
#include <perflib.h>
#include <perfutil.h>
#include <swtrace.h>
#include <stdio.h>

#define SIZE(type) printf("%s %zu\n", #type, sizeof(type))

int main(void)
{
	SIZE(CPI_DATA);
	SIZE(AI_COUNTERS);
	SIZE(CPUUTIL_DATA);
	SIZE(TRACE_STRING);
	SIZE(TRACE_SCHEMA_ERROR);
	SIZE(SWT_ARG);
	SIZE(swtrace_label_);
	SIZE(swtrace_scope_);
	SIZE(struct p4_counter);
	SIZE(struct p4_escr);
	SIZE(struct p4_mask);
	SIZE(struct p4_event);
	SIZE(struct p4_metric);
	SIZE(struct p4_request);
	SIZE(struct p4_program);
	SIZE(struct p4_step);
	SIZE(cpidecode_open_options);
	SIZE(cpidecode_open_error);
	SIZE(cpidecode_file_info);
	SIZE(cpidecode_damage_info);
	SIZE(cpidecode_loss_info);
	SIZE(cpidecode_causes_info);
	SIZE(cpidecode_hook);
	SIZE(cpidecode_field);
	SIZE(cpidecode_counts);
	SIZE(cpidecode_interval_cpu);
	SIZE(cpidecode_interval_util);
	SIZE(cpidecode_interval);
	SIZE(cpidecode_value);
	SIZE(cpidecode_columns_options);
	SIZE(cpidecode_columns_error);
	SIZE(cpidecode_column_info);
	SIZE(cpidecode_column_buffer);
	SIZE(cpidecode_report_options);
	SIZE(cpc_attr_t);
	SIZE(struct cpc_event);
	SIZE(struct cpc_event_info);
	SIZE(GUID);
	SIZE(SYSTEMTIME);
	SIZE(PERF_INSTANCE_HEADER);
	SIZE(PerfRegInfoType);
	SIZE(PERF_COUNTERSET_REG_INFO);
	SIZE(PERF_COUNTER_REG_INFO);
	SIZE(PERF_STRING_BUFFER_HEADER);
	SIZE(PERF_STRING_COUNTER_HEADER);
	SIZE(PERF_COUNTER_IDENTIFIER);
	SIZE(PERF_DATA_HEADER);
	SIZE(PerfCounterDataType);
	SIZE(PERF_COUNTER_HEADER);
	SIZE(PERF_MULTI_COUNTERS);
	SIZE(PERF_MULTI_INSTANCES);
	SIZE(PERF_COUNTER_DATA);
	SIZE(PERF_SAMPLE);
	SIZE(PERF_COUNTERSET_INFO);
	SIZE(PERF_COUNTER_INFO);
	SIZE(PERF_COUNTERSET_INSTANCE);
	return 0;
}
