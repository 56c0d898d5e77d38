#include "fields.h"

#include <string.h>

#include "../intervals.h"

enum {
	OF_CPI = 1 << GROUP_CPI,
	OF_UTIL = 1 << GROUP_UTIL,
	OF_SCOPE = 1 << GROUP_SCOPE,
	OF_BOTH = OF_CPI | OF_UTIL,
};

#define IV(name) offsetof(struct interval, name)
#define CPU(name) offsetof(struct interval_cpu, name)
#define UTIL(name) offsetof(struct interval_util, name)
/* Without a summary, the system's figures are computed from the processors'. */
#define WANT_UTIL_TIME (WANT_CPUS | WANT_SYSTEM)

static const struct group_field nothing = {"", DECODE_NOTHING, 0, 0, 0};

static const struct group_field fields[] = {
	{"elapsed", DECODE_ELAPSED, OF_BOTH | OF_SCOPE, 0, 0},
	{"types", DECODE_TYPES, OF_BOTH, WANT_FLAGS | WANT_TYPES, 0},
	{"num_cpus", DECODE_NUM_CPUS, OF_BOTH, WANT_FLAGS, 0},
	{"label", DECODE_LABEL, OF_BOTH, 0, 0},
	{"raw_cpi", DECODE_RATIO, OF_CPI, WANT_SYSTEM, IV(raw_cpi)},
	{"scaled_cpi", DECODE_RATIO, OF_CPI, WANT_SYSTEM, IV(scaled_cpi)},
	{"busy", DECODE_RATIO, OF_BOTH, WANT_SYSTEM, IV(busy_pct)},
	{"instructions", DECODE_COUNT, OF_CPI, WANT_SYSTEM, IV(instructions)},
	{"cycles", DECODE_COUNT, OF_CPI, WANT_SYSTEM, IV(cycles)},
	{"busy_cycles", DECODE_COUNT, OF_CPI, WANT_SYSTEM, IV(busy_cycles)},
	{"thread_cpi", DECODE_RATIO, OF_CPI, WANT_THREAD, IV(thread_cpi)},
	{"thread_instructions", DECODE_COUNT, OF_CPI, WANT_THREAD, IV(thread_instructions)},
	{"thread_cycles", DECODE_COUNT, OF_CPI, WANT_THREAD, IV(thread_cycles)},
	{"cpu_raw_cpi", DECODE_CPU_RATIO, OF_CPI, WANT_CPUS, CPU(raw_cpi)},
	{"cpu_scaled_cpi", DECODE_CPU_RATIO, OF_CPI, WANT_CPUS, CPU(scaled_cpi)},
	{"cpu_busy", DECODE_CPU_RATIO, OF_BOTH, WANT_CPUS, CPU(busy_pct)},
	{"cpu_instructions", DECODE_CPU_COUNT, OF_CPI, WANT_CPUS, CPU(instructions)},
	{"cpu_cycles", DECODE_CPU_COUNT, OF_CPI, WANT_CPUS, CPU(cycles)},
	{"cpu_busy_cycles", DECODE_CPU_COUNT, OF_CPI, WANT_CPUS, CPU(busy_cycles)},
	{"flags", DECODE_QUALITY, OF_CPI, WANT_QUALITY, 0},
	{"on_cpu_ns", DECODE_COUNT, OF_CPI | OF_SCOPE, WANT_QUALITY, IV(on_cpu_ns)},
	{"ctx_switches", DECODE_COUNT, OF_CPI | OF_SCOPE, WANT_QUALITY, IV(ctx_switches)},
	{"migrations", DECODE_COUNT, OF_CPI, WANT_QUALITY, IV(migrations)},
	{"faults", DECODE_COUNT, OF_CPI, WANT_QUALITY, IV(faults)},
	{"unexplained_ns", DECODE_COUNT, OF_CPI, WANT_QUALITY, IV(unexplained_ns)},
	{"time_source", DECODE_COUNT, OF_CPI, WANT_QUALITY, IV(time_source)},
	{"start_cpu", DECODE_COUNT, OF_CPI | OF_SCOPE, WANT_QUALITY, IV(start_cpu)},
	{"own_inside", DECODE_COUNT, OF_CPI, WANT_OWN_COST, IV(own_inside)},
	{"own_pair", DECODE_COUNT, OF_CPI, WANT_OWN_COST, IV(own_pair)},
	{"idle", DECODE_RATIO, OF_UTIL, WANT_SYSTEM, IV(idle_pct)},
	{"intr", DECODE_RATIO, OF_UTIL, WANT_SYSTEM, IV(intr_pct)},
	{"actual_perf", DECODE_RATIO, OF_UTIL, WANT_SYSTEM, IV(actual_perf_pct)},
	{"method", DECODE_COUNT, OF_UTIL, WANT_SYSTEM | WANT_METHOD, IV(method)},
	{"cpu_idle", DECODE_UTIL_RATIO, OF_UTIL, WANT_CPUS, UTIL(idle_pct)},
	{"cpu_intr", DECODE_UTIL_RATIO, OF_UTIL, WANT_CPUS, UTIL(intr_pct)},
	{"cpu_actual_perf", DECODE_UTIL_RATIO, OF_UTIL, WANT_CPUS, UTIL(actual_perf_pct)},
	{"cpu_elapsed", DECODE_UTIL_COUNT, OF_UTIL, WANT_UTIL_TIME, UTIL(elapsed)},
	{"cpu_busy_time", DECODE_UTIL_COUNT, OF_UTIL, WANT_UTIL_TIME, UTIL(busy_time)},
	{"cpu_idle_time", DECODE_UTIL_COUNT, OF_UTIL, WANT_UTIL_TIME, UTIL(idle_time)},
	{"cpu_intr_time", DECODE_UTIL_COUNT, OF_UTIL, WANT_UTIL_TIME, UTIL(intr_time)},
	{"cpu_unhalted_cycles", DECODE_UTIL_COUNT, OF_UTIL, WANT_UTIL_TIME, UTIL(unhalted_cycles)},
	{"known", DECODE_KNOWN, OF_SCOPE, WANT_QUALITY | WANT_VALUES | WANT_OWN_COST, 0},
	{"label_number", DECODE_LABEL_NUMBER, OF_SCOPE, 0, 0},
	{"arg_name", DECODE_ARG_NAME, OF_CPI | OF_SCOPE, WANT_VALUES, 0},
	{"arg_type", DECODE_VALUE_TYPE, OF_CPI | OF_SCOPE, WANT_VALUES, 0},
	{"arg_value", DECODE_VALUE_BITS, OF_CPI | OF_SCOPE, WANT_VALUES, 0},
	{"event_name", DECODE_EVENT_NAME, OF_CPI, WANT_VALUES | WANT_EVENTS, 0},
	{"event_flags", DECODE_EVENT_FLAGS, OF_CPI, WANT_VALUES | WANT_EVENTS, 0},
	{"event_value", DECODE_VALUE_BITS, OF_CPI, WANT_VALUES | WANT_EVENTS, 0},
	{"event_enabled", DECODE_EVENT_ENABLED, OF_CPI, WANT_VALUES | WANT_EVENTS, 0},
	{"event_running", DECODE_EVENT_RUNNING, OF_CPI, WANT_VALUES | WANT_EVENTS, 0},
	{"text", DECODE_TEXT, OF_CPI | OF_SCOPE, WANT_VALUES, 0},
	{"cpu_reference_cycles", DECODE_UTIL_COUNT, OF_UTIL, WANT_UTIL_TIME,
		UTIL(reference_cycles)},
};

