/* cpidecode.h: columns of intervals. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../../formats/base/hash_index.h"
#include "../base/grow.h"
#include "../base/intern.h"
#include "../model/intervals/api_private.h"
#include "../model/intervals/elapsed.h"
#include "../model/intervals/stream.h"
#include "../model/trace/labels.h"
#include "query/lineage.h"
#include "query/select.h"
#include "query/where_events.h"
#include "values/columns.h"
#include "values/interval_columns.h"

/* The kind of an argument's values. */
enum {
	SEEN_BIG = 1,	   /* beyond int64_t */
	SEEN_NEGATIVE = 2, /* integers */
	SEEN_REAL = 4,
	SEEN_TEXT = 8,
};

/* How to read a column's value from an interval. The first ones are members at an offset. */
enum columns_source {
	COLUMNS_U8,
	COLUMNS_U32,
	COLUMNS_WORD,  /* uint64_t or int64_t */
	COLUMNS_COUNT, /* uint64_t; NOT_MEASURED: none */
	COLUMNS_REAL,
	COLUMNS_ELAPSED,
	COLUMNS_PARENT,
	COLUMNS_LABEL,
	COLUMNS_OF_TASK, /* a text that is the same for each interval of a task */
	COLUMNS_CELL,	 /* column_cell */
	COLUMNS_VALUE,	 /* an argument or event */
};

enum { COLUMNS_KNOWN = 64 };

/* Caches the code of a text by a pointer that identifies it and lives as long as the trace. */
struct columns_known {
	const void *by; /* NULL: none */
	uint32_t code;
};

struct columns_column {
	enum columns_source source;
	uint16_t offset;
	enum cpidecode_column_type type;
	/* Where the next row's value goes, and whether it is absent. */
	char *to;
	uint8_t *absent;
	size_t stride, absent_stride;
	char *name;
	const struct column *column;
	uint32_t value; /* its name: trace_text_at */
	uint8_t kind;	/* enum value_kind */
	atomic_uchar seen;
	uint32_t last_code;	     /* cache: the text is often the previous one */
	uint32_t last_words;	     /* the number whose words it is */
	struct columns_known *known; /* COLUMNS_KNOWN of COLUMNS_LABEL and COLUMNS_OF_TASK */
};

struct cpidecode_columns {
	struct report report;
	struct filter filter;
	struct where where;
	char *where_text;
	struct lineage lineage;
	struct interval_query query;
	struct findings found;
	struct interval_stream *stream;
	struct columns_column *at;
	size_t count;
	uint64_t unused; /* sink for columns without a buffer */
	unsigned wants;
	bool asks_values;
	/* Texts by code. */
	struct trace_text *texts;
	size_t ntexts, texts_room;
	struct intern memory;
	struct hash_index index;
	struct out spelled;
};

/* -------------------------------------------------------------------------------- texts */

static bool columns_is_text(
	const struct cpidecode_columns *c, uint32_t code, const char *text, size_t length)
{
	const struct trace_text *known = &c->texts[code];

	return known->length == length && memcmp(known->at, text, length) == 0;
}

static int columns_add_text(
	struct cpidecode_columns *c, const char *text, size_t length, uint64_t hash, uint32_t *code)
{
	size_t i;

	if (array_grow(&c->texts, c->ntexts, &c->texts_room, sizeof *c->texts))
		return CPIDECODE_ENOMEM;
	const char *copy = c->ntexts < CPIDECODE_NO_TEXT
				   ? intern_bytes(&c->memory, text, (uint32_t)length)
				   : NULL;
	if (!copy || !hash_index_grow(&c->index, c->ntexts + 1, &i))
		return CPIDECODE_ENOMEM;
	*code = (uint32_t)c->ntexts;
	c->texts[c->ntexts++] =
		(struct trace_text){.at = copy, .length = (uint32_t)length, .hash = (uint32_t)hash};
	for (; i < c->ntexts; i++)
		hash_index_add(
			&c->index, XXH3_64bits(c->texts[i].at, c->texts[i].length), (uint32_t)i);
	return 0;
}

