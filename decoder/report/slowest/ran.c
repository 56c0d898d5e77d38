#include "ran.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/base/search.h"
#include "../../base/grow.h"
#include "meanwhile.h"

static int ran_begin(struct ran_walk *w)
{
	w->at = calloc(w->overlaps->count + 1, sizeof *w->at);
	if (!w->at)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < w->overlaps->count; i++)
		w->at[i].iv = w->overlaps->at[i].iv;
	return 0;
}

/* Calls fn for each interval that overlaps the time. */
static int ran_each(struct ran_walk *w, uint32_t machine, uint64_t start, uint64_t end,
	int (*fn)(struct ran_walk *w, struct ran *r, const void *ctx), const void *ctx)
{
	size_t i = overlaps_count_begun(w->overlaps, machine, end);
	int rc = 0;

	while (!rc && overlaps_next(w->overlaps, machine, start, &i))
		rc = fn(w, &w->at[i], ctx);
	return rc;
}

/* -------------------------------------------------------- first, the interval's thread */

static int ran_add_stretch(struct ran_walk *w, struct ran *r, const void *ctx)
{
	const struct switch_run *run = ctx;
	struct ran_stretch *last = r->nstretches ? &r->stretches[r->nstretches - 1] : NULL;

	(void)w;
	if (run->tid != r->iv->tid || r->nstretches > RAN_STRETCHES)
		return 0;
	if (last && !last->is_left && last->cpu == run->cpu && last->end == run->start) {
		last->end = run->end;
		last->is_left = run->is_left;
		last->preempted = run->preempted;
		return 0;
	}
	if (array_grow(&r->stretches, r->nstretches, &r->stretches_room, sizeof *r->stretches))
		return CPIDECODE_ENOMEM;
	r->stretches[r->nstretches++] = (struct ran_stretch){.start = run->start,
		.end = run->end,
		.cpu = run->cpu,
		.is_left = run->is_left,
		.preempted = run->preempted};
	return 0;
}

static int ran_add_gap(struct ran_walk *w, struct ran *r, const void *ctx)
{
	(void)w;
	(void)ctx;
	r->has_gap = true;
	return 0;
}

static int ran_visit_own_run(void *ctx, const struct switch_run *read)
{
	struct ran_walk *w = ctx;
	struct switch_run run = *read;
	struct switch_cpu *c = switch_cpus_find(&w->cpus, run.machine, run.cpu);
	int rc = 0;

	if (!c)
		return CPIDECODE_ENOMEM;
	/* A hook that is missing, for whatever reason. */
	if (run.start > c->end)
		rc = ran_each(w, run.machine, c->end, run.start, ran_add_gap, NULL);
	if (rc || !switch_cpu_advance(c, &run) || run.tid == KERNEL_TID_UNKNOWN)
		return rc;
	return ran_each(w, run.machine, run.start, run.end, ran_add_stretch, &run);
}

/* Nothing is known of a processor without records of its own. */
static int ran_add_ring(void *ctx, uint32_t file, uint32_t cpu)
{
	struct ran_walk *w = ctx;
	const uint32_t machine = trace_file(w->trace, file)->machine;

	return switch_cpus_find(&w->cpus, machine, cpu) ? 0 : CPIDECODE_ENOMEM;
}

/* Nothing is known of a processor after its last record. */
static int ran_end_cpus(struct ran_walk *w)
{
	int rc = w->cpus.count ? switches_each_ring(w->trace, ran_add_ring, w) : 0;

	for (size_t i = 0; i < w->cpus.count && !rc; i++)
		rc = ran_each(
			w, w->cpus.at[i].group, w->cpus.at[i].end, UINT64_MAX, ran_add_gap, NULL);
	/* For the second reading. */
	w->cpus.count = 0;
	return rc;
}

