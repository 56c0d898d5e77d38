#include "where.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../../formats/base/text.h"
#include "../../../formats/interval_hooks.h"
#include "../../base/exact.h"
#include "../../model/intervals/elapsed.h"
#include "../../model/intervals/intervals.h"
#include "../open.h"
#include "../values/interval_columns.h"

/* ------------------------------------------------------------------------------- words */

/* Words that are no columns of CSV, and other names of columns. */
static const struct {
	const char *name;
	enum where_source source;
	struct expression_word word;
	const char *column;
} own_words[] = {
	{"elapsed", WHERE_ELAPSED, {.type = EXPRESSION_DURATION, .needs_unit = true}, NULL},
	{"elapsed_ns", WHERE_ELAPSED, {.type = EXPRESSION_DURATION}, NULL},
	{"cpi", WHERE_CPI, {.type = EXPRESSION_DECIMAL}, NULL},
	{"own_inside_ns", WHERE_OWN_INSIDE, {.type = EXPRESSION_DURATION}, NULL},
	{"host", WHERE_HOST, {.type = EXPRESSION_TEXT}, NULL},
	{"depth", WHERE_DEPTH, {.type = EXPRESSION_WHOLE}, NULL},
	{"self_ns", WHERE_SELF, {.type = EXPRESSION_DURATION}, NULL},
	{"own_nested_ns", WHERE_OWN_NESTED, {.type = EXPRESSION_DURATION}, NULL},
	{"comm", WHERE_COLUMN, {.type = EXPRESSION_TEXT}, "task"},
	{"mm", WHERE_COLUMN, {.type = EXPRESSION_WHOLE}, "minor"},
};

/* The parts of an interval to be read for a column. */
static const struct {
	const char *name; /* or its beginning, before a '*' */
	unsigned wants;
} column_wants[] = {
	{"start_ns", WANT_START},
	{"types", WANT_FLAGS},
	{"num_cpus", WANT_FLAGS},
	{"flags", WANT_FLAGS | WANT_QUALITY | WANT_OWN_COST},
	{"raw_cpi", WANT_SYSTEM},
	{"scaled_cpi", WANT_SYSTEM},
	{"busy_*", WANT_SYSTEM},
	{"instructions", WANT_SYSTEM},
	{"cycles", WANT_SYSTEM},
	{"idle_pct", WANT_SYSTEM},
	{"intr_pct", WANT_SYSTEM},
	{"actual_perf_pct", WANT_SYSTEM},
	{"method", WANT_SYSTEM},
	{"thread_*", WANT_THREAD},
	{"off_cpu_ns", WANT_QUALITY},
	{"on_cpu_ns", WANT_QUALITY},
	{"ctx_switches", WANT_QUALITY},
	{"migrations", WANT_QUALITY},
	{"faults", WANT_QUALITY},
	{"unexplained_ns", WANT_QUALITY},
	{"time_source", WANT_QUALITY},
	{"start_cpu", WANT_QUALITY},
};

static bool where_begins(const char *text, size_t length, const char *prefix)
{
	return length >= strlen(prefix) && memcmp(text, prefix, strlen(prefix)) == 0;
}

static const struct column *where_find_column(const char *text, size_t length)
{
	for (const struct column *c = interval_columns; c->name || c->heading; c++)
		if (c->name && c->source != COLUMN_NEST && text_is(text, length, c->name))
			return c;
	return NULL;
}

unsigned where_column_wants(const char *name)
{
	unsigned wants = 0;

	for (size_t i = 0; i < sizeof column_wants / sizeof *column_wants; i++) {
		const char *known = column_wants[i].name;
		size_t length = strcspn(known, "*");

		if (known[length] ? strncmp(name, known, length) == 0 : strcmp(name, known) == 0)
			wants |= column_wants[i].wants;
	}
	return wants;
}

static void where_want_column(struct where *w, const char *name)
{
	w->wants |= where_column_wants(name);
	w->asks_task |= strcmp(name, "pid") == 0 || strcmp(name, "task") == 0 ||
			strcmp(name, "container") == 0;
	w->asks_time |= strcmp(name, "start_ns") == 0 || strcmp(name, "end_ns") == 0;
}

static bool where_is_time(const char *name)
{
	size_t length = strlen(name);

	return length > 3 && strcmp(name + length - 3, "_ns") == 0;
}

