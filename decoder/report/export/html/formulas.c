#include "formulas.h"

#include "../../values/interval_columns.h"
#include "../../values/metrics.h"

/* Built-in metrics are quotients of two events. */
static void formulas_write_one(const struct cells *c, const struct derived *d, struct json *j)
{
	json_open(j, '{');
	json_member_text(j, "name", d->name);
	json_member_i64(j, "above", cells_find_event(c, d->operands[0].index));
	json_member_i64(j, "below", cells_find_event(c, d->operands[1].index));
	json_close(j, '}');
}

int formulas_write(struct report *r, const struct cells *c, struct json *j)
{
	struct report plain = *r;
	struct event_names names = {0};
	struct derived_set set = {0};
	const char *taken[DERIVED_TAKEN];
	int rc = cells_list_events(c, &names);

	plain.nmetrics = 0;
	if (!rc)
		rc = derived_make(
			&set, &plain, &names, taken, derived_list_names(interval_columns, taken));
	json_open(j, '[');
	for (size_t i = 0; i < set.count && !rc; i++)
		formulas_write_one(c, &set.at[i], j);
	json_close(j, ']');
	derived_free(&set);
	event_names_free(&names);
	return rc;
}
