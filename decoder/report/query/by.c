#include "by.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/base/quantity.h"
#include "../../../formats/base/time_ns.h"
#include "../../model/intervals/intervals.h"
#include "../open.h"
#include "../values/interval_columns.h"

/* The type, before an encoded value. */
enum by_tag { BY_ABSENT, BY_U64, BY_I64, BY_REAL, BY_TEXT };

static const struct by_key_name {
	const char *name;
	enum by_kind kind;
	unsigned wants;
} by_names[] = {
	{"label", BY_COLUMN, 0},
	{"minor", BY_COLUMN, 0},
	{"tid", BY_COLUMN, 0},
	{"pid", BY_COLUMN, 0},
	{"task", BY_COLUMN, 0},
	{"cpu", BY_COLUMN, 0},
	{"start_cpu", BY_COLUMN, WANT_QUALITY},
	{"container", BY_COLUMN, 0},
	{"host", BY_HOST, 0},
	{"parent", BY_PARENT, 0},
	{"root", BY_ROOT, 0},
	{"stack", BY_STACK, 0},
};

/* -------------------------------------------------------------------------------- parsing */

static bool by_parse_width(struct by *by, const char *text, char expected[BY_EXPECTED])
{
	if (by->asks_time) {
		snprintf(expected, BY_EXPECTED, "time once");
		return false;
	}
	if (!quantity_parse_duration(text, strlen(text), 0, INT64_MAX, &by->width_ns) ||
		!by->width_ns) {
		snprintf(expected, BY_EXPECTED, "how long a bucket is, as in time:100ms");
		return false;
	}
	by->asks_time = true;
	by->wants |= WANT_START;
	return true;
}

static bool by_parse_name(
	struct by *by, struct by_key *key, const char *name, char expected[BY_EXPECTED])
{
	for (size_t i = 0; i < sizeof by_names / sizeof *by_names; i++) {
		if (strcmp(by_names[i].name, name) != 0)
			continue;
		key->kind = by_names[i].kind;
		by->wants |= by_names[i].wants;
		if (key->kind == BY_COLUMN)
			key->column =
				rows_find_column(interval_columns, name, strlen(name), FORMAT_CSV);
		by->asks_stack |= key->kind == BY_STACK;
		by->asks_around |= key->kind >= BY_PARENT;
		return true;
	}
	size_t n = (size_t)snprintf(expected, BY_EXPECTED, "keys with commas between: ");
	for (size_t i = 0; i < sizeof by_names / sizeof *by_names; i++)
		n += (size_t)snprintf(expected + n, BY_EXPECTED - n, "%s, ", by_names[i].name);
	snprintf(expected + n, BY_EXPECTED - n, "arg.NAME, time:100ms");
	return false;
}

/* name is within by->names, with its end. */
static bool by_parse_key(struct by *by, char *name, char expected[BY_EXPECTED])
{
	struct by_key *key = &by->keys[by->count];

	*key = (struct by_key){.name = name};
	if (strcmp(name, "time") == 0 || strncmp(name, "time:", 5) == 0) {
		if (!by_parse_width(by, name[4] ? name + 5 : "", expected))
			return false;
		key->kind = BY_TIME;
		key->name = "time_ns";
	} else if (strncmp(name, "arg.", 4) == 0 && name[4]) {
		key->kind = BY_ARGUMENT;
		by->wants |= WANT_VALUES;
	} else if (!by_parse_name(by, key, name, expected)) {
		return false;
	}
	for (unsigned i = 0; i < by->count; i++)
		if (strcmp(by->keys[i].name, key->name) == 0) {
			snprintf(expected, BY_EXPECTED, "%s once", key->name);
			return false;
		}
	by->count++;
	return true;
}

static void by_number_values(struct by *by)
{
	uint32_t place = 0;

	for (unsigned i = 0; i < by->count; i++)
		by->keys[i].place = by->keys[i].kind == BY_TIME ? by->count - 1 : place++;
}

bool by_parse(struct by *by, const char *text, size_t *at, char expected[BY_EXPECTED])
{
	size_t length = strlen(text);

	*by = (struct by){.width_ns = 0};
	*at = 0;
	if (length >= sizeof by->names) {
		snprintf(expected, BY_EXPECTED, "at most %d bytes", BY_BYTES - 1);
		return false;
	}
	memcpy(by->names, text, length + 1);
	for (;;) {
		size_t n = strcspn(text + *at, ",");

		by->names[*at + n] = '\0';
		if (by->count == BY_KEYS) {
			snprintf(expected, BY_EXPECTED, "the end: there are at most %d keys",
				BY_KEYS);
			return false;
		}
		if (!by_parse_key(by, by->names + *at, expected))
			return false;
		if (!text[*at + n])
			break;
		*at += n + 1;
	}
	by_number_values(by);
	return true;
}