/* The value that a column is compared with. */
static struct expression_word where_column_word(const struct column *c)
{
	struct expression_word word = {.type = EXPRESSION_WHOLE};

	if (c->is_text || c->source == COLUMN_TEXT)
		word.type = EXPRESSION_TEXT;
	else if (c->source == COLUMN_REAL)
		word.type = EXPRESSION_DECIMAL;
	else if (where_is_time(c->name))
		word.type = EXPRESSION_DURATION;
	word.is_signed = c->source == COLUMN_I64;
	return word;
}

/* "parent." or "root." in front; parent_id is the id of the one around. */
static enum where_scope where_parse_scope(const char **text, size_t *length)
{
	static const char parent[] = "parent.", root[] = "root.";
	const bool of_parent = where_begins(*text, *length, parent);
	const bool of_root = where_begins(*text, *length, root);
	const size_t skip = of_parent ? strlen(parent) : of_root ? strlen(root) : 0;

	*text += skip;
	*length -= skip;
	if (!text_is(*text, *length, "parent_id"))
		return of_parent ? WHERE_PARENT : of_root ? WHERE_ROOT : WHERE_OWN;
	*text += strlen("parent_");
	*length -= strlen("parent_");
	return of_parent ? WHERE_GRANDPARENT : of_root ? WHERE_AROUND_ROOT : WHERE_PARENT;
}

/* "arg.NAME", "event.NAME", or an event's name in braces. */
static bool where_find_value(struct where *w, struct where_word *to, const char *text,
	size_t length, bool in_braces, char expected[EXPRESSION_EXPECTED])
{
	bool is_argument = where_begins(text, length, "arg.");
	size_t skip = is_argument ? 4 : where_begins(text, length, "event.") ? 6 : 0;

	if (!skip && !in_braces)
		return false;
	if (length == skip) {
		snprintf(expected, EXPRESSION_EXPECTED, "a name behind it, as in arg.size");
		return false;
	}
	to->source = WHERE_VALUE;
	to->kind = is_argument ? VALUE_ARGUMENT : VALUE_EVENT;
	to->name = text + skip;
	to->length = (uint32_t)(length - skip);
	w->wants |= is_argument ? WANT_VALUES : WANT_EVENTS;
	return true;
}

static bool where_find_own(struct where *w, struct where_word *to, const char *text, size_t length,
	struct expression_word *word)
{
	for (size_t i = 0; i < sizeof own_words / sizeof *own_words; i++) {
		if (!text_is(text, length, own_words[i].name))
			continue;
		to->source = own_words[i].source;
		*word = own_words[i].word;
		if (own_words[i].column) {
			to->column =
				where_find_column(own_words[i].column, strlen(own_words[i].column));
			where_want_column(w, own_words[i].column);
		}
		if (to->source == WHERE_CPI)
			w->wants |= WANT_SYSTEM | WANT_THREAD | WANT_EVENTS;
		if (to->source == WHERE_OWN_INSIDE || to->source == WHERE_OWN_NESTED)
			w->wants |= WANT_OWN_COST;
		return true;
	}
	return false;
}

bool where_is_word(const char *name)
{
	const char *rest = name;
	size_t length = strlen(name);

	if (where_parse_scope(&rest, &length) != WHERE_OWN)
		return true;
	for (size_t i = 0; i < sizeof own_words / sizeof *own_words; i++)
		if (strcmp(own_words[i].name, name) == 0)
			return true;
	return false;
}

/* A metric or an event: where_find_events tells. */
static void where_find_measured(struct where *w, struct where_word *to, const char *text,
	size_t length, struct expression_word *word)
{
	const bool is_metric = derived_may_be(w->formulas, w->nformulas, text, length);

	to->source = WHERE_METRIC;
	to->kind = VALUE_EVENT;
	to->may_be_event = true;
	to->may_be_metric = is_metric;
	to->name = text;
	to->length = (uint32_t)length;
	word->type = EXPRESSION_ANY;
	w->wants |= is_metric ? DERIVED_WANTS : WANT_EVENTS;
	w->asks_metrics |= is_metric;
	w->asks_events = true;
}

static bool where_find_word(void *ctx, const char *text, size_t length,
	struct expression_word *word, char expected[EXPRESSION_EXPECTED])
{
	struct where *w = ctx;
	struct where_word *to = &w->words[w->nwords];
	const bool in_braces = word->in_braces;
	const uint32_t id = w->nwords++, at = (uint32_t)(text - w->text);

