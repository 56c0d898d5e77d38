#include "collect.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/cpuutil_hooks.h"
#include "../../../formats/interval_hooks.h"
#include "../../model/stats/tally/tally.h"
#include "../../sink/escapes.h"
#include "../query/select.h"
#include "../values/columns.h"
#include "metric.h"

enum {
	BUDGET = 8 << 20,
	TEXT = 4096, /* bytes of names that are numbered together */
	FEW_NAMES = 1024,
};

struct flame_writer {
	_Alignas(128) struct interval_builder *builder;
	struct flame_names names;
	/* The last records, whose names are numbered together. */
	struct flame_record unnamed[FLAME_WANTED];
	struct flame_wanted wanted[FLAME_WANTED];
	unsigned nunnamed, text_used;
	char text[TEXT];
	struct flame_tasks tasks;
	uint64_t counted, left_out, with_cost;
	int64_t start, end;
	bool names_event; /* of the weight */
};

_Static_assert(sizeof(struct flame_writer) % PASS_APART == 0, "for pass_alloc");

static int collect_compare_records(const struct sorter_record *x, const struct sorter_record *y)
{
	const struct flame_record *a = (const void *)x, *b = (const void *)y;
	int c = compare_u64_pair(b->end, a->end, a->ring, b->ring);

	return c ? c : compare_u64_pair(a->position, b->position, a->file, b->file);
}

static int collect_add_record(
	struct flame_collection *c, struct flame_writer *w, const struct flame_record *r)
{
	unsigned thread = (unsigned)(w - c->writers);
	struct sorter_record *to;
	int rc = sorter_reserve(c->records, thread, &to);

	if (rc)
		return rc;
	/* Copies all words: a constant size needs no call. */
	memcpy(to, r, sizeof *r);
	sorter_add(c->records, thread);
	return 0;
}

/* Names the unnamed records and adds them. */
static int collect_name_records(struct flame_collection *c, struct flame_writer *w)
{
	int rc = flame_names_add_all(&w->names, w->wanted, w->nunnamed);

	for (unsigned i = 0; i < w->nunnamed && !rc; i++) {
		w->unnamed[i].name = w->wanted[i].number;
		rc = collect_add_record(c, w, &w->unnamed[i]);
	}
	w->nunnamed = w->text_used = 0;
	return rc;
}

/* Adds the last unnamed record, under that name: now or with others. */
static int collect_add_name(
	struct flame_collection *c, struct flame_writer *w, const char *name, size_t n)
{
	struct flame_record *r = &w->unnamed[w->nunnamed];

	/* Few names stay in the cache: nothing is gained by looking them up together. */
	if (w->names.count < FEW_NAMES || n > TEXT - w->text_used) {
		int rc = w->nunnamed ? collect_name_records(c, w) : 0;

		if (rc)
			return rc;
		r->name = flame_names_add(&w->names, name, n);
		return r->name ? collect_add_record(c, w, r) : CPIDECODE_ENOMEM;
	}
	char *text = w->text + w->text_used;
	memcpy(text, name, n);
	w->text_used += (unsigned)n;
	w->wanted[w->nunnamed++] = (struct flame_wanted){.bytes = text, .len = (uint32_t)n};
	return w->nunnamed == FLAME_WANTED ? collect_name_records(c, w) : 0;
}

/*
 * The frame of an interval of CPU utilisation is distinct from CPI's, whatever the label, and shows
 * the method where it is known.
 */
static int collect_add_util_name(struct flame_collection *c, struct flame_writer *w,
	const char *name, size_t n, uint64_t method)
{
	uint32_t methods = tally_method(method);
	struct out text;

	out_memory(&text);
	out_bytes(&text, name, n);
	out_str(&text, " [CPU utilisation");
	if (methods) {
		out_str(&text, ", ");
		report_methods(&text, methods);
	}
	out_char(&text, ']');
	int rc = text.error ? CPIDECODE_ENOMEM : collect_add_name(c, w, text.buf, text.len);
	out_discard(&text);
	return rc;
}

static void collect_add_part(
	struct flame_writer *w, struct flame_record *r, const struct interval *iv)
{
	struct flame_part part = flame_part_of(iv);
	uint64_t *word = r->words + (r->sort.spare & FLAME_HAS_WEIGHT ? 1 : 0);

