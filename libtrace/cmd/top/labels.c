#include "labels.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/array.h"
#include "../../../formats/cpi_hooks.h"
#include "../../session/labels.h"
#include "../../trigger/event.h"

enum {
	MOST_LABELS = 4096,
	/* Labels' numbers are offsets in their area / 8. */
	MOST_NUMBERS = SHM_LABEL_BYTES / 8 + 1,
};

/* ------------------------------------------------------------------------- rows */

static bool labels_is_row(
	const struct top_label *row, const char *name, uint32_t length, uint8_t mm)
{
	if (!row->name || !name)
		return !row->name && !name && row->mm == mm;
	return row->length == length && memcmp(row->name, name, length) == 0;
}

static uint32_t labels_hash_row(const char *name, uint32_t length, uint8_t mm)
{
	return name ? labels_hash(name, length) : mm;
}

/* The row + 1; 0: there is none. */
static uint32_t labels_find_row(
	const struct top_labels *l, const char *name, uint32_t length, uint8_t mm, uint64_t hash)
{
	uint32_t found;

	while ((found = hash_index_next(&l->by_name, &hash)))
		if (labels_is_row(&l->row[found - 1], name, length, mm))
			break;
	return found;
}

/* The row + 1, which is made if it is missing. 0: there is no room. */
static uint32_t labels_need_row(struct top_labels *l, const char *name, uint32_t length, uint8_t mm)
{
	const uint64_t hash = labels_hash_row(name, length, mm);
	uint32_t found = labels_find_row(l, name, length, mm, hash);
	char *copy = NULL;
	size_t from;

	if (found)
		return found;
	if (l->count == MOST_LABELS ||
		!array_reserve(&l->row, &l->room, l->count + 1, sizeof *l->row))
		return 0;
	if (name) {
		copy = malloc((size_t)length + 1);
		if (!copy)
			return 0;
		memcpy(copy, name, length);
		copy[length] = 0;
	}
	if (!hash_index_grow(&l->by_name, l->count + 1, &from)) {
		free(copy);
		return 0;
	}
	l->row[l->count++] = (struct top_label){
		.name = copy, .length = name ? length : 0, .mm = name ? 0 : mm, .hash = hash};
	for (; from < l->count; from++)
		hash_index_add(&l->by_name, l->row[from].hash, (uint32_t)from);
	return (uint32_t)l->count;
}

static uint32_t row_of_text(struct top_labels *l, const struct event *e)
{
	const uint8_t *text;
	uint32_t length;

	if (!event_find_label(e, &text, &length))
		return labels_need_row(l, NULL, 0, (uint8_t)(e->minor[0] & CPI_MINOR_MM));
	return labels_need_row(l, (const char *)text, length, 0);
}

/* Finds a label once for its number. */
static uint32_t row_of_event(struct top_labels *l, const struct event *e)
{
	bool by_number = e->has_label && !e->label && e->label_number < MOST_NUMBERS;
	const uint8_t *text;
	uint32_t length;

	if (by_number && e->label_number < l->numbers && l->by_number[e->label_number])
		return l->by_number[e->label_number];
	uint32_t row = row_of_text(l, e);
	size_t before = l->numbers;
	if (!by_number || !row || !event_find_label(e, &text, &length) ||
		!array_reserve(&l->by_number, &l->numbers, (size_t)e->label_number + 1,
			sizeof *l->by_number))
		return row;
	memset(l->by_number + before, 0, (l->numbers - before) * sizeof *l->by_number);
	l->by_number[e->label_number] = row;
	return row;
}

/* ---------------------------------------------------------------------- figures */

static void sum_add(struct top_sum *s, uint64_t value)
{
	if (value == NOT_MEASURED)
		return;
	s->count++;
	s->sum += (double)value;
}

static void figures_add_cpi(
	struct top_figures *to, const struct event *e, const struct event_figures *f)
{
	double cpi = e->has_cpi ? (double)e->cpi / CPI_FRACTION : NAN;

	if (f->instructions != NOT_MEASURED) {
		to->with_counts++;
		to->instructions += (double)f->instructions;
		to->cycles += (double)f->cycles;
		if (isnan(cpi))
			cpi = figure_ratio(f->cycles, f->instructions);
	}
	if (isnan(cpi))
		return;
	to->with_ratio++;
	to->weighted += cpi * (double)e->elapsed;
	to->weight += (double)e->elapsed;
}

