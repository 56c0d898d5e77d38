#include "interval_sorter.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../../include/cpidecode.h"
#include "../../../formats/base/temporary.h"
#include "../../base/grow.h"
#include "sorter_private.h"

enum {
	STAGE = 128 << 10, /* bytes written at once */
	MAX_FAN = 256,	   /* runs merged at once */
	AHEAD = 12,	   /* records prefetched ahead */
};

int interval_sorter_new(
	const struct interval_sorter_options *options, struct interval_sorter **result)
{
	struct interval_sorter *s = calloc(1, sizeof *s);

	*result = NULL;
	if (!s)
		return CPIDECODE_ENOMEM;
	s->options = *options;
	s->fd = -1;
	pthread_mutex_init(&s->lock, NULL);
	s->batches = calloc(options->threads, sizeof *s->batches);
	if (!s->batches) {
		interval_sorter_free(s);
		return CPIDECODE_ENOMEM;
	}
	*result = s;
	return 0;
}

static void free_batch(struct sorter_batch *b)
{
	free(b->bytes);
	free(b->entries);
	*b = (struct sorter_batch){0};
}

void interval_sorter_free(struct interval_sorter *s)
{
	if (!s)
		return;
	sorter_merge_close(s->merge);
	for (unsigned i = 0; s->batches && i < s->options.threads; i++)
		free_batch(&s->batches[i]);
	free(s->batches);
	if (s->fd >= 0)
		close(s->fd);
	pthread_mutex_destroy(&s->lock);
	free(s->runs);
	free(s->tail);
	free(s);
}

int interval_sorter_error(const struct interval_sorter *s)
{
	return s->error;
}

static int failed(struct interval_sorter *s, int error)
{
	pthread_mutex_lock(&s->lock);
	if (!s->error)
		s->error = error;
	pthread_mutex_unlock(&s->lock);
	return CPIDECODE_ESPOOL;
}

int sorter_reserve(struct interval_sorter *s, uint64_t bytes, uint64_t *offset)
{
	pthread_mutex_lock(&s->lock);
	if (s->fd < 0)
		s->fd = temporary_open_unnamed();
	int error = s->fd < 0 ? errno : 0;
	*offset = s->file_end;
	s->file_end += bytes;
	pthread_mutex_unlock(&s->lock);
	return error ? failed(s, error) : 0;
}

