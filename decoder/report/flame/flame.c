/* The intervals as a tree of frames: everything, task, outer interval, inner interval. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/cpuutil_hooks.h"
#include "../../base/grow.h"
#include "../../model/intervals/interval_stream.h"
#include "../../model/intervals/thread_stacks.h"
#include "../../sink/escape.h"
#include "../../sink/units.h"
#include "backward.h"

/* One of the tree, or 0: none. */
struct frame {
	uint32_t number;
	uint64_t path;
};

/* What an interval's frame is called by. */
struct name {
	const char *label; /* NULL: minor mm */
	size_t label_len;
	uint64_t method;
	uint8_t major, mm;
};

/* An interval that may have others in it. They stand on its thread's stack by their depths. */
struct open_interval {
	uint64_t weight, nested; /* nested: of those right inside it */
	struct frame frame;	 /* none yet: nobody asked for it or what is in it */
	bool counts;		 /* its own weight is part of its frame's */
	struct name name;	 /* while it has no frame */
	char *label;		 /* the name's; owned */
};

struct builder {
	const struct report *r;
	struct flame_tree tree;
	struct thread_stacks threads;
	uint64_t left_out;
	int64_t start, end;
	char minors[256][12];
	struct out spelled;
};

/*
 * In lines of stacks a name may have to be spelled in another way, and two that become the
 * same are one frame. None: no memory.
 */
static struct frame frame_under(struct builder *b, struct frame parent, const char *name, size_t n)
{
	if (b->r->format == FORMAT_FOLDED) {
		b->spelled.len = 0;
		escape_frame(&b->spelled, name, n);
		if (b->spelled.error)
			return (struct frame){0};
		name = b->spelled.buf;
		n = b->spelled.len;
	}
	uint32_t number = flame_names_add(&b->tree.names, name, n);
	if (!number)
		return (struct frame){0};
	struct frame frame = {.path = flame_tree_path(&b->tree, parent.path,
				      flame_names_hash(&b->tree.names, number))};
	frame.number = flame_tree_add(&b->tree, parent.number, number, frame.path);
	return frame;
}

static struct frame task_frame(struct builder *b, const struct interval *iv)
{
	const char *name = report_task_name(iv->task);
	char text[24];

	if (!name) {
		snprintf(text, sizeof text, "tid %u", iv->tid);
		name = text;
	}
	return frame_under(b, (struct frame){0}, name, strlen(name));
}

static struct name flame_make_name(const struct interval *iv)
{
	return (struct name){.label = iv->has_label ? iv->label : NULL,
		.label_len = iv->label_len,
		.method = iv->method,
		.major = iv->major,
		.mm = iv->mm};
}

static struct frame interval_frame(struct builder *b, struct frame parent, const struct name *name)
{
	const char *bytes = name->label ? name->label : b->minors[name->mm];
	size_t n = name->label ? name->label_len : strlen(bytes);
	struct out told;

	if (name->major != CPUUTIL_MAJOR)
		return frame_under(b, parent, bytes, n);
	out_memory(&told);
	flame_util_name(&told, bytes, n, name->method);
	struct frame frame = {0};
	if (!told.error)
		frame = frame_under(b, parent, told.buf, told.len);
	out_discard(&told);
	return frame;
}

/* The frames of those that iv is nested in, from the outside in; none: no memory. */
static struct frame frame_around(
	struct builder *b, struct open_interval *outer, size_t depth, const struct interval *iv)
{
	size_t known = depth;

	while (known && !outer[known - 1].frame.number)
		known--;
	/* The outermost of those that are asked for says whose it is. */
	struct frame frame = known ? outer[known - 1].frame : task_frame(b, iv);
	for (; known < depth && frame.number; known++) {
		struct open_interval *o = &outer[known];

		frame = o->frame = interval_frame(b, frame, &o->name);
	}
	return frame;
}