static int ran_add_loss(struct ran_walk *w, struct ran *r, const void *ctx)
{
	const struct switch_loss *loss = ctx;

	(void)w;
	if (!r->has_lost)
		r->has_lost_number = true;
	r->has_lost = true;
	if (!loss->records)
		r->has_lost_number = false;
	r->lost += loss->records < UINT64_MAX - r->lost ? loss->records : UINT64_MAX - r->lost;
	return 0;
}

static bool ran_has_wakeups(const struct ran_walk *w, uint32_t machine)
{
	for (size_t i = 0; i < w->nwakeup_machines; i++)
		if (w->wakeup_machines[i] == machine)
			return true;
	return false;
}

static int ran_visit_wakeups(struct ran_walk *w, const struct hook *h)
{
	if (!wakeups_has_hook(h))
		return 0;
	if (!ran_has_wakeups(w, h->machine)) {
		if (array_grow(&w->wakeup_machines, w->nwakeup_machines, &w->wakeup_machines_room,
			    sizeof *w->wakeup_machines))
			return CPIDECODE_ENOMEM;
		w->wakeup_machines[w->nwakeup_machines++] = h->machine;
	}
	return waits_add_hook(&w->waits, h);
}

static int ran_visit_first(void *ctx, const struct hook *h)
{
	struct ran_walk *w = ctx;
	struct switch_loss loss;
	int rc = switch_names_add(&w->names, h);

	if (!rc)
		rc = ran_visit_wakeups(w, h);
	if (!rc && switches_read_loss(h, &loss))
		rc = ran_each(w, loss.machine, loss.start, loss.end, ran_add_loss, &loss);
	return rc ? rc : switches_each_run(h, ran_visit_own_run, w);
}

static int ran_compare_stretches(const void *x, const void *y)
{
	const struct ran_stretch *a = x, *b = y;

	return compare_u64_pair(a->start, b->start, a->end, b->end);
}

static enum ran_why ran_why_unknown(const struct ran_walk *w, const struct ran *r)
{
	const struct interval *iv = r->iv;

	if (!switches_number_task(w->trace, iv->machine, iv->task))
		return RAN_OTHER_NUMBER;
	if (r->nstretches > RAN_STRETCHES)
		return RAN_TOO_MANY;
	if (!r->nstretches || r->has_lost || r->has_gap ||
		r->stretches[0].start > iv->start_ticks ||
		r->stretches[r->nstretches - 1].end < iv->end_ticks)
		return RAN_NOT_COVERED;
	return RAN_COVERED;
}

/* For each wait of the interval: adds it; or, once the wake-ups are read, counts it for its waker.
 * Returns 0 or CPIDECODE_ENOMEM. */
static int ran_each_wait(struct ran_walk *w, struct ran *r, bool is_read)
{
	const struct trace_file *f = trace_file(w->trace, r->iv->file);
	int rc = 0;

	if (!r->wakers.is_recorded || r->why != RAN_COVERED)
		return 0;
	for (size_t i = 0; i + 1 < r->nstretches && !rc; i++) {
		const struct ran_stretch *a = &r->stretches[i];
		const struct wait wait = {.left = a->end,
			.back = r->stretches[i + 1].start,
			.machine = r->iv->machine,
			.tid = r->iv->tid};

		if (!a->preempted)
			rc = is_read ? wakers_add_wait(&r->wakers, f, &w->waits, &wait)
				     : waits_add(&w->waits, f, &wait, a->start);
	}
	return rc;
}

/* Returns 0 or CPIDECODE_ENOMEM. */
static int ran_sum_away(struct ran_walk *w, struct ran *r)
{
	const struct trace_file *f = trace_file(w->trace, r->iv->file);
	uint64_t preempted = 0, waiting = 0;

	if (r->nstretches)
		qsort(r->stretches, r->nstretches, sizeof *r->stretches, ran_compare_stretches);
	r->why = ran_why_unknown(w, r);
	if (r->why != RAN_COVERED)
		return 0;
	for (size_t i = 0; i + 1 < r->nstretches; i++) {
		const struct ran_stretch *a = &r->stretches[i];
		const uint64_t back = r->stretches[i + 1].start;

		/* One thread is not on two processors: the records contradict each other. */
		if (back < a->end || !a->is_left) {
			r->why = RAN_CONTRADICTED;
			return 0;
		}
		*(a->preempted ? &preempted : &waiting) += back - a->end;
	}
	r->switches = r->nstretches - 1;
	r->preempted_ns = trace_duration_ns(f, preempted);
	r->waiting_ns = trace_duration_ns(f, waiting);
	return ran_each_wait(w, r, false);
}