	*to = (struct where_word){
		.scope = in_braces ? WHERE_OWN : where_parse_scope(&text, &length), .at = at};
	w->nests |= to->scope != WHERE_OWN;
	if (where_find_value(w, to, text, length, in_braces, expected)) {
		word->type = EXPRESSION_ANY;
	} else if (in_braces || !length || text[length - 1] == '.') {
		return false;
	} else if (!where_find_own(w, to, text, length, word)) {
		to->column = where_find_column(text, length);
		if (to->column) {
			*word = where_column_word(to->column);
			where_want_column(w, to->column->name);
		} else {
			where_find_measured(w, to, text, length, word);
		}
	}
	w->nests |= to->source >= WHERE_DEPTH;
	w->asks_inside |= to->source >= WHERE_SELF;
	word->id = id;
	return true;
}

static bool where_find_function(void *ctx, const char *text, size_t length, uint32_t *id)
{
	struct where *w = ctx;
	bool is_contains = text_is(text, length, "contains");

	if (!is_contains && !text_is(text, length, "under"))
		return false;
	*id = is_contains ? WHERE_CONTAINS : WHERE_UNDER;
	w->nests = true;
	w->asks_inside |= is_contains;
	return true;
}

/* ------------------------------------------------------------------------------ parsing */

/* Whether a condition asks for intervals nested in one. */
static bool where_asks_inside(const struct where *w, uint16_t node)
{
	const struct expression_node *n = &w->expression.node[node];

	switch (n->kind) {
	case EXPRESSION_AND:
	case EXPRESSION_OR:
		return where_asks_inside(w, n->left) || where_asks_inside(w, n->right);
	case EXPRESSION_NOT:
		return where_asks_inside(w, n->left);
	case EXPRESSION_CALL:
		return n->id == WHERE_CONTAINS || where_asks_inside(w, n->left);
	default:
		return w->words[n->id].source >= WHERE_SELF;
	}
}

/*
 * The first node in the condition of a contains() that asks for intervals nested in one around:
 * that is known only later. EXPRESSION_NODES: none.
 */
static uint16_t where_find_too_late(const struct where *w, uint16_t node)
{
	const struct expression_node *n = &w->expression.node[node];
	uint16_t found = EXPRESSION_NODES;

	switch (n->kind) {
	case EXPRESSION_AND:
	case EXPRESSION_OR:
		found = where_find_too_late(w, n->left);
		return found != EXPRESSION_NODES ? found : where_find_too_late(w, n->right);
	case EXPRESSION_NOT:
		return where_find_too_late(w, n->left);
	case EXPRESSION_CALL:
		if (n->id == WHERE_UNDER && where_asks_inside(w, n->left))
			return node;
		return where_find_too_late(w, n->left);
	default:
		return w->words[n->id].scope != WHERE_OWN && w->words[n->id].source >= WHERE_SELF
			       ? node
			       : EXPRESSION_NODES;
	}
}

/* Gives leaves and calls their bits. */
static bool where_number_nodes(struct where *w, struct expression_error *error)
{
	const struct expression *e = &w->expression;
	unsigned leaves = 0;

	for (uint16_t i = 0; i < e->nodes; i++) {
		const struct expression_node *n = &e->node[i];
		bool is_call = n->kind == EXPRESSION_CALL;

		if (n->kind < EXPRESSION_COMPARE)
			continue;
		if (is_call ? w->ncalls == WHERE_CALLS : leaves == WHERE_LEAVES) {
			expression_refuse(error, w->text, n->at,
				is_call ? "a condition has at most 32 of under() and contains()"
					: "a condition of other intervals has at most 64 comparisons");
			return false;
		}
		uint16_t late = is_call && n->id == WHERE_CONTAINS ? where_find_too_late(w, n->left)
								   : EXPRESSION_NODES;
		if (late != EXPRESSION_NODES) {
			expression_refuse(error, w->text, e->node[late].at,
				"contains() cannot ask for contents of the intervals around");
			return false;
		}
		w->bit[i] = (uint8_t)(is_call ? w->ncalls : leaves++);
		/* A call's node comes after those of its condition. */
		if (is_call)
			w->calls[w->ncalls++] = i;
	}
	w->asks_inside_around = where_find_too_late(w, e->root) != EXPRESSION_NODES;
	return true;
}

