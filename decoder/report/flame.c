/* The intervals as a tree of frames: everything, task, outer interval, inner interval. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../model/ratio.h"
#include "../sink/escape.h"
#include "../sink/flame.h"
#include "../sink/units.h"
#include "report.h"

struct builder {
	const struct report *r;
	struct flame flame;
	struct ratios *ratios; /* per frame */
	uint32_t allocated;
	uint32_t *table; /* open hash of frames by parent and name; 0: free */
	uint32_t mask;
	uint32_t *frame_of; /* per interval; 0: none yet */
	size_t *chain;	    /* scratch: a stack of intervals */
	uint64_t *nested;   /* per interval: weight of the intervals right inside it */
	uint64_t left_out;
	int64_t start, end;
	char minors[256][12];
	char **owned; /* names made here */
	size_t nowned;
	struct out spelled;
};

static uint64_t weight_of(const struct builder *b, const struct interval *iv)
{
	switch (b->r->weight) {
	case WEIGHT_NS:
		return (uint64_t)llround(iv->elapsed_ns);
	case WEIGHT_INSTRUCTIONS:
		return iv->instructions;
	case WEIGHT_THREAD_CYCLES:
		return iv->thread_cycles;
	default:
		return iv->elapsed;
	}
}

static bool same_name(const struct flame_frame *f, const char *name, size_t n)
{
	return f->name_len == n && (f->name == name || !memcmp(f->name, name, n));
}

static uint32_t *slot_of(const struct builder *b, uint32_t parent, const char *name, size_t n)
{
	uint32_t at = (uint32_t)XXH3_64bits_withSeed(name, n, parent);
	for (;; at++) {
		uint32_t *slot = &b->table[at & b->mask];
		const struct flame_frame *f = &b->flame.frames[*slot];
		if (!*slot || (f->parent == parent && same_name(f, name, n)))
			return slot;
	}
}

static int more_room(struct builder *b)
{
	uint32_t room = b->allocated ? 2 * b->allocated : 256;
	if (room > UINT32_MAX / 4)
		return CPIDECODE_ENOMEM;
	struct flame_frame *frames = realloc(b->flame.frames, room * sizeof *frames);
	if (frames)
		b->flame.frames = frames;
	struct ratios *ratios = realloc(b->ratios, room * sizeof *ratios);
	if (ratios)
		b->ratios = ratios;
	uint32_t *table = calloc(2 * (size_t)room, sizeof *table);
	if (!frames || !ratios || !table) {
		free(table);
		return CPIDECODE_ENOMEM;
	}
	free(b->table);
	b->table = table;
	b->mask = 2 * room - 1;
	b->allocated = room;
	for (uint32_t i = 1; i < b->flame.count; i++) {
		const struct flame_frame *f = &frames[i];
		*slot_of(b, f->parent, f->name, f->name_len) = i;
	}
	return 0;
}

static bool own(struct builder *b, const char **name, size_t n)
{
	char **owned = realloc(b->owned, (b->nowned + 1) * sizeof *owned);
	if (!owned)
		return false;
	b->owned = owned;
	char *copy = malloc(n + 1);
	if (!copy)
		return false;
	if (n)
		memcpy(copy, *name, n);
	*name = b->owned[b->nowned++] = copy;
	return true;
}

/*
 * The frame of that name under that parent, made if need be; 0: no memory. A name that
 * does not last as long as the tree is copied; so is one that has to be spelled in
 * another way, which is done here because two that become the same are one frame.
 */
static uint32_t frame_under(struct builder *b, uint32_t parent, enum flame_kind kind,
	const char *name, size_t n, bool lasting)
{
	if (b->r->format == FORMAT_FOLDED) {
		b->spelled.len = 0;
		escape_frame(&b->spelled, name, n);
		if (b->spelled.error)
			return 0;
		name = b->spelled.buf;
		n = b->spelled.len;
		lasting = false;
	}
	if (b->flame.count == b->allocated && more_room(b) < 0)
		return 0;
	uint32_t *slot = slot_of(b, parent, name, n);
	if (!*slot) {
		if (!lasting && !own(b, &name, n))
			return 0;
		*slot = b->flame.count++;
		b->ratios[*slot] = (struct ratios){0};
		b->flame.frames[*slot] = (struct flame_frame){.name = name,
			.name_len = n,
			.parent = parent,
			.kind = kind,
			.depth = b->flame.frames[parent].depth + 1,
			.cpi = NAN};
	}
	return *slot;
}

