#include "columns.h"

#include <math.h>
#include <string.h>

#include "../../formats/base/text.h"
#include "../../formats/base/time_ns.h"
#include "../../formats/bytes.h"
#include "../../formats/cpi_group.h"
#include "../../formats/record.h"
#include "../../formats/schema_cursor.h"
#include "../../formats/schema_program.h"
#include "../session/own_schemas.h"

enum column_form { COLUMN_WHOLE, COLUMN_NS, COLUMN_REAL, COLUMN_WORD };

/* Members of struct columns. */
enum column_whole {
	WHOLE_TYPES,
	WHOLE_CPUS,
	WHOLE_INSTRUCTIONS,
	WHOLE_CYCLES,
	WHOLE_BUSY_CYCLES,
	WHOLE_THREAD_INSTRUCTIONS,
	WHOLE_THREAD_CYCLES,
	WHOLE_ON_CPU,
	WHOLE_OFF_CPU,
	WHOLE_SWITCHES,
	WHOLE_MIGRATIONS,
	WHOLE_FAULTS,
	WHOLE_UNEXPLAINED,
	WHOLE_TIME_SOURCE,
	WHOLE_START_CPU,
	WHOLE_OWN_INSIDE, /* ticks until the end */
	WHOLE_METHOD,
	WHOLE_ELAPSED,
	WHOLE_KNOWN, /* of a light interval: the word */
	WHOLE_QUALITY,
	WHOLES,
};

enum column_real {
	REAL_RAW_CPI,
	REAL_SCALED_CPI,
	REAL_BUSY,
	REAL_THREAD_CPI,
	REAL_IDLE,
	REAL_INTR,
	REAL_PERF,
	REALS,
};

_Static_assert(WHOLES <= sizeof((struct columns *)0)->whole / sizeof(uint64_t) &&
		       REALS <= sizeof((struct columns *)0)->real / sizeof(double),
	"the members have room");

enum { FLAGS_COLUMN = WHOLES };

/* field: of the schemas; NULL: computed. name: of CSV; NULL: not there. */
static const struct column_row {
	const char *name, *field;
	uint8_t form, at;
} rows[] = {
	{"types", "types", COLUMN_WHOLE, WHOLE_TYPES},
	{"num_cpus", NULL, COLUMN_WHOLE, WHOLE_CPUS},
	{"raw_cpi", "raw_cpi", COLUMN_REAL, REAL_RAW_CPI},
	{"scaled_cpi", "scaled_cpi", COLUMN_REAL, REAL_SCALED_CPI},
	{"busy_pct", "busy", COLUMN_REAL, REAL_BUSY},
	{"thread_cpi", "thread_cpi", COLUMN_REAL, REAL_THREAD_CPI},
	{"instructions", "instructions", COLUMN_WHOLE, WHOLE_INSTRUCTIONS},
	{"cycles", "cycles", COLUMN_WHOLE, WHOLE_CYCLES},
	{"busy_cycles", "busy_cycles", COLUMN_WHOLE, WHOLE_BUSY_CYCLES},
	{"thread_instructions", "thread_instructions", COLUMN_WHOLE, WHOLE_THREAD_INSTRUCTIONS},
	{"thread_cycles", "thread_cycles", COLUMN_WHOLE, WHOLE_THREAD_CYCLES},
	{"flags", NULL, COLUMN_WORD, FLAGS_COLUMN},
	{"off_cpu_ns", NULL, COLUMN_NS, WHOLE_OFF_CPU},
	{"ctx_switches", "ctx_switches", COLUMN_WHOLE, WHOLE_SWITCHES},
	{"migrations", "migrations", COLUMN_WHOLE, WHOLE_MIGRATIONS},
	{"faults", "faults", COLUMN_WHOLE, WHOLE_FAULTS},
	{"on_cpu_ns", "on_cpu_ns", COLUMN_NS, WHOLE_ON_CPU},
	{"unexplained_ns", "unexplained_ns", COLUMN_NS, WHOLE_UNEXPLAINED},
	{"time_source", "time_source", COLUMN_WORD, WHOLE_TIME_SOURCE},
	{"start_cpu", "start_cpu", COLUMN_WHOLE, WHOLE_START_CPU},
	{"idle_pct", "idle", COLUMN_REAL, REAL_IDLE},
	{"intr_pct", "intr", COLUMN_REAL, REAL_INTR},
	{"actual_perf_pct", "actual_perf", COLUMN_REAL, REAL_PERF},
	{"method", "method", COLUMN_WORD, WHOLE_METHOD},
	{"own_inside_ns", "own_inside", COLUMN_NS, WHOLE_OWN_INSIDE},
	{"elapsed_cycles", NULL, COLUMN_WHOLE, WHOLE_ELAPSED},
	{NULL, "known", COLUMN_WHOLE, WHOLE_KNOWN},
	{NULL, "flags", COLUMN_WHOLE, WHOLE_QUALITY},
};

