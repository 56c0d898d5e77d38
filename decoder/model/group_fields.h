/*
 * Which field of a CPI hook means what. Fields are found by their schema's names, so
 * no offset of a CPI hook is known here.
 */
#ifndef SWT_DECODER_GROUP_FIELDS_H
#define SWT_DECODER_GROUP_FIELDS_H

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

enum group_part group_part(uint8_t major, uint32_t minor);

/* What a field that stands in a schema like this means. */
enum group_field group_field_of(const struct schema_field *f);
/* That field of a part without which a schema does not describe it. */
enum group_field group_field_needed(enum group_part part);
/* Is there a value a turn of a repeat: is it one of a processor's? */
bool group_field_is_cpu(enum group_field field);

#endif
