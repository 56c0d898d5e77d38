#include <stdlib.h>
#include <string.h>

#include "flame.h"

/*
 * Lines in the order of their stacks, without a list of stacks, which would grow with
 * the square of the depth: a frame takes part twice among those of its parent, as its
 * own line (sorted by its name) and as the block of the lines on it (by its name and ';').
 */
struct event {
	uint32_t frame;
	bool block;
};

struct folded {
	const struct flame *flame;
	struct event *events; /* sorted by parent, then as above */
	uint32_t *first;      /* of each parent's events */
	uint32_t *pending;    /* the stack: of each open block its event */
	size_t *length;	      /* and of the path without it */
	struct out path;      /* "a;b;" */
};

static uint32_t parent_of(const struct folded *fold, uint32_t event)
{
	return fold->flame->frames[fold->events[event].frame].parent;
}

static int compare(const void *x, const void *y, void *context)
{
	const struct flame *flame = context;
	const struct event *a = x, *b = y;
	const struct flame_frame *f = &flame->frames[a->frame], *g = &flame->frames[b->frame];
	if (f->parent != g->parent)
		return f->parent < g->parent ? -1 : 1;
	size_t common = f->name_len < g->name_len ? f->name_len : g->name_len;
	int order = common ? memcmp(f->name, g->name, common) : 0;
	if (order)
		return order;
	/* One name is the beginning of the other, or both are the same. */
	int next_f = f->name_len > common ? (unsigned char)f->name[common] : a->block ? ';' : -1;
	int next_g = g->name_len > common ? (unsigned char)g->name[common] : b->block ? ';' : -1;
	return (next_f > next_g) - (next_f < next_g);
}

static bool prepare(struct folded *fold)
{
	const struct flame *f = fold->flame;
	size_t nevents = 2 * ((size_t)f->count - 1);
	fold->events = calloc(nevents + 1, sizeof *fold->events);
	fold->first = calloc(f->count, sizeof *fold->first);
	fold->pending = calloc(f->count, sizeof *fold->pending);
	fold->length = calloc(f->count, sizeof *fold->length);
	if (!fold->events || !fold->first || !fold->pending || !fold->length)
		return false;
	for (uint32_t i = 1; i < f->count; i++) {
		fold->events[2 * (i - 1)] = (struct event){i, false};
		fold->events[2 * (i - 1) + 1] = (struct event){i, true};
	}
	qsort_r(fold->events, nevents, sizeof *fold->events, compare, (void *)f);
	for (size_t i = nevents; i-- > 0;)
		fold->first[parent_of(fold, (uint32_t)i)] = (uint32_t)i;
	return true;
}

static void write_line(struct out *o, const struct folded *fold, const struct flame_frame *frame)
{
	out_bytes(o, fold->path.buf, fold->path.len);
	out_bytes(o, frame->name, frame->name_len);
	out_char(o, ' ');
	out_u64(o, frame->self);
	out_char(o, '\n');
}

static void write_lines(struct out *o, struct folded *fold)
{
	const struct flame *f = fold->flame;
	uint32_t nevents = 2 * (f->count - 1), depth = 0;
	for (uint32_t at = 0; !o->error && !fold->path.error;) {
		const struct event *event = &fold->events[at];
		const struct flame_frame *frame = &f->frames[event->frame];
		if (!event->block && frame->has_value)
			write_line(o, fold, frame);
		if (event->block && frame->first_child) {
			fold->length[depth] = fold->path.len;
			fold->pending[depth++] = at;
			out_bytes(&fold->path, frame->name, frame->name_len);
			out_char(&fold->path, ';');
			at = fold->first[event->frame];
			continue;
		}
		while (at + 1 == nevents || parent_of(fold, at + 1) != parent_of(fold, at)) {
			if (!depth)
				return;
			at = fold->pending[--depth];
			fold->path.len = fold->length[depth];
		}
		at++;
	}
}

int flame_folded(struct out *o, const struct flame *f)
{
	struct folded fold = {.flame = f};
	out_memory(&fold.path);
	bool ready = prepare(&fold);
	if (ready && f->count > 1)
		write_lines(o, &fold);
	int rc = ready && !fold.path.error ? 0 : -1;
	out_discard(&fold.path);
	free(fold.events);
	free(fold.first);
	free(fold.pending);
	free(fold.length);
	return rc;
}
