#include "rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/base/text.h"
#include "../sink/units.h"
#include "open.h"
#include "text/header.h"
#include "text/rows_fit.h"

/* The name that a format's reports choose it by; NULL: none. */
static const char *rows_name_of(const struct column *c, enum report_format format)
{
	const bool is_text = format == FORMAT_TEXT;

	if (c->source == COLUMN_NEST && format != FORMAT_JSON && !(is_text && c->text))
		return NULL;
	if (c->in == IN_TEXT && !is_text)
		return NULL;
	return c->name ? c->name : is_text ? c->heading : NULL;
}

/* A name may have a column of its own in a format. */
const struct column *rows_find_column(
	const struct column *columns, const char *name, size_t length, enum report_format format)
{
	const enum column_format in = format == FORMAT_TEXT  ? IN_TEXT
				      : format == FORMAT_CSV ? IN_CSV
							     : IN_JSON;
	const struct column *found = NULL;

	for (const struct column *c = columns; c && !column_is_last(c); c++) {
		const char *own = rows_name_of(c, format);
		size_t n = c->name_length ? c->name_length : own ? strlen(own) : 0;

		if (!own || !n || n != length || memcmp(own, name, n) != 0)
			continue;
		if (column_is_in(c, in, ~0u))
			return c;
		if (!found)
			found = c;
	}
	return found;
}

/* The same for a name in --columns, with those that only a list has. */
static const struct column *rows_find_listed(
	const struct column *columns, const char *name, size_t length, enum report_format format)
{
	const struct column *found = rows_find_column(columns, name, length, format);

	for (const struct column *c = columns; !found && c && !column_is_last(c); c++)
		if (c->listed &&
			(text_is(name, length, c->listed) || text_is(name, length, c->heading)))
			found = c;
	return found;
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
		const char *own = rows_name_of(c, format);
		const char *name = c->listed && !c->name ? c->listed : own;
		size_t length = name ? c->name_length ? c->name_length : strlen(name) : 0;

		/* A name that two columns share means the first. */
		if (!name || rows_find_listed(list, name, length, format) != c)
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

const struct column *rows_find_sort(struct report *r, const struct column *columns,
	const struct column *more, const char *sort, bool *falling)
{
	const char *name = sort + (*sort == '-');
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

/*
 * The column that --columns names next, of one of the lists; NULL: none, and the name is up to the
 * next comma. Names of events may have commas. *name is NULL at the end.
 */
static const struct column *rows_next_listed(const char **list, const struct column *columns,
	const struct column *more, enum report_format format, const char **name, size_t *length)
{
	const char *rest;
	size_t more_length;

	*name = rows_next_name(list, length);
	for (rest = *list, more_length = *length; *name;) {
		const struct column *c = rows_find_listed(columns, *name, more_length, format);

		if (!c)
			c = rows_find_listed(more, *name, more_length, format);
		if (c) {
			*list = rest;
			return c;
		}
		if (!rest)
			break;
		const char *next = rows_next_name(&rest, &more_length);
		more_length += (size_t)(next - *name);
	}
	return NULL;
}

int rows_check_columns(struct report *r, const struct column *columns, const struct column *more)
{
	const char *list = r->columns, *name;
	char known[ROWS_LIST];
	size_t length;

	while (list) {
		if (rows_next_listed(&list, columns, more, r->format, &name, &length))
			continue;
		rows_list_columns(columns, more, r->format, known, sizeof known);
		report_note(r, "--columns %s: this report has no column \"%.*s\"; it has %s",
			r->columns, (int)length, name, known);
		r->is_misused = true;
		return CPIDECODE_EINVAL;
	}
	return 0;
}

bool rows_lists(const struct report *r, const char *name, size_t length)
{
	const char *list = r->columns, *listed;
	size_t n;

	while ((listed = rows_next_name(&list, &n)))
		if (n == length && memcmp(listed, name, n) == 0)
			return true;
	return !r->columns;
}

struct column *rows_choose_columns(const struct report *r, const struct column *columns)
{
	struct column *chosen = calloc(column_count(columns) + 1, sizeof *chosen);
	size_t n = 0;

	for (const struct column *c = columns; chosen && !column_is_last(c); c++)
		if (!r->columns ||
			(c->name && rows_lists(r, c->name,
					    c->name_length ? c->name_length : strlen(c->name))))
			chosen[n++] = *c;
	return chosen;
}

static bool rows_is_named_like(const struct column *a, const struct column *b)
{
	const char *name = column_name(a), *other = column_name(b);
	const size_t n = a->name_length ? a->name_length : strlen(name);

	return n == (b->name_length ? b->name_length : strlen(other)) &&
	       memcmp(name, other, n) == 0;
}

/* A JSON object must not repeat a member. */
static bool rows_is_chosen(const struct rows *rows, const struct column *c)
{
	for (unsigned i = 0; i < rows->n; i++)
		if (rows_is_named_like(rows->columns[i], c))
			return true;
	return false;
}

/* Chooses the columns that the list names, in its order. */
static void rows_choose_listed(struct rows *rows, const struct report *r)
{
	const char *list = r->columns, *name;
	size_t length, count = 1;

	for (const char *s = list; *s; s++)
		count += *s == ',';
	rows->columns = calloc(count + 1, sizeof(struct column *));
	while (rows->columns && list) {
		const struct column *c =
			rows_next_listed(&list, rows->all, rows->more, r->format, &name, &length);

		if (c && !(r->format == FORMAT_JSON && rows_is_chosen(rows, c)))
			rows->columns[rows->n++] = c;
	}
	rows->is_listed = true;
}

struct time_text time_text_of(const struct report *r)
{
	return (struct time_text){.how = r->times, .start = r->trace ? report_start(r->trace) : 0};
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
		rows->columns = calloc(
			column_count(columns) + column_count(more) + 1, sizeof(struct column *));
	else
		rows_choose_listed(rows, r);
	if (rows->columns && !rows->is_listed) {
		rows->n = column_choose(rows->columns, rows->n, columns, in, has, false);
		rows->n = column_choose(rows->columns, rows->n, more, in, has, false);
		rows->n = column_choose(rows->columns, rows->n, columns, in, has, true);
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
			column_write_heading(&rows->table, rows->columns[i]);
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
		bool known = column_write_cell(&rows->table, &rows->time, rows->columns[i], row);

		if (rows->known)
			rows->known[i] |= known;
	}
	table_end_row(&rows->table);
}

void rows_write_host(struct json *j, const struct report *r)
{
	if (r->of_host)
		json_member_text(j, "host", r->of_host->name);
}

/* Adds the members that rows_begin_more chose. */
static void rows_add_members(struct rows *rows, const void *row)
{
	column_write_part(&rows->json, rows->all, IN_JSON, rows->has, false, row);
	column_write_part(&rows->json, rows->more, IN_JSON, rows->has, false, row);
	column_write_part(&rows->json, rows->all, IN_JSON, rows->has, true, row);
}

void rows_add(struct rows *rows, const void *row)
{
	if (rows->format == FORMAT_CSV) {
		rows_add_csv(rows, row);
	} else if (rows->format == FORMAT_TEXT) {
		rows_add_text(rows, row);
	} else {
		json_open(&rows->json, '{');
		if (rows->of_host)
			json_member_text(&rows->json, "host", rows->of_host->name);
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