/* ----------------------------------------------------------- threads that ran meanwhile */

static uint64_t ran_overlap(uint64_t start, uint64_t end, uint64_t from, uint64_t to)
{
	const uint64_t low = start > from ? start : from, high = end < to ? end : to;

	return low < high ? high - low : 0;
}

/* The part of the run during which the interval's thread was off its processor. */
static uint64_t ran_instead(const struct ran *r, const struct switch_run *run)
{
	struct search s = {0, r->nstretches};
	uint64_t sum = 0;

	if (r->why != RAN_COVERED)
		return 0;
	/* The first stretch that ends after the run's start; the one before may be left then. */
	while (s.low < s.high)
		search_narrow(&s, r->stretches[search_middle(&s)].end <= run->start);
	for (size_t i = s.low ? s.low - 1 : 0;
		i + 1 < r->nstretches && r->stretches[i].end < run->end; i++)
		if (r->stretches[i].cpu == run->cpu)
			sum += ran_overlap(run->start, run->end, r->stretches[i].end,
				r->stretches[i + 1].start);
	return sum;
}

static struct ran_thread *ran_find_thread(struct ran *r, const struct switch_run *run)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->threads[i].tid == run->tid && r->threads[i].pid == run->pid)
			return &r->threads[i];
	if (r->count == RAN_THREADS)
		return &r->others;
	if (array_grow(&r->threads, r->count, &r->room, sizeof *r->threads))
		return NULL;
	r->threads[r->count] = (struct ran_thread){.pid = run->pid, .tid = run->tid};
	return &r->threads[r->count++];
}

static int ran_add_other(struct ran_walk *w, struct ran *r, const void *ctx)
{
	const struct switch_run *run = ctx;
	const struct interval *iv = r->iv;
	const struct trace_file *f = trace_file(w->trace, iv->file);
	const double ns = trace_duration_ns(
		f, ran_overlap(run->start, run->end, iv->start_ticks, iv->end_ticks));
	const bool is_end = iv->ring == run->cpu;
	uint32_t cpu;
	const bool is_start = meanwhile_start_cpu(iv, &cpu) && cpu == run->cpu;
	const uint64_t instead = ran_instead(r, run);
	struct ran_thread *t;

	if (is_start)
		r->start_cpu_unknown_ns -= ns;
	if (is_end)
		r->cpu_unknown_ns -= ns;
	if (run->tid == iv->tid || (!is_start && !is_end && !instead))
		return 0;
	t = ran_find_thread(r, run);
	if (!t)
		return CPIDECODE_ENOMEM;
	t->seen = run->start > iv->start_ticks ? run->start : iv->start_ticks;
	t->instead_ns += trace_duration_ns(f, instead);
	if (is_start)
		t->start_cpu_ns += ns;
	if (is_end)
		t->cpu_ns += ns;
	return 0;
}

static int ran_visit_other_run(void *ctx, const struct switch_run *read)
{
	struct ran_walk *w = ctx;
	struct switch_run run = *read;
	struct switch_cpu *c = switch_cpus_find(&w->cpus, run.machine, run.cpu);

	if (!c)
		return CPIDECODE_ENOMEM;
	if (!switch_cpu_advance(c, &run) || run.tid == KERNEL_TID_UNKNOWN)
		return 0;
	return ran_each(w, run.machine, run.start, run.end, ran_add_other, &run);
}