static int columns_find_code(
	struct cpidecode_columns *c, const char *text, size_t length, uint32_t *code)
{
	const uint64_t hash = XXH3_64bits(text, length);
	uint64_t slot = hash;

	for (uint32_t found; (found = hash_index_next(&c->index, &slot));) {
		*code = found - 1;
		if (c->texts[*code].hash == (uint32_t)hash &&
			columns_is_text(c, *code, text, length))
			return 0;
	}
	return columns_add_text(c, text, length, hash, code);
}

static int columns_code_of(struct cpidecode_columns *c, struct columns_column *column,
	const char *text, size_t length, uint32_t *code)
{
	*code = column->last_code;
	if (*code != CPIDECODE_NO_TEXT && columns_is_text(c, *code, text, length))
		return 0;
	int rc = columns_find_code(c, text, length, code);
	if (!rc)
		column->last_code = *code;
	return rc;
}

/* Words and numbers are spelled as in CSV. */
static int columns_code_of_cell(struct cpidecode_columns *c, struct columns_column *column,
	const struct cell *cell, uint32_t *code)
{
	struct out *o = &c->spelled;

	if (cell->kind == CELL_STRING)
		return columns_code_of(c, column, cell->s, cell->len, code);
	if (cell->kind == CELL_WORDS && column->last_code != CPIDECODE_NO_TEXT &&
		column->last_words == cell->u) {
		*code = column->last_code;
		return 0;
	}
	o->len = 0;
	if (cell->kind == CELL_WORDS)
		cell->words(o, (uint32_t)cell->u);
	else if (cell->kind == CELL_ID)
		cell_spell_id(o, cell);
	else
		value_spell(o, *cell);
	if (o->error)
		return CPIDECODE_ENOMEM;
	column->last_words = cell->kind == CELL_WORDS ? (uint32_t)cell->u : 0;
	return columns_code_of(c, column, o->len ? o->buf : "", o->len, code);
}

/* ----------------------------------------------------------------------------- opening */

static int columns_refuse(
	cpidecode_columns_error *error, size_t column, size_t at, const char *reason)
{
	if (error) {
		error->column = column;
		error->at = at;
		snprintf(error->reason, sizeof error->reason, "%s", reason);
	}
	return CPIDECODE_EINVAL;
}

static enum cpidecode_column_type columns_type_of(const struct column *c)
{
	if (c->is_text || c->source == COLUMN_TEXT)
		return CPIDECODE_COLUMN_CODE;
	if (c->source == COLUMN_REAL)
		return CPIDECODE_COLUMN_F64;
	return c->source == COLUMN_I64 ? CPIDECODE_COLUMN_I64 : CPIDECODE_COLUMN_U64;
}

static enum columns_source columns_source_of(const struct column *c)
{
	switch (c->source) {
	case COLUMN_U8:
		return COLUMNS_U8;
	case COLUMN_U32:
		return COLUMNS_U32;
	case COLUMN_U64:
	case COLUMN_I64:
		return COLUMNS_WORD;
	case COLUMN_COUNT:
		return COLUMNS_COUNT;
	case COLUMN_REAL:
		return COLUMNS_REAL;
	default:
		return strcmp(c->name, "label") == 0 ? COLUMNS_LABEL
		       : strcmp(c->name, "task") == 0 || strcmp(c->name, "container") == 0
			       ? COLUMNS_OF_TASK
			       : COLUMNS_CELL;
	}
}

static int columns_add_known(struct columns_column *to)
{
	if (to->source != COLUMNS_LABEL && to->source != COLUMNS_OF_TASK)
		return 0;
	to->known = calloc(COLUMNS_KNOWN, sizeof *to->known);
	return to->known ? 0 : CPIDECODE_ENOMEM;
}