int sorter_write(struct interval_sorter *s, const void *p, size_t n, uint64_t offset)
{
	const uint8_t *from = p;

	while (n) {
		ssize_t done = pwrite(s->fd, from, n, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return failed(s, done ? errno : ENOSPC);
		from += done;
		offset += (uint64_t)done;
		n -= (size_t)done;
	}
	return 0;
}

int sorter_read(struct interval_sorter *s, void *p, size_t n, uint64_t offset)
{
	uint8_t *to = p;

	while (n) {
		ssize_t done = pread(s->fd, to, n, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) /* the file is shorter than the bytes written */
			return failed(s, done ? errno : EIO);
		to += done;
		offset += (uint64_t)done;
		n -= (size_t)done;
	}
	return 0;
}

int sorter_add_run(struct interval_sorter *s, struct sorter_run run)
{
	pthread_mutex_lock(&s->lock);
	int rc = grow(&s->runs, s->nruns, &s->runs_cap, sizeof *s->runs);
	if (!rc)
		s->runs[s->nruns++] = run;
	pthread_mutex_unlock(&s->lock);
	return rc;
}

/* A run being written: batches small records. */
struct writer {
	struct interval_sorter *s;
	uint8_t *stage;
	size_t used, cap;
	uint64_t at;
};

static int open_writer(struct writer *w, struct interval_sorter *s, uint64_t bytes)
{
	*w = (struct writer){.s = s, .cap = bytes < STAGE ? (size_t)bytes : STAGE};
	w->stage = malloc(w->cap);
	return w->stage ? 0 : CPIDECODE_ENOMEM;
}

static int write_record(struct writer *w, const struct interval_record *r)
{
	if (w->used + r->size > w->cap) {
		int rc = sorter_write(w->s, w->stage, w->used, w->at);

		if (rc)
			return rc;
		w->at += w->used;
		w->used = 0;
	}
	memcpy(w->stage + w->used, r, r->size);
	w->used += r->size;
	return 0;
}

static int end_run(struct writer *w, struct sorter_run run)
{
	int rc = sorter_write(w->s, w->stage, w->used, w->at);

	return rc ? rc : sorter_add_run(w->s, run);
}

static int write_batch(struct interval_sorter *s, struct sorter_batch *b, struct writer *w)
{
	struct sorter_run run = {.bytes = b->used};
	int rc = sorter_batch_sort(s, b);

	if (!rc)
		rc = sorter_reserve(s, b->used, &run.offset);
	w->at = run.offset;
	for (size_t i = 0; i < b->count && !rc; i++) {
		if (b->count - i > AHEAD)
			__builtin_prefetch(sorter_record(b, &b->entries[i + AHEAD]));
		rc = write_record(w, sorter_record(b, &b->entries[i]));
	}
	return rc ? rc : end_run(w, run);
}

static int spill(struct interval_sorter *s, struct sorter_batch *b)
{
	struct writer w;
	int rc = open_writer(&w, s, b->used);

	if (!rc)
		rc = write_batch(s, b, &w);
	free(w.stage);
	b->used = b->count = 0;
	return rc;
}

static int sorter_reserve_record(struct interval_sorter *s, struct sorter_batch *b)
{
	/* Sorting needs a second entry for each. */
	size_t needed = b->used + RECORD_MAX_SIZE + 2 * (b->count + 1) * sizeof *b->entries;
	size_t share = s->options.budget / s->options.threads;

	if (b->count && needed > share) {
		int rc = spill(s, b);

		if (rc)
			return rc;
	}
	if (b->cap - b->used < RECORD_MAX_SIZE) {
		size_t cap = b->cap ? 2 * b->cap : 8 * (size_t)RECORD_MAX_SIZE;

		if (cap > share && share >= b->used + RECORD_MAX_SIZE)
			cap = share;
		if (!array_resize(&b->bytes, cap, 1))
			return CPIDECODE_ENOMEM;
		b->cap = cap;
	}
	return grow(&b->entries, b->count, &b->entries_cap, sizeof *b->entries);
}

static int put_outside(struct interval_sorter *s, const struct interval *iv, uint64_t *offset)
{
	size_t n = interval_record_tail(iv);
	uint8_t *tail = malloc(n);

	if (!tail)
		return CPIDECODE_ENOMEM;
	interval_record_put_tail(tail, iv);
	int rc = sorter_reserve(s, n, offset);
	if (!rc)
		rc = sorter_write(s, tail, n, *offset);
	free(tail);
	return rc;
}

int interval_sorter_add(
	struct interval_sorter *s, unsigned thread, const struct interval *iv, bool kept)
{
	struct sorter_batch *b = &s->batches[thread];
	uint64_t outside = 0;
	int rc = sorter_reserve_record(s, b);

	if (!rc && kept && interval_record_tail(iv) > RECORD_MAX_INSIDE)
		rc = put_outside(s, iv, &outside);
	if (rc)
		return rc;
	size_t n = interval_record_put(b->bytes + b->used, iv, s->options.wants, kept, outside);
	const struct interval_record *r = (const void *)(b->bytes + b->used);
	b->entries[b->count++] = sorter_entry_of(s, r, b->used);
	b->used += n;
	return 0;
}

/* Merges some runs when the buffers of all would need too much memory. */
static int merge_some(struct interval_sorter *s, size_t first)
{
	struct writer w;
	struct sorter_run run = {0};
	struct sorter_merge *m = NULL;
	const struct interval_record *r;

	for (size_t i = first; i < first + MAX_FAN; i++)
		run.bytes += s->runs[i].bytes;
	int rc = open_writer(&w, s, run.bytes);
	if (!rc)
		rc = sorter_reserve(s, run.bytes, &run.offset);
	w.at = run.offset;
	if (!rc)
		rc = sorter_merge_open(s, first, MAX_FAN, false, &m);
	while (!rc && (rc = sorter_merge_next(m, &r)) > 0)
		rc = write_record(&w, r);
	sorter_merge_close(m);
	if (!rc)
		rc = end_run(&w, run);
	free(w.stage);
	return rc;
}

static int merge_down(struct interval_sorter *s)
{
	size_t first = 0;

	while (s->nruns - first > MAX_FAN) {
		int rc = merge_some(s, first);

		if (rc)
			return rc;
		first += MAX_FAN;
	}
	memmove(s->runs, s->runs + first, (s->nruns - first) * sizeof *s->runs);
	s->nruns -= first;
	return 0;
}

int interval_sorter_rewind(struct interval_sorter *s)
{
	sorter_merge_close(s->merge);
	s->merge = NULL;
	for (unsigned i = 0; i < s->options.threads; i++) {
		int rc = sorter_batch_sort(s, &s->batches[i]);

		if (rc)
			return rc;
	}
	int rc = s->nruns > MAX_FAN ? merge_down(s) : 0;
	return rc ? rc : sorter_merge_open(s, 0, s->nruns, true, &s->merge);
}

int interval_sorter_next(struct interval_sorter *s, const struct interval_record **r)
{
	return sorter_merge_next(s->merge, r);
}

static int read_tail(struct interval_sorter *s, const struct interval_record *r)
{
	size_t n;
	uint64_t offset = interval_record_outside(r, s->options.wants, &n);

	if (!array_reserve(&s->tail, &s->tail_cap, n, 1))
		return CPIDECODE_ENOMEM;
	return sorter_read(s, s->tail, n, offset);
}

int interval_sorter_get(
	struct interval_sorter *s, const struct interval_record *r, struct interval *iv)
{
	int rc = r->marks & RECORD_OUTSIDE ? read_tail(s, r) : 0;

	if (!rc)
		interval_record_get(r, s->options.wants, s->tail, s->options.trace, iv);
	return rc;
}
