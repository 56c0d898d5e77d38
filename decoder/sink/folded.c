#include <stdlib.h>
#include <string.h>

#include "../base/grow.h"
#include "flame.h"

/*
 * Lines in the order of their stacks. Children come in the order of their names, and so do
 * their own lines; but the lines on a child begin with its name and ';', so children whose names
 * continue with something before that come between: the block of lines waits for them.
 */
struct level {
	uint32_t next;	/* child to come; 0: none */
	size_t waiting; /* waiting blocks on the levels below */
	size_t length;	/* of the path to its parent's parent */
};

struct folded {
	const struct flame_stack *frames;
	struct level *levels;
	uint32_t *waiting; /* frames whose blocks are still to come */
	size_t nlevels, levels_cap, nwaiting, waiting_cap;
	struct out path; /* "a;b;" */
	uint64_t cut;	 /* frames beyond the depth that is written */
};

/* Defers the frame's block of lines. */
static int wait_for_block(struct folded *fold, uint32_t frame)
{
	if (array_grow(&fold->waiting, fold->nwaiting, &fold->waiting_cap, sizeof *fold->waiting))
		return -1;
	fold->waiting[fold->nwaiting++] = frame;
	return 0;
}

/* Sums the frames nested in one. */
static int add_above(
	struct folded *fold, const struct flame_stack *frame, uint64_t *sum, bool *has_value)
{
	size_t before = fold->nwaiting;

	if (!frame->first_child)
		return 0;
	int rc = wait_for_block(fold, frame->first_child);
	while (!rc && fold->nwaiting > before) {
		const struct flame_stack *f = &fold->frames[fold->waiting[--fold->nwaiting]];

		*sum += f->self;
		*has_value |= f->has_value;
		fold->cut++;
		if (f->next)
			rc = wait_for_block(fold, f->next);
		if (!rc && f->first_child)
			rc = wait_for_block(fold, f->first_child);
	}
	return rc;
}

static void write_line(
	struct out *o, const struct folded *fold, const struct flame_stack *frame, uint64_t value)
{
	out_bytes(o, fold->path.buf, fold->path.len);
	out_bytes(o, frame->name, frame->name_len);
	out_char(o, ' ');
	out_u64(o, value);
	out_char(o, '\n');
}

static int begin_level(struct folded *fold, uint32_t frame, size_t length)
{
	if (array_grow(&fold->levels, fold->nlevels, &fold->levels_cap, sizeof *fold->levels))
		return -1;
	fold->levels[fold->nlevels++] =
		(struct level){fold->frames[frame].first_child, fold->nwaiting, length};
	return 0;
}

/* Writes the lines of the frame deferred last. */
static int begin_block(struct folded *fold)
{
	uint32_t frame = fold->waiting[--fold->nwaiting];
	const struct flame_stack *f = &fold->frames[frame];
	size_t length = fold->path.len;

	out_bytes(&fold->path, f->name, f->name_len);
	out_char(&fold->path, ';');
	return begin_level(fold, frame, length);
}

/* Whether the frame's own line sorts before the deferred frame's block. */
static bool comes_before_block(const struct folded *fold, const struct flame_stack *frame)
{
	const struct flame_stack *f = &fold->frames[fold->waiting[fold->nwaiting - 1]];
	size_t n = f->name_len;

	return frame->name_len > n && (!n || memcmp(frame->name, f->name, n) == 0) &&
	       (unsigned char)frame->name[n] < ';';
}

/* Prefetches the next frames, which are scattered in memory. */
static void ask_next(const struct flame_stack *frames, const struct flame_stack *f)
{
	const struct flame_stack *next = &frames[f->next];

	__builtin_prefetch(&frames[f->first_child]);
	__builtin_prefetch(&frames[next->next]);
	__builtin_prefetch(next->name);
}

static int folded_write_lines(struct out *o, struct folded *fold)
{
	const struct flame_stack *frames = fold->frames;
	int rc = begin_level(fold, 0, 0);

	while (!rc && fold->nlevels && !o->error && !fold->path.error) {
		struct level *level = &fold->levels[fold->nlevels - 1];
		const struct flame_stack *frame = level->next ? &frames[level->next] : NULL;

		if (fold->nwaiting > level->waiting &&
			!(frame && comes_before_block(fold, frame))) {
			rc = begin_block(fold);
		} else if (frame) {
			ask_next(frames, frame);
			uint64_t value = frame->self;
			bool has_value = frame->has_value, deepest = fold->nlevels == FOLDED_DEPTH;
			if (deepest)
				rc = add_above(fold, frame, &value, &has_value);
			if (has_value)
				write_line(o, fold, frame, value);
			if (!rc && frame->first_child && !deepest)
				rc = wait_for_block(fold, level->next);
			level->next = frame->next;
		} else {
			fold->path.len = level->length;
			fold->nlevels--;
		}
	}
	return fold->path.error ? -1 : rc;
}

int flame_folded(struct out *o, const struct flame_stack *frames, uint64_t *cut)
{
	struct folded fold = {.frames = frames};

	out_memory(&fold.path);
	int rc = folded_write_lines(o, &fold);
	out_discard(&fold.path);
	free(fold.levels);
	free(fold.waiting);
	*cut = fold.cut;
	return rc;
}