/* "arg.NAME" or "event.NAME". */
static bool columns_is_value(struct cpidecode_columns *c, struct columns_column *to)
{
	static const char argument[] = "arg.", event[] = VALUE_EVENT_PREFIX;
	const bool is_argument = strncmp(to->name, argument, strlen(argument)) == 0;
	const char *name = to->name + (is_argument ? strlen(argument) : strlen(event));

	if (!is_argument && strncmp(to->name, event, strlen(event)) != 0)
		return false;
	if (!*name || strlen(name) > UINT32_MAX)
		return false;
	to->source = COLUMNS_VALUE;
	to->kind = is_argument ? VALUE_ARGUMENT : VALUE_EVENT;
	to->value = trace_text_index(c->report.trace, name, (uint32_t)strlen(name));
	c->wants |= is_argument ? WANT_VALUES : WANT_EVENTS;
	c->asks_values = true;
	return true;
}

static int columns_add(struct cpidecode_columns *c, const char *name)
{
	struct columns_column *to = &c->at[c->count];

	to->last_code = CPIDECODE_NO_TEXT;
	to->name = strdup(name);
	if (!to->name)
		return CPIDECODE_ENOMEM;
	c->count++;
	to->column = rows_find_column(interval_columns, name, strlen(name), FORMAT_CSV);
	if (to->column && to->column->source != COLUMN_NEST) {
		to->source = columns_source_of(to->column);
		to->offset = to->column->offset;
		to->type = columns_type_of(to->column);
		c->wants |= where_column_wants(name);
		if (strcmp(name, "own_inside_ns") == 0 || strcmp(name, "own_nested_ns") == 0)
			c->wants |= WANT_OWN_COST;
		return columns_add_known(to);
	}
	if (strcmp(name, "elapsed_ns") == 0) {
		to->source = COLUMNS_ELAPSED;
		to->type = CPIDECODE_COLUMN_U64;
		return 0;
	}
	if (strcmp(name, "parent") == 0) {
		to->source = COLUMNS_PARENT;
		to->type = CPIDECODE_COLUMN_I64;
		return 0;
	}
	return columns_is_value(c, to) ? 0 : CPIDECODE_EINVAL;
}

/* But ids: each is a text of its own. */
static int columns_add_all(struct cpidecode_columns *c)
{
	int rc = 0;

	for (const struct column *own = interval_columns; (own->name || own->heading) && !rc; own++)
		if (own->name && own->source != COLUMN_NEST && !own->is_end)
			rc = columns_add(c, own->name);
	return rc;
}

static size_t columns_of_intervals(void)
{
	size_t n = 0;

	while (interval_columns[n].name || interval_columns[n].heading)
		n++;
	return n;
}

static int columns_choose(struct cpidecode_columns *c, const char *const *names, size_t n,
	cpidecode_columns_error *error)
{
	size_t most = names ? n : columns_of_intervals();

	c->at = calloc(most + 1, sizeof *c->at);
	if (!c->at)
		return CPIDECODE_ENOMEM;
	if (!names)
		return columns_add_all(c);
	for (size_t i = 0; i < n; i++) {
		int rc = columns_add(c, names[i]);

		if (rc == CPIDECODE_EINVAL)
			return columns_refuse(error, i, 0,
				"no such column: one of --report intervals --format csv, "
				"elapsed_ns, parent, arg.NAME or event.NAME");
		if (rc)
			return rc;
	}
	return 0;
}

static int columns_set_where(struct cpidecode_columns *c, const char *where, size_t names,
	cpidecode_columns_error *error)
{
	struct expression_error wrong;

	if (!where)
		return 0;
	c->where_text = strdup(where);
	if (!c->where_text)
		return CPIDECODE_ENOMEM;
	if (!where_parse(&c->where, c->where_text, NULL, 0, &wrong))
		return columns_refuse(error, names, wrong.at, wrong.text);
	where_settle(&c->where, c->report.trace);
	c->report.where = &c->where;
	int rc = where_find_events(&c->report, &wrong);
	return rc == CPIDECODE_EINVAL ? columns_refuse(error, names, wrong.at, wrong.text) : rc;
}

static const struct interval_value *columns_find_value(
	const struct columns_column *column, const struct interval *iv)
{
	for (uint32_t i = 0; i < iv->num_values; i++)
		if (iv->values[i].name == column->value && iv->values[i].kind == column->kind)
			return &iv->values[i];
	return NULL;
}

