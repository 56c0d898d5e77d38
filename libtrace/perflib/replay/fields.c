#include "fields.h"

#include <string.h>

static const struct meaning {
	const char *name;
	bool text, repeated;
} meanings[FIELDS] = {
	[FIELD_SET_HIGH] = {"set_high", false, false},
	[FIELD_SET_LOW] = {"set_low", false, false},
	[FIELD_DEFINITION] = {"definition", false, false},
	[FIELD_PROVIDER_HIGH] = {"provider_high", false, false},
	[FIELD_PROVIDER_LOW] = {"provider_low", false, false},
	[FIELD_TYPE] = {"type", false, false},
	[FIELD_DETAIL] = {"detail", false, false},
	[FIELD_NUM_COUNTERS] = {"num_counters", false, false},
	[FIELD_NAME] = {"name", true, false},
	[FIELD_HELP] = {"help", true, false},
	[FIELD_PROVIDER] = {"provider", true, false},
	[FIELD_FIRST] = {"first", false, false},
	[FIELD_NUM] = {"num", false, false},
	[FIELD_TIME_STAMP] = {"time_stamp", false, false},
	[FIELD_FREQUENCY] = {"frequency", false, false},
	[FIELD_TIME_100NS] = {"time_100ns", false, false},
	[FIELD_NUM_PARTS] = {"num_parts", false, false},
	[FIELD_PART] = {"part", false, false},
	[FIELD_STATUS] = {"status", false, false},
	[FIELD_SET_ROWS] = {"set_rows", false, false},
	[FIELD_FIRST_ROW] = {"first_row", false, false},
	[FIELD_NUM_COLUMNS] = {"num_columns", false, false},
	[FIELD_NUM_ROWS] = {"num_rows", false, false},
	[FIELD_ID] = {"id", false, true},
	[FIELD_COUNTER_TYPE] = {"counter_type", false, true},
	[FIELD_ATTRIB] = {"attrib", false, true},
	[FIELD_COUNTER_DETAIL] = {"counter_detail", false, true},
	[FIELD_SCALE] = {"scale", false, true},
	[FIELD_BASE] = {"base", false, true},
	[FIELD_AGGREGATE] = {"aggregate", false, true},
	[FIELD_COUNTER_NAME] = {"counter_name", true, true},
	[FIELD_COUNTER_HELP] = {"counter_help", true, true},
	[FIELD_COUNTER] = {"counter", false, true},
	[FIELD_INSTANCE_ID] = {"instance_id", false, true},
	[FIELD_INSTANCE] = {"instance", true, true},
	[FIELD_VALUE] = {"value", false, true},
	[FIELD_KNOWN] = {"known", false, true},
	[FIELD_ELAPSED] = {"elapsed", false, false},
	[FIELD_CPU_ELAPSED] = {"cpu_elapsed", false, true},
	[FIELD_CPU_BUSY_TIME] = {"cpu_busy_time", false, true},
	[FIELD_CPU_IDLE_TIME] = {"cpu_idle_time", false, true},
	[FIELD_CPU_INTR_TIME] = {"cpu_intr_time", false, true},
	[FIELD_CPU_UNHALTED] = {"cpu_unhalted_cycles", false, true},
	[FIELD_CPU_REFERENCE] = {"cpu_reference_cycles", false, true},
	[FIELD_INSTRUCTIONS] = {"instructions", false, false},
	[FIELD_CYCLES] = {"cycles", false, false},
	[FIELD_BUSY_CYCLES] = {"busy_cycles", false, false},
	[FIELD_CPU_INSTRUCTIONS] = {"cpu_instructions", false, true},
	[FIELD_CPU_CYCLES] = {"cpu_cycles", false, true},
	[FIELD_CPU_BUSY_CYCLES] = {"cpu_busy_cycles", false, true},
};

static enum replay_field replay_find_field(const cpidecode_field *f)
{
	bool text = f->type == CPIDECODE_FIELD_STRING;

	for (int i = FIELD_OTHER + 1; i < FIELDS; i++)
		if (strcmp(meanings[i].name, f->name) == 0)
			return meanings[i].text == text && meanings[i].repeated == f->repeated
				       ? (enum replay_field)i
				       : FIELD_OTHER;
	return FIELD_OTHER;
}

static uint64_t replay_number_of(const cpidecode_field *f)
{
	switch (f->type) {
	case CPIDECODE_FIELD_U64:
		return f->u;
	case CPIDECODE_FIELD_I64:
		return (uint64_t)f->i;
	default:
		return 0;
	}
}

bool replay_field_next(struct replay_reader *r, struct replay_value *v)
{
	cpidecode_field f;

	if (cpidecode_hooks_field(r->it, &f, NULL) <= 0)
		return false;
	if (f.name != r->name) { /* fields mostly repeat in order */
		r->name = f.name;
		r->field = replay_find_field(&f);
	}
	v->field = f.type == CPIDECODE_FIELD_FIX4 || f.type == CPIDECODE_FIELD_F64 ? FIELD_OTHER
										   : r->field;
	v->turn = f.turn;
	v->measured = !f.not_measured;
	v->u = replay_number_of(&f);
	v->string = f.string;
	v->length = f.length;
	return true;
}
