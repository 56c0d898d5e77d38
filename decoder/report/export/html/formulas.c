#include "formulas.h"

#include <string.h>

#include "../../query/where.h"
#include "../../summary.h"
#include "../../values/interval_columns.h"

/* The place of an operand's column. The page itself has the elapsed time. */
static void formulas_write_operand(
	const struct cells *c, const struct metric_operand *o, struct json *j)
{
	const char *name = derived_column_name(o);

	if (!name)
		json_i64(j, cells_find_event(c, o->index));
	else if (strcmp(name, "elapsed_ns") == 0)
		json_null(j);
	else
		json_i64(j, cells_find_own(c, name));
}

static void formulas_write_step(const struct formula_step *s, struct json *j)
{
	static const char *const signs[] = {[FORMULA_ADD] = "+",
		[FORMULA_SUBTRACT] = "-",
		[FORMULA_MULTIPLY] = "*",
		[FORMULA_DIVIDE] = "/",
		[FORMULA_NEGATE] = "negate"};

	if (s->op == FORMULA_OPERAND) {
		json_u64(j, s->operand);
	} else if (s->op == FORMULA_NUMBER) {
		json_open(j, '[');
		json_double(j, s->number);
		json_close(j, ']');
	} else {
		json_text(j, signs[s->op]);
	}
}

/* summary: its name in the report summary. */
static void formulas_write_one(
	const struct cells *c, const struct derived *d, const char *summary, struct json *j)
{
	const struct formula *f = d->formula;

	json_open(j, '{');
	json_member_text(j, "name", d->name);
	json_member_text(j, "summary", derived_is_of_groups(d) ? summary : NULL);
	json_member_open(j, "operands", '[');
	for (unsigned i = 0; i < f->noperands; i++)
		formulas_write_operand(c, &d->operands[i], j);
	json_close(j, ']');
	json_member_open(j, "steps", '[');
	for (unsigned i = 0; i < f->nsteps; i++)
		formulas_write_step(&f->steps[i], j);
	json_close(j, ']');
	json_close(j, '}');
}

int formulas_write(struct report *r, const struct cells *c, struct json *j)
{
	struct event_names names = {0};
	struct derived_set own = {.is_word = where_is_word}, of_summary = {0};
	const char *taken[DERIVED_TAKEN];
	int rc = cells_list_events(c, &names);

	if (!rc)
		rc = derived_make(
			&own, r, &names, taken, derived_list_names(interval_columns, taken));
	if (!rc)
		rc = derived_make(&of_summary, r, &names, taken, summary_list_names(taken));
	json_open(j, '[');
	for (size_t i = 0; i < own.count && !rc; i++)
		formulas_write_one(c, &own.at[i], of_summary.at[i].name, j);
	json_close(j, ']');
	derived_free(&own);
	derived_free(&of_summary);
	event_names_free(&names);
	return rc;
}