enum { ROWS = sizeof rows / sizeof *rows };

int columns_find(const char *name, size_t length)
{
	for (int i = 0; i < ROWS; i++)
		if (rows[i].name && text_is(name, length, rows[i].name))
			return i;
	return -1;
}

bool columns_is_flags(int column)
{
	return rows[column].at == FLAGS_COLUMN;
}

/* Letters of flags. */
static bool columns_is_in_flag(char c)
{
	return (c >= 'a' && c <= 'z') || c == '-';
}

static bool columns_has_flag(const char *pattern, const char *flag)
{
	const size_t length = strlen(flag);

	for (const char *at = pattern; (at = strstr(at, flag)); at++)
		if ((at == pattern || !columns_is_in_flag(at[-1])) &&
			!columns_is_in_flag(at[length]))
			return true;
	return false;
}

const char *columns_find_flag_of_trace(const char *pattern)
{
	static const uint32_t of_trace =
		IV_INCONSISTENT | IV_MALFORMED | IV_CHILDREN_LOST | IV_OPEN;

	for (size_t i = 0; i < INTERVAL_FLAGS; i++)
		if (of_trace & 1u << i && columns_has_flag(pattern, interval_flag_words[i]))
			return interval_flag_words[i];
	return NULL;
}

void columns_describe(int column, struct expression_word *word)
{
	static const enum expression_type types[] = {[COLUMN_WHOLE] = EXPRESSION_WHOLE,
		[COLUMN_NS] = EXPRESSION_DURATION,
		[COLUMN_REAL] = EXPRESSION_DECIMAL,
		[COLUMN_WORD] = EXPRESSION_TEXT};

	word->type = types[rows[column].form];
}

struct schema *columns_schema(void)
{
	struct schema *schema;

	schema_parse((const char *)swtrace_own_schemas, swtrace_own_schemas_size, &schema, NULL);
	return schema;
}

/* ------------------------------------------------------------------------------ reading */

/* The row of a field of that name outside of repeats; NULL: none. */
static const struct column_row *columns_find_field(const struct schema_field *f)
{
	if (f->repeated || f->type == FIELD_STRING)
		return NULL;
	for (int i = 0; i < ROWS; i++)
		if (rows[i].field && strcmp(rows[i].field, f->name) == 0)
			return &rows[i];
	return NULL;
}

static void columns_set(
	struct columns *c, const struct column_row *row, const struct field_value *v)
{
	if (v->not_measured)
		return;
	if (row->form == COLUMN_REAL)
		c->real[row->at] = (double)v->u / CPI_FRACTION;
	else if (row->at == WHOLE_TYPES)
		c->whole[WHOLE_TYPES] |= v->u;
	else
		c->whole[row->at] = v->u;
}

/* Counts of processors, whose sums are a group's shares where a hook of CPU utilisation has no
 * summary. The other one comes before `field` in a turn. */
static const struct column_share {
	const char *field, *before;
	uint8_t at;
	bool is_below; /* `field` is what the other one is divided by */
} shares[] = {
	{"cpu_busy_time", "cpu_elapsed", REAL_BUSY, false},
	{"cpu_idle_time", "cpu_elapsed", REAL_IDLE, false},
	{"cpu_intr_time", "cpu_elapsed", REAL_INTR, false},
	{"cpu_reference_cycles", "cpu_unhalted_cycles", REAL_PERF, true},
};

enum { SHARES = sizeof shares / sizeof *shares };

struct column_sums {
	double field[SHARES], before[SHARES];
	uint64_t last[SHARES]; /* of `before` */
};