void by_settle(struct by *by, const struct report *r)
{
	for (unsigned i = 0; i < by->count; i++) {
		const char *name = by->keys[i].name + 4;

		if (by->keys[i].kind == BY_ARGUMENT)
			by->keys[i].index =
				trace_text_index(r->trace, name, (uint32_t)strlen(name));
	}
	by->times = r->times;
	by->origin_ns = r->filter->from != INT64_MIN ? r->filter->from : report_start(r->trace);
}

/* ------------------------------------------------------------------------------- encoding */

int by_append(struct buffer *to, const void *bytes, size_t n)
{
	/* A group's name has 32 bits for its length. */
	if (n > INT32_MAX || to->n > INT32_MAX)
		return CPIDECODE_ENOMEM;
	buffer_add(to, bytes, n);
	return to->failed ? CPIDECODE_ENOMEM : 0;
}

static int by_append_word(struct buffer *to, enum by_tag tag, uint64_t word)
{
	char bytes[9] = {(char)tag};

	memcpy(bytes + 1, &word, sizeof word);
	return by_append(to, bytes, sizeof bytes);
}

/* A number of any type is one value. */
static int by_append_signed(struct buffer *to, int64_t i)
{
	return by_append_word(to, i < 0 ? BY_I64 : BY_U64, (uint64_t)i);
}

static int by_append_real(struct buffer *to, double real)
{
	uint64_t word;

	if (fabs(real) < 0x1p62 && real == (double)(int64_t)real)
		return by_append_signed(to, (int64_t)real);
	/* Reports have no other word for it. */
	if (!isfinite(real))
		return by_append(to, &(char){BY_ABSENT}, 1);
	memcpy(&word, &real, sizeof word);
	return by_append_word(to, BY_REAL, word);
}

static int by_append_text(struct buffer *to, const char *text, size_t length)
{
	int rc = text ? by_append_word(to, BY_TEXT, length) : by_append(to, &(char){BY_ABSENT}, 1);

	return rc || !text ? rc : by_append(to, text, length);
}

static int by_append_cell(struct buffer *to, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_U64:
		return by_append_word(to, BY_U64, cell->u);
	case CELL_STRING:
		return by_append_text(to, cell->s ? cell->s : "", cell->len);
	default:
		return by_append_text(to, NULL, 0);
	}
}

static int by_append_argument(
	struct buffer *to, const struct interval *iv, const struct by_key *key)
{
	for (uint32_t i = 0; i < iv->num_values; i++) {
		const struct interval_value *v = &iv->values[i];

		if (v->name != key->index || v->kind != VALUE_ARGUMENT)
			continue;
		switch (v->type) {
		case INTERVAL_ARG_U64:
			return by_append_word(to, BY_U64, v->u);
		case INTERVAL_ARG_I64:
			return by_append_signed(to, v->i);
		case INTERVAL_ARG_F64:
			return by_append_real(to, v->f);
		case INTERVAL_ARG_TEXT:
			return by_append_text(to, iv->value_texts + v->at, v->length);
		}
	}
	return by_append_text(to, NULL, 0);
}

static bool by_is_container(const struct by_key *key)
{
	return key->kind == BY_COLUMN && strcmp(key->name, "container") == 0;
}

static int by_encode_key(const struct by *by, const struct by_key *key, const struct trace *t,
	const struct interval *iv, const struct by_around *around, struct buffer *to)
{
	const char *host, *owner;
	struct cell cell;

	switch (key->kind) {
	case BY_COLUMN:
		cell = column_cell(key->column, iv);
		if (by->names_owners && by_is_container(key) && iv->task && !iv->task->container &&
			iv->task->is_at_home) {
			owner = trace_owner_cgroup(t, iv->machine);
			return by_append_text(to, owner, owner ? strlen(owner) : 0);
		}
		return by_append_cell(to, &cell);
	case BY_HOST:
		host = trace_meta_value(trace_file(t, iv->file), "host");
		return by_append_text(to, host, host ? strlen(host) : 0);
	case BY_ARGUMENT:
		return by_append_argument(to, iv, key);
	case BY_PARENT:
		return by_append_text(to, around->parent, around->parent_length);
	case BY_ROOT:
		return by_append_text(to, around->root, around->root_length);
	case BY_STACK:
		return by_append_text(to, around->stack, around->stack_length);
	case BY_TIME:
		break;
	}
	return 0;
}