	w->start = iv->start_ns < w->start ? iv->start_ns : w->start;
	w->end = iv->end_ns > w->end ? iv->end_ns : w->end;
	if (part.kind == FLAME_CPI_NONE)
		return;
	if (part.kind == FLAME_OFF_CPU)
		r->flags |= FLAME_HAS_OFF_CPU;
	else
		r->sort.spare |= (uint16_t)(part.kind << FLAME_KIND);
	if (part.above != NOT_MEASURED || part.below != NOT_MEASURED) {
		r->sort.spare |= FLAME_HAS_COUNTS;
		*word++ = part.above;
		*word++ = part.below;
	}
	if (!isnan(part.value)) {
		r->sort.spare |= FLAME_HAS_VALUE;
		memcpy(word++, &part.value, sizeof part.value);
	}
	r->sort.size = (uint16_t)((uint8_t *)word - (uint8_t *)r);
}

static uint32_t collect_own_part(const struct report *r, const struct interval *iv, uint64_t ticks)
{
	if (ticks == NOT_MEASURED)
		return 0;
	if (r->weight == WEIGHT_NS)
		ticks = exact_round(trace_duration_ns(trace_file(r->trace, iv->file), ticks));
	return ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
}

/* After all other words. */
static void collect_add_own_cost(
	const struct report *r, struct flame_record *to, const struct interval *iv)
{
	if (iv->own_inside == NOT_MEASURED && iv->own_pair == NOT_MEASURED)
		return;
	uint64_t own = (uint64_t)collect_own_part(r, iv, iv->own_pair) << 32 |
		       collect_own_part(r, iv, iv->own_inside);
	memcpy((uint8_t *)to + to->sort.size, &own, sizeof own);
	to->sort.size += sizeof own;
	to->flags |= FLAME_HAS_OWN;
}

struct flame_part flame_collection_part(
	const struct flame_collection *c, const struct flame_record *r)
{
	const uint64_t *word = r->words + (r->sort.spare & FLAME_HAS_WEIGHT ? 1 : 0);
	uint64_t elapsed = r->end - r->sort.key;
	struct flame_part part = {.kind = r->sort.spare >> FLAME_KIND & 3,
		.above = NOT_MEASURED,
		.below = NOT_MEASURED,
		.value = NAN,
		.elapsed = elapsed,
		.elapsed_ns = trace_duration_ns(trace_file(c->r->trace, r->file), elapsed)};

	if (r->flags & FLAME_HAS_OFF_CPU)
		part.kind = FLAME_OFF_CPU;
	if (r->sort.spare & FLAME_HAS_COUNTS) {
		part.above = *word++;
		part.below = *word++;
	}
	if (r->sort.spare & FLAME_HAS_VALUE)
		memcpy(&part.value, word, sizeof part.value);
	return part;
}

/* NOT_MEASURED: the interval did not count it. */
static uint64_t collect_find_event(
	const struct flame_collection *c, struct flame_writer *w, const struct interval *iv)
{
	for (uint32_t i = 0; i < iv->num_values; i++) {
		const struct interval_value *v = &iv->values[i];

		if (v->kind != VALUE_EVENT || v->name != c->event)
			continue;
		w->names_event = true;
		return v->type == INTERVAL_ARG_U64 ? v->u : NOT_MEASURED;
	}
	return NOT_MEASURED;
}

/* Intervals that end elsewhere are read as well: they are around those of the slice, or in them. */
static bool collect_is_in_slice(const struct report *r, const struct interval *iv)
{
	const struct tick_range *slice = r->slices ? &r->slices[iv->machine] : NULL;

	return !slice || (slice->first <= iv->end_ticks && iv->end_ticks <= slice->last);
}

static int collect_add_interval(
	struct flame_collection *c, struct flame_writer *w, const struct interval *iv)
{
	struct flame_record *r = &w->unnamed[w->nunnamed];
	uint64_t weight = c->metric			 ? flame_metric_of(c->metric, iv)
			  : c->r->weight == WEIGHT_EVENT ? collect_find_event(c, w, iv)
							 : flame_weight(c->r->weight, iv);
	bool selected = select_interval(c->r, iv) && collect_is_in_slice(c->r, iv);

