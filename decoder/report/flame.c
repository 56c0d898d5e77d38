/* The intervals as a tree of frames: everything, task, outer interval, inner interval. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../model/intern.h"
#include "../model/interval_stream.h"
#include "../model/ratio.h"
#include "../model/thread_stacks.h"
#include "../sink/escape.h"
#include "../sink/flame.h"
#include "../sink/units.h"
#include "report.h"

/* An interval that may have others in it. They stand on its thread's stack by their depths. */
struct open_interval {
	uint64_t weight, nested; /* nested: of those right inside it */
	uint32_t frame;		 /* 0: none yet, as nobody asked for it or what is in it */
	bool counts;		 /* its own weight is part of its frame's */
	uint8_t mm;
	char *label; /* owned; while it has no frame. NULL: minor mm */
	size_t label_len;
};

struct builder {
	const struct report *r;
	struct flame flame;
	struct ratios *ratios; /* per frame */
	uint32_t allocated;
	uint32_t *table; /* open hash of frames by parent and name; 0: free */
	uint32_t mask;
	struct thread_stacks threads;
	uint64_t left_out;
	int64_t start, end;
	char minors[256][12];
	struct intern names;
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

static uint32_t new_frame(struct builder *b, uint32_t *slot, uint32_t parent, enum flame_kind kind,
	const char *name, size_t n)
{
	name = intern_bytes(&b->names, name, (uint32_t)n);
	if (!name)
		return 0;
	*slot = b->flame.count++;
	b->ratios[*slot] = (struct ratios){0};
	b->flame.frames[*slot] = (struct flame_frame){.name = name,
		.name_len = n,
		.parent = parent,
		.kind = kind,
		.depth = b->flame.frames[parent].depth + 1,
		.cpi = NAN};
	return *slot;
}

/*
 * The frame of that name under that parent, made if need be; 0: no memory. In lines of stacks
 * a name may have to be spelled in another way, and two that become the same are one
 * frame; a name that is found needed no other spelling.
 */
static uint32_t frame_under(
	struct builder *b, uint32_t parent, enum flame_kind kind, const char *name, size_t n)
{
	if (b->flame.count == b->allocated && more_room(b) < 0)
		return 0;
	uint32_t *slot = slot_of(b, parent, name, n);
	if (*slot)
		return *slot;
	if (b->r->format == FORMAT_FOLDED) {
		b->spelled.len = 0;
		escape_frame(&b->spelled, name, n);
		if (b->spelled.error)
			return 0;
		name = b->spelled.buf;
		n = b->spelled.len;
		slot = slot_of(b, parent, name, n);
	}
	return *slot ? *slot : new_frame(b, slot, parent, kind, name, n);
}

static uint32_t task_frame(struct builder *b, const struct interval *iv)
{
	const char *name = report_task_name(iv->task);
	char text[24];
	if (!name) {
		snprintf(text, sizeof text, "tid %u", iv->tid);
		name = text;
	}
	return frame_under(b, 0, FLAME_TASK, name, strlen(name));
}

static uint32_t interval_frame(
	struct builder *b, uint32_t parent, uint8_t mm, const char *label, size_t n)
{
	const char *name = label ? label : b->minors[mm];
	return frame_under(b, parent, FLAME_INTERVAL, name, label ? n : strlen(name));
}

/* The frames of those that iv is nested in, from the outside in; 0: no memory. */
static uint32_t frame_around(
	struct builder *b, struct open_interval *outer, size_t depth, const struct interval *iv)
{
	size_t known = depth;
	while (known && !outer[known - 1].frame)
		known--;
	/* The outermost of those that are asked for says whose it is. */
	uint32_t frame = known ? outer[known - 1].frame : task_frame(b, iv);
	for (; known < depth && frame; known++) {
		struct open_interval *o = &outer[known];
		frame = o->frame = interval_frame(b, frame, o->mm, o->label, o->label_len);
	}
	return frame;
}

/* What is in it has all been seen. */
static void close_interval(struct builder *b, struct open_interval *o)
{
	/* Counters of different moments: what is nested can add up to more than the whole. */
	if (o->counts)
		b->flame.frames[o->frame].self += o->weight > o->nested ? o->weight - o->nested : 0;
	free(o->label);
}

static void close_from(struct builder *b, struct thread_stack *t, size_t depth)
{
	struct open_interval *stack = t->at;
	while (t->count > depth)
		close_interval(b, &stack[--t->count]);
}

static void drop_thread(void *ctx, struct thread_stack *t)
{
	close_from(ctx, t, 0);
}

static void count_interval(struct builder *b, uint32_t frame, const struct interval *iv)
{
	struct flame_frame *f = &b->flame.frames[frame];
	f->has_value = true;
	f->count++;
	if (b->r->format == FORMAT_FOLDED)
		return;
	f->elapsed_ns += iv->elapsed_ns;
	ratios_add(&b->ratios[frame], iv);
	if (iv->start_ns < b->start)
		b->start = iv->start_ns;
	if (iv->end_ns > b->end)
		b->end = iv->end_ns;
}

/* One whose frame may yet be asked for by what is in it: its name has to be remembered. */
static int remember_name(struct open_interval *o, const struct interval *iv)
{
	o->mm = iv->mm;
	if (!iv->has_label)
		return 0;
	o->label = malloc((size_t)iv->label_len + 1);
	if (!o->label)
		return CPIDECODE_ENOMEM;
	memcpy(o->label, iv->label, iv->label_len);
	o->label_len = iv->label_len;
	return 0;
}

static int open_interval(struct builder *b, struct open_interval *own, struct open_interval *outer,
	const struct interval *iv)
{
	uint64_t weight = weight_of(b, iv);
	bool taken = filter_interval(b->r->filter, iv), measured = weight != NOT_MEASURED;
	*own = (struct open_interval){.weight = weight};
	if (measured && iv->depth)
		outer[iv->depth - 1].nested += weight;
	if (taken && !measured)
		b->left_out++;
	if (!taken || !measured)
		return remember_name(own, iv);
	uint32_t frame = frame_around(b, outer, iv->depth, iv);
	if (frame)
		frame = interval_frame(
			b, frame, iv->mm, iv->has_label ? iv->label : NULL, iv->label_len);
	if (!frame)
		return CPIDECODE_ENOMEM;
	own->frame = frame;
	own->counts = true;
	count_interval(b, frame, iv);
	return 0;
}

static int add_interval(struct builder *b, const struct interval *iv)
{
	struct thread_stack *t =
		thread_stacks_find(&b->threads, iv->machine, iv->tid, iv->start_ticks);
	if (!t)
		return CPIDECODE_ENOMEM;
	close_from(b, t, iv->depth);
	if (t->count == t->cap) {
		size_t cap = t->cap ? 2 * t->cap : 8;
		void *p = realloc(t->at, cap * sizeof(struct open_interval));
		if (!p)
			return CPIDECODE_ENOMEM;
		t->at = p;
		t->cap = cap;
	}
	struct open_interval *stack = t->at;
	int rc = open_interval(b, &stack[iv->depth], stack, iv);
	if (rc)
		return rc;
	t->count++;
	if (!iv->depth)
		t->until = iv->end_ticks;
	return 0;
}

static bool show_progress(void *ctx, uint64_t done, uint64_t total)
{
	const struct report *r = ctx;
	return r->progress(r->ctx, done, total);
}

static unsigned wants_of(const struct report *r)
{
	static const unsigned weights[] = {[WEIGHT_CYCLES] = 0,
		[WEIGHT_NS] = 0,
		[WEIGHT_INSTRUCTIONS] = WANT_SYSTEM,
		[WEIGHT_THREAD_CYCLES] = WANT_THREAD};
	bool by_time = r->filter->from != INT64_MIN || r->filter->to != INT64_MAX;
	if (r->format == FORMAT_SVG)
		return WANT_START | WANT_SYSTEM | WANT_THREAD;
	return weights[r->weight] | (by_time ? WANT_START : 0);
}

/*
 * What is nested in an interval has to be seen, wanted or not and however early it ended:
 * nothing is filtered here.
 */
static int add_intervals(struct builder *b)
{
	const struct report *r = b->r;
	struct interval_stream_options how = {.progress = r->progress ? show_progress : NULL,
		.ctx = (void *)r,
		.from_ns = INT64_MIN,
		.threads = r->threads,
		.wants = wants_of(r),
		.by_machine = true};
	struct interval_stream *s;
	const struct interval *iv;
	int rc = interval_stream_open(r->trace, &how, &s, r->found);
	if (rc)
		return rc;
	while ((rc = interval_stream_next(s, &iv)) > 0) {
		rc = add_interval(b, iv);
		if (rc)
			break;
	}
	interval_stream_close(s);
	thread_stacks_free(&b->threads);
	return rc;
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
	if (more_room(b) < 0)
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
	b->threads.drop = drop_thread;
	b->threads.ctx = b;
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
	intern_free(&b->names);
	out_discard(&b->spelled);
	free(b->flame.frames);
	free(b->ratios);
	free(b->table);
	free(b);
	return rc;
}