static int ran_visit_wakeup(void *ctx, const struct wakeup *wakeup)
{
	struct ran_walk *w = ctx;

	waits_add_wakeup(&w->waits, wakeup);
	return 0;
}

static int ran_visit_second(void *ctx, const struct hook *h)
{
	const struct ran_walk *w = ctx;

	if (wakeups_has_hook(h))
		return w->waits.count ? wakeups_each(h, ran_visit_wakeup, ctx) : 0;
	return switches_each_run(h, ran_visit_other_run, ctx);
}

static int ran_compare_threads(const void *x, const void *y)
{
	const struct ran_thread *a = x, *b = y;
	const double most = a->cpu_ns > a->start_cpu_ns ? a->cpu_ns : a->start_cpu_ns;
	const double other = b->cpu_ns > b->start_cpu_ns ? b->cpu_ns : b->start_cpu_ns;

	if (a->instead_ns != b->instead_ns)
		return a->instead_ns < b->instead_ns ? 1 : -1;
	if (most != other)
		return most < other ? 1 : -1;
	return compare_u64_pair(a->tid, b->tid, a->pid, b->pid);
}

static void ran_end(struct ran_walk *w, struct ran *r)
{
	/* Below 0 only by rounding, or where runs overlap. */
	if (r->start_cpu_unknown_ns < 0.5)
		r->start_cpu_unknown_ns = 0;
	if (r->cpu_unknown_ns < 0.5)
		r->cpu_unknown_ns = 0;
	for (size_t i = 0; i < r->count; i++) {
		struct ran_thread *t = &r->threads[i];
		const struct switch_name *name =
			switch_names_find(&w->names, r->iv->machine, t->tid, t->seen);

		t->has_name = name != NULL;
		if (name)
			memcpy(t->name, name->name, sizeof t->name);
	}
	if (r->count)
		qsort(r->threads, r->count, sizeof *r->threads, ran_compare_threads);
	wakers_end(&r->wakers, &w->names, r->iv->machine);
}

/* --------------------------------------------------------------------------------- all */

int ran_read(struct ran_walk *w, bool (*progress)(void *ctx, uint64_t done, uint64_t total),
	void *progress_ctx)
{
	int rc;

	if (!switches_are_recorded(w->trace))
		return 0;
	rc = ran_begin(w);
	if (!rc)
		rc = switches_read(w->trace, progress, progress_ctx, ran_visit_first, w);
	if (!rc)
		rc = ran_end_cpus(w);
	if (rc)
		return rc;
	switch_names_sort(&w->names);
	for (size_t i = 0; i < w->overlaps->count; i++) {
		w->at[i].wakers.is_recorded = ran_has_wakeups(w, w->at[i].iv->machine);
		rc = ran_sum_away(w, &w->at[i]);
		if (rc)
			return rc;
		w->at[i].start_cpu_unknown_ns = w->at[i].cpu_unknown_ns = w->at[i].iv->elapsed_ns;
	}
	waits_sort(&w->waits);
	rc = switches_read(w->trace, progress, progress_ctx, ran_visit_second, w);
	for (size_t i = 0; i < w->overlaps->count && !rc; i++) {
		rc = ran_each_wait(w, &w->at[i], true);
		ran_end(w, &w->at[i]);
	}
	return rc;
}

const struct ran *ran_find(const struct ran_walk *w, const struct interval *iv)
{
	const size_t i = overlaps_find(w->overlaps, iv);
	const bool is_recorded = w->at && switches_are_recorded_by(w->trace, iv->machine);

	return is_recorded && i < w->overlaps->count ? &w->at[i] : NULL;
}

void ran_free(struct ran_walk *w)
{
	for (size_t i = 0; w->at && i < w->overlaps->count; i++) {
		free(w->at[i].stretches);
		free(w->at[i].threads);
		wakers_free(&w->at[i].wakers);
	}
	waits_free(&w->waits);
	free(w->wakeup_machines);
	free(w->at);
	switch_cpus_free(&w->cpus);
	switch_names_free(&w->names);
}