static unsigned columns_seen_of(const struct interval_value *v)
{
	switch (v->type) {
	case INTERVAL_ARG_U64:
		return v->u > INT64_MAX ? SEEN_BIG : 0;
	case INTERVAL_ARG_I64:
		return v->i < 0 ? SEEN_NEGATIVE : 0;
	case INTERVAL_ARG_F64:
		return SEEN_REAL;
	case INTERVAL_ARG_TEXT:
		return SEEN_TEXT;
	default:
		return 0;
	}
}

/* On any thread. */
static bool columns_filter(void *ctx, const struct interval *iv)
{
	struct cpidecode_columns *c = ctx;

	if (!select_interval(&c->report, iv))
		return false;
	for (size_t i = 0; c->asks_values && i < c->count; i++) {
		const struct interval_value *v =
			c->at[i].source == COLUMNS_VALUE ? columns_find_value(&c->at[i], iv) : NULL;

		if (v)
			atomic_fetch_or_explicit(&c->at[i].seen, (unsigned char)columns_seen_of(v),
				memory_order_relaxed);
	}
	return true;
}

static enum cpidecode_column_type columns_type_of_seen(unsigned seen)
{
	if (seen & SEEN_TEXT)
		return CPIDECODE_COLUMN_CODE;
	if (seen & SEEN_REAL || (seen & SEEN_BIG && seen & SEEN_NEGATIVE))
		return CPIDECODE_COLUMN_F64;
	return seen & SEEN_NEGATIVE ? CPIDECODE_COLUMN_I64 : CPIDECODE_COLUMN_U64;
}

static bool columns_are_nested(const struct cpidecode_columns *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (interval_column_is_nested(c->at[i].name, strlen(c->at[i].name)))
			return true;
	return false;
}

static int columns_read_trace(struct cpidecode_columns *c)
{
	const struct report *r = &c->report;
	struct interval_stream_options how = {.filter = columns_filter,
		.ctx = c,
		.from_ns = r->filter->from,
		.threads = r->threads,
		.filter_wants = select_wants(r) | (c->wants & (WANT_VALUES | WANT_EVENTS)),
		.wants = c->wants | WANT_START,
		.unnested = !columns_are_nested(c),
		.nested_cost = c->wants & WANT_OWN_COST,
		.open = true};

	if (!c->asks_values && select_takes_all(r))
		how.filter = NULL;
	how.query = lineage_query(&c->lineage, r, &c->query);
	/* Intervals nested in others must be complete if the query asks for them. */
	if (how.query)
		how.from_ns = INT64_MIN;
	int rc = interval_stream_open(r->trace, &how, &c->stream, &c->found);
	for (size_t i = 0; i < c->count; i++)
		if (c->at[i].source == COLUMNS_VALUE)
			c->at[i].type = columns_type_of_seen(c->at[i].seen);
	return rc;
}

static int columns_open(struct cpidecode_columns *c, const cpidecode_trace *t,
	const char *const *names, size_t n, const cpidecode_columns_options *o,
	cpidecode_columns_error *error)
{
	filter_init(&c->filter);
	if (o->from_ns || o->to_ns) {
		c->filter.from = o->from_ns;
		c->filter.to = o->to_ns;
	}
	c->report.filter = &c->filter;
	c->report.threads = o->threads;
	c->report.found = &c->found;
	report_about(&c->report, t->trace);
	out_memory(&c->spelled);
	int rc = columns_choose(c, names, n, error);
	if (!rc)
		rc = columns_set_where(c, o->where, n, error);
	return rc ? rc : columns_read_trace(c);
}

int cpidecode_columns_open(const cpidecode_trace *t, const char *const *names, size_t n,
	const cpidecode_columns_options *options, cpidecode_columns **c,
	cpidecode_columns_error *error)
{
	static const cpidecode_columns_options none = {.size = sizeof none};
	const cpidecode_columns_options *o = options ? options : &none;

	*c = NULL;
	if (o->size < sizeof none || (!names && n) || o->threads > REPORT_MAX_THREADS)
		return columns_refuse(error, n, 0, "an option is out of range");
	struct cpidecode_columns *made = calloc(1, sizeof *made);
	if (!made)
		return CPIDECODE_ENOMEM;
	int rc = columns_open(made, t, names, n, o, error);
	int system_error = errno;
	if (rc)
		cpidecode_columns_close(made);
	else
		*c = made;
	errno = system_error;
	return rc;
}

