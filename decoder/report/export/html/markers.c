#include "markers.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../../../../formats/base/compare.h"
#include "../../../../formats/counters_hooks.h"
#include "../../../../formats/cpi_hooks.h"
#include "../../../../formats/cpuutil_hooks.h"
#include "../../../../formats/interval_hooks.h"
#include "../../../../formats/kernel_hooks.h"
#include "../../../../formats/scope_hooks.h"
#include "../../../base/grow.h"
#include "../../../model/hooks/pass.h"

/* One thread's. */
struct markers_part {
	_Alignas(PASS_APART) struct marker *at;
	size_t count, room;
};

struct markers_reading {
	const struct report *r;
	struct markers_part *parts;
	atomic_size_t count;
};

/* Samples of counters come at each tick, the kernel's records in batches: markers of them would
 * show nothing. */
static bool markers_accept(const struct report *r, const struct hook *h)
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

static int markers_read_slice(void *ctx, struct pass_slice *slice)
{
	struct markers_reading *m = ctx;
	struct markers_part *part = &m->parts[pass_thread(slice)];
	const struct hook *h;
	int rc;

	while ((rc = pass_next(slice, &h)) > 0) {
		if (!markers_accept(m->r, h))
			continue;
		if (atomic_fetch_add_explicit(&m->count, 1, memory_order_relaxed) >= MARKERS_MAX)
			return CPIDECODE_ECANCELED;
		if (array_grow(&part->at, part->count, &part->room, sizeof *part->at))
			return CPIDECODE_ENOMEM;
		part->at[part->count++] = (struct marker){.time = h->time_ns,
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

static int markers_compare(const void *a, const void *b)
{
	const struct marker *x = a, *y = b;
	int c = compare_i64(x->time, y->time);

	if (!c)
		c = compare_u64_pair(x->file, y->file, x->ring, y->ring);
	return c ? c : compare_u64(x->position, y->position);
}

static int markers_gather(struct markers *m, const struct markers_part *parts, unsigned n)
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
	qsort(m->at, m->count, sizeof *m->at, markers_compare);
	return 0;
}

int markers_read(struct markers *m, const struct report *r)
{
	struct markers_reading reading = {.r = r};
	const struct pass pass = report_pass(r, markers_read_slice, &reading);
	unsigned threads = pass_threads(&pass);

	if (r->where || r->filter->label || r->filter->by_minor || !r->found->has_other_hooks)
		return 0;
	reading.parts = pass_alloc(threads, sizeof *reading.parts);
	if (!reading.parts)
		return CPIDECODE_ENOMEM;
	int rc = pass_run(&pass, NULL);
	m->too_many = reading.count > MARKERS_MAX;
	if (m->too_many && rc == CPIDECODE_ECANCELED)
		rc = 0;
	else if (!rc)
		rc = markers_gather(m, reading.parts, threads);
	int error = errno;
	for (unsigned i = 0; i < threads; i++)
		free(reading.parts[i].at);
	free(reading.parts);
	errno = error;
	return rc;
}

void markers_free(struct markers *m)
{
	free(m->at);
}
