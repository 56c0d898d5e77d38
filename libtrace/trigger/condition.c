/* The words of conditions, and their values in an event. */
#include "condition.h"

#include <stdio.h>
#include <string.h>

#include "../../formats/base/text.h"
#include "../../formats/base/time_ns.h"
#include "../../formats/cpi_group.h"
#include "../../formats/cpi_hooks.h"
#include "../../formats/interval_hooks.h"
#include "../../formats/schema_parse.h"
#include "../../include/perfutil.h"

typedef unsigned __int128 wide;

enum condition_field {
	FIELD_LABEL,
	FIELD_ELAPSED,
	FIELD_MAJOR,
	FIELD_MINOR,
	FIELD_MM,
	FIELD_TID,
	FIELD_PID,
	FIELD_COMM,
	FIELD_CPU,
	FIELD_CPI,
	FIELD_LOST,
	FIELD_START,
	FIELD_END,
	FIELD_NAMED,			     /* and up: an argument or event, by its name */
	FIELD_COLUMN = EXPRESSION_NODES * 2, /* and up: of columns.h */
};

static const struct field {
	const char *name;
	struct expression_word word;
} fields[] = {
	{"label", {.id = FIELD_LABEL, .type = EXPRESSION_TEXT}},
	{"elapsed", {.id = FIELD_ELAPSED, .type = EXPRESSION_DURATION, .needs_unit = true}},
	{"elapsed_ns", {.id = FIELD_ELAPSED, .type = EXPRESSION_DURATION}},
	{"major", {.id = FIELD_MAJOR, .type = EXPRESSION_WHOLE, .most = 0xff}},
	{"minor", {.id = FIELD_MINOR, .type = EXPRESSION_WHOLE, .most = UINT32_MAX}},
	{"mm", {.id = FIELD_MM, .type = EXPRESSION_WHOLE, .most = 0xff}},
	{"tid", {.id = FIELD_TID, .type = EXPRESSION_WHOLE, .most = UINT32_MAX}},
	{"pid", {.id = FIELD_PID, .type = EXPRESSION_WHOLE, .most = UINT32_MAX}},
	{"comm", {.id = FIELD_COMM, .type = EXPRESSION_TEXT}},
	{"task", {.id = FIELD_COMM, .type = EXPRESSION_TEXT}},
	{"cpu", {.id = FIELD_CPU, .type = EXPRESSION_WHOLE, .most = UINT32_MAX}},
	{"cpi", {.id = FIELD_CPI, .type = EXPRESSION_DECIMAL, .parts = CPI_FRACTION}},
	{"start_ns", {.id = FIELD_START, .type = EXPRESSION_DURATION}},
	{"end_ns", {.id = FIELD_END, .type = EXPRESSION_DURATION}},
	{"lost", {.id = FIELD_LOST, .type = EXPRESSION_WHOLE, .most = INT64_MAX}},
};
#define FIELD_NAMES                                                                                \
	"a field: label, elapsed, major, minor, mm, tid, pid, comm, cpu, cpi, lost, arg.NAME, "    \
	"event.NAME or a column of cpidecode's intervals"

/* ---------------------------------------------------------------------------- words */

static bool condition_begins(const char *text, size_t length, const char *prefix)
{
	return length >= strlen(prefix) && memcmp(text, prefix, strlen(prefix)) == 0;
}

/* Names that need a whole trace, as cpidecode has it: a single event lacks them. */
static bool condition_is_of_trace(const char *text, size_t length)
{
	static const char *const words[] = {"self_ns", "depth", "children", "own_nested_ns", "id",
		"parent_id", "container", "under", "contains", "ipc", "branch_miss_rate",
		"cache_miss_rate", "llc_miss_rate", "frontend_stalled", "backend_stalled"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (text_is(text, length, words[i]))
			return true;
	return condition_begins(text, length, "parent.") ||
	       condition_begins(text, length, "root.") || condition_begins(text, length, "metric.");
}

static bool condition_add_name(struct condition *c, const char *name, size_t length, bool is_event,
	struct expression_word *word, char expected[EXPRESSION_EXPECTED])
{
	if (length == 0 || length >= CONDITION_NAME || c->names == EXPRESSION_NODES) {
		snprintf(expected, EXPRESSION_EXPECTED,
			"a name of at most 127 bytes behind %s, as in %s",
			is_event ? "event." : "arg.", is_event ? "event.branches" : "arg.size");
		return false;
	}
	memcpy(c->name[c->names], name, length);
	c->name[c->names][length] = 0;
	c->is_event[c->names] = is_event;
	*word = (struct expression_word){.id = FIELD_NAMED + c->names++, .type = EXPRESSION_ANY};
	return true;
}

static bool condition_find_field(
	struct condition *c, const char *text, size_t length, struct expression_word *word)
{
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		uint32_t id = fields[i].word.id;

		if (!text_is(text, length, fields[i].name))
			continue;
		*word = fields[i].word;
		c->asks_task |= id == FIELD_TID || id == FIELD_PID || id == FIELD_COMM;
		c->asks_lost |= id == FIELD_LOST;
		c->asks_time |= id == FIELD_START || id == FIELD_END;
		return true;
	}
	const int column = columns_find(text, length);
	if (column < 0)
		return false;
	*word = (struct expression_word){.id = FIELD_COLUMN + (uint32_t)column};
	columns_describe(column, word);
	c->asks_columns = true;
	return true;
}