static uint32_t task_frame(struct builder *b, const struct interval *iv)
{
	const char *name = report_task_name(iv->task);
	char text[24];
	if (!name)
		snprintf(text, sizeof text, "tid %u", iv->tid);
	return frame_under(
		b, 0, FLAME_TASK, name ? name : text, strlen(name ? name : text), name != NULL);
}

/* The frame of an interval and, from the outside in, of those it is nested in. */
static uint32_t interval_frame(struct builder *b, size_t index)
{
	const struct interval *all = b->r->intervals;
	size_t depth = 0;
	uint32_t frame = 0;
	for (int64_t i = (int64_t)index; i >= 0; i = all[i].parent) {
		frame = b->frame_of[i];
		if (frame || depth == b->r->nintervals)
			break;
		b->chain[depth++] = (size_t)i;
	}
	if (!frame)
		frame = task_frame(b, &all[index]);
	while (depth-- && frame) {
		const struct interval *iv = &all[b->chain[depth]];
		const char *name = iv->has_label ? iv->label : b->minors[iv->mm];
		size_t n = iv->has_label ? iv->label_len : strlen(name);
		frame = frame_under(b, frame, FLAME_INTERVAL, name, n, true);
		b->frame_of[b->chain[depth]] = frame;
	}
	return frame;
}

static int add_interval(struct builder *b, size_t index)
{
	const struct interval *iv = &b->r->intervals[index];
	uint64_t weight = weight_of(b, iv);
	if (weight == NOT_MEASURED) {
		b->left_out++;
		return 0;
	}
	uint32_t at = interval_frame(b, index);
	if (!at)
		return CPIDECODE_ENOMEM;
	struct flame_frame *f = &b->flame.frames[at];
	/* Counters of different moments: what is nested can add up to more than the whole. */
	f->self += weight > b->nested[index] ? weight - b->nested[index] : 0;
	f->has_value = true;
	f->count++;
	f->elapsed_ns += iv->elapsed_ns;
	ratios_add(&b->ratios[at], iv);
	if (iv->start_ns < b->start)
		b->start = iv->start_ns;
	if (iv->end_ns > b->end)
		b->end = iv->end_ns;
	return 0;
}

