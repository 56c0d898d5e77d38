#include "sources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/grow.h"
#include "../../base/heap.h"

enum {
	SOME = 128,
	MAX_TOGETHER = 1 << 16, /* handed out at once: all of one end are */
	MAX_SOURCES = 1 << 10,	/* each may hold a block */
};

static int sources_compare_segments(const void *x, const void *y)
{
	const struct flame_segment *a = x, *b = y;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->ring != b->ring)
		return a->ring < b->ring ? -1 : 1;
	if (a->slice != b->slice)
		return a->slice < b->slice ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static int gather(struct flame_sources *all)
{
	size_t n = 0;

	for (unsigned i = 0; i < all->log->count; i++)
		n += all->log->writers[i].nsegments;
	all->segments = malloc((n + 1) * sizeof *all->segments);
	if (!all->segments)
		return CPIDECODE_ENOMEM;
	for (unsigned i = 0; i < all->log->count; i++) {
		const struct flame_writer *w = &all->log->writers[i];

		if (w->nsegments)
			memcpy(all->segments + all->nsegments, w->segments,
				w->nsegments * sizeof *w->segments);
		all->nsegments += w->nsegments;
	}
	qsort(all->segments, all->nsegments, sizeof *all->segments, sources_compare_segments);
	for (size_t i = 0; i < n; i++)
		all->nall += !i || all->segments[i].ring != all->segments[i - 1].ring ||
			     all->segments[i].file != all->segments[i - 1].file;
	if (all->nall > MAX_SOURCES)
		return 1;
	all->all = calloc(all->nall + 1, sizeof *all->all);
	all->heap = calloc(all->nall + 1, sizeof(struct flame_source *));
	return all->all && all->heap ? 0 : CPIDECODE_ENOMEM;
}

static void make_sources(struct flame_sources *all)
{
	struct flame_source *s = all->all;

	for (size_t i = 0, end; i < all->nsegments; i = end, s++) {
		for (end = i + 1; end < all->nsegments; end++)
			if (all->segments[end].ring != all->segments[i].ring ||
				all->segments[end].file != all->segments[i].file)
				break;
		*s = (struct flame_source){.segments = all->segments + i, .left = end - i};
	}
}

static int sources_load_segment(
	struct flame_sources *all, struct flame_source *s, const struct flame_segment *segment)
{
	if (!s->block && !(s->block = malloc(FLAME_BLOCK)))
		return CPIDECODE_ENOMEM;
	int fd = all->log->writers[segment->writer].fd;
	for (uint32_t done = 0; done < segment->bytes;) {
		ssize_t n = pread(fd, s->block + done, segment->bytes - done,
			(off_t)(segment->offset + done));

		if (n < 0 && errno != EINTR)
			return CPIDECODE_ESPOOL;
		if (n == 0) {
			errno = EIO;
			return CPIDECODE_ESPOOL;
		}
		done += n > 0 ? (uint32_t)n : 0;
	}
	s->begin = s->block;
	return 0;
}

/* To the record before, in whichever segment. 1, 0: there is none, or a negative code. */
static int step_back(struct flame_sources *all, struct flame_source *s)
{
	while (s->p == s->begin) {
		if (s->p)
			flame_log_drop(all->log, &s->segments[s->left], all->blocks);
		if (!s->left)
			return 0;
		const struct flame_segment *segment = &s->segments[--s->left];
		int rc = segment->stored ? sources_load_segment(all, s, segment) : 0;
		if (rc)
			return rc;
		if (!segment->stored)
			s->begin = flame_log_at(all->log, segment);
		s->p = s->begin + segment->bytes;
		s->end = segment->end;
	}
	return 1;
}

static bool source_ends_after(const void *ctx, const void *a, const void *b)
{
	(void)ctx;
	return (*(struct flame_source *const *)a)->end > (*(struct flame_source *const *)b)->end;
}

static void sources_sift_down(struct flame_sources *all, size_t i)
{
	struct flame_source *s = all->heap[i];

	heap_sift_down(all->heap, all->count, i, &s, sizeof s, source_ends_after, NULL);
}

int flame_sources_start(struct flame_sources *all, uint32_t machine)
{
	all->count = 0;
	for (size_t i = 0; i < all->nall; i++) {
		struct flame_source *s = &all->all[i];

		if (trace_file(all->log->r->trace, s->segments->file)->machine != machine)
			continue;
		int rc = step_back(all, s);
		if (rc < 0)
			return rc;
		if (rc)
			all->heap[all->count++] = s;
	}
	for (size_t i = all->count / 2; i-- > 0;)
		sources_sift_down(all, i);
	return 0;
}

/* The one that ends last. 0, a negative code, or 1: one of its ring ends later. */
static int take_top(struct flame_sources *all)
{
	struct flame_source *s = all->heap[0];

	if (all->nended == MAX_TOGETHER)
		return 1;
	if (grow(&all->ended, all->nended, &all->ended_cap, sizeof *all->ended))
		return CPIDECODE_ENOMEM;
	struct flame_ended *e = &all->ended[all->nended];
	uint64_t end = s->end;
	s->p = flame_record_back(s->p, &e->record);
	e->segment = &s->segments[s->left];
	e->end = end;
	e->start = end - e->record.elapsed;
	e->early = e->record.elapsed > end;
	e->place = (uint32_t)all->nended++;
	s->end -= e->record.after;
	int rc = step_back(all, s);
	if (rc < 0)
		return rc;
	if (!rc)
		all->heap[0] = all->heap[--all->count];
	else if (s->end > end)
		return 1;
	if (all->count)
		sources_sift_down(all, 0);
	return 0;
}

/* The first one holds the others. */
static int sources_compare_starts(const void *x, const void *y)
{
	const struct flame_ended *a = x, *b = y;

	if (a->early != b->early)
		return a->early ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->segment->ring != b->segment->ring)
		return a->segment->ring < b->segment->ring ? -1 : 1;
	return (a->place < b->place) - (a->place > b->place);
}

/* Mostly they come in that order. */
static void sort_ended(struct flame_ended *e, size_t n)
{
	size_t i = 1;

	while (i < n && sources_compare_starts(&e[i - 1], &e[i]) < 0)
		i++;
	if (i < n)
		qsort(e, n, sizeof *e, sources_compare_starts);
}

/* Files with rings of the same number would have to be told apart by their positions. */
static bool is_unclear(const struct flame_ended *e, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (e[i].start == e[i - 1].start && e[i].segment->ring == e[i - 1].segment->ring &&
			e[i].segment->file != e[i - 1].segment->file)
			return true;
	return false;
}

int flame_sources_open(struct flame_sources *all)
{
	int rc = gather(all);

	if (!rc)
		make_sources(all);
	return rc;
}

/* All that end together. */
static int take_ended(struct flame_sources *all)
{
	size_t first = all->nended;
	uint64_t end = all->heap[0]->end;
	int rc;

	do
		rc = take_top(all);
	while (!rc && all->count && all->heap[0]->end == end);
	size_t n = all->nended - first;
	if (rc || n == 1)
		return rc;
	sort_ended(all->ended + first, n);
	return is_unclear(all->ended + first, n);
}

int flame_sources_next(struct flame_sources *all)
{
	int rc = 0;

	all->nended = 0;
	while (all->count && all->nended < SOME && !rc)
		rc = take_ended(all);
	return rc;
}

void flame_sources_close(struct flame_sources *all)
{
	for (size_t i = 0; all->all && i < all->nall; i++)
		free(all->all[i].block);
	free(all->all);
	free(all->heap);
	free(all->segments);
	free(all->ended);
}