/* What is in it has all been seen. */
static void close_interval(struct builder *b, struct open_interval *o)
{
	/* Counters of different moments: what is nested can add up to more than the whole. */
	if (o->counts)
		flame_tree_node(&b->tree, o->frame.number)->self +=
			o->weight > o->nested ? o->weight - o->nested : 0;
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

static int count_interval(struct builder *b, uint32_t frame, const struct interval *iv)
{
	if (b->r->format == FORMAT_FOLDED)
		return flame_tree_count(&b->tree, frame, 0, NULL);
	struct flame_part part = flame_part_of(iv);
	if (iv->start_ns < b->start)
		b->start = iv->start_ns;
	if (iv->end_ns > b->end)
		b->end = iv->end_ns;
	return flame_tree_count(&b->tree, frame, 0, &part);
}

/* One whose frame may yet be asked for by what is in it: its name has to be remembered. */
static int remember_name(struct open_interval *o, const struct interval *iv)
{
	o->name = flame_make_name(iv);
	if (!iv->has_label)
		return 0;
	o->label = malloc((size_t)iv->label_len + 1);
	if (!o->label)
		return CPIDECODE_ENOMEM;
	memcpy(o->label, iv->label, iv->label_len);
	o->name.label = o->label;
	return 0;
}

static int open_interval(struct builder *b, struct open_interval *own, struct open_interval *outer,
	const struct interval *iv)
{
	uint64_t weight = flame_weight(b->r->weight, iv);
	bool taken = filter_interval(b->r->filter, iv), measured = weight != NOT_MEASURED;

	*own = (struct open_interval){.weight = weight};
	if (measured && iv->depth)
		outer[iv->depth - 1].nested += weight;
	if (taken && !measured)
		b->left_out++;
	if (!taken || !measured)
		return remember_name(own, iv);
	struct frame frame = frame_around(b, outer, iv->depth, iv);
	const struct name name = flame_make_name(iv);
	if (frame.number)
		frame = interval_frame(b, frame, &name);
	if (!frame.number)
		return CPIDECODE_ENOMEM;
	own->frame = frame;
	own->counts = true;
	return count_interval(b, frame.number, iv);
}

static int add_interval(struct builder *b, const struct interval *iv)
{
	struct thread_stack *t =
		thread_stacks_find(&b->threads, iv->machine, iv->tid, iv->start_ticks);

	if (!t)
		return CPIDECODE_ENOMEM;
	close_from(b, t, iv->depth);
	if (grow(&t->at, t->count, &t->cap, sizeof(struct open_interval)))
		return CPIDECODE_ENOMEM;
	struct open_interval *stack = t->at;
	int rc = open_interval(b, &stack[iv->depth], stack, iv);
	if (rc)
		return rc;
	t->count++;
	if (!iv->depth)
		t->until = iv->end_ticks;
	return 0;
}

static unsigned wants_of(const struct report *r)
{
	static const unsigned weights[] = {[WEIGHT_CYCLES] = 0,
		[WEIGHT_NS] = WANT_START,
		[WEIGHT_INSTRUCTIONS] = WANT_SYSTEM,
		[WEIGHT_THREAD_CYCLES] = WANT_THREAD};
	bool by_time = r->filter->from != INT64_MIN || r->filter->to != INT64_MAX;

	if (r->format == FORMAT_SVG)
		return WANT_START | WANT_SYSTEM | WANT_THREAD;
	return weights[r->weight] | WANT_METHOD | (by_time ? WANT_START : 0);
}

/*
 * What is nested in an interval has to be seen, wanted or not and however early it ended:
 * nothing is filtered here.
 */
static int add_sorted(struct builder *b)
{
	const struct report *r = b->r;
	struct interval_stream_options how = {.progress = r->progress,
		.progress_ctx = r->ctx,
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

static int begin_tree(struct builder *b)
{
	b->start = INT64_MAX;
	b->end = INT64_MIN;
	return flame_tree_begin(&b->tree, b->r->format == FORMAT_SVG);
}

/* Without sorting. 1: that does not get this trace right, and nothing was added. */
static int add_logged(struct builder *b)
{
	struct flame_log log = {.r = b->r};
	int rc = flame_log_write(&log, wants_of(b->r), b->r->found);

	if (!rc)
		rc = flame_backward(&log, &b->tree);
	for (unsigned i = 0; log.writers && i < log.count; i++) {
		const struct flame_writer *w = &log.writers[i];

		b->start = w->start < b->start ? w->start : b->start;
		b->end = w->end > b->end ? w->end : b->end;
	}
	flame_log_free(&log);
	if (rc <= 0)
		return rc;
	flame_tree_free(&b->tree);
	if (b->r->found) {
		findings_free(b->r->found);
		*b->r->found = (struct findings){0};
	}
	rc = begin_tree(b);
	return rc ? rc : 1;
}

static int add_intervals(struct builder *b)
{
	int rc = filter_takes_all(b->r->filter) ? add_logged(b) : 1;

	return rc > 0 ? add_sorted(b) : rc;
}

static int flame_prepare_builder(struct builder *b)
{
	for (unsigned mm = 0; mm < 256; mm++)
		snprintf(b->minors[mm], sizeof b->minors[mm], "minor 0x%02X", mm);
	return begin_tree(b);
}

static const char *const units[] = {[WEIGHT_CYCLES] = "cycles",
	[WEIGHT_NS] = "ns",
	[WEIGHT_INSTRUCTIONS] = "instructions",
	[WEIGHT_THREAD_CYCLES] = "thread cycles"};

static int flame_write_picture(struct builder *b)
{
	struct flame f = {
		.unit = units[b->r->weight], .host = b->r->host, .scripted = b->r->scripted};
	struct out range;
	int rc = flame_picture(&b->tree, &f);

	if (rc)
		return rc;
	out_memory(&range);
	if (b->tree.count > 1) {
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
	f.range = range.buf;
	f.weight = b->r->weight == WEIGHT_CYCLES ? "elapsed cycles" : f.unit;
	rc = range.error ? CPIDECODE_ENOMEM : 0;
	if (!rc)
		flame_svg(b->r->out, &f);
	out_discard(&range);
	free(f.frames);
	return rc;
}

static int flame_write_lines(struct builder *b)
{
	struct pages frames = {0};
	uint64_t cut = 0;
	int rc = flame_lines(&b->tree, &frames);

	if (!rc && flame_folded(b->r->out, frames.at, &cut))
		rc = CPIDECODE_ENOMEM;
	if (cut)
		report_note(b->r,
			"%" PRIu64 " frame%s deeper than %d: counted in what they are nested in",
			cut, cut == 1 ? " is" : "s are", FOLDED_DEPTH);
	pages_free(&frames);
	return rc;
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
	int rc = flame_prepare_builder(b);
	if (!rc)
		rc = add_intervals(b);
	if (!rc)
		rc = r->format == FORMAT_SVG ? flame_write_picture(b) : flame_write_lines(b);
	if (!rc && b->tree.count <= 1 && !b->left_out)
		report_note_no_intervals(r);
	if (!rc && b->left_out)
		report_note(r, "%llu interval%s left out: %s were not measured in %s",
			(unsigned long long)b->left_out, b->left_out == 1 ? "" : "s",
			units[r->weight], b->left_out == 1 ? "it" : "them");
	out_discard(&b->spelled);
	flame_tree_free(&b->tree);
	free(b);
	return rc;
}
