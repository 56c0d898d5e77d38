#include "rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/base/compare.h"
#include "../../formats/trace_file.h"
#include "../sink/escape.h"
#include "../sink/fmt.h"
#include "../sink/units.h"
#include "text/header.h"
#include "text/rows_fit.h"

static bool column_is_in(const struct column *c, enum column_format in, unsigned has)
{
	unsigned formats = c->in;

	if (!formats)
		formats = (c->heading ? IN_TEXT : 0) | (c->name ? IN_CSV | IN_JSON : 0);
	return formats & in && !(c->when & ~has);
}

static inline struct cell column_read(const struct column *c, const void *row)
{
	const char *at = (const char *)row + c->offset;

	switch (c->source) {
	case COLUMN_U8:
		return cell_u64(*(const uint8_t *)at, true);
	case COLUMN_U32:
		return cell_u64(*(const uint32_t *)at, true);
	case COLUMN_U64:
		return cell_u64(*(const uint64_t *)at, true);
	case COLUMN_COUNT:
		return cell_u64(*(const uint64_t *)at, *(const uint64_t *)at != NOT_MEASURED);
	case COLUMN_I64:
		return cell_i64(*(const int64_t *)at);
	case COLUMN_BOOL:
		return (struct cell){.kind = CELL_BOOL, .u = *(const bool *)at};
	case COLUMN_REAL:
		return cell_real(*(const double *)at, c->decimals);
	case COLUMN_TEXT: {
		const char *s = *(const char *const *)at;

		return cell_string(s, s ? strlen(s) : 0, s);
	}
	case COLUMN_CELL:
		return *(const struct cell *)at;
	case COLUMN_GET_OF:
		return c->get_of(row, c->of);
	default:
		return c->get(row);
	}
}

void cell_spell_id(struct out *o, const struct cell *cell)
{
	char *p = out_reserve(o, 3 * FMT_U64 + 4 + FMT_SLACK);

	if (!p)
		return;
	if (cell->machine) {
		p = fmt_u64(fmt_char(p, 't'), cell->machine + UINT64_C(1));
		p = fmt_char(p, '.');
	}
	p = fmt_char(p, cell->ring & TF_GUEST_RING ? 'g' : 'r');
	p = fmt_char(fmt_u64(p, cell->ring & ~TF_GUEST_RING), '.');
	out_reach(o, fmt_u64(p, cell->u));
}

struct cell column_cell(const struct column *c, const void *row)
{
	return column_read(c, row);
}

static inline void cell_write_csv(struct csv *c, struct cell cell)
{
	switch (cell.kind) {
	case CELL_U64:
	case CELL_WHOLE:
	case CELL_BOOL:
		csv_u64(c, cell.u);
		break;
	case CELL_I64:
		csv_i64(c, cell.i);
		break;
	case CELL_REAL:
		csv_fixed(c, cell.real, cell.decimals);
		break;
	case CELL_DOUBLE:
		csv_empty(c);
		if (isfinite(cell.real))
			out_double(c->o, cell.real);
		break;
	case CELL_STRING:
		csv_string(c, cell.s, cell.len);
		break;
	case CELL_WORDS:
		csv_empty(c);
		cell.words(c->o, (uint32_t)cell.u);
		break;
	case CELL_ID:
		csv_empty(c);
		cell_spell_id(c->o, &cell);
		break;
	default:
		csv_empty(c);
	}
}

void cell_write_json(struct json *j, struct cell cell)
{
	switch (cell.kind) {
	case CELL_U64:
	case CELL_WHOLE:
		json_u64(j, cell.u);
		break;
	case CELL_BOOL:
		json_bool(j, cell.u);
		break;
	case CELL_I64:
		json_i64(j, cell.i);
		break;
	case CELL_REAL:
		json_fixed(j, cell.real, cell.decimals);
		break;
	case CELL_DOUBLE:
		json_double(j, cell.real);
		break;
	case CELL_STRING:
		json_string(j, cell.s, cell.len);
		break;
	case CELL_WORDS:
		json_open(j, '"');
		cell.words(j->o, (uint32_t)cell.u);
		json_close(j, '"');
		break;
	case CELL_ID:
		json_open(j, '"');
		cell_spell_id(j->o, &cell);
		json_close(j, '"');
		break;
	default:
		json_null(j);
	}
}

