#include "marks.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../../../../formats/counters_hooks.h"
#include "../../../../formats/cpi_hooks.h"
#include "../../../../formats/cpuutil_hooks.h"
#include "../../../../formats/interval_hooks.h"
#include "../../../../formats/kernel_hooks.h"
#include "../../../../formats/scope_hooks.h"
#include "../../../base/grow.h"
#include "../../../model/hooks/pass.h"

/* One thread's. */
struct marks_part {
	_Alignas(PASS_APART) struct mark *at;
	size_t count, room;
};

struct marks_reading {
	const struct report *r;
	struct marks_part *parts;
	atomic_size_t count;
};

/* Samples of counters come at each tick, the kernel's records in batches: marks of them would show
 * nothing. */
static bool marks_takes(const struct report *r, const struct hook *h)
{
	struct filter_group group = {.trace = r->trace};

	switch (h->major) {
	case CPI_MAJOR:
	case CPUUTIL_MAJOR:
	case INTERVAL_MAJOR:
	case SCOPE_MAJOR:
	case COUNTERS_MAJOR:
	case KERNEL_MAJOR:
		return false;
	default:
		return filter_hook(r->filter, h, &group);
	}
}

static int marks_read_slice(void *ctx, struct pass_slice *slice)
{
	struct marks_reading *m = ctx;
	struct marks_part *part = &m->parts[pass_thread(slice)];
	const struct hook *h;
	int rc;

	while ((rc = pass_next(slice, &h)) > 0) {
		if (!marks_takes(m->r, h))
			continue;
		if (atomic_fetch_add_explicit(&m->count, 1, memory_order_relaxed) >= MARKS_MOST)
			return CPIDECODE_ECANCELED;
		if (grow(&part->at, part->count, &part->room, sizeof *part->at))
			return CPIDECODE_ENOMEM;
		part->at[part->count++] = (struct mark){.time = h->time_ns,
			.position = h->position,
			.ring = h->ring,
			.tid = h->tid,
			.file = h->file,
			.machine = h->machine,
			.minor = h->minor,
			.major = h->major,
			.task = h->task,
			.schema = h->schema};
	}
	return rc;
}

static int marks_compare(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;
	int c = (x->time > y->time) - (x->time < y->time);

	c = c ? c : (x->file > y->file) - (x->file < y->file);
	c = c ? c : (x->ring > y->ring) - (x->ring < y->ring);
	return c ? c : (x->position > y->position) - (x->position < y->position);
}

static int marks_gather(struct marks *m, const struct marks_part *parts, unsigned n)
{
	size_t count = 0;

	for (unsigned i = 0; i < n; i++)
		count += parts[i].count;
	if (!count)
		return 0;
	m->at = malloc(count * sizeof *m->at);
	if (!m->at)
		return CPIDECODE_ENOMEM;
	for (unsigned i = 0; i < n; i++)
		for (size_t k = 0; k < parts[i].count; k++)
			m->at[m->count++] = parts[i].at[k];
	qsort(m->at, m->count, sizeof *m->at, marks_compare);
	return 0;
}

int marks_read(struct marks *m, const struct report *r)
{
	struct marks_reading reading = {.r = r};
	const struct pass pass = {.trace = r->trace,
		.from_ns = r->filter->from,
		.to_ns = r->filter->to,
		.threads = r->threads,
		.read = marks_read_slice,
		.ctx = &reading,
		.progress = r->progress,
		.progress_ctx = r->ctx};
	unsigned threads = pass_threads(&pass);

	if (r->where || r->filter->label || r->filter->by_minor || !r->found->has_other_hooks)
		return 0;
	reading.parts = pass_alloc(threads, sizeof *reading.parts);
	if (!reading.parts)
		return CPIDECODE_ENOMEM;
	int rc = pass_run(&pass, NULL);
	m->too_many = reading.count > MARKS_MOST;
	if (m->too_many && rc == CPIDECODE_ECANCELED)
		rc = 0;
	else if (!rc)
		rc = marks_gather(m, reading.parts, threads);
	int error = errno;
	for (unsigned i = 0; i < threads; i++)
		free(reading.parts[i].at);
	free(reading.parts);
	errno = error;
	return rc;
}

void marks_free(struct marks *m)
{
	free(m->at);
}