/* A count is an integer, a ratio a fix4; a field of another type is not this field. */
static bool has_type_of(const struct schema_field *f, enum group_op op)
{
	if (group_op_is_ratio(op))
		return f->type == FIELD_FIX4;
	if (op == DECODE_LABEL || op == DECODE_TEXT)
		return f->type == FIELD_STRING;
	return f->type == FIELD_U32 || f->type == FIELD_U64;
}

const struct group_field *group_field_of(const struct schema_field *f, enum group_part part)
{
	unsigned class = 1u << group_class(part);

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		const struct group_field *field = &fields[i];
		bool repeated = field->op >= DECODE_CPU_COUNT;

		if (strcmp(field->name, f->name) == 0 && field->classes & class)
			return repeated == f->repeated && has_type_of(f, (enum group_op)field->op)
				       ? field
				       : &nothing;
	}
	return &nothing;
}

bool group_field_is_wanted(const struct group_field *field, unsigned wants)
{
	if (field->op == DECODE_LABEL || field->op == DECODE_LABEL_NUMBER)
		return true;
	return field->op > DECODE_ELAPSED && wants & (field->wants | WANT_FLAGS);
}

bool group_field_is_needed(const struct group_field *field, enum group_part part)
{
	static const char *const needed[PARTS] = {
		[PART_LABEL_START] = "label",
		[PART_SUMMARY] = "raw_cpi",
		[PART_SYSTEM] = "cycles",
		[PART_PER_CPU] = "cpu_cycles",
		[PART_THREAD] = "thread_cycles",
		[PART_QUALITY] = "flags",
		[PART_LABEL_END] = "label",
		[PART_TIME] = "time_source",
		[PART_EVENTS] = "event_value",
		[PART_ARGS] = "arg_value",
		[PART_UTIL_LABEL_START] = "label",
		[PART_UTIL_SUMMARY] = "busy",
		[PART_UTIL_PER_CPU] = "cpu_busy_time",
		[PART_UTIL_LABEL_END] = "label",
		[PART_SCOPE] = "label_number",
		[PART_SCOPE_ARGS] = "label_number",
	};

	return strcmp(field->name, needed[part]) == 0;
}
