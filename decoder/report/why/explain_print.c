/* Prints what the tail goes with. */
#include <inttypes.h>
#include <string.h>

#include "../../sink/escape.h"
#include "../../sink/units.h"
#include "explain.h"

static const char *why_by_name(enum why_by by)
{
	static const char *const names[WHY_BYS] = {[WHY_BY_PARENT] = "parent",
		[WHY_BY_THREAD] = "thread",
		[WHY_BY_PROCESSOR] = "processor",
		[WHY_BY_TIME] = "time",
		[WHY_BY_ARGUMENT] = "argument",
		[WHY_BY_RANGE] = "argument"};

	return names[by];
}

const struct why_explanation *why_explanations_of(
	const struct why_explanations *e, uint32_t group, size_t *count)
{
	size_t first = 0, end;

	while (first < e->count && e->at[first].group != group)
		first++;
	for (end = first; end < e->count && e->at[end].group == group;)
		end++;
	*count = end - first;
	return *count ? &e->at[first] : NULL;
}

static const struct why_explanation *why_row_explanation(const void *row)
{
	return ((const struct why_explained *)row)->explanation;
}

static struct cell why_get_by(const void *row)
{
	const struct why_explanation *e = why_row_explanation(row);
	const char *name = e ? why_by_name(e->by) : "";

	return cell_string(name, strlen(name), e);
}

static struct cell why_get_value(const void *row)
{
	const struct why_explanation *e = why_row_explanation(row);

	return e ? cell_string(e->value, e->length, true) : cell_u64(0, false);
}

static struct cell why_get_count(const void *row)
{
	const struct why_explanation *e = why_row_explanation(row);

	return cell_u64(e ? e->count : 0, e);
}

static struct cell why_get_tail(const void *row)
{
	const struct why_explanation *e = why_row_explanation(row);

	return cell_u64(e ? e->tail : 0, e);
}

static struct cell why_get_mean(const void *row, unsigned side)
{
	const struct why_explanation *e = why_row_explanation(row);

	return e ? cell_real(e->mean[side], 1) : cell_u64(0, false);
}

static uint64_t why_median(const struct why_explanation *e, unsigned side)
{
	return histogram_percentile(&e->times[side], 50);
}

static struct cell why_get_median(const void *row, unsigned side)
{
	const struct why_explanation *e = why_row_explanation(row);

	return cell_u64(e ? why_median(e, side) : 0, e);
}

static struct cell why_get_own_mean(const void *row)
{
	return why_get_mean(row, 0);
}

static struct cell why_get_own_median(const void *row)
{
	return why_get_median(row, 0);
}

static struct cell why_get_others_mean(const void *row)
{
	return why_get_mean(row, 1);
}

static struct cell why_get_others_median(const void *row)
{
	return why_get_median(row, 1);
}

const struct column why_explanation_columns[] = {
	{"by", .get = why_get_by},
	{"value", .get = why_get_value},
	{"with_count", .get = why_get_count},
	{"with_tail", .get = why_get_tail},
	{"with_mean_ns", .get = why_get_own_mean},
	{"with_p50_ns", .get = why_get_own_median},
	{"others_mean_ns", .get = why_get_others_mean},
	{"others_p50_ns", .get = why_get_others_median},
	{.name = NULL},
};

static void why_text_explanation(struct table *t, const struct why_explanation *e)
{
	struct out *o = table_left(t);

	out_printf(o, "%s ", why_by_name(e->by));
	escape_text(o, e->value, e->length);
	out_u64(table_right(t), e->count);
	out_u64(table_right(t), e->tail);
	units_fixed(table_right(t), e->share, 1);
	for (unsigned side = 0; side < 2; side++) {
		units_duration(table_right(t), e->mean[side]);
		units_duration(table_right(t), (double)why_median(e, side));
	}
	table_end_row(t);
}

void why_explanations_text(struct report *r, const struct why_explanations *e, uint32_t group)
{
	size_t count;
	const struct why_explanation *of = why_explanations_of(e, group, &count);
	struct table t;

	if (!count)
		return;
	for (table_begin(&t, r->out); table_pass_fit(&t, r->width, 0);) {
		table_printf(&t,
			"the tail goes with\t>intervals\t>in the tail\t>%%\t>mean\t>p50\t>others' mean\t>p50\n");
		for (size_t i = 0; i < count; i++)
			why_text_explanation(&t, &of[i]);
	}
	table_free(&t);
}

void why_explanations_json(struct json *j, const struct why_explanations *e, uint32_t group)
{
	size_t count;
	const struct why_explanation *of = why_explanations_of(e, group, &count);

	if (!count)
		return;
	json_member_open(j, "explanations", '[');
	for (size_t i = 0; i < count; i++) {
		const struct why_explained row = {.explanation = &of[i]};

		json_open(j, '{');
		column_write_members(j, why_explanation_columns, IN_JSON, 0, &row);
		json_member_fixed(j, "difference_ns", of[i].excess_ns, 1);
		json_member_fixed(j, "share_pct", of[i].share, 2);
		json_close(j, '}');
	}
	json_close(j, ']');
}