/* ----------------------------------------------------------------------------- reading */

static inline void columns_put_u64(struct columns_column *to, uint64_t u, bool is_known)
{
	memcpy(to->to, &u, sizeof u);
	*to->absent = !is_known;
	to->to += to->stride;
	to->absent += to->absent_stride;
}

static inline void columns_put_f64(struct columns_column *to, double f)
{
	uint64_t bits;

	memcpy(&bits, &f, sizeof bits);
	columns_put_u64(to, bits, !isnan(f));
}

static inline void columns_put_code(struct columns_column *to, uint32_t code)
{
	memcpy(to->to, &code, sizeof code);
	*to->absent = code == CPIDECODE_NO_TEXT;
	to->to += to->stride;
	to->absent += to->absent_stride;
}

static double columns_real_of(const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_U64:
		return (double)cell->u;
	case CELL_I64:
		return (double)cell->i;
	case CELL_REAL:
	case CELL_DOUBLE:
		return cell->real;
	default:
		return NAN;
	}
}

static int columns_put_cell(
	struct cpidecode_columns *c, struct columns_column *column, const struct cell *cell)
{
	const bool is_known = cell->kind != CELL_NONE;
	uint32_t code = CPIDECODE_NO_TEXT;
	int rc = 0;

	switch (column->type) {
	case CPIDECODE_COLUMN_U64:
	case CPIDECODE_COLUMN_I64:
		/* The two have the same bits in the range of both. */
		columns_put_u64(column, is_known ? cell->u : 0, is_known);
		break;
	case CPIDECODE_COLUMN_F64:
		columns_put_f64(column, columns_real_of(cell));
		break;
	case CPIDECODE_COLUMN_CODE:
		if (is_known)
			rc = columns_code_of_cell(c, column, cell, &code);
		columns_put_code(column, code);
		break;
	}
	return rc;
}

/* by: a pointer that identifies the text; NULL: none. */
static int columns_put_known(struct cpidecode_columns *c, struct columns_column *column,
	const struct interval *iv, const void *by)
{
	struct columns_known *known = &column->known[(uintptr_t)by / 16 % COLUMNS_KNOWN];
	uint32_t code = CPIDECODE_NO_TEXT;

	if (by && known->by == by) {
		columns_put_code(column, known->code);
		return 0;
	}
	const struct cell cell = column_cell(column->column, iv);
	int rc = cell.kind != CELL_NONE ? columns_code_of_cell(c, column, &cell, &code) : 0;
	if (by && !rc)
		*known = (struct columns_known){by, code};
	columns_put_code(column, code);
	return rc;
}

static int columns_put_label(
	struct cpidecode_columns *c, struct columns_column *column, const struct interval *iv)
{
	uint32_t code = CPIDECODE_NO_TEXT;

	if (iv->label_stays)
		return columns_put_known(c, column, iv, iv->label);
	int rc = iv->has_label ? columns_code_of(c, column, iv->label, iv->label_len, &code) : 0;
	columns_put_code(column, code);
	return rc;
}

static int columns_put_value(
	struct cpidecode_columns *c, struct columns_column *column, const struct interval *iv)
{
	const struct interval_value *v = columns_find_value(column, iv);
	const struct cell cell = v ? value_cell(iv, v) : (struct cell){.kind = CELL_NONE};

	return columns_put_cell(c, column, &cell);
}

/* Assigning the cell to a variable would copy it, which stalls store forwarding. */
static int columns_put_own_cell(
	struct cpidecode_columns *c, struct columns_column *column, const struct interval *iv)
{
	const struct cell cell = column_cell(column->column, iv);

	return columns_put_cell(c, column, &cell);
}

static inline int columns_put(
	struct cpidecode_columns *c, struct columns_column *column, const struct interval *iv)
{
	const void *at = (const char *)iv + column->offset;

