#include "section_starts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "../trace/trace_private.h"

/* A note: ticks + 1, or one of these. */
#define SECTION_UNKNOWN UINT64_C(0)
#define SECTION_ALWAYS UINT64_C(1)
#define SECTION_EMPTY UINT64_MAX

struct section_starts {
	const struct trace *t;
	size_t *first; /* by file: its first section in `noted` */
	size_t count;
	_Atomic uint64_t *noted;
};

struct section_starts *section_starts_new(const struct trace *t)
{
	struct section_starts *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->t = t;
	s->first = calloc(t->nfiles + 1, sizeof *s->first);
	for (size_t i = 0; s->first && i < t->nfiles; i++) {
		s->first[i] = s->count;
		s->count += t->files[i]->dir.count;
	}
	void *p = s->first ? mmap(NULL, (s->count + 1) * sizeof *s->noted, PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0)
			   : MAP_FAILED;
	if (p != MAP_FAILED) {
		s->noted = p;
		return s;
	}
	section_starts_free(s);
	return NULL;
}

void section_starts_free(struct section_starts *s)
{
	if (!s)
		return;
	if (s->noted)
		munmap((void *)s->noted, (s->count + 1) * sizeof *s->noted);
	free(s->first);
	free(s);
}

static _Atomic uint64_t *section_starts_at(
	const struct section_starts *s, size_t file, size_t ring, size_t section)
{
	return &s->noted[s->first[file] + s->t->files[file]->dir.rings[ring].first + section];
}

void section_starts_note(struct section_starts *s, size_t file, size_t ring, size_t begin,
	size_t end, uint64_t ticks)
{
	const uint64_t noted = ticks < UINT64_MAX ? ticks + 1 : SECTION_EMPTY;

	/* Relaxed: a reader needs nothing else that was written before. */
	for (size_t i = begin; i < end; i++)
		atomic_store_explicit(
			section_starts_at(s, file, ring, i), noted, memory_order_relaxed);
}

bool section_starts_after(
	const struct section_starts *s, size_t file, size_t ring, size_t section, int64_t to_ns)
{
	const struct file *f = s->t->files[file];
	const uint64_t noted = atomic_load_explicit(
		section_starts_at(s, file, ring, section), memory_order_relaxed);

	if (noted == SECTION_UNKNOWN || noted == SECTION_ALWAYS || !clock_is_monotone(&f->clock))
		return false;
	return noted == SECTION_EMPTY || clock_time(&f->clock, noted - 1) > to_ns;
}
