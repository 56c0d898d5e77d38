/*
 * Which field of a CPI hook means what. Fields are found by their schema's names, so
 * no offset of a CPI hook is known here.
 */
#ifndef SWT_DECODER_GROUP_FIELDS_H
#define SWT_DECODER_GROUP_FIELDS_H

#include "../../formats/cpi_hooks.h"
#include "schema.h"

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
	PART_NONE, /* not a hook of the CPI facility */
	PARTS = PART_NONE,
};

/* All kinds of CPI hooks differ in these bits alone. */
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

static inline enum group_part group_part(uint8_t major, uint32_t minor)
{
	static const uint8_t parts[16] = {
		PART_LABEL_START, PART_SUMMARY, PART_THREAD, PART_NONE, /* 0 */
		PART_PER_CPU, PART_NONE, PART_NONE, PART_NONE,		/* 4 */
		PART_SYSTEM, PART_NONE, PART_QUALITY, PART_NONE,	/* 8 */
		PART_NONE, PART_NONE, PART_NONE, PART_LABEL_END,	/* C */
	};
	if (major != CPI_MAJOR || minor & CPI_MINOR_KIND & ~(0xFu << GROUP_KIND_SHIFT))
		return PART_NONE;
	return (enum group_part)parts[minor >> GROUP_KIND_SHIFT];
}

/* What a field that stands in a schema like this means. */
enum group_field group_field_of(const struct schema_field *f);
/* That field of a part without which a schema does not describe it. */
enum group_field group_field_needed(enum group_part part);
/* Is there a value a turn of a repeat: is it one of a processor's? */
bool group_field_is_cpu(enum group_field field);

#endif
