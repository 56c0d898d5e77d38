#include "group_fields.h"

#include <string.h>

#include "../../formats/cpi_hooks.h"

/* All kinds of CPI hooks differ in these bits alone. */
#define KIND_SHIFT 28
_Static_assert(
	CPI_MINOR_LABEL_START >> KIND_SHIFT == 0x0 && CPI_MINOR_SUMMARY >> KIND_SHIFT == 0x1 &&
		CPI_MINOR_THREAD >> KIND_SHIFT == 0x2 && CPI_MINOR_PER_CPU >> KIND_SHIFT == 0x4 &&
		CPI_MINOR_SYSTEM >> KIND_SHIFT == 0x8 && CPI_MINOR_QUALITY >> KIND_SHIFT == 0xA &&
		CPI_MINOR_LABEL_END >> KIND_SHIFT == 0xF &&
		((CPI_MINOR_LABEL_START | CPI_MINOR_SUMMARY | CPI_MINOR_THREAD | CPI_MINOR_PER_CPU |
			 CPI_MINOR_SYSTEM | CPI_MINOR_QUALITY | CPI_MINOR_LABEL_END) &
			((1u << KIND_SHIFT) - 1)) == 0,
	"the table of kinds");

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
};

enum group_part group_part(uint8_t major, uint32_t minor)
{
	static const uint8_t parts[16] = {
		PART_LABEL_START, PART_SUMMARY, PART_THREAD, PART_NONE, /* 0 */
		PART_PER_CPU, PART_NONE, PART_NONE, PART_NONE,		/* 4 */
		PART_SYSTEM, PART_NONE, PART_QUALITY, PART_NONE,	/* 8 */
		PART_NONE, PART_NONE, PART_NONE, PART_LABEL_END,	/* C */
	};
	if (major != CPI_MAJOR || minor & CPI_MINOR_KIND & ~(0xFu << KIND_SHIFT))
		return PART_NONE;
	return (enum group_part)parts[minor >> KIND_SHIFT];
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

enum group_field group_field_of(const struct schema_field *f)
{
	for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
		const struct meaning *m = &meanings[i];
		if (!strcmp(m->name, f->name))
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
	};
	return needed[part];
}

bool group_field_is_cpu(enum group_field field)
{
	return field >= GF_CPU_RAW_CPI && field <= GF_CPU_BUSY_CYCLES;
}
