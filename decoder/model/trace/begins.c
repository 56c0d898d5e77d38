#include "begins.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/array.h"
#include "../../../formats/base/compare.h"
#include "../../../formats/base/number.h"
#include "../../../formats/trace_file.h"
#include "../../../include/cpidecode.h"
#include "trace.h"

/* ------------------------------------------------------------------------ pairs */

static void begins_drop(struct begins *b, size_t i)
{
	free(b->at[i].text);
	b->at[i] = b->at[--b->count];
}

/* By number; over hooks come first, then by stamp. */
static int begins_compare(const void *a, const void *b)
{
	const struct begun *x = a, *y = b;
	int c = compare_u64_pair(x->machine, y->machine, x->id, y->id);

	if (!c)
		c = (int)y->over - (int)x->over;
	if (!c)
		c = compare_u64_pair(x->ticks, y->ticks, x->position, y->position);
	return c ? c : compare_u64_pair(x->ring, y->ring, x->file, y->file);
}

static int begins_compare_times(const void *a, const void *b)
{
	const struct begun *x = a, *y = b;
	int c = compare_u64_pair(x->machine, y->machine, x->ticks, y->ticks);

	return c ? c : compare_u64_pair(x->ring, y->ring, x->position, y->position);
}

/* One of each number stays: that it is over, unless it has both. all: no more are to come. */
static void begins_pair(struct begins *b, bool all)
{
	size_t kept = 0;

	if (b->count)
		qsort(b->at, b->count, sizeof *b->at, begins_compare);
	for (size_t i = 0, next; i < b->count; i = next) {
		bool begun = !b->at[i].over;

		for (next = i + 1; next < b->count && b->at[next].machine == b->at[i].machine &&
				   b->at[next].id == b->at[i].id;
			next++) {
			begun |= !b->at[next].over;
			free(b->at[next].text);
		}
		if (b->at[i].over ? !begun && !all : true)
			b->at[kept++] = b->at[i];
		else
			free(b->at[i].text);
	}
	b->count = b->paired = b->slice = kept;
}

enum { BEGINS_LOOK_BACK = 16, BEGINS_PAIR_AFTER = 4096 };

/* The interval that ends was mostly begun last, in the same slice. */
static bool begins_end_late_one(struct begins *b, const struct begun *over)
{
	size_t n = b->count;

	for (size_t i = n; i > b->slice && i + BEGINS_LOOK_BACK > n; i--) {
		const struct begun *at = &b->at[i - 1];

		if (at->id != over->id || at->machine != over->machine)
			continue;
		if (!at->over)
			begins_drop(b, i - 1);
		return true;
	}
	return false;
}

static int begins_see_period(struct begins *b, uint32_t machine, uint32_t period)
{
	if (!array_reserve(&b->period, &b->machines_room, (size_t)machine + 1, sizeof *b->period))
		return CPIDECODE_ENOMEM;
	while (b->machines <= machine)
		b->period[b->machines++] = 0;
	if (period > b->period[machine])
		b->period[machine] = period;
	return 0;
}

int begins_add(struct begins *b, struct begun *begun)
{
	if (!begun->over && begins_see_period(b, begun->machine, begun->period))
		return CPIDECODE_ENOMEM;
	if (begun->over && begins_end_late_one(b, begun))
		return 0;
	if (!array_reserve(&b->at, &b->room, b->count + 1, sizeof *b->at))
		return CPIDECODE_ENOMEM;
	b->at[b->count++] = *begun;
	begun->text = NULL;
	if (b->count > 2 * b->paired + BEGINS_PAIR_AFTER)
		begins_pair(b, false);
	return 0;
}

bool begins_lack_names(const struct begins *b)
{
	for (size_t i = 0; i < b->count; i++)
		if (b->at[i].unnamed)
			return true;
	return false;
}

int begins_move(struct begins *to, struct begins *from)
{
	for (size_t i = 0; i < from->machines; i++)
		if (begins_see_period(to, (uint32_t)i, from->period[i]))
			return CPIDECODE_ENOMEM;
	if (!from->count)
		return 0;
	if (!array_reserve(&to->at, &to->room, to->count + from->count, sizeof *to->at))
		return CPIDECODE_ENOMEM;
	memcpy(to->at + to->count, from->at, from->count * sizeof *from->at);
	to->count += from->count;
	from->count = from->paired = from->slice = 0;
	return 0;
}

/* ------------------------------------------------------------------------ open intervals */

/* The machine's last period: by its files, and by its hooks, as a drain continues after its META
 * and may have been killed before its REMARKS. */
static uint32_t begins_last_period(const struct begins *b, const struct trace *t, uint32_t machine)
{
	uint32_t last = machine < b->machines ? b->period[machine] : 0;

	for (size_t i = 0; i < trace_nfiles(t); i++) {
		const struct trace_file *f = trace_file(t, i);
		uint64_t period;

		if (f->machine != machine || f->header.damaged)
			continue;
		for (size_t k = 0; k < f->nmeta; k++)
			if (strcmp(f->meta[k].key, TF_META_PERIOD) == 0 &&
				number_parse(f->meta[k].value, 10, UINT32_MAX, &period) &&
				period > last)
				last = (uint32_t)period;
	}
	return last;
}

void begins_settle(struct begins *b, const struct trace *t)
{
	uint32_t machine = UINT32_MAX, last = 0;
	size_t kept = 0;

	begins_pair(b, true);
	for (size_t i = 0; i < b->count; i++) {
		if (b->at[i].machine != machine) {
			machine = b->at[i].machine;
			last = begins_last_period(b, t, machine);
		}
		if (b->at[i].period == last)
			b->at[kept++] = b->at[i];
		else
			free(b->at[i].text);
	}
	b->count = kept;
	if (kept)
		qsort(b->at, kept, sizeof *b->at, begins_compare_times);
}

void begins_free(struct begins *b)
{
	for (size_t i = 0; i < b->count; i++)
		free(b->at[i].text);
	free(b->at);
	free(b->period);
	*b = (struct begins){0};
}