static void cell_write_text(
	struct out *o, const struct time_text *time, const struct column *c, struct cell cell)
{
	if (cell.kind == CELL_NONE)
		out_str(o, c->none ? c->none : "n/a");
	else if (c->unit == UNIT_DURATION)
		units_duration(o, cell.kind == CELL_U64 ? (double)cell.u : cell.real);
	else if (c->unit == UNIT_TIME)
		time_text_write(o, time, cell.i);
	else if (cell.kind == CELL_REAL)
		units_fixed(o, cell.real, c->unit ? 2 : cell.decimals);
	else if (cell.kind == CELL_DOUBLE)
		out_general(o, cell.real, 17);
	else if (cell.kind == CELL_STRING)
		escape_text(o, cell.s, cell.len);
	else if (cell.kind == CELL_WORDS)
		cell.words(o, (uint32_t)cell.u);
	else if (cell.kind == CELL_ID)
		cell_spell_id(o, &cell);
	else if (cell.kind == CELL_I64)
		out_i64(o, cell.i);
	else
		out_u64(o, cell.u);
	if (c->unit == UNIT_SHARE && isfinite(cell.real))
		out_char(o, '%');
}

/* Words of no bits are an empty text. */
static bool cell_is_known(struct cell cell)
{
	if (cell.kind == CELL_REAL || cell.kind == CELL_DOUBLE)
		return isfinite(cell.real);
	return cell.kind != CELL_NONE && !(cell.kind == CELL_WORDS && !cell.u);
}

static struct out *rows_begin_text_cell(struct table *t, const struct column *c)
{
	return c->left ? table_left(t) : table_right(t);
}

bool rows_write_cell(
	struct table *t, const struct time_text *time, const struct column *c, const void *row)
{
	struct out *o = rows_begin_text_cell(t, c);

	if (c->text) {
		c->text(o, row);
	} else if (c->text_of) {
		c->text_of(o, row, c->of);
	} else {
		const struct cell cell = column_read(c, row);

		cell_write_text(o, time, c, cell);
		return cell_is_known(cell);
	}
	return true;
}

static bool column_is_last(const struct column *c)
{
	return !c->name && !c->heading;
}

static size_t rows_count_columns(const struct column *c)
{
	size_t n = 0;

	for (; c && !column_is_last(c); c++)
		n++;
	return n;
}

/* Of one list: the columns of text or CSV, those of text by their places. */
static void rows_choose_columns(
	struct rows *rows, const struct column *list, enum column_format in, bool is_end)
{
	for (const struct column *c = list; c && !column_is_last(c); c++) {
		unsigned i = rows->n;

		if (c->is_end != is_end || !column_is_in(c, in, rows->has))
			continue;
		for (; in == IN_TEXT && i && rows->columns[i - 1]->place > c->place; i--)
			rows->columns[i] = rows->columns[i - 1];
		rows->columns[i] = c;
		rows->n++;
	}
}

const struct column *rows_find_column(
	const struct column *columns, const char *name, size_t length, enum report_format format)
{
	for (const struct column *c = columns; c && !column_is_last(c); c++) {
		const char *own = c->name ? c->name : format == FORMAT_TEXT ? c->heading : NULL;
		size_t n = c->name_length ? c->name_length : own ? strlen(own) : 0;

		if (own && n == length && memcmp(own, name, n) == 0 &&
			(c->source != COLUMN_NEST || format == FORMAT_JSON))
			return c;
	}
	return NULL;
}

