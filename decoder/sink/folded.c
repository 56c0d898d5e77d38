#include <stdlib.h>
#include <string.h>

#include "flame.h"

/*
 * Lines in the order of their stacks. Children come in the order of their names, and so do
 * their own lines; but the lines on a child begin with its name and ';', so children whose
 * names go on with something before that come between: the block of lines waits for them.
 */
struct level {
	uint32_t next;	  /* child to come; 0: none */
	uint32_t waiting; /* how many blocks wait on the levels below */
	size_t length;	  /* of the path to its parent's parent */
};

struct folded {
	const struct flame *flame;
	struct level *levels;
	uint32_t *waiting; /* frames whose blocks are still to come */
	uint32_t nlevels, nwaiting;
	struct out path; /* "a;b;" */
};

static bool prepare(struct folded *fold)
{
	uint32_t count = fold->flame->count, deepest = 0;
	for (uint32_t i = 0; i < count; i++)
		if (fold->flame->frames[i].depth > deepest)
			deepest = fold->flame->frames[i].depth;
	fold->levels = calloc((size_t)deepest + 1, sizeof *fold->levels);
	fold->waiting = calloc(count, sizeof *fold->waiting);
	return fold->levels && fold->waiting;
}

static void write_line(struct out *o, const struct folded *fold, const struct flame_frame *frame)
{
	out_bytes(o, fold->path.buf, fold->path.len);
	out_bytes(o, frame->name, frame->name_len);
	out_char(o, ' ');
	out_u64(o, frame->self);
	out_char(o, '\n');
}

static void begin_level(struct folded *fold, uint32_t frame, size_t length)
{
	fold->levels[fold->nlevels++] =
		(struct level){fold->flame->frames[frame].first_child, fold->nwaiting, length};
}

/* The lines on the frame that waits, which came last. */
static void begin_block(struct folded *fold)
{
	uint32_t frame = fold->waiting[--fold->nwaiting];
	const struct flame_frame *f = &fold->flame->frames[frame];
	size_t length = fold->path.len;
	out_bytes(&fold->path, f->name, f->name_len);
	out_char(&fold->path, ';');
	begin_level(fold, frame, length);
}

/* Does frame's own line come before the block of the one that waits? */
static bool comes_before_block(const struct folded *fold, const struct flame_frame *frame)
{
	const struct flame_frame *f = &fold->flame->frames[fold->waiting[fold->nwaiting - 1]];
	size_t n = f->name_len;
	return frame->name_len > n && (!n || !memcmp(frame->name, f->name, n)) &&
	       (unsigned char)frame->name[n] < ';';
}

static void write_lines(struct out *o, struct folded *fold)
{
	const struct flame_frame *frames = fold->flame->frames;
	begin_level(fold, 0, 0);
	while (fold->nlevels && !o->error && !fold->path.error) {
		struct level *level = &fold->levels[fold->nlevels - 1];
		const struct flame_frame *frame = level->next ? &frames[level->next] : NULL;
		if (fold->nwaiting > level->waiting &&
			!(frame && comes_before_block(fold, frame))) {
			begin_block(fold);
		} else if (frame) {
			if (frame->has_value)
				write_line(o, fold, frame);
			if (frame->first_child)
				fold->waiting[fold->nwaiting++] = level->next;
			level->next = frame->next;
		} else {
			fold->path.len = level->length;
			fold->nlevels--;
		}
	}
}

int flame_folded(struct out *o, const struct flame *f)
{
	struct folded fold = {.flame = f};
	out_memory(&fold.path);
	bool ready = prepare(&fold);
	if (ready)
		write_lines(o, &fold);
	int rc = ready && !fold.path.error ? 0 : -1;
	out_discard(&fold.path);
	free(fold.levels);
	free(fold.waiting);
	return rc;
}