int by_encode(const struct by *by, const struct trace *t, const struct interval *iv,
	const struct by_around *around, struct buffer *to)
{
	int rc = 0;

	to->n = 0;
	for (unsigned i = 0; i < by->count && !rc; i++)
		rc = by_encode_key(by, &by->keys[i], t, iv, around, to);
	return rc;
}

int64_t by_bucket(const struct by *by, int64_t ns)
{
	__int128 after = (__int128)ns - by->origin_ns;
	__int128 bucket = after / (__int128)by->width_ns;

	bucket -= after < bucket * (__int128)by->width_ns;
	return bucket < INT64_MIN ? INT64_MIN : bucket > INT64_MAX ? INT64_MAX : (int64_t)bucket;
}

int by_encode_bucket(int64_t bucket, struct buffer *to)
{
	return by_append_word(to, BY_I64, (uint64_t)bucket);
}

/* When a bucket begins, after the origin. */
static int64_t by_bucket_ns(const struct by *by, int64_t bucket)
{
	__int128 ns = (__int128)bucket * (__int128)by->width_ns;

	return ns < INT64_MIN ? INT64_MIN : ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

/* ------------------------------------------------------------------------------- decoding */

/* The bytes of the encoded value; 0: invalid. */
static size_t by_check_value(const char *p, size_t left)
{
	uint64_t word;
	double real;

	if (left && *p == BY_ABSENT)
		return 1;
	if (left < 9)
		return 0;
	memcpy(&word, p + 1, sizeof word);
	memcpy(&real, &word, sizeof real);
	switch ((enum by_tag) * p) {
	case BY_U64:
	case BY_I64:
		return 9;
	case BY_REAL:
		return isfinite(real) ? 9 : 0;
	case BY_TEXT:
		return word <= left - 9 ? 9 + (size_t)word : 0;
	default:
		return 0;
	}
}

bool by_is_encoded(const struct by *by, const struct tally_group *g)
{
	size_t at = 0;

	for (unsigned i = 0; i < by->count; i++) {
		const size_t n = by_check_value(g->label + at, g->label_len - at);

		if (!n || (by->asks_time && i == by->count - 1 && g->label[at] != BY_I64))
			return false;
		at += n;
	}
	return at == g->label_len;
}

static size_t by_value_bytes(const char *p)
{
	uint64_t word;

	if (*p == BY_ABSENT)
		return 1;
	memcpy(&word, p + 1, sizeof word);
	return 9 + (*p == BY_TEXT ? word : 0);
}

uint32_t by_container_index(const struct by *by)
{
	for (unsigned i = 0; i < by->count; i++)
		if (by_is_container(&by->keys[i]))
			return by->keys[i].place;
	return UINT32_MAX;
}

int by_hide_owner(
	const char *label, uint32_t label_len, uint32_t place, const char *owner, struct buffer *to)
{
	const size_t length = strlen(owner);
	size_t at = 0, n = by_check_value(label, label_len);

	for (; place && n; place--) {
		at += n;
		n = by_check_value(label + at, label_len - at);
	}
	if (!n)
		return CPIDECODE_EINVAL;
	const char *value = label + at;
	const bool is_owner =
		*value == BY_TEXT && n == 9 + length && memcmp(value + 9, owner, length) == 0;
	to->n = 0;
	int rc = by_append(to, label, at);
	if (!rc)
		rc = is_owner ? by_append_text(to, NULL, 0) : by_append(to, value, n);
	return rc ? rc : by_append(to, value + n, label_len - at - n);
}

static struct cell by_decode(const char *p)
{
	uint64_t word;
	double real;

	if (*p == BY_ABSENT)
		return (struct cell){.kind = CELL_NONE};
	memcpy(&word, p + 1, sizeof word);
	switch ((enum by_tag) * p) {
	case BY_U64:
		return cell_u64(word, true);
	case BY_REAL:
		memcpy(&real, &word, sizeof real);
		return (struct cell){.kind = CELL_DOUBLE, .real = real};
	case BY_TEXT:
		return cell_string(p + 9, word, true);
	default:
		return cell_i64((int64_t)word);
	}
}

static struct cell by_group_cell(const struct tally_group *g, uint32_t place)
{
	const char *p = g->label;

	while (place--)
		p += by_value_bytes(p);
	return by_decode(p);
}

static struct cell by_get_key(const void *row, const void *of)
{
	const struct by_key *key = of;

	return by_group_cell(*(const struct tally_group *const *)row, key->place);
}

/* A bucket's time: of is the list. */
static struct cell by_get_time(const void *row, const void *of)
{
	const struct by *by = of;
	struct cell cell = by_group_cell(*(const struct tally_group *const *)row, by->count - 1);

	cell.i = by_bucket_ns(by, cell.i);
	return cell;
}

/* A relative one in the form of --from, but for times before the origin: +1.5s. */
static void by_spell_time(struct out *o, const void *row, const void *of)
{
	const struct by *by = of;
	const struct time_text form = {.how = by->times};
	int64_t ns = by_get_time(row, of).i;
	uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	char fraction[16];
	int n = snprintf(fraction, sizeof fraction, ".%09u", (unsigned)(size % TIME_SECOND_NS));

	if (by->times != TIMES_RELATIVE) {
		int64_t moment;

		units_time(o, &form,
			__builtin_add_overflow(by->origin_ns, ns, &moment)
				? (ns < 0 ? INT64_MIN : INT64_MAX)
				: moment);
		return;
	}
	while (n && (fraction[n - 1] == '0' || fraction[n - 1] == '.'))
		if (fraction[--n] == '.')
			break;
	out_char(o, ns < 0 ? '-' : '+');
	out_u64(o, size / TIME_SECOND_NS);
	out_bytes(o, fraction, (size_t)n);
	out_char(o, 's');
}

static void by_spell_minor(struct out *o, const void *row, const void *of)
{
	const struct tally_group *g = *(const struct tally_group *const *)row;

	report_code(o, g->major, (uint8_t)by_get_key(row, of).u);
}

void by_make_columns(const struct by *by, struct column columns[BY_KEYS])
{
	for (unsigned i = 0; i < by->count; i++) {
		const struct by_key *key = &by->keys[i];
		const bool is_number = key->column && !key->column->left;

		columns[i] = (struct column){.name = key->name,
			.heading = key->name,
			.source = COLUMN_GET_OF,
			.get_of = by_get_key,
			.of = key,
			.none = "-",
			.left = !is_number && key->kind != BY_TIME,
			.place = PLACE_FIRST};
		if (key->kind == BY_TIME) {
			columns[i].heading = "time";
			columns[i].get_of = by_get_time;
			columns[i].of = by;
			columns[i].text_of = by_spell_time;
		} else if (strcmp(key->name, "minor") == 0) {
			columns[i].heading = "mm";
			columns[i].text_of = by_spell_minor;
		}
	}
}

enum { BY_NAME_COLUMNS = 2 /* label and minor */ };

struct column *by_name_columns(
	const struct by *by, const struct column *columns, size_t n, int8_t place)
{
	const size_t keys = by ? by->count : 0, skipped = by ? BY_NAME_COLUMNS : 0;
	struct column *to = calloc(BY_KEYS + n, sizeof *to);

	if (!to)
		return NULL;
	if (by)
		by_make_columns(by, to);
	for (size_t i = 0; i < keys; i++)
		to[i].place = place;
	memcpy(to + keys, columns + skipped, (n - skipped) * sizeof *to);
	return to;
}

static int by_compare_texts(const struct cell *a, const struct cell *b)
{
	size_t least = a->len < b->len ? a->len : b->len;
	int c = least ? memcmp(a->s, b->s, least) : 0;

	return c ? c : compare_u64(a->len, b->len);
}

static double by_cell_number(const struct cell *c)
{
	return c->kind == CELL_U64 ? (double)c->u : c->kind == CELL_I64 ? (double)c->i : c->real;
}

static int by_compare_cells(const struct cell *a, const struct cell *b)
{
	if (a->kind == CELL_NONE || b->kind == CELL_NONE)
		return (a->kind == CELL_NONE) - (b->kind == CELL_NONE);
	if (a->kind == CELL_STRING || b->kind == CELL_STRING)
		return a->kind == b->kind ? by_compare_texts(a, b)
					  : (a->kind == CELL_STRING) - (b->kind == CELL_STRING);
	if (a->kind == CELL_U64 && b->kind == CELL_U64)
		return compare_u64(a->u, b->u);
	if (a->kind == CELL_I64 && b->kind == CELL_I64)
		return compare_i64(a->i, b->i);
	double x = by_cell_number(a), y = by_cell_number(b);
	return x != y ? (x > y) - (x < y) : (int)a->kind - (int)b->kind;
}

int by_compare_groups(const struct by *by, const struct tally_group *a, const struct tally_group *b)
{
	for (unsigned i = 0; i < by->count; i++) {
		struct cell x = by_group_cell(a, by->keys[i].place);
		struct cell y = by_group_cell(b, by->keys[i].place);
		int c = by_compare_cells(&x, &y);

		if (c)
			return c;
	}
	return tally_compare_names(a, b);
}