static void columns_add_share(struct column_sums *sums, const struct field_value *v)
{
	const uint64_t count = v->not_measured ? NOT_MEASURED : v->u;

	for (int i = 0; i < SHARES; i++) {
		if (strcmp(v->field->name, shares[i].before) == 0)
			sums->last[i] = count;
		if (strcmp(v->field->name, shares[i].field) != 0 || count == NOT_MEASURED ||
			sums->last[i] == NOT_MEASURED)
			continue;
		sums->field[i] += (double)count;
		sums->before[i] += (double)sums->last[i];
	}
}

/* Keeps the summary's. */
static void columns_settle_shares(struct columns *c, const struct column_sums *sums)
{
	for (int i = 0; i < SHARES; i++) {
		const double below = shares[i].is_below ? sums->field[i] : sums->before[i];
		const double above = shares[i].is_below ? sums->before[i] : sums->field[i];

		if (isnan(c->real[shares[i].at]) && below > 0)
			c->real[shares[i].at] = 100 * above / below;
	}
}

/* Strings' lengths are a writer's: the cursor gets none. */
static void columns_read_hook(struct columns *c, struct column_sums *sums,
	const struct schema_hook *schema, const uint8_t *words, uint32_t nwords)
{
	struct field_cursor cursor;
	struct field_value v;

	field_begin(&cursor, schema, words, nwords, NULL, 0);
	while (field_next(&cursor, &v)) {
		const struct column_row *row = columns_find_field(v.field);

		if (row)
			columns_set(c, row, &v);
		if (v.field->repeated && strncmp(v.field->name, "cpu_", 4) == 0) {
			if (c->whole[WHOLE_CPUS] <= v.turn)
				c->whole[WHOLE_CPUS] = v.turn + UINT64_C(1);
			columns_add_share(sums, &v);
		}
	}
}

static void columns_settle_scope(struct columns *c)
{
	const uint32_t known = (uint32_t)c->whole[WHOLE_KNOWN];

	if (known >> SCOPE_OWN_INSIDE_SHIFT)
		c->whole[WHOLE_OWN_INSIDE] = scope_own_inside(known);
	if (known & SCOPE_KNOWN_NO_SWITCH)
		c->whole[WHOLE_SWITCHES] = 0;
	if (known & SCOPE_KNOWN_ARGS_CUT)
		c->flags |= IV_ARGS_CUT;
	c->whole[WHOLE_TIME_SOURCE] =
		scope_time_source(c->whole[WHOLE_SWITCHES], c->whole[WHOLE_ON_CPU]);
}

/* The nearest, halves to even, as the decoder rounds them. */
static uint64_t columns_round_ns(uint64_t ticks, uint64_t ticks_per_second)
{
	const unsigned __int128 parts = (unsigned __int128)ticks * TIME_SECOND_NS;
	const uint64_t ns = time_ticks_to_ns(ticks, ticks_per_second);
	const unsigned __int128 twice = parts % ticks_per_second * 2;

	return ns + (twice > ticks_per_second || (twice == ticks_per_second && ns & 1));
}

/* Settles the figures as the decoder does. */
static void columns_settle(struct columns *c, const struct event *e, uint64_t ticks_per_second)
{
	uint64_t *whole = c->whole;

	if (e->major == SCOPE_MAJOR)
		columns_settle_scope(c);
	else if (whole[WHOLE_QUALITY] != NOT_MEASURED)
		c->flags |= interval_quality_flags((uint32_t)whole[WHOLE_QUALITY]);
	if (whole[WHOLE_OWN_INSIDE] != NOT_MEASURED &&
		whole[WHOLE_OWN_INSIDE] > e->elapsed / OWN_COST_MUCH)
		c->flags |= IV_OWN_COST;
	if (event_has_scaled_counts(e))
		c->flags |= IV_MULTIPLEXED;
	if (whole[WHOLE_OWN_INSIDE] != NOT_MEASURED)
		whole[WHOLE_OWN_INSIDE] =
			columns_round_ns(whole[WHOLE_OWN_INSIDE], ticks_per_second);
	whole[WHOLE_ELAPSED] = e->has_elapsed ? e->elapsed : NOT_MEASURED;
	if (!whole[WHOLE_CPUS])
		whole[WHOLE_CPUS] = NOT_MEASURED;
	figures_forget_busy(whole[WHOLE_CYCLES], &whole[WHOLE_BUSY_CYCLES]);
	figures_forget_share(c->real[REAL_RAW_CPI], c->real[REAL_SCALED_CPI], &c->real[REAL_BUSY]);
	if (e->major == CPUUTIL_MAJOR)
		figures_forget_offline(
			&c->real[REAL_BUSY], &c->real[REAL_IDLE], &c->real[REAL_INTR]);
	if (e->has_elapsed)
		figures_settle_times((double)time_ticks_to_ns(e->elapsed, ticks_per_second),
			whole[WHOLE_SWITCHES], &whole[WHOLE_ON_CPU], &whole[WHOLE_OFF_CPU]);
	if (whole[WHOLE_START_CPU] == NOT_MEASURED && e->has_cpu &&
		(whole[WHOLE_SWITCHES] == 0 || whole[WHOLE_MIGRATIONS] == 0))
		whole[WHOLE_START_CPU] = e->cpu;
}

