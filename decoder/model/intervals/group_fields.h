/*
 * Which field of a hook of CPI or CPU utilisation means what. Fields are found by their schema's
 * names, so no offset of such a hook is known here.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_GROUP_FIELDS_H
#define SWT_DECODER_MODEL_INTERVALS_GROUP_FIELDS_H

#include "../../../formats/cpi_hooks.h"
#include "../../../formats/cpuutil_hooks.h"
#include "../hooks/schema.h"

enum group_field {
	GF_OTHER,
	GF_TYPES,
	GF_NUM_CPUS,
	GF_ELAPSED,
	GF_LABEL,
	GF_TID,
	GF_RAW_CPI,
	GF_SCALED_CPI,
	GF_BUSY,
	GF_THREAD_CPI,
	GF_INSTRUCTIONS,
	GF_CYCLES,
	GF_BUSY_CYCLES,
	GF_THREAD_INSTRUCTIONS,
	GF_THREAD_CYCLES,
	GF_CPU_RAW_CPI,
	GF_CPU_SCALED_CPI,
	GF_CPU_BUSY,
	GF_CPU_INSTRUCTIONS,
	GF_CPU_CYCLES,
	GF_CPU_BUSY_CYCLES,
	GF_QUALITY_FLAGS,
	GF_ON_CPU_NS,
	GF_CTX_SWITCHES,
	GF_MIGRATIONS,
	GF_FAULTS,
	/* Of CPU utilisation alone. */
	GF_IDLE,
	GF_INTR,
	GF_ACTUAL_PERF,
	GF_METHOD,
	GF_CPU_IDLE,
	GF_CPU_INTR,
	GF_CPU_ACTUAL_PERF,
	GF_CPU_ELAPSED,
	GF_CPU_BUSY_TIME,
	GF_CPU_IDLE_TIME,
	GF_CPU_INTR_TIME,
	GF_CPU_UNHALTED_CYCLES,
	GF_CPU_REFERENCE_CYCLES,
};

/* Which hook of a group, in the order in which they stand in it. */
enum group_part {
	PART_LABEL_START,
	PART_SUMMARY,
	PART_SYSTEM,
	PART_PER_CPU,
	PART_THREAD,
	PART_QUALITY,
	PART_LABEL_END,
	/* Of CPU utilisation; all of them after all of CPI. */
	PART_UTIL_LABEL_START,
	PART_UTIL_SUMMARY,
	PART_UTIL_PER_CPU,
	PART_UTIL_LABEL_END,
	PART_NONE, /* not a hook of a group */
	PARTS = PART_NONE,
};

/* All kinds of hooks of a major differ in these bits alone. */
#define GROUP_KIND_SHIFT 28
_Static_assert(
	CPI_MINOR_LABEL_START >> GROUP_KIND_SHIFT == 0x0 &&
		CPI_MINOR_SUMMARY >> GROUP_KIND_SHIFT == 0x1 &&
		CPI_MINOR_THREAD >> GROUP_KIND_SHIFT == 0x2 &&
		CPI_MINOR_PER_CPU >> GROUP_KIND_SHIFT == 0x4 &&
		CPI_MINOR_SYSTEM >> GROUP_KIND_SHIFT == 0x8 &&
		CPI_MINOR_QUALITY >> GROUP_KIND_SHIFT == 0xA &&
		CPI_MINOR_LABEL_END >> GROUP_KIND_SHIFT == 0xF &&
		((CPI_MINOR_LABEL_START | CPI_MINOR_SUMMARY | CPI_MINOR_THREAD | CPI_MINOR_PER_CPU |
			 CPI_MINOR_SYSTEM | CPI_MINOR_QUALITY | CPI_MINOR_LABEL_END) &
			((1u << GROUP_KIND_SHIFT) - 1)) == 0,
	"the table of kinds");
_Static_assert(CPUUTIL_MINOR_LABEL_START == CPI_MINOR_LABEL_START &&
		       CPUUTIL_MINOR_SUMMARY == CPI_MINOR_SUMMARY &&
		       CPUUTIL_MINOR_PER_CPU == CPI_MINOR_PER_CPU &&
		       CPUUTIL_MINOR_LABEL_END == CPI_MINOR_LABEL_END &&
		       CPUUTIL_MINOR_KIND == CPI_MINOR_KIND && CPUUTIL_MINOR_MM == CPI_MINOR_MM,
	"the table of kinds");

static inline enum group_part group_part(uint8_t major, uint32_t minor)
{
	static const uint8_t rows[256] = {[CPI_MAJOR] = 1, [CPUUTIL_MAJOR] = 2};
	static const uint8_t parts[3][16] = {
		{PART_NONE, PART_NONE, PART_NONE, PART_NONE, PART_NONE, PART_NONE, PART_NONE,
			PART_NONE, PART_NONE, PART_NONE, PART_NONE, PART_NONE, PART_NONE, PART_NONE,
			PART_NONE, PART_NONE},
		{PART_LABEL_START, PART_SUMMARY, PART_THREAD, PART_NONE, /* 0 */
			PART_PER_CPU, PART_NONE, PART_NONE, PART_NONE,	 /* 4 */
			PART_SYSTEM, PART_NONE, PART_QUALITY, PART_NONE, /* 8 */
			PART_NONE, PART_NONE, PART_NONE, PART_LABEL_END},
		{PART_UTIL_LABEL_START, PART_UTIL_SUMMARY, PART_NONE, PART_NONE, /* 0 */
			PART_UTIL_PER_CPU, PART_NONE, PART_NONE, PART_NONE,	 /* 4 */
			PART_NONE, PART_NONE, PART_NONE, PART_NONE,		 /* 8 */
			PART_NONE, PART_NONE, PART_NONE, PART_UTIL_LABEL_END},
	};
	if (minor & CPI_MINOR_KIND & ~(0xFu << GROUP_KIND_SHIFT))
		return PART_NONE;
	return (enum group_part)parts[rows[major]][minor >> GROUP_KIND_SHIFT];
}

static inline bool group_part_is_util(enum group_part part)
{
	return part >= PART_UTIL_LABEL_START;
}

/* What a field that stands in the schema of that part means. */
enum group_field group_field_of(const struct schema_field *f, enum group_part part);
/* That field of a part without which a schema does not describe it. */
enum group_field group_field_needed(enum group_part part);
/* Is there a value a turn of a repeat: is it one of a processor's? */
bool group_field_is_cpu(enum group_field field);
/* The same, of CPU utilisation: it goes into struct interval_util. */
bool group_field_is_cpu_util(enum group_field field);

#endif