void top_labels_add(struct top_labels *l, const struct event *e, double ns_per_tick)
{
	uint32_t row = row_of_event(l, e);
	struct top_figures *to = row ? &l->row[row - 1].current : NULL;
	uint64_t off_cpu_ns = NOT_MEASURED;
	struct event_figures f;

	if (!to || !top_histogram_add(&to->elapsed, e->elapsed)) {
		l->left_out++;
		return;
	}
	event_read_figures(e, &f);
	figures_settle_times(
		(double)e->elapsed * ns_per_tick, f.ctx_switches, &f.on_cpu_ns, &off_cpu_ns);
	to->elapsed_sum += (double)e->elapsed;
	sum_add(&to->on_cpu_ns, f.on_cpu_ns);
	sum_add(&to->off_cpu_ns, off_cpu_ns);
	figures_add_cpi(to, e, &f);
}

static void sum_merge(struct top_sum *to, const struct top_sum *from)
{
	to->count += from->count;
	to->sum += from->sum;
}

static bool figures_merge(struct top_figures *to, const struct top_figures *from)
{
	if (!top_histogram_merge(&to->elapsed, &from->elapsed))
		return false;
	to->elapsed_sum += from->elapsed_sum;
	sum_merge(&to->on_cpu_ns, &from->on_cpu_ns);
	sum_merge(&to->off_cpu_ns, &from->off_cpu_ns);
	to->with_counts += from->with_counts;
	to->instructions += from->instructions;
	to->cycles += from->cycles;
	to->with_ratio += from->with_ratio;
	to->weighted += from->weighted;
	to->weight += from->weight;
	return true;
}

static void figures_clear(struct top_figures *f)
{
	struct top_histogram h = f->elapsed;

	top_histogram_clear(&h);
	*f = (struct top_figures){.elapsed = h};
}

/* ----------------------------------------------------------------------- rounds */

void top_labels_close_round(struct top_labels *l)
{
	for (size_t i = 0; i < l->count; i++) {
		struct top_label *row = &l->row[i];
		struct top_figures before = row->last;

		if (row->current.elapsed.count == 0 && before.elapsed.count == 0)
			continue;
		if (!figures_merge(&row->total, &row->current))
			l->left_out += row->current.elapsed.count;
		row->last = row->current;
		figures_clear(&before);
		row->current = before;
	}
}

void top_labels_free(struct top_labels *l)
{
	for (size_t i = 0; i < l->count; i++) {
		top_histogram_free(&l->row[i].current.elapsed);
		top_histogram_free(&l->row[i].last.elapsed);
		top_histogram_free(&l->row[i].total.elapsed);
		free(l->row[i].name);
	}
	free(l->row);
	free(l->by_number);
	hash_index_free(&l->by_name);
	*l = (struct top_labels){0};
}

const struct top_label *top_labels_find(const struct top_labels *l, const char *name)
{
	uint32_t length = (uint32_t)strlen(name);
	uint32_t found = labels_find_row(l, name, length, 0, labels_hash_row(name, length, 0));

	return found ? &l->row[found - 1] : NULL;
}

/* ---------------------------------------------------------------------- summary */

static double mean_of(const struct top_sum *s)
{
	return s->count ? s->sum / (double)s->count : NAN;
}

static double cpi_of(const struct top_figures *f)
{
	double cpi = NAN;

	if (f->with_ratio && f->with_counts == f->with_ratio)
		cpi = f->cycles / f->instructions;
	else if (f->weight > 0)
		cpi = f->weighted / f->weight;
	return cpi > 0 ? cpi : NAN;
}

struct top_summary top_summarize(const struct top_figures *f, double seconds, double ns_per_tick)
{
	const struct top_histogram *h = &f->elapsed;
	struct top_summary s = {.count = h->count,
		.per_second = seconds > 0 ? (double)h->count / seconds : NAN,
		.mean_ns = NAN,
		.p50_ns = NAN,
		.p99_ns = NAN,
		.max_ns = NAN,
		.cpi = cpi_of(f),
		.on_cpu_ns = mean_of(&f->on_cpu_ns),
		.off_cpu_ns = mean_of(&f->off_cpu_ns)};

	if (h->count == 0)
		return s;
	s.mean_ns = f->elapsed_sum / (double)h->count * ns_per_tick;
	s.p50_ns = (double)top_histogram_percentile(h, 0.5) * ns_per_tick;
	s.p99_ns = (double)top_histogram_percentile(h, 0.99) * ns_per_tick;
	s.max_ns = (double)h->max * ns_per_tick;
	return s;
}
