/*
 * Fields of recorded-counter hooks, found by their names in counters.hooks.
 */
#ifndef SWT_PERFLIB_REPLAY_FIELDS_H
#define SWT_PERFLIB_REPLAY_FIELDS_H

#include "replay.h"

enum replay_field {
	FIELD_OTHER,
	FIELD_SET_HIGH,
	FIELD_SET_LOW,
	FIELD_DEFINITION,
	FIELD_PROVIDER_HIGH,
	FIELD_PROVIDER_LOW,
	FIELD_TYPE,
	FIELD_DETAIL,
	FIELD_NUM_COUNTERS,
	FIELD_NAME,
	FIELD_HELP,
	FIELD_PROVIDER,
	FIELD_FIRST,
	FIELD_NUM,
	FIELD_TIME_STAMP,
	FIELD_FREQUENCY,
	FIELD_TIME_100NS,
	FIELD_NUM_PARTS,
	FIELD_PART,
	FIELD_STATUS,
	FIELD_SET_ROWS,
	FIELD_FIRST_ROW,
	FIELD_NUM_COLUMNS,
	FIELD_NUM_ROWS,
	/* Repeated: one per turn of a loop. */
	FIELD_ID,
	FIELD_COUNTER_TYPE,
	FIELD_ATTRIB,
	FIELD_COUNTER_DETAIL,
	FIELD_SCALE,
	FIELD_BASE,
	FIELD_AGGREGATE,
	FIELD_COUNTER_NAME,
	FIELD_COUNTER_HELP,
	FIELD_COUNTER,
	FIELD_INSTANCE_ID,
	FIELD_INSTANCE,
	FIELD_VALUE,
	FIELD_KNOWN,
	/* Fields of interval hooks. */
	FIELD_ELAPSED,
	FIELD_CPU_ELAPSED,
	FIELD_CPU_BUSY_TIME,
	FIELD_CPU_IDLE_TIME,
	FIELD_CPU_INTR_TIME,
	FIELD_CPU_UNHALTED,
	FIELD_CPU_REFERENCE,
	FIELD_INSTRUCTIONS,
	FIELD_CYCLES,
	FIELD_BUSY_CYCLES,
	FIELD_CPU_INSTRUCTIONS,
	FIELD_CPU_CYCLES,
	FIELD_CPU_BUSY_CYCLES,
	FIELDS,
};

struct replay_value {
	enum replay_field field;
	uint32_t turn;
	bool measured;
	uint64_t u; /* any integer */
	const char *string;
	size_t length;
};

/* Reads one hook; zero-initialise. */
struct replay_reader {
	cpidecode_hooks *it;
	const char *name; /* name of the previous field */
	enum replay_field field;
};

/* Reads the next field; false at the end. A field with an unexpected type is FIELD_OTHER. */
bool replay_field_next(struct replay_reader *r, struct replay_value *v);

#endif