const char *rows_next_name(const char **list, size_t *length)
{
	const char *name = *list;

	if (!name)
		return NULL;
	*length = strcspn(name, ",");
	*list = name[*length] ? name + *length + 1 : NULL;
	return name;
}

static size_t rows_list_names(
	const struct column *list, enum report_format format, char *text, size_t size, size_t n)
{
	for (const struct column *c = list; c && !column_is_last(c); c++) {
		const char *name = c->name ? c->name : format == FORMAT_TEXT ? c->heading : NULL;
		size_t length = name ? c->name_length ? c->name_length : strlen(name) : 0;

		/* A name that two columns share means the first. */
		if (!name || rows_find_column(list, name, length, format) != c)
			continue;
		if (n + length + 8 > size)
			return n + (size_t)snprintf(text + n, size - n, ", ...");
		n += (size_t)snprintf(
			text + n, size - n, "%s%.*s", n ? ", " : "", (int)length, name);
	}
	return n;
}

void rows_list_columns(const struct column *columns, const struct column *more,
	enum report_format format, char *text, size_t size)
{
	size_t n = rows_list_names(columns, format, text, size, 0);

	if (n < 4 || memcmp(text + n - 3, "...", 3) != 0)
		rows_list_names(more, format, text, size, n);
}

static double rows_key_number(const struct cell *c)
{
	switch (c->kind) {
	case CELL_U64:
	case CELL_BOOL:
		return (double)c->u;
	case CELL_I64:
		return (double)c->i;
	case CELL_WHOLE:
	case CELL_REAL:
	case CELL_DOUBLE:
		return c->real;
	default:
		return NAN;
	}
}

/* Numbers by value, then texts by their bytes, n/a last. */
static int rows_compare_keys(const void *x, const void *y)
{
	const struct rows_key *a = x, *b = y;
	const bool texts = a->cell.kind == CELL_STRING && b->cell.kind == CELL_STRING;
	double m = rows_key_number(&a->cell), n = rows_key_number(&b->cell);
	bool known_a = a->cell.kind == CELL_STRING || !isnan(m);
	bool known_b = b->cell.kind == CELL_STRING || !isnan(n);
	int c = 0;

	if (known_a != known_b)
		return known_a ? -1 : 1;
	/* One argument may have both. */
	if (known_a && a->cell.kind != b->cell.kind &&
		(a->cell.kind == CELL_STRING || b->cell.kind == CELL_STRING))
		return a->cell.kind == CELL_STRING ? 1 : -1;
	if (texts) {
		size_t least = a->cell.len < b->cell.len ? a->cell.len : b->cell.len;

		c = least ? memcmp(a->cell.s, b->cell.s, least) : 0;
		if (!c)
			c = compare_u64(a->cell.len, b->cell.len);
	} else if (known_a) {
		c = (m > n) - (m < n);
	}
	if (!c)
		return compare_u64(a->place, b->place);
	return a->falling ? -c : c;
}

const struct column *rows_find_sort(struct report *r, const struct column *columns,
	const struct column *more, const char *otherwise, bool *falling)
{
	const char *sort = r->sort ? r->sort : otherwise, *name = sort + (*sort == '-');
	const struct column *c = rows_find_column(columns, name, strlen(name), FORMAT_CSV);
	char known[ROWS_LIST];

	*falling = *sort == '-';
	if (!c)
		c = rows_find_column(more, name, strlen(name), FORMAT_CSV);
	if (c)
		return c;
	rows_list_columns(columns, more, FORMAT_CSV, known, sizeof known);
	report_note(r, "--sort %s: this report has no column of that name; it has %s", sort, known);
	r->is_misused = true;
	return NULL;
}

size_t rows_sort(const struct report *r, struct rows_key *keys, size_t n, bool falling)
{
	for (size_t i = 0; i < n; i++) {
		keys[i].place = i;
		keys[i].falling = falling;
	}
	qsort(keys, n, sizeof *keys, rows_compare_keys);
	return r->top && r->top < n ? r->top : n;
}