static bool condition_find_word(void *ctx, const char *text, size_t length,
	struct expression_word *word, char expected[EXPRESSION_EXPECTED])
{
	struct condition *c = ctx;
	const size_t arg = strlen("arg."), event = strlen("event.");

	if (word->in_braces)
		return condition_add_name(c, text, length, true, word, expected);
	if (text_is(text, length, "arg"))
		return condition_add_name(c, text, 0, false, word, expected);
	if (condition_begins(text, length, "arg."))
		return condition_add_name(c, text + arg, length - arg, false, word, expected);
	if (condition_begins(text, length, "event."))
		return condition_add_name(c, text + event, length - event, true, word, expected);
	if (condition_find_field(c, text, length, word))
		return true;
	if (condition_is_of_trace(text, length))
		snprintf(expected, EXPRESSION_EXPECTED,
			"another field: %.*s is known only of a whole trace (cpidecode --where)",
			length < 64 ? (int)length : 64, text);
	return false;
}

/* A comparison of flags with one that no event can have would never hold. */
static bool condition_check_flags(
	const struct expression *x, const char *text, struct expression_error *error)
{
	char why[EXPRESSION_EXPECTED];

	for (uint16_t i = 0; i < x->nodes; i++) {
		const struct expression_node *n = &x->node[i];

		if (n->kind != EXPRESSION_COMPARE || n->id < FIELD_COLUMN ||
			!columns_is_flags((int)(n->id - FIELD_COLUMN)))
			continue;
		for (uint16_t k = 0; k < n->literals; k++) {
			const char *flag = columns_find_flag_of_trace(
				x->bytes + x->literal[n->first + k].text);

			if (!flag)
				continue;
			snprintf(why, sizeof why,
				"the flag %s is known only of a whole trace (cpidecode --where)",
				flag);
			if (error)
				expression_refuse(error, text, n->at, why);
			return false;
		}
	}
	return true;
}

int condition_parse(struct condition *c, const char *text, struct expression_error *error)
{
	static const char *const open_prefixes[] = {"arg.", "event.", NULL};
	const struct expression_names names = {.find_word = condition_find_word,
		.ctx = c,
		.word = FIELD_NAMES,
		.open_prefixes = open_prefixes};

	c->names = 0;
	c->asks_task = c->asks_lost = c->asks_time = c->asks_columns = false;
	c->schema = NULL;
	if (!expression_parse(&c->expression, text, &names, error) ||
		!condition_check_flags(&c->expression, text, error))
		return PU_ERROR_INVALID_PARAMETER;
	if (c->asks_columns)
		c->schema = columns_schema();
	if (!c->asks_columns || c->schema)
		return 0;
	if (error)
		expression_refuse(error, text, 0, "not enough memory");
	return PU_ERROR_NOT_ENOUGH_MEMORY;
}

void condition_free(struct condition *c)
{
	schema_free(c->schema);
	c->schema = NULL;
}

/* ------------------------------------------------------------------------ evaluation */

struct condition_event {
	const struct condition *condition;
	const struct event *event;
	uint64_t rate;	  /* ticks per second */
	bool has_columns; /* they were read */
	struct columns columns;
};

static bool condition_compare(wide a, enum expression_op op, wide b)
{
	return expression_order(a<b, op, a> b);
}

static bool condition_test_minor(
	const struct event *e, enum expression_op op, const struct expression_literal *l)
{
	bool none = op == EXPRESSION_UNEQUAL, found = false;

	if (l->number <= CPI_MINOR_MM && group_part(e->major, e->minor[0]) != PART_NONE)
		return condition_compare(e->minor[0] & CPI_MINOR_MM, op, l->number);
	for (uint32_t i = 0; i < e->minors; i++)
		found |= condition_compare(e->minor[i], none ? EXPRESSION_EQUAL : op, l->number);
	return e->minors && found != none;
}

/* Tests a field that is no single value. */
static bool condition_test_own(const struct condition_event *of, const struct expression_node *leaf,
	const struct expression_literal *l)
{
	const struct event *e = of->event;

	if (leaf->id == FIELD_MINOR)
		return condition_test_minor(e, leaf->op, l);
	/* Multiplies both sides by the rate: exact in 128 bits. */
	return condition_compare(
		(wide)e->elapsed * TIME_SECOND_NS, leaf->op, (wide)l->number * of->rate);
}