static const char *const where_open_prefixes[] = {"arg.", "event.", NULL};

bool where_parse(struct where *w, const char *text, const struct formula *formulas,
	size_t nformulas, struct expression_error *error)
{
	const struct expression_names names = {.find_word = where_find_word,
		.find_function = where_find_function,
		.ctx = w,
		.word = WHERE_WORDS,
		.open_prefixes = where_open_prefixes};

	*w = (struct where){.text = text, .formulas = formulas, .nformulas = nformulas};
	return expression_parse(&w->expression, text, &names, error) &&
	       (!w->nests || where_number_nodes(w, error));
}

void where_free(struct where *w)
{
	derived_free(&w->metrics);
	w->metrics = (struct derived_set){.is_word = where_is_word};
}

void where_settle(struct where *w, const struct trace *t)
{
	w->cycles = trace_text_index(t, "cycles", strlen("cycles"));
	w->instructions = trace_text_index(t, "instructions", strlen("instructions"));
	for (uint32_t i = 0; i < w->nwords; i++)
		if (w->words[i].source == WHERE_VALUE)
			w->words[i].index =
				trace_text_index(t, w->words[i].name, w->words[i].length);
}

/* --------------------------------------------------------------------------- evaluation */

/* The subject of a leaf. */
struct where_row {
	const struct where *where;
	const struct trace *trace; /* of WHERE_OWN_INSIDE */
	const struct interval *iv;
};

static struct expression_value where_whole(uint64_t size)
{
	return (struct expression_value){.kind = EXPRESSION_VALUE_WHOLE, .size = size};
}

static struct expression_value where_signed(int64_t i)
{
	struct expression_value value = where_whole(i < 0 ? -(uint64_t)i : (uint64_t)i);

	value.is_negative = i < 0;
	return value;
}

static struct expression_value where_real(double real)
{
	return (struct expression_value){
		.kind = isnan(real) ? EXPRESSION_VALUE_NONE : EXPRESSION_VALUE_REAL, .real = real};
}

static struct expression_value where_text(const void *text, size_t length)
{
	return (struct expression_value){
		.kind = EXPRESSION_VALUE_TEXT, .text = text, .length = length};
}

static struct expression_value where_named(const struct interval *iv, const struct where_word *word)
{
	for (uint32_t i = 0; i < iv->num_values; i++) {
		const struct interval_value *v = &iv->values[i];

		if (v->name != word->index || v->kind != word->kind)
			continue;
		switch (v->type) {
		case INTERVAL_ARG_U64:
			return where_whole(v->u);
		case INTERVAL_ARG_I64:
			return where_signed(v->i);
		case INTERVAL_ARG_F64:
			return (struct expression_value){
				.kind = EXPRESSION_VALUE_REAL, .real = v->f};
		case INTERVAL_ARG_TEXT:
			return where_text(iv->value_texts + v->at, v->length);
		}
	}
	return (struct expression_value){.kind = EXPRESSION_VALUE_NONE};
}

static double where_cpi(const struct where *w, const struct interval *iv)
{
	if (!isnan(iv->thread_cpi))
		return iv->thread_cpi;
	if (!isnan(iv->raw_cpi) || !iv->num_values)
		return iv->raw_cpi;
	return derived_of_event(iv, w->cycles) / derived_of_event(iv, w->instructions);
}

static struct expression_value where_host(const struct where_row *row)
{
	const char *host = report_host_of(row->trace, row->iv->file);

	if (!host)
		return (struct expression_value){.kind = EXPRESSION_VALUE_NONE};
	return where_text(host, strlen(host));
}

static struct expression_value where_value(
	const struct where_row *row, const struct where_word *word)
{
	const struct interval *iv = row->iv;

	switch (word->source) {
	case WHERE_ELAPSED:
		return where_whole(elapsed_whole_ns(iv));
	case WHERE_CPI:
		return where_real(where_cpi(row->where, iv));
	case WHERE_OWN_INSIDE:
		if (iv->own_inside == NOT_MEASURED)
			break;
		return where_whole(exact_round(
			trace_duration_ns(trace_file(row->trace, iv->file), iv->own_inside)));
	case WHERE_HOST:
		return where_host(row);
	case WHERE_VALUE:
		return where_named(iv, word);
	case WHERE_METRIC:
		return where_real(word->metric ? derived_of_interval(word->metric, iv) : NAN);
	default:
		break;
	}
	return (struct expression_value){.kind = EXPRESSION_VALUE_NONE};
}