static int add_intervals(struct builder *b)
{
	const struct report *r = b->r;
	for (size_t i = 0; i < r->nintervals; i++) {
		int64_t parent = r->intervals[i].parent;
		uint64_t weight = weight_of(b, &r->intervals[i]);
		if (parent >= 0 && weight != NOT_MEASURED)
			b->nested[parent] += weight;
	}
	for (size_t i = 0; i < r->nintervals; i++) {
		if (!filter_interval(r->filter, &r->intervals[i]))
			continue;
		int rc = add_interval(b, i);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int compare_frames(const void *x, const void *y, void *frames)
{
	const struct flame_frame *a = (struct flame_frame *)frames + *(const uint32_t *)x;
	const struct flame_frame *b = (struct flame_frame *)frames + *(const uint32_t *)y;
	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	size_t common = a->name_len < b->name_len ? a->name_len : b->name_len;
	int order = common ? memcmp(a->name, b->name, common) : 0;
	if (order)
		return order;
	return (a->name_len > b->name_len) - (a->name_len < b->name_len);
}

/* Children in the order of their names; totals, from the innermost frame outwards. */
static int finish(struct builder *b)
{
	struct flame *f = &b->flame;
	uint32_t *order = calloc(f->count, sizeof *order);
	if (!order)
		return CPIDECODE_ENOMEM;
	for (uint32_t i = 1; i < f->count; i++)
		order[i - 1] = i;
	qsort_r(order, f->count - 1, sizeof *order, compare_frames, f->frames);
	for (uint32_t i = f->count - 1; i-- > 0;) {
		struct flame_frame *parent = &f->frames[f->frames[order[i]].parent];
		f->frames[order[i]].next = parent->first_child;
		parent->first_child = order[i];
	}
	free(order);
	for (uint32_t i = f->count; i-- > 0;) {
		struct flame_frame *frame = &f->frames[i];
		const struct ratios *sums = &b->ratios[i];
		frame->total += frame->self;
		frame->within += frame->count;
		frame->cpi_kind = sums->thread.measured	  ? FLAME_CPI_THREAD
				  : sums->scaled.measured ? FLAME_CPI_SCALED
				  : sums->raw.measured	  ? FLAME_CPI_RAW
							  : FLAME_CPI_NONE;
		frame->cpi = frame->cpi_kind == FLAME_CPI_THREAD   ? ratio_value(&sums->thread)
			     : frame->cpi_kind == FLAME_CPI_SCALED ? ratio_value(&sums->scaled)
								   : ratio_value(&sums->raw);
		if (!i)
			break;
		f->frames[frame->parent].total += frame->total;
		f->frames[frame->parent].within += frame->within;
	}
	return 0;
}

static int prepare(struct builder *b)
{
	size_t n = b->r->nintervals + 1;
	b->frame_of = calloc(n, sizeof *b->frame_of);
	b->chain = calloc(n, sizeof *b->chain);
	b->nested = calloc(n, sizeof *b->nested);
	if (!b->frame_of || !b->chain || !b->nested || more_room(b) < 0)
		return CPIDECODE_ENOMEM;
	for (unsigned mm = 0; mm < 256; mm++)
		snprintf(b->minors[mm], sizeof b->minors[mm], "minor 0x%02X", mm);
	b->start = INT64_MAX;
	b->end = INT64_MIN;
	b->ratios[0] = (struct ratios){0};
	b->flame.frames[0] = (struct flame_frame){.name = "all", .name_len = 3, .cpi = NAN};
	b->flame.count = 1;
	return 0;
}

static const char *const units[] = {[WEIGHT_CYCLES] = "cycles",
	[WEIGHT_NS] = "ns",
	[WEIGHT_INSTRUCTIONS] = "instructions",
	[WEIGHT_THREAD_CYCLES] = "thread cycles"};

static int draw(struct builder *b)
{
	struct out range;
	out_memory(&range);
	if (b->flame.count > 1) {
		units_iso8601(&range, b->start);
		out_str(&range, " to ");
		units_iso8601(&range, b->end);
		out_str(&range, " (");
		units_duration(&range, (double)((uint64_t)b->end - (uint64_t)b->start));
		out_char(&range, ')');
	} else {
		out_str(&range, "no intervals");
	}
	out_char(&range, '\0');
	b->flame.range = range.error ? "" : range.buf;
	b->flame.unit = units[b->r->weight];
	b->flame.weight = b->r->weight == WEIGHT_CYCLES ? "elapsed cycles" : b->flame.unit;
	b->flame.host = b->r->host;
	b->flame.scripted = b->r->scripted;
	int rc = b->r->format == FORMAT_SVG ? flame_svg(b->r->out, &b->flame)
					    : flame_folded(b->r->out, &b->flame);
	out_discard(&range);
	return rc < 0 ? CPIDECODE_ENOMEM : 0;
}

int report_flame(struct report *r)
{
	struct builder *b = calloc(1, sizeof *b);
	if (!b)
		return CPIDECODE_ENOMEM;
	b->r = r;
	out_memory(&b->spelled);
	int rc = prepare(b);
	if (!rc)
		rc = add_intervals(b);
	if (!rc)
		rc = finish(b);
	if (!rc)
		rc = draw(b);
	if (!rc && b->left_out)
		report_note(r, "%llu interval%s left out: %s were not measured in %s",
			(unsigned long long)b->left_out, b->left_out == 1 ? "" : "s",
			units[r->weight], b->left_out == 1 ? "it" : "them");
	while (b->nowned)
		free(b->owned[--b->nowned]);
	free(b->owned);
	out_discard(&b->spelled);
	free(b->flame.frames);
	free(b->ratios);
	free(b->table);
	free(b->frame_of);
	free(b->chain);
	free(b->nested);
	free(b);
	return rc;
}