static struct expression_value condition_whole(uint64_t value)
{
	return (struct expression_value){.kind = EXPRESSION_VALUE_WHOLE, .size = value};
}

static struct expression_value condition_text(const void *text, size_t length)
{
	return (struct expression_value){
		.kind = EXPRESSION_VALUE_TEXT, .text = text, .length = length};
}

static struct expression_value condition_get_count(const struct event *e, const char *name)
{
	const uint64_t count = event_find_count(e, name);

	return count == NOT_MEASURED ? (struct expression_value){0} : condition_whole(count);
}

/* The value of a field in CLOCK_REALTIME. */
static struct expression_value condition_get_time(
	const struct condition_event *of, enum condition_field field)
{
	const struct event *e = of->event;
	const uint64_t elapsed = e->has_elapsed ? time_ticks_to_ns(e->elapsed, of->rate) : 0;
	const bool is_known = e->end_ns > elapsed && (field == FIELD_END || e->has_elapsed);

	return is_known ? condition_whole(field == FIELD_END ? e->end_ns : e->end_ns - elapsed)
			: (struct expression_value){0};
}

static struct expression_value condition_get_column(struct condition_event *of, uint32_t id)
{
	if (!of->has_columns)
		columns_read(&of->columns, of->event, of->condition->schema, of->rate);
	of->has_columns = true;
	return columns_get(&of->columns, (int)(id - FIELD_COLUMN));
}

static struct expression_value condition_get_arg(const struct event *e, const char *name)
{
	struct expression_value value = {0};
	struct event_arg arg;

	if (!event_find_arg(e, name, &arg))
		return value;
	switch (arg.type) {
	case INTERVAL_ARG_TEXT:
		return condition_text(arg.text, arg.length);
	case INTERVAL_ARG_U64:
		return condition_whole(arg.value);
	case INTERVAL_ARG_I64:
		value = condition_whole(arg.value);
		value.is_negative = arg.value >> 63;
		value.size = value.is_negative ? -arg.value : arg.value;
		break;
	case INTERVAL_ARG_F64:
		value.kind = EXPRESSION_VALUE_REAL;
		memcpy(&value.real, &arg.value, sizeof value.real);
		break;
	}
	return value;
}

/* NONE: the event does not have it. */
static struct expression_value condition_get(struct condition_event *of, uint32_t id)
{
	const struct event *e = of->event;
	const struct expression_value none = {0};
	const uint8_t *label;
	uint32_t length;

	if (id == FIELD_LOST)
		return condition_whole(e->lost);
	if (!e->record)
		return none;
	switch (id) {
	case FIELD_LABEL:
		return event_find_label(e, &label, &length) ? condition_text(label, length) : none;
	case FIELD_ELAPSED:
		return e->has_elapsed ? condition_whole(e->elapsed) : none;
	case FIELD_MAJOR:
		return condition_whole(e->major);
	case FIELD_MINOR:
	case FIELD_MM:
		return condition_whole(e->minor[0] & CPI_MINOR_MM);
	case FIELD_TID:
		return condition_whole(e->tid);
	case FIELD_PID:
		return e->task ? condition_whole(e->task->pid) : none;
	case FIELD_COMM:
		return e->task ? condition_text(e->task->name, strlen(e->task->name)) : none;
	case FIELD_CPU:
		return e->has_cpu ? condition_whole(e->cpu) : none;
	case FIELD_CPI:
		return e->has_cpi ? condition_whole(e->cpi) : none;
	case FIELD_START:
	case FIELD_END:
		return condition_get_time(of, (enum condition_field)id);
	default:
		break;
	}
	if (id >= FIELD_COLUMN)
		return condition_get_column(of, id);
	const char *name = of->condition->name[id - FIELD_NAMED];
	return of->condition->is_event[id - FIELD_NAMED] ? condition_get_count(e, name)
							 : condition_get_arg(e, name);
}

static bool condition_leaf(
	void *ctx, const struct expression *x, const struct expression_node *leaf)
{
	struct condition_event *of = ctx;
	struct expression_value value = condition_get(of, leaf->id);

	if (leaf->kind == EXPRESSION_ABSENT || value.kind == EXPRESSION_VALUE_NONE ||
		(leaf->id != FIELD_MINOR && leaf->id != FIELD_ELAPSED))
		return expression_test(x, leaf, &value);
	for (unsigned i = 0; i < leaf->literals; i++)
		if (condition_test_own(of, leaf, &x->literal[leaf->first + i]))
			return true;
	return false;
}

bool condition_holds(const struct condition *c, const struct event *e, uint64_t ticks_per_second)
{
	/* Not the columns: they are large, and read when one is asked. */
	struct condition_event of;

	of.condition = c;
	of.event = e;
	of.rate = ticks_per_second;
	of.has_columns = false;
	return expression_holds(&c->expression, condition_leaf, &of);
}