	*r = (struct flame_record){
		.sort = {.key = iv->end_ticks - iv->elapsed,
			.group = 2 * iv->machine + (iv->elapsed <= iv->end_ticks),
			.size = offsetof(struct flame_record, words),
			.spare = (uint16_t)(w - c->writers)},
		.end = iv->end_ticks,
		.position = iv->position,
		.ring = iv->ring,
		.file = iv->file,
		.tid = iv->tid,
		.flags = iv->flags,
		.task = flame_tasks_find(&w->tasks, &w->names, c->r->trace, iv)};
	if (!r->task)
		return CPIDECODE_ENOMEM;
	if (weight != iv->elapsed) {
		r->sort.spare |= FLAME_HAS_WEIGHT;
		r->words[0] = weight;
		r->sort.size += sizeof weight;
	}
	if (selected && weight != NOT_MEASURED) {
		r->sort.spare |= FLAME_COUNTED;
		w->counted++;
		if (c->r->format == FORMAT_SVG)
			collect_add_part(w, r, iv);
	} else {
		w->left_out += selected;
		r->flags |= selected ? FLAME_LEFT_OUT : 0;
	}
	if (c->r->compensate) {
		w->with_cost += iv->own_pair != NOT_MEASURED && r->sort.spare & FLAME_COUNTED;
		collect_add_own_cost(c->r, r, iv);
	}
	if (c->query) {
		uint64_t selection = c->query->selection(c->query->ctx, iv);

		memcpy((uint8_t *)r + r->sort.size, &selection, sizeof selection);
		r->sort.size += sizeof selection;
		r->flags |= FLAME_HAS_SELECTION;
	}
	char room[REPORT_NAME_ROOM];
	size_t n;
	const char *name = report_name(iv, room, &n);
	return iv->major == CPUUTIL_MAJOR ? collect_add_util_name(c, w, name, n, iv->method)
					  : collect_add_name(c, w, name, n);
}

static int collect_read_slice(void *ctx, struct pass_slice *slice)
{
	struct flame_collection *c = ctx;
	struct flame_writer *w = &c->writers[pass_thread(slice)];
	const struct interval *iv;
	int rc;

	while ((rc = interval_read(w->builder, slice, &iv)) > 0)
		if ((rc = collect_add_interval(c, w, iv)))
			break;
	return rc;
}

static unsigned collect_wants(const struct flame_collection *c)
{
	const struct report *r = c->r;
	static const unsigned weights[] = {[WEIGHT_CYCLES] = 0,
		[WEIGHT_NS] = WANT_START,
		[WEIGHT_INSTRUCTIONS] = WANT_SYSTEM,
		[WEIGHT_THREAD_CYCLES] = WANT_THREAD,
		[WEIGHT_EVENT] = WANT_EVENTS};
	unsigned wants = select_wants(r) | (select_asks_time(r) ? WANT_START : 0) |
			 (r->compensate ? WANT_OWN_COST : 0) |
			 (c->metric ? WANT_SYSTEM | WANT_THREAD | WANT_QUALITY : 0);

	if (r->format == FORMAT_SVG)
		return WANT_START | WANT_SYSTEM | WANT_THREAD | WANT_QUALITY | weights[r->weight] |
		       wants;
	return weights[r->weight] | WANT_METHOD | wants;
}

/* The number that the hooks' readers give its name. */
static uint32_t collect_number_event(const struct report *r)
{
	const size_t prefix = strlen(VALUE_EVENT_PREFIX);
	const char *name = r->weight_event;

	if (strncmp(name, VALUE_EVENT_PREFIX, prefix) == 0)
		name += prefix;
	return trace_text_index(r->trace, name, (uint32_t)strlen(name));
}

static int collect_begin(struct flame_collection *c)
{
	struct sorter_options how = {.threads = c->count,
		.budget = c->budget ? c->budget : BUDGET,
		.largest = sizeof(struct flame_record),
		.compare = collect_compare_records};
	const bool has_containers = trace_has_several_containers(c->r->trace);
	int rc = sorter_new(&how, &c->records);

	if (c->r->weight == WEIGHT_EVENT)
		c->event = collect_number_event(c->r);
	c->writers = pass_alloc(c->count, sizeof *c->writers);
	c->maps = calloc(c->count, sizeof *c->maps);
	if (!c->writers || !c->maps)
		return CPIDECODE_ENOMEM;
	for (unsigned i = 0; i < c->count && !rc; i++) {
		c->writers[i].tasks.has_containers = has_containers && !c->names_containers;
		c->writers[i].tasks.names_containers = c->names_containers;
		c->writers[i].tasks.names_hosts = c->r->names_hosts;
		c->writers[i].start = INT64_MAX;
		c->writers[i].end = INT64_MIN;
		rc = interval_builder_new(c->r->trace, collect_wants(c), &c->writers[i].builder);
	}
	return rc;
}

