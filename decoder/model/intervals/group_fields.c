#include "group_fields.h"

#include <string.h>

#include "../../../formats/cpi_hooks.h"

/* A count is an integer, a ratio a fix4: a field of another type is another field. */
enum shape {
	COUNT,
	RATIO,
	TEXT,
};

static const struct meaning {
	const char *name;
	enum group_field field;
	enum shape shape;
	bool repeated;
} meanings[] = {
	{"types", GF_TYPES, COUNT, false},
	{"num_cpus", GF_NUM_CPUS, COUNT, false},
	{"elapsed", GF_ELAPSED, COUNT, false},
	{"label", GF_LABEL, TEXT, false},
	{"tid", GF_TID, COUNT, false},
	{"raw_cpi", GF_RAW_CPI, RATIO, false},
	{"scaled_cpi", GF_SCALED_CPI, RATIO, false},
	{"busy", GF_BUSY, RATIO, false},
	{"thread_cpi", GF_THREAD_CPI, RATIO, false},
	{"instructions", GF_INSTRUCTIONS, COUNT, false},
	{"cycles", GF_CYCLES, COUNT, false},
	{"busy_cycles", GF_BUSY_CYCLES, COUNT, false},
	{"thread_instructions", GF_THREAD_INSTRUCTIONS, COUNT, false},
	{"thread_cycles", GF_THREAD_CYCLES, COUNT, false},
	{"cpu_raw_cpi", GF_CPU_RAW_CPI, RATIO, true},
	{"cpu_scaled_cpi", GF_CPU_SCALED_CPI, RATIO, true},
	{"cpu_busy", GF_CPU_BUSY, RATIO, true},
	{"cpu_instructions", GF_CPU_INSTRUCTIONS, COUNT, true},
	{"cpu_cycles", GF_CPU_CYCLES, COUNT, true},
	{"cpu_busy_cycles", GF_CPU_BUSY_CYCLES, COUNT, true},
	{"flags", GF_QUALITY_FLAGS, COUNT, false},
	{"on_cpu_ns", GF_ON_CPU_NS, COUNT, false},
	{"ctx_switches", GF_CTX_SWITCHES, COUNT, false},
	{"migrations", GF_MIGRATIONS, COUNT, false},
	{"faults", GF_FAULTS, COUNT, false},
	{"idle", GF_IDLE, RATIO, false},
	{"intr", GF_INTR, RATIO, false},
	{"actual_perf", GF_ACTUAL_PERF, RATIO, false},
	{"method", GF_METHOD, COUNT, false},
	{"cpu_idle", GF_CPU_IDLE, RATIO, true},
	{"cpu_intr", GF_CPU_INTR, RATIO, true},
	{"cpu_actual_perf", GF_CPU_ACTUAL_PERF, RATIO, true},
	{"cpu_elapsed", GF_CPU_ELAPSED, COUNT, true},
	{"cpu_busy_time", GF_CPU_BUSY_TIME, COUNT, true},
	{"cpu_idle_time", GF_CPU_IDLE_TIME, COUNT, true},
	{"cpu_intr_time", GF_CPU_INTR_TIME, COUNT, true},
	{"cpu_unhalted_cycles", GF_CPU_UNHALTED_CYCLES, COUNT, true},
	{"cpu_reference_cycles", GF_CPU_REFERENCE_CYCLES, COUNT, true},
};

/* What hooks of CPU utilisation say. */
static bool is_util(enum group_field field)
{
	static const enum group_field shared[] = {
		GF_TYPES, GF_NUM_CPUS, GF_ELAPSED, GF_LABEL, GF_BUSY, GF_CPU_BUSY};
	for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
		if (field == shared[i])
			return true;
	return field >= GF_IDLE;
}

/* Of CPI is all that comes before. */
static bool belongs(enum group_field field, enum group_part part)
{
	return group_part_is_util(part) ? is_util(field) : field < GF_IDLE;
}

static bool has_shape(const struct schema_field *f, const struct meaning *m)
{
	switch (m->shape) {
	case RATIO:
		return f->type == FIELD_FIX4;
	case TEXT:
		return f->type == FIELD_STRING;
	default:
		return f->type == FIELD_U32 || f->type == FIELD_U64;
	}
}

enum group_field group_field_of(const struct schema_field *f, enum group_part part)
{
	for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
		const struct meaning *m = &meanings[i];
		if (!strcmp(m->name, f->name) && belongs(m->field, part))
			return m->repeated == f->repeated && has_shape(f, m) ? m->field : GF_OTHER;
	}
	return GF_OTHER;
}

enum group_field group_field_needed(enum group_part part)
{
	static const enum group_field needed[PARTS] = {
		[PART_LABEL_START] = GF_LABEL,
		[PART_SUMMARY] = GF_RAW_CPI,
		[PART_SYSTEM] = GF_CYCLES,
		[PART_PER_CPU] = GF_CPU_CYCLES,
		[PART_THREAD] = GF_THREAD_CYCLES,
		[PART_QUALITY] = GF_QUALITY_FLAGS,
		[PART_LABEL_END] = GF_LABEL,
		[PART_UTIL_LABEL_START] = GF_LABEL,
		[PART_UTIL_SUMMARY] = GF_BUSY,
		[PART_UTIL_PER_CPU] = GF_CPU_BUSY_TIME,
		[PART_UTIL_LABEL_END] = GF_LABEL,
	};
	return needed[part];
}

bool group_field_is_cpu(enum group_field field)
{
	return field >= GF_CPU_RAW_CPI && field <= GF_CPU_BUSY_CYCLES;
}

bool group_field_is_cpu_util(enum group_field field)
{
	return field >= GF_CPU_IDLE;
}
