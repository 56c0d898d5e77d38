#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../../formats/base/temporary.h"
#include "../grow.h"
#include "../whole_io.h"
#include "pack.h"
#include "private.h"

enum {
	SORTER_STAGE =
		256 << 10,     /* bytes written at once; half of it costs the kernel more a byte */
	MAX_FAN = 512,	       /* runs merged at once */
	SMALL_BATCH = 4 << 20, /* bytes of a batch once the file is used */
	SMALL_RUNS = 64,       /* runs of that size, before batches grow */
	AHEAD = 12,	       /* records prefetched ahead */
};

int sorter_new(const struct sorter_options *options, struct sorter **result)
{
	struct sorter *s = calloc(1, sizeof *s);

	*result = NULL;
	if (!s)
		return CPIDECODE_ENOMEM;
	s->options = *options;
	s->share = options->budget / options->threads;
	s->fd = -1;
	pthread_mutex_init(&s->lock, NULL);
	s->batches = calloc(options->threads, sizeof *s->batches);
	if (!s->batches) {
		sorter_free(s);
		return CPIDECODE_ENOMEM;
	}
	for (unsigned i = 0; i < options->threads; i++)
		s->batches[i].limit = s->share;
	*result = s;
	return 0;
}

void sorter_batch_free(struct sorter_batch *b)
{
	free(b->bytes);
	free(b->entries);
	free(b->spare);
	free(b->next);
	*b = (struct sorter_batch){0};
}

void sorter_free(struct sorter *s)
{
	if (!s)
		return;
	sorter_merge_close(s->merge);
	for (unsigned i = 0; s->batches && i < s->options.threads; i++)
		sorter_batch_free(&s->batches[i]);
	free(s->batches);
	if (s->fd >= 0)
		close(s->fd);
	pthread_mutex_destroy(&s->lock);
	free(s->runs);
	free(s);
}

int sorter_error(const struct sorter *s)
{
	return s->error;
}

static int sorter_fail(struct sorter *s, int error)
{
	pthread_mutex_lock(&s->lock);
	if (!s->error)
		s->error = error;
	pthread_mutex_unlock(&s->lock);
	return CPIDECODE_ESPOOL;
}

/* Assigns bytes at the end of the file, from any thread. */
static int sorter_extend_file(struct sorter *s, uint64_t bytes, uint64_t *offset)
{
	pthread_mutex_lock(&s->lock);
	if (s->fd < 0)
		s->fd = temporary_open_unnamed();
	int error = s->fd < 0 ? errno : 0;
	*offset = s->file_end;
	s->file_end += bytes;
	pthread_mutex_unlock(&s->lock);
	return error ? sorter_fail(s, error) : 0;
}

static int sorter_write(struct sorter *s, const void *p, size_t n, uint64_t offset)
{
	return whole_write(s->fd, p, n, offset) ? sorter_fail(s, errno) : 0;
}

int sorter_load(struct sorter *s, void *p, size_t n, uint64_t offset)
{
	ssize_t got = whole_read(s->fd, p, n, offset);

	if (got == (ssize_t)n)
		return 0;
	return sorter_fail(s, got < 0 ? errno : EIO); /* or shorter than the bytes written */
}

static int sorter_add_run(struct sorter *s, struct sorter_run run)
{
	pthread_mutex_lock(&s->lock);
	int rc = array_grow(&s->runs, s->nruns, &s->runs_cap, sizeof *s->runs);
	if (!rc)
		s->runs[s->nruns++] = run;
	pthread_mutex_unlock(&s->lock);
	return rc;
}

/* A run being written: batches small records. */
struct writer {
	struct sorter *s;
	struct packer packer;
	uint8_t *stage;
	size_t used, cap;
	uint64_t at;
};

/* most: of the run. */
static int open_writer(struct writer *w, struct sorter *s, uint64_t most)
{
	*w = (struct writer){.s = s, .cap = most < SORTER_STAGE ? (size_t)most : SORTER_STAGE};
	w->stage = malloc(w->cap + PACK_SLACK);
	return w->stage ? 0 : CPIDECODE_ENOMEM;
}

static int write_record(struct writer *w, const struct sorter_record *r)
{
	if (w->used + pack_most(r->size) > w->cap) {
		int rc = sorter_write(w->s, w->stage, w->used, w->at);

		if (rc)
			return rc;
		w->at += w->used;
		w->used = 0;
	}
	w->used = (size_t)(pack_record(&w->packer, w->stage + w->used, r) - w->stage);
	return 0;
}

static int end_run(struct writer *w, struct sorter_run run)
{
	int rc = sorter_write(w->s, w->stage, w->used, w->at);

	run.bytes = w->at + w->used - run.offset;
	return rc ? rc : sorter_add_run(w->s, run);
}

static int write_batch(
	struct sorter *s, struct sorter_batch *b, struct sorter_run run, struct writer *w)
{
	int rc = sorter_batch_sort(s->options.compare, b);

	if (!rc)
		rc = sorter_extend_file(s, run.most, &run.offset);
	w->at = run.offset;
	for (size_t i = 0; i < b->count && !rc; i++) {
		if (b->count - i > AHEAD)
			sorter_prefetch(b, &b->entries[i + AHEAD]);
		rc = write_record(w, sorter_record(b, &b->entries[i]));
	}
	return rc ? rc : end_run(w, run);
}