/* Makes the names of a writer those of all. */
static int collect_merge_names(struct flame_collection *c, unsigned writer)
{
	struct flame_names *own = &c->writers[writer].names;

	if (!c->names->used) {
		*c->names = *own;
		*own = (struct flame_names){0};
		return 0;
	}
	c->maps[writer] = malloc((own->used + 1) * sizeof **c->maps);
	int rc = c->maps[writer] ? flame_names_merge(c->names, own, c->maps[writer])
				 : CPIDECODE_ENOMEM;
	flame_names_free(own);
	return rc;
}

/* Lines spell some names differently, and two names that are then the same are one frame. */
static int collect_spell_names(struct flame_collection *c)
{
	struct flame_names *names = c->names;
	struct out text;
	int rc = 0;

	out_memory(&text);
	for (uint32_t k = 1, end = names->used; k < end && !rc; k = flame_names_next(names, k)) {
		struct flame_name name = flame_names_get(names, k);

		text.len = 0;
		escape_frame(&text, name.at, name.len);
		if (!text.error && text.len == name.len &&
			(!name.len || memcmp(text.buf, name.at, name.len) == 0))
			continue;
		if (!c->spelled)
			c->spelled = calloc(end, sizeof *c->spelled);
		uint32_t number = text.error ? 0 : flame_names_add(names, text.buf, text.len);
		if (number && c->spelled)
			c->spelled[k] = number;
		else
			rc = CPIDECODE_ENOMEM;
	}
	out_discard(&text);
	return rc;
}

static int collect_end(struct flame_collection *c)
{
	int rc = 0;

	c->start = INT64_MAX;
	c->end = INT64_MIN;
	for (unsigned i = 0; i < c->count && !rc; i++) {
		struct flame_writer *w = &c->writers[i];

		if (c->r->found)
			rc = interval_builder_tell(w->builder, c->r->found);
		c->counted += w->counted;
		c->left_out += w->left_out;
		c->with_cost += w->with_cost;
		c->names_event |= w->names_event;
		c->start = w->start < c->start ? w->start : c->start;
		c->end = w->end > c->end ? w->end : c->end;
		if (!rc)
			rc = collect_name_records(c, w);
		if (!rc)
			rc = collect_merge_names(c, i);
	}
	if (!rc && c->r->format == FORMAT_FOLDED)
		rc = collect_spell_names(c);
	flame_names_close(c->names);
	return rc ? rc : sorter_rewind(c->records);
}

/* Intervals nested in one must be seen, selected or not and however early they ended. */
int flame_collect(struct flame_collection *c)
{
	struct pass pass = report_pass(c->r, collect_read_slice, c);

	pass.from_ns = INT64_MIN;
	pass.to_ns = INT64_MAX;
	pass.spared = collect_wants(c) & WANT_START ? 0 : HOOK_SPARE_TIME;
	c->count = pass_threads(&pass);
	int rc = collect_begin(c);
	if (!rc)
		rc = pass_run(&pass, c->r->found);
	if (!rc)
		rc = collect_end(c);
	if (rc == CPIDECODE_ESPOOL && sorter_error(c->records))
		errno = sorter_error(c->records);
	return rc;
}

struct flame_task flame_collection_task(
	const struct flame_collection *c, const struct flame_record *r)
{
	const struct flame_writer *w = &c->writers[r->sort.spare & FLAME_WRITER];
	struct flame_task task = w->tasks.at[r->task - 1];

	task.thread = flame_collection_name(c, r, task.thread);
	if (task.container)
		task.container = flame_collection_name(c, r, task.container);
	if (task.host)
		task.host = flame_collection_name(c, r, task.host);
	if (task.process)
		task.process = flame_collection_name(c, r, task.process);
	return task;
}

int flame_collection_rewind(struct flame_collection *c)
{
	int rc = sorter_rewind(c->records);

	if (rc == CPIDECODE_ESPOOL)
		errno = sorter_error(c->records);
	return rc;
}

int flame_collection_next(struct flame_collection *c, const struct flame_record **r)
{
	int rc = sorter_next(c->records, (const struct sorter_record **)r);

	if (rc == CPIDECODE_ESPOOL)
		errno = sorter_error(c->records);
	return rc;
}

void flame_collection_free(struct flame_collection *c)
{
	for (unsigned i = 0; c->writers && i < c->count; i++) {
		interval_builder_free(c->writers[i].builder);
		flame_names_free(&c->writers[i].names);
		flame_tasks_free(&c->writers[i].tasks);
		if (c->maps)
			free(c->maps[i]);
	}
	free(c->writers);
	free(c->maps);
	free(c->spelled);
	sorter_free(c->records);
}