int rows_check_columns(struct report *r, const struct column *columns, const struct column *more)
{
	const char *list = r->columns, *name;
	char known[ROWS_LIST];
	size_t length;

	while ((name = rows_next_name(&list, &length))) {
		if (rows_find_column(columns, name, length, r->format) ||
			rows_find_column(more, name, length, r->format))
			continue;
		rows_list_columns(columns, more, r->format, known, sizeof known);
		report_note(r, "--columns %s: this report has no column \"%.*s\"; it has %s",
			r->columns, (int)length, name, known);
		r->is_misused = true;
		return CPIDECODE_EINVAL;
	}
	return 0;
}

/* Those that the list names, in its order. */
static void rows_choose_listed(struct rows *rows, const struct report *r)
{
	const char *list = r->columns, *name;
	size_t length, count = 1;

	for (const char *s = list; *s; s++)
		count += *s == ',';
	rows->columns = calloc(count + 1, sizeof(struct column *));
	while (rows->columns && (name = rows_next_name(&list, &length))) {
		const struct column *c = rows_find_column(rows->all, name, length, r->format);

		if (!c)
			c = rows_find_column(rows->more, name, length, r->format);
		if (c)
			rows->columns[rows->n++] = c;
	}
	rows->is_listed = true;
}

void rows_begin(
	struct rows *rows, const struct report *r, const struct column *columns, unsigned has)
{
	rows_begin_more(rows, r, columns, NULL, has);
}

void rows_begin_more(struct rows *rows, const struct report *r, const struct column *columns,
	const struct column *more, unsigned has)
{
	const enum column_format in = r->format == FORMAT_CSV ? IN_CSV : IN_TEXT;

	*rows = (struct rows){.format = r->format,
		.has = has,
		.all = columns,
		.more = more,
		.of_host = r->of_host,
		.csv = {.o = r->out},
		.json = {.o = r->out}};
	if (r->format == FORMAT_JSON && !r->columns)
		return;
	if (!r->columns)
		rows->columns = calloc(rows_count_columns(columns) + rows_count_columns(more) + 1,
			sizeof(struct column *));
	else
		rows_choose_listed(rows, r);
	if (rows->columns && !rows->is_listed) {
		rows_choose_columns(rows, columns, in, false);
		rows_choose_columns(rows, more, in, false);
		rows_choose_columns(rows, columns, in, true);
	} else if (!rows->columns) {
		r->out->error = ENOMEM;
	}
	if (r->format != FORMAT_TEXT)
		return;
	rows->width = r->width;
	rows->time = time_text_of(r);
	rows->known = calloc(rows->n + 1, sizeof *rows->known);
	if (!rows->known)
		r->out->error = ENOMEM;
	report_head_lines(r);
	header_write(r);
	table_begin(&rows->table, r->out);
}

static void column_write_name(struct csv *csv, const struct column *c)
{
	csv_string(csv, c->name, c->name_length ? c->name_length : strlen(c->name));
}

bool rows_pass(struct rows *rows)
{
	if (rows->format == FORMAT_TEXT ? !table_pass(&rows->table) : rows->pass++)
		return false;
	if (rows->format == FORMAT_JSON)
		return true;
	if (rows->format == FORMAT_TEXT && !table_is_measuring(&rows->table) && !rows->is_listed)
		rows_fit(rows);
	/* Only the first host writes the header line. */
	if (rows->format == FORMAT_CSV && rows->of_host) {
		if (!rows->of_host->is_first)
			return true;
		csv_string(&rows->csv, "host", 4);
	}
	for (unsigned i = 0; i < rows->n; i++)
		if (rows->format == FORMAT_CSV)
			column_write_name(&rows->csv, rows->columns[i]);
		else
			out_str(rows_begin_text_cell(&rows->table, rows->columns[i]),
				rows_heading(rows->columns[i]));
	if (rows->format == FORMAT_CSV)
		csv_end(&rows->csv);
	else
		table_end_row(&rows->table);
	return true;
}

