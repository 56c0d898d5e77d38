/* Prints what the tail goes with. */
#include <inttypes.h>
#include <string.h>

#include "../../sink/escapes.h"
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

void why_explained_set(struct why_explained *row, const struct why_explanation *e)
{
	const char *by = why_by_name(e->by);

	row->by = cell_string(by, strlen(by), true);
	row->value = cell_string(e->value, e->length, true);
	row->count = cell_u64(e->count, true);
	row->tail = cell_u64(e->tail, true);
	row->share = e->share;
	row->excess = e->excess_ns;
	for (unsigned side = 0; side < 2; side++) {
		row->mean[side] = cell_real(e->mean[side], 1);
		row->median[side] = cell_u64(histogram_percentile(&e->times[side], 50), true);
	}
}

static void why_spell_explanation(struct out *o, const void *row)
{
	const struct why_explained *e = row;

	out_bytes(o, e->by.s, e->by.len);
	out_char(o, ' ');
	escape_text(o, e->value.s, e->value.len);
}

static void why_spell_share(struct out *o, const void *row)
{
	units_fixed(o, ((const struct why_explained *)row)->share, 1);
}

#define AT(member) COLUMN_AT(struct why_explained, member)
const struct column why_explanation_columns[] = {
	{.heading = "the tail goes with",
		.text = why_spell_explanation,
		.left = true,
		.place = PLACE_FIRST},
	{"by", AT(by)},
	{"value", AT(value)},
	{"with_count", "intervals", AT(count)},
	{"with_tail", "in the tail", AT(tail)},
	{.heading = "%", .text = why_spell_share},
	{"with_mean_ns", "mean", AT(mean[0]), .unit = UNIT_DURATION},
	{"with_p50_ns", "p50", AT(median[0]), .unit = UNIT_DURATION},
	{"others_mean_ns", "others' mean", AT(mean[1]), .unit = UNIT_DURATION},
	{"others_p50_ns", "p50", AT(median[1]), .unit = UNIT_DURATION},
	{"difference_ns", AT(excess), .in = IN_JSON, .decimals = 1},
	{"share_pct", AT(share), .in = IN_JSON, .decimals = 2},
	{.name = NULL},
};

void why_write_explanations(struct document *d, const struct why_explanations *e, uint32_t group)
{
	size_t count;
	const struct why_explanation *of = why_explanations_of(e, group, &count);

	if (!count)
		return;
	for (document_begin_list(d, "explanations", why_explanation_columns, 0); document_pass(d);)
		for (size_t i = 0; i < count; i++) {
			struct why_explained row = {0};

			why_explained_set(&row, &of[i]);
			document_add_row(d, &row);
		}
}

#undef AT