void columns_read(struct columns *c, const struct event *e, const struct schema *schema,
	uint64_t ticks_per_second)
{
	uint32_t at = 0, control;
	struct column_sums sums = {
		.last = {NOT_MEASURED, NOT_MEASURED, NOT_MEASURED, NOT_MEASURED}};
	uint8_t types = 0;

	memset(c->whole, 0xff, sizeof c->whole);
	c->whole[WHOLE_TYPES] = c->whole[WHOLE_CPUS] = 0;
	for (size_t i = 0; i < REALS; i++)
		c->real[i] = NAN;
	c->flags = e->is_scripted ? IV_SCRIPTED : 0;
	c->is_interval = false;
	for (; e->record && rec_read_control(e->record, at, e->bytes, &control);
		at += rec_control_size(control)) {
		const uint8_t *record = e->record + at;
		const uint32_t minor = get_le32(record + REC_MINOR),
			       nwords = get_le16(record + REC_NWORDS);
		const enum group_part part = group_part(record[REC_MAJOR], minor);

		if (part == PART_NONE || REC_DATA + 4 * nwords > rec_control_size(control))
			continue;
		c->is_interval = true;
		group_raise_flags(part, &c->flags, &types);
		columns_read_hook(c, &sums, schema_find(schema, record[REC_MAJOR], minor),
			record + REC_DATA, nwords);
	}
	c->whole[WHOLE_TYPES] |= types;
	if (e->major == CPUUTIL_MAJOR)
		columns_settle_shares(c, &sums);
	if (c->is_interval)
		columns_settle(c, e, ticks_per_second);
}

/* ------------------------------------------------------------------------------- values */

static struct expression_value columns_get_word(struct columns *c, uint8_t at)
{
	const char *word = c->spelled;
	size_t length;

	if (at == FLAGS_COLUMN) {
		length = interval_flags_spell(c->flags, c->spelled);
	} else if (at == WHOLE_METHOD) {
		const uint64_t method = c->whole[at];

		word = cpuutil_method_words[method < CPUUTIL_METHODS ? method : CPUUTIL_METHODS];
		length = strlen(word);
	} else {
		if (c->whole[at] >= INTERVAL_TIME_SOURCES)
			return (struct expression_value){.kind = EXPRESSION_VALUE_NONE};
		word = interval_time_source_words[c->whole[at]];
		length = strlen(word);
	}
	return (struct expression_value){
		.kind = EXPRESSION_VALUE_TEXT, .text = word, .length = length};
}

struct expression_value columns_get(struct columns *c, int column)
{
	const struct column_row *row = &rows[column];
	struct expression_value value = {.kind = EXPRESSION_VALUE_NONE};

	if (!c->is_interval)
		return value;
	if (row->form == COLUMN_REAL) {
		value.real = c->real[row->at];
		value.kind = isnan(value.real) ? EXPRESSION_VALUE_NONE : EXPRESSION_VALUE_REAL;
	} else if (row->at == FLAGS_COLUMN || c->whole[row->at] != NOT_MEASURED) {
		if (row->form == COLUMN_WORD)
			return columns_get_word(c, row->at);
		value.kind = EXPRESSION_VALUE_WHOLE;
		value.size = c->whole[row->at];
	}
	return value;
}