/*
 * Once the file is used, keeps batches small enough for the processor's caches: filling, sorting
 * and writing one is faster then. Batches grow with the file, which bounds the number of runs.
 */
static void sorter_limit_batch(const struct sorter *s, struct sorter_batch *b, uint64_t file_end)
{
	const uint64_t more = file_end / SMALL_RUNS;
	const uint64_t limit = more > SMALL_BATCH ? more : SMALL_BATCH;

	b->limit = limit < s->share ? (size_t)limit : s->share;
	/* Without memory to shrink it, it stays. */
	if (b->limit < b->cap && b->limit >= s->options.largest &&
		array_resize(&b->bytes, b->limit, 1))
		b->cap = b->limit;
}

static int sorter_spill_batch(struct sorter *s, struct sorter_batch *b)
{
	const struct sorter_run run = {.most = b->used + b->count * PACK_HEAD};
	struct writer w;
	int rc = open_writer(&w, s, run.most);

	if (!rc)
		rc = write_batch(s, b, run, &w);
	free(w.stage);
	b->used = b->count = 0;
	sorter_limit_batch(s, b, w.at);
	return rc;
}

/* Bytes of a batch with one more record. */
static inline size_t sorter_batch_bytes(const struct sorter *s, const struct sorter_batch *b)
{
	return b->used + s->options.largest + (b->count + 1) * SORTER_ENTRY_BYTES;
}

static __attribute__((noinline)) int sorter_make_room(struct sorter *s, struct sorter_batch *b)
{
	const size_t largest = s->options.largest;

	if (b->count && sorter_batch_bytes(s, b) > b->limit) {
		int rc = sorter_spill_batch(s, b);

		if (rc)
			return rc;
	}
	if (b->cap - b->used < largest) {
		size_t cap = b->cap ? 2 * b->cap : 8 * largest;

		if (cap > b->limit && b->limit >= b->used + largest)
			cap = b->limit;
		if (!array_resize(&b->bytes, cap, 1))
			return CPIDECODE_ENOMEM;
		b->cap = cap;
	}
	return array_grow(&b->entries, b->count, &b->entries_cap, sizeof *b->entries);
}

int sorter_reserve(struct sorter *s, unsigned thread, struct sorter_record **r)
{
	struct sorter_batch *b = &s->batches[thread];

	if (b->cap - b->used < s->options.largest || b->count == b->entries_cap ||
		sorter_batch_bytes(s, b) > b->limit) {
		int rc = sorter_make_room(s, b);

		if (rc)
			return rc;
	}
	*r = (void *)(b->bytes + b->used);
	return 0;
}

void sorter_add(struct sorter *s, unsigned thread)
{
	struct sorter_batch *b = &s->batches[thread];
	const struct sorter_record *r = (const void *)(b->bytes + b->used);

	b->entries[b->count++] = (struct sorter_entry){r->key, r->group, (uint32_t)(b->used / 8)};
	b->used += r->size;
}

int sorter_store(struct sorter *s, const void *p, size_t n, uint64_t *offset)
{
	int rc = sorter_extend_file(s, n, offset);

	return rc ? rc : sorter_write(s, p, n, *offset);
}

/* Merges runs [first, first + count) into one at the end of the list. */
static int merge_some(struct sorter *s, size_t first, size_t count)
{
	struct writer w;
	struct sorter_run run = {0};
	struct sorter_merge *m = NULL;
	const struct sorter_record *r;

	for (size_t i = first; i < first + count; i++)
		run.most += s->runs[i].most;
	int rc = open_writer(&w, s, run.most);
	if (!rc)
		rc = sorter_extend_file(s, run.most, &run.offset);
	w.at = run.offset;
	if (!rc)
		rc = sorter_merge_open(s, first, count, false, &m);
	while (!rc && (rc = sorter_merge_next(m, &r)) > 0)
		rc = write_record(&w, r);
	sorter_merge_close(m);
	if (!rc)
		rc = end_run(&w, run);
	free(w.stage);
	return rc;
}

/* Merges just enough runs that MAX_FAN are left: writing the others again would gain nothing. */
static int merge_down(struct sorter *s)
{
	size_t first = 0, left;

	while ((left = s->nruns - first) > MAX_FAN) {
		size_t count = left - MAX_FAN + 1;

		if (count > MAX_FAN)
			count = MAX_FAN;
		int rc = merge_some(s, first, count);

		if (rc)
			return rc;
		first += count;
	}
	memmove(s->runs, s->runs + first, (s->nruns - first) * sizeof *s->runs);
	s->nruns -= first;
	return 0;
}

int sorter_rewind(struct sorter *s)
{
	sorter_merge_close(s->merge);
	s->merge = NULL;
	for (unsigned i = 0; i < s->options.threads; i++) {
		int rc = sorter_batch_sort(s->options.compare, &s->batches[i]);

		if (rc)
			return rc;
	}
	int rc = s->nruns > MAX_FAN ? merge_down(s) : 0;
	return rc ? rc : sorter_merge_open(s, 0, s->nruns, true, &s->merge);
}

int sorter_next(struct sorter *s, const struct sorter_record **r)
{
	return sorter_merge_next(s->merge, r);
}