	switch (column->source) {
	case COLUMNS_U8:
		columns_put_u64(column, *(const uint8_t *)at, true);
		return 0;
	case COLUMNS_U32:
		columns_put_u64(column, *(const uint32_t *)at, true);
		return 0;
	case COLUMNS_WORD:
		columns_put_u64(column, *(const uint64_t *)at, true);
		return 0;
	case COLUMNS_COUNT: {
		const uint64_t u = *(const uint64_t *)at;
		const bool is_known = u != NOT_MEASURED;

		columns_put_u64(column, is_known ? u : 0, is_known);
		return 0;
	}
	case COLUMNS_REAL:
		columns_put_f64(column, *(const double *)at);
		return 0;
	case COLUMNS_ELAPSED:
		columns_put_u64(column, elapsed_whole_ns(iv), true);
		return 0;
	case COLUMNS_PARENT:
		columns_put_u64(column, (uint64_t)iv->parent, iv->parent >= 0);
		return 0;
	case COLUMNS_LABEL:
		return columns_put_label(c, column, iv);
	case COLUMNS_OF_TASK:
		return columns_put_known(c, column, iv, iv->task);
	case COLUMNS_CELL:
		return columns_put_own_cell(c, column, iv);
	case COLUMNS_VALUE:
		return columns_put_value(c, column, iv);
	}
	return 0;
}

/* Columns without a buffer of the caller's go to `unused`, which has stride 0. */
static void columns_begin_rows(struct cpidecode_columns *c, const cpidecode_column_buffer *buffers)
{
	for (size_t i = 0; i < c->count; i++) {
		const cpidecode_column_buffer *b = &buffers[i];
		struct columns_column *to = &c->at[i];
		const size_t width =
			to->type == CPIDECODE_COLUMN_CODE ? sizeof(uint32_t) : sizeof(uint64_t);

		to->to = b->values ? b->values : (void *)&c->unused;
		to->stride = !b->values ? 0 : b->stride ? b->stride : width;
		to->absent = b->absent ? b->absent : (uint8_t *)&c->unused;
		to->absent_stride = !b->absent ? 0 : b->absent_stride ? b->absent_stride : 1;
	}
}

int cpidecode_columns_read(cpidecode_columns *c, const cpidecode_column_buffer *to, size_t rows)
{
	const struct interval *iv;
	size_t row = 0;
	int rc = 1;

	if (rows > INT_MAX)
		rows = INT_MAX;
	struct columns_column *const end = c->at + c->count;
	columns_begin_rows(c, to);
	for (; row < rows && (rc = interval_stream_next(c->stream, &iv)) > 0; row++) {
		for (struct columns_column *at = c->at; at < end; at++)
			if ((rc = columns_put(c, at, iv)))
				return rc;
	}
	return rc < 0 ? rc : (int)row;
}

size_t cpidecode_columns_count(const cpidecode_columns *c)
{
	return c->count;
}

int cpidecode_columns_info(const cpidecode_columns *c, size_t i, cpidecode_column_info *info)
{
	if (i >= c->count)
		return CPIDECODE_EINVAL;
	*info = (cpidecode_column_info){.name = c->at[i].name, .type = c->at[i].type};
	return 0;
}

uint64_t cpidecode_columns_rows(const cpidecode_columns *c)
{
	return interval_stream_count(c->stream);
}

const char *cpidecode_columns_text(const cpidecode_columns *c, uint32_t code, size_t *length)
{
	if (code >= c->ntexts)
		return NULL;
	*length = c->texts[code].length;
	return c->texts[code].at;
}

void cpidecode_columns_close(cpidecode_columns *c)
{
	if (!c)
		return;
	interval_stream_close(c->stream);
	lineage_free(&c->lineage);
	findings_free(&c->found);
	for (size_t i = 0; i < c->count; i++) {
		free(c->at[i].name);
		free(c->at[i].known);
	}
	free(c->at);
	where_free(&c->where);
	free(c->where_text);
	free(c->texts);
	intern_free(&c->memory);
	hash_index_free(&c->index);
	out_discard(&c->spelled);
	free(c);
}