/* Words and ids are spelled for the test alone. */
static bool where_test_words(
	const struct expression *e, const struct expression_node *leaf, struct cell cell)
{
	struct out spelled;

	out_memory(&spelled);
	if (cell.kind == CELL_ID)
		cell_spell_id(&spelled, &cell);
	else
		cell.words(&spelled, (uint32_t)cell.u);
	struct expression_value value = where_text(spelled.len ? spelled.buf : "", spelled.len);
	bool holds = expression_test(e, leaf, &value);
	out_discard(&spelled);
	return holds;
}

/* The value of any cell but words and ids. */
static struct expression_value where_cell_value(struct cell cell)
{
	switch (cell.kind) {
	case CELL_U64:
	case CELL_WHOLE:
	case CELL_BOOL:
		return where_whole(cell.u);
	case CELL_I64:
		return where_signed(cell.i);
	case CELL_REAL:
	case CELL_DOUBLE:
		return where_real(cell.real);
	case CELL_STRING:
		return where_text(cell.s, cell.len);
	default:
		return (struct expression_value){.kind = EXPRESSION_VALUE_NONE};
	}
}

bool where_test_cell(
	const struct expression *e, const struct expression_node *leaf, struct cell cell)
{
	if (cell.kind == CELL_WORDS || cell.kind == CELL_ID)
		return where_test_words(e, leaf, cell);
	struct expression_value value = where_cell_value(cell);
	return expression_test(e, leaf, &value);
}

/* Not inlined: most leaves ask columns and elapsed times, which need fewer registers. */
static __attribute__((noinline)) bool where_test_value(
	const struct expression *e, const struct expression_node *leaf, const struct where_row *row)
{
	struct expression_value value = where_value(row, &row->where->words[leaf->id]);

	return expression_test(e, leaf, &value);
}

/* Whether a comparison holds of the row itself, whichever interval it asks. */
static bool where_test_leaf(
	void *ctx, const struct expression *e, const struct expression_node *leaf)
{
	const struct where_row *row = ctx;
	const struct where_word *word = &row->where->words[leaf->id];

	if (word->source == WHERE_COLUMN)
		return where_test_cell(e, leaf, column_cell(word->column, row->iv));
	if (word->source != WHERE_ELAPSED)
		return where_test_value(e, leaf, row);
	struct expression_value value = where_whole(elapsed_whole_ns(row->iv));
	return expression_test(e, leaf, &value);
}

bool where_holds(const struct where *w, const struct trace *t, const struct interval *iv)
{
	struct where_row row = {w, t, iv};

	return expression_holds(&w->expression, where_test_leaf, &row);
}

uint64_t where_selection(const struct where *w, const struct trace *t, const struct interval *iv)
{
	struct where_row row = {w, t, iv};
	uint64_t selection = 0;

	for (uint16_t i = 0; i < w->expression.nodes; i++) {
		const struct expression_node *n = &w->expression.node[i];

		if ((n->kind == EXPRESSION_COMPARE || n->kind == EXPRESSION_ABSENT) &&
			w->words[n->id].source < WHERE_DEPTH)
			selection |= (uint64_t)where_test_leaf(&row, &w->expression, n)
				     << w->bit[i];
	}
	return selection;
}

unsigned where_selection_bits(const struct where *w)
{
	unsigned bits = 0;

	for (uint16_t i = 0; i < w->expression.nodes; i++) {
		const struct expression_node *n = &w->expression.node[i];

		bits += n->kind == EXPRESSION_COMPARE || n->kind == EXPRESSION_ABSENT;
	}
	return bits;
}

bool where_parse_column(struct where *w, const char *name)
{
	struct expression_word word = {0};
	char expected[EXPRESSION_EXPECTED];

	*w = (struct where){.text = name};
	return where_find_word(w, name, strlen(name), &word, expected) && !w->nests &&
	       !w->asks_events && word.type != EXPRESSION_TEXT;
}

struct expression_value where_get_column(
	const struct where *w, const struct trace *t, const struct interval *iv)
{
	const struct where_row row = {w, t, iv};

	return w->words[0].source == WHERE_COLUMN
		       ? where_cell_value(column_cell(w->words[0].column, iv))
		       : where_value(&row, &w->words[0]);
}
