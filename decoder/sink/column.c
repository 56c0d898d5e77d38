#include "column.h"

#include "escapes.h"
#include "fmt.h"

struct cell column_cell(const struct column *c, const void *row)
{
	return column_read(c, row);
}

void cell_spell_id(struct out *o, const struct cell *cell)
{
	char *p = out_reserve(o, 3 * FMT_U64 + 4 + FMT_SLACK);

	if (!p)
		return;
	if (cell->trace) {
		p = fmt_u64(fmt_char(p, 't'), cell->trace + UINT64_C(1));
		p = fmt_char(p, '.');
	}
	p = fmt_char(fmt_u64(fmt_char(p, (char)cell->decimals), cell->number), '.');
	out_reach(o, fmt_u64(p, cell->u));
}

/* Always inline: a cell passed in memory, where it was just stored by parts, is loaded by wider
 * loads, which miss store forwarding. */
static inline __attribute__((always_inline)) void cell_write_value(struct json *j, struct cell cell)
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
	case CELL_HEX:
		json_format(j, "0x%llx", (unsigned long long)cell.u);
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

void cell_write_json(struct json *j, struct cell cell)
{
	cell_write_value(j, cell);
}

static void cell_write_text(
	struct out *o, const struct time_text *time, const struct column *c, struct cell cell)
{
	if (cell.kind == CELL_NONE)
		out_str(o, c->none ? c->none : "n/a");
	else if (cell.kind == CELL_STRING)
		escape_text(o, cell.s, cell.len);
	else if (c->unit == UNIT_DURATION)
		units_duration(o, cell.kind == CELL_U64 ? (double)cell.u : cell.real);
	else if (c->unit == UNIT_TIME)
		units_time(o, time, cell.i);
	else if (c->unit == UNIT_SIZE)
		units_size(o, cell.u);
	else if (c->unit == UNIT_PART)
		units_part(o, cell.real);
	else if (c->unit == UNIT_RATE)
		units_rate(o, cell.real);
	else if (cell.kind == CELL_REAL)
		units_fixed(o, cell.real, c->unit ? 2 : cell.decimals);
	else if (cell.kind == CELL_DOUBLE)
		out_general(o, cell.real, 17);
	else if (cell.kind == CELL_HEX)
		out_printf(o, "0x%llx", (unsigned long long)cell.u);
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

static bool cell_is_known(struct cell cell)
{
	if (cell.kind == CELL_REAL || cell.kind == CELL_DOUBLE)
		return isfinite(cell.real);
	return cell.kind != CELL_NONE && !(cell.kind == CELL_WORDS && !cell.u);
}

bool column_write_text(
	struct out *o, const struct time_text *time, const struct column *c, const void *row)
{
	const size_t before = o->len;

	if (c->text) {
		c->text(o, row);
	} else if (c->text_of) {
		c->text_of(o, row, c->of);
	} else {
		const struct cell cell = column_read(c, row);

		cell_write_text(o, time, c, cell);
		return cell_is_known(cell);
	}
	return o->len != before;
}

static struct out *column_begin_cell(struct table *t, const struct column *c)
{
	return c->left ? table_left(t) : table_right(t);
}

bool column_write_cell(
	struct table *t, const struct time_text *time, const struct column *c, const void *row)
{
	return column_write_text(column_begin_cell(t, c), time, c, row);
}

void column_write_heading(struct table *t, const struct column *c)
{
	out_str(column_begin_cell(t, c), column_heading(c));
}

void column_write_name(struct csv *csv, const struct column *c)
{
	const char *name = column_name(c);

	csv_string(csv, name, c->name_length ? c->name_length : strlen(name));
}

void column_write_names(struct csv *csv, const struct column *columns, unsigned has)
{
	for (const struct column *c = columns; !column_is_last(c); c++)
		if (column_is_in(c, IN_CSV, has))
			column_write_name(csv, c);
}

void column_write_fields(
	struct csv *csv, const struct column *columns, unsigned has, const void *row)
{
	for (const struct column *c = columns; !column_is_last(c); c++)
		if (column_is_in(c, IN_CSV, has))
			cell_write_csv(csv, column_read(c, row));
}

size_t column_count(const struct column *c)
{
	size_t n = 0;

	for (; c && !column_is_last(c); c++)
		n++;
	return n;
}

unsigned column_choose(const struct column **chosen, unsigned n, const struct column *list,
	enum column_format in, unsigned has, bool is_end)
{
	for (const struct column *c = list; c && !column_is_last(c); c++) {
		unsigned i = n;

		if (c->is_end != is_end || !column_is_in(c, in, has))
			continue;
		for (; in == IN_TEXT && i && chosen[i - 1]->place > c->place; i--)
			chosen[i] = chosen[i - 1];
		chosen[i] = c;
		n++;
	}
	return n;
}

void column_write_member(struct json *j, const struct column *c, const void *row)
{
	if (c->name_length)
		json_key_bytes(j, c->name, c->name_length);
	else
		json_key(j, column_name(c));
	if (c->source == COLUMN_NEST && c->nest)
		c->nest(j, row);
	else if (c->source == COLUMN_NEST)
		column_write_object(j, c->of, IN_NESTED, 0, (const char *)row + c->offset);
	else
		cell_write_value(j, column_read(c, row));
}

void column_write_part(struct json *j, const struct column *columns, enum column_format in,
	unsigned has, bool is_end, const void *row)
{
	for (const struct column *c = columns; c && !column_is_last(c); c++)
		if (c->is_end == is_end && column_is_in(c, in, has))
			column_write_member(j, c, row);
}

void column_write_members(struct json *j, const struct column *columns, enum column_format in,
	unsigned has, const void *row)
{
	column_write_part(j, columns, in, has, false, row);
	column_write_part(j, columns, in, has, true, row);
}

void column_write_object(struct json *j, const struct column *columns, enum column_format in,
	unsigned has, const void *row)
{
	json_open(j, '{');
	column_write_members(j, columns, in, has, row);
	json_close(j, '}');
}