static void rows_add_csv(struct rows *rows, const void *row)
{
	const char *host = rows->of_host ? rows->of_host->name : NULL;

	if (rows->of_host)
		cell_write_csv(&rows->csv, cell_string(host, host ? strlen(host) : 0, host));
	for (unsigned i = 0; i < rows->n; i++) {
		const struct column *c = rows->columns[i];
		const void *at = (const char *)row + c->offset;

		/* Most columns of intervals are counts or ratios. They need no cell. */
		if (c->source == COLUMN_COUNT) {
			const uint64_t *count = at;

			if (*count == NOT_MEASURED)
				csv_empty(&rows->csv);
			else
				csv_u64(&rows->csv, *count);
		} else if (c->source == COLUMN_REAL) {
			const double *ratio = at;

			if (isfinite(*ratio))
				csv_fixed(&rows->csv, *ratio, c->decimals);
			else
				csv_empty(&rows->csv);
		} else {
			cell_write_csv(&rows->csv, column_read(c, row));
		}
	}
	csv_end(&rows->csv);
}

static void rows_add_text(struct rows *rows, const void *row)
{
	for (unsigned i = 0; i < rows->n; i++) {
		bool known = rows_write_cell(&rows->table, &rows->time, rows->columns[i], row);

		if (rows->known)
			rows->known[i] |= known;
	}
	table_end_row(&rows->table);
}

static void column_write_member(struct json *j, const struct column *c, const void *row)
{
	if (c->name_length)
		json_key_bytes(j, c->name, c->name_length);
	else
		json_key(j, c->name);
	if (c->source == COLUMN_NEST)
		c->nest(j, row);
	else
		cell_write_json(j, column_read(c, row));
}

static void rows_write_part(struct json *j, const struct column *columns, enum column_format in,
	unsigned has, bool is_end, const void *row)
{
	for (const struct column *c = columns; c && !column_is_last(c); c++)
		if (c->is_end == is_end && column_is_in(c, in, has))
			column_write_member(j, c, row);
}

void rows_write_members(struct json *j, const struct column *columns, enum column_format in,
	unsigned has, const void *row)
{
	rows_write_part(j, columns, in, has, false, row);
	rows_write_part(j, columns, in, has, true, row);
}

void rows_write_host(struct json *j, const struct report *r)
{
	if (r->of_host)
		json_member_text(j, "host", r->of_host->name);
}

/* As rows_choose_columns has them. */
static void rows_add_members(struct rows *rows, const void *row)
{
	rows_write_part(&rows->json, rows->all, IN_JSON, rows->has, false, row);
	rows_write_part(&rows->json, rows->more, IN_JSON, rows->has, false, row);
	rows_write_part(&rows->json, rows->all, IN_JSON, rows->has, true, row);
}

void rows_write_object(struct json *j, const struct column *columns, enum column_format in,
	unsigned has, const void *row)
{
	json_open(j, '{');
	rows_write_members(j, columns, in, has, row);
	json_close(j, '}');
}

void rows_add(struct rows *rows, const void *row)
{
	if (rows->format == FORMAT_CSV) {
		rows_add_csv(rows, row);
	} else if (rows->format == FORMAT_TEXT) {
		rows_add_text(rows, row);
	} else {
		json_open(&rows->json, '{');
		for (unsigned i = 0; rows->is_listed && i < rows->n; i++)
			column_write_member(&rows->json, rows->columns[i], row);
		if (!rows->is_listed)
			rows_add_members(rows, row);
		json_close(&rows->json, '}');
		json_end_line(&rows->json);
	}
}

void rows_end(struct rows *rows)
{
	if (rows->format == FORMAT_TEXT) {
		table_tell_fit(&rows->table, "--columns or --width chooses");
		table_free(&rows->table);
	}
	free(rows->known);
	free(rows->columns);
	rows->known = NULL;
	rows->columns = NULL;
}
