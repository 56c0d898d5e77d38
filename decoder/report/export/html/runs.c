#include "runs.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../../../base/grow.h"
#include "../../../base/seed.h"
#include "../../../base/varint.h"
#include "../../../model/hooks/switches.h"
#include "../../../model/hooks/wakeups.h"
#include "../../../sink/json.h"

enum {
	RUNS_BLOCK = 1 << 15,
	RUNS_LIST_BYTES = 1 << 20, /* of a block of threads */
};

/* Instead of a thread's number: why the running thread is unknown. */
enum runs_unknown {
	RUNS_NOT_RECORDED,
	RUNS_LOST,
	RUNS_UNNUMBERED, /* the thread had no number any more */
	RUNS_UNKNOWN,	 /* their number */
};

/* How a run ended. */
enum runs_end { RUNS_END_UNKNOWN, RUNS_END_WAIT, RUNS_END_PREEMPTED };

/* RUN_END: only with wake-ups. */
enum runs_column { RUN_LANE, RUN_AFTER, RUN_DURATION, RUN_THREAD, RUN_END, RUN_COLUMNS };
enum runs_wakeup_column { WAKEUP_LANE, WAKEUP_AFTER, WAKEUP_TID, WAKEUP_BY, WAKEUP_HOW };

/* Instead of a waker's number, as RUNS_UNNUMBERED. */
enum { RUNS_IDLE = 0 };

/* Instead of the woken thread: wake-ups of the processor since its row before are missing. */
enum { RUNS_MISSING = 0 };

/* Blocks of a kind: rows of that many columns. */
struct runs_rows {
	const char *kind;
	unsigned columns;
	struct buffer column[RUN_COLUMNS];
	uint32_t held;
};

struct runs_thread {
	uint32_t machine, pid, tid;
	const struct switch_name *name; /* NULL: unknown */
};

/* A processor, in the order of appearance. Times are ns since the span's base. */
struct runs_lane {
	uint32_t machine, cpu, file;
	uint64_t end;	      /* of the last run written */
	uint64_t start, last; /* the pending run; empty if equal */
	uint32_t thread;      /* of the pending run */
	enum runs_end how;    /* it ended */
	uint64_t woke;	      /* the last wake-up written */
	uint32_t wakeups;
	uint64_t lost;		     /* records */
	uint64_t lost_from, lost_to; /* ticks: the latest loss */
	bool has_loss;
	bool has_unknown_number; /* of records lost: `lost` is not all of them */
	uint32_t known, unknown; /* runs */
};

struct runs {
	const struct report *r;
	const struct runs_span *span;
	struct page_packer *packer;
	struct out *to;
	struct switch_names names;
	struct switch_cpus cpus;   /* group: the machine; lanes has the same order */
	struct switch_cpus chains; /* of hooks of wake-ups; group: the machine */
	struct runs_lane *lanes;
	size_t lane_room;
	struct runs_thread *threads;
	size_t nthreads, thread_room;
	struct hash_index by_thread;
	uint64_t seed;
	struct runs_rows runs, wakeups;
	struct buffer block;
	uint64_t count, wakeup_count, longest;
	bool has_wakeups; /* they are written */
};

/* ----------------------------------------------------------- first, names and the number */

/* Within the span, in ns since its base. */
static uint64_t runs_since_base(const struct runs *w, uint32_t file, uint64_t ticks)
{
	const int64_t time = trace_time(trace_file(w->r->trace, file), ticks);
	const uint64_t since = (uint64_t)time - (uint64_t)w->span->base;

	if (time <= w->span->base)
		return 0;
	return since < w->span->until ? since : w->span->until;
}

static int runs_count(void *ctx, const struct switch_run *run)
{
	struct runs *w = ctx;

	if (run->tid && filter_takes_ring(w->r->filter, run->cpu) &&
		runs_since_base(w, run->file, run->start) < runs_since_base(w, run->file, run->end))
		w->count++;
	return 0;
}

static int runs_count_wakeup(void *ctx, const struct wakeup *wakeup)
{
	struct runs *w = ctx;

	(void)wakeup;
	w->wakeup_count++;
	return 0;
}

static int runs_visit_first(void *ctx, const struct hook *h)
{
	struct runs *w = ctx;
	int rc = switch_names_add(&w->names, h);

	if (!rc)
		rc = wakeups_each(h, runs_count_wakeup, w);

	/* A time without records may precede each hook, and is a run of its own. */
	w->count += switches_has_hook(h);
	w->wakeup_count += wakeups_has_hook(h);
	return rc ? rc : switches_each_run(h, runs_count, w);
}

/* The time of the hooks and all runs: records precede their hook. */
struct runs_reach {
	const struct report *r;
	int64_t first, last;
};

static int runs_extend(void *ctx, const struct switch_run *run)
{
	struct runs_reach *reach = ctx;
	const struct trace_file *f = trace_file(reach->r->trace, run->file);
	const int64_t first = trace_time(f, run->start), last = trace_time(f, run->end);

	if (!filter_takes_ring(reach->r->filter, run->cpu))
		return 0;
	reach->first = first < reach->first ? first : reach->first;
	reach->last = last > reach->last ? last : reach->last;
	return 0;
}

static int runs_visit_reach(void *ctx, const struct hook *h)
{
	return switches_each_run(h, runs_extend, ctx);
}

int runs_read_span(const struct report *r, int64_t *first, int64_t *last)
{
	struct runs_reach reach = {.r = r, .first = *first, .last = *last};
	const int rc = switches_read(r->trace, r->progress, r->ctx, runs_visit_reach, &reach);

	*first = reach.first;
	*last = reach.last;
	return rc;
}

/* --------------------------------------------------------------------------- then, runs */

/* Seeded, so that a hostile trace cannot choose colliding threads. */
static uint64_t runs_hash(const struct runs_thread *t, uint64_t seed)
{
	const char *name = t->name ? t->name->name : "";
	const uint32_t key[] = {t->machine, t->pid, t->tid};

	return XXH3_64bits_withSeed(
		name, strlen(name), XXH3_64bits_withSeed(key, sizeof key, seed));
}

static bool runs_is_same(const struct runs_thread *a, const struct runs_thread *b)
{
	return a->machine == b->machine && a->pid == b->pid && a->tid == b->tid &&
	       !a->name == !b->name && (!a->name || strcmp(a->name->name, b->name->name) == 0);
}

static int runs_find_thread(struct runs *w, uint32_t machine, uint32_t pid, uint32_t tid,
	uint64_t ticks, uint32_t *found)
{
	const struct runs_thread t = {.machine = machine,
		.pid = pid,
		.tid = tid,
		.name = switch_names_find(&w->names, machine, tid, ticks)};
	uint64_t hash = runs_hash(&t, w->seed);
	size_t i;

	for (uint32_t at; (at = hash_index_next(&w->by_thread, &hash));)
		if (runs_is_same(&w->threads[at - 1], &t)) {
			*found = RUNS_UNKNOWN + at - 1;
			return 0;
		}
	if (array_grow(&w->threads, w->nthreads, &w->thread_room, sizeof t) ||
		!hash_index_grow(&w->by_thread, w->nthreads + 1, &i))
		return CPIDECODE_ENOMEM;
	*found = RUNS_UNKNOWN + (uint32_t)w->nthreads;
	w->threads[w->nthreads++] = t;
	for (; i < w->nthreads; i++)
		hash_index_add(&w->by_thread, runs_hash(&w->threads[i], w->seed), (uint32_t)i);
	return 0;
}

static int runs_end_block(struct runs *w, struct runs_rows *r)
{
	if (!r->held)
		return 0;
	varint_put(&w->block, r->held);
	for (size_t i = 0; i < r->columns; i++) {
		if (r->column[i].failed)
			return CPIDECODE_ENOMEM;
		varint_put_string(&w->block, r->column[i].p, r->column[i].n);
		r->column[i].n = 0;
	}
	if (w->block.failed)
		return CPIDECODE_ENOMEM;
	page_put_block(w->packer, w->to, r->kind, w->block.p, w->block.n);
	w->block.n = 0;
	r->held = 0;
	return 0;
}

/* values: one for each column. */
static int runs_put_row(struct runs *w, struct runs_rows *r, const uint64_t *values)
{
	for (size_t i = 0; i < r->columns; i++)
		varint_put(&r->column[i], values[i]);
	return ++r->held < RUNS_BLOCK ? 0 : runs_end_block(w, r);
}

/* Writes the processor's pending run, if there is one. */
static int runs_end_run(struct runs *w, struct runs_lane *l)
{
	const uint64_t duration = l->last - l->start;
	const uint64_t row[] = {[RUN_LANE] = (uint64_t)(l - w->lanes),
		[RUN_AFTER] = l->start - l->end,
		[RUN_DURATION] = duration,
		[RUN_THREAD] = l->thread,
		[RUN_END] = l->how};

	if (!duration)
		return 0;
	l->end = l->start = l->last;
	(*(l->thread < RUNS_UNKNOWN ? &l->unknown : &l->known))++;
	if (w->longest < duration)
		w->longest = duration;
	return runs_put_row(w, &w->runs, row);
}

/* A run that continues in the processor's next hook is one. */
static int runs_add(struct runs *w, struct runs_lane *l, uint64_t start, uint64_t end,
	uint32_t thread, enum runs_end how)
{
	int rc = 0;

	if (start < l->last) /* the clock was set back */
		start = l->last;
	if (start >= end)
		return 0;
	if (l->thread != thread || l->last != start || l->start == l->last) {
		rc = runs_end_run(w, l);
		l->start = start;
		l->thread = thread;
	}
	l->last = end;
	l->how = how;
	return rc;
}

/* NULL: no memory. */
static struct runs_lane *runs_find_lane(
	struct runs *w, uint32_t machine, uint32_t cpu, uint32_t file, struct switch_cpu **c)
{
	const size_t before = w->cpus.count;
	struct runs_lane *l;

	*c = switch_cpus_find(&w->cpus, machine, cpu);
	if (!*c || !array_reserve(&w->lanes, &w->lane_room, w->cpus.count, sizeof *l))
		return NULL;
	l = &w->lanes[*c - w->cpus.at];
	if (w->cpus.count > before)
		*l = (struct runs_lane){.machine = machine, .cpu = cpu, .file = file};
	return l;
}

/* Idle time is left out. */
static int runs_add_recorded(struct runs *w, struct runs_lane *l, const struct switch_run *run)
{
	const uint64_t start = runs_since_base(w, run->file, run->start);
	const uint64_t end = runs_since_base(w, run->file, run->end);
	const enum runs_end how = !run->is_left	   ? RUNS_END_UNKNOWN
				  : run->preempted ? RUNS_END_PREEMPTED
						   : RUNS_END_WAIT;
	uint32_t thread = RUNS_UNNUMBERED;
	int rc = 0;

	if (start >= end)
		return 0;
	if (!run->tid) {
		rc = runs_end_run(w, l);
		l->start = l->last = end > l->last ? end : l->last;
		return rc;
	}
	if (run->tid != KERNEL_TID_UNKNOWN)
		rc = runs_find_thread(w, run->machine, run->pid, run->tid, run->start, &thread);
	return rc ? rc : runs_add(w, l, start, end, thread, how);
}

static int runs_visit_run(void *ctx, const struct switch_run *read)
{
	struct runs *w = ctx;
	struct switch_run run = *read;
	struct switch_cpu *c;
	struct runs_lane *l;
	int rc = 0;

	if (!filter_takes_ring(w->r->filter, run.cpu))
		return 0;
	l = runs_find_lane(w, run.machine, run.cpu, run.file, &c);
	if (!l)
		return CPIDECODE_ENOMEM;
	const uint64_t known = c->end;
	if (!switch_cpu_advance(c, &run))
		return 0;
	if (run.start > known) {
		const bool is_lost =
			l->has_loss && l->lost_from <= run.start && l->lost_to >= known;

		/* Before its first record nothing is known either. */
		rc = runs_add(w, l, l->last, runs_since_base(w, run.file, run.start),
			is_lost ? RUNS_LOST : RUNS_NOT_RECORDED, RUNS_END_UNKNOWN);
	}
	return rc ? rc : runs_add_recorded(w, l, &run);
}

/* Wake-ups before the hook's that are missing. */
static int runs_visit_missing(struct runs *w, const struct hook *h)
{
	struct wakeup_stretch s;
	struct switch_cpu *c;
	struct runs_lane *l;

	if (!wakeups_read_stretch(h, &s))
		return 0;
	c = switch_cpus_find(&w->chains, s.machine, s.cpu);
	l = runs_find_lane(w, s.machine, s.cpu, s.file, &(struct switch_cpu *){NULL});
	if (!c || !l)
		return CPIDECODE_ENOMEM;
	if (!wakeups_advance(c, &s))
		return 0;
	const uint64_t at = runs_since_base(w, s.file, s.end);
	if (at <= l->woke)
		return 0;
	const uint64_t row[RUN_COLUMNS] = {[WAKEUP_LANE] = (uint64_t)(l - w->lanes),
		[WAKEUP_AFTER] = at - l->woke,
		[WAKEUP_TID] = RUNS_MISSING};
	l->woke = at;
	l->wakeups++;
	return runs_put_row(w, &w->wakeups, row);
}

/* A waker without a number is shown only if it is an interrupt. */
static int runs_visit_wakeup(void *ctx, const struct wakeup *wakeup)
{
	struct runs *w = ctx;
	const int64_t time = trace_time(trace_file(w->r->trace, wakeup->file), wakeup->at);
	const uint64_t at = runs_since_base(w, wakeup->file, wakeup->at);
	uint32_t by = wakeup->by ? RUNS_UNNUMBERED : RUNS_IDLE;
	struct switch_cpu *c;
	struct runs_lane *l = runs_find_lane(w, wakeup->machine, wakeup->cpu, wakeup->file, &c);
	int rc = 0;

	if (!l)
		return CPIDECODE_ENOMEM;
	/* Already in an earlier dump, before a clock step, or outside the page's range. */
	if (at < l->woke || time < w->span->base || at >= w->span->until)
		return 0;
	if (wakeup->by && wakeup->by != KERNEL_TID_UNKNOWN)
		rc = runs_find_thread(w, wakeup->machine, wakeup->pid, wakeup->by, wakeup->at, &by);
	if (rc)
		return rc;
	const uint64_t row[RUN_COLUMNS] = {[WAKEUP_LANE] = (uint64_t)(l - w->lanes),
		[WAKEUP_AFTER] = at - l->woke,
		[WAKEUP_TID] = wakeup->tid,
		[WAKEUP_BY] = by,
		[WAKEUP_HOW] = wakeup->how & (KERNEL_WAKEUP_HARD_IRQ | KERNEL_WAKEUP_SOFT_IRQ)};
	l->woke = at;
	l->wakeups++;
	return runs_put_row(w, &w->wakeups, row);
}

static int runs_visit_second(void *ctx, const struct hook *h)
{
	struct runs *w = ctx;
	struct switch_loss loss;

	if (wakeups_has_hook(h)) {
		const int rc = w->has_wakeups ? runs_visit_missing(w, h) : 0;

		return rc || !w->has_wakeups ? rc : wakeups_each(h, runs_visit_wakeup, w);
	}
	if (switches_read_loss(h, &loss) && filter_takes_ring(w->r->filter, loss.cpu)) {
		struct switch_cpu *c;
		struct runs_lane *l = runs_find_lane(w, loss.machine, loss.cpu, loss.file, &c);

		if (!l)
			return CPIDECODE_ENOMEM;
		l->lost +=
			loss.records < UINT64_MAX - l->lost ? loss.records : UINT64_MAX - l->lost;
		l->has_unknown_number |= loss.records == 0;
		l->lost_from = loss.start;
		l->lost_to = loss.end;
		l->has_loss = true;
	}
	return switches_each_run(h, runs_visit_run, w);
}

/* Nothing is known of a processor without records of its own. */
static int runs_add_ring(void *ctx, uint32_t file, uint32_t cpu)
{
	struct runs *w = ctx;
	struct switch_cpu *c;

	if (!filter_takes_ring(w->r->filter, cpu))
		return 0;
	return runs_find_lane(w, trace_file(w->r->trace, file)->machine, cpu, file, &c)
		       ? 0
		       : CPIDECODE_ENOMEM;
}

/* After a processor's last record nothing is known of it. */
static int runs_end_lanes(struct runs *w)
{
	int rc = w->cpus.count ? switches_each_ring(w->r->trace, runs_add_ring, w) : 0;

	for (size_t i = 0; i < w->cpus.count && !rc; i++) {
		struct runs_lane *l = &w->lanes[i];
		const bool is_lost = l->has_loss && l->lost_to >= w->cpus.at[i].end;

		rc = runs_add(w, l, l->last, w->span->until,
			is_lost ? RUNS_LOST : RUNS_NOT_RECORDED, RUNS_END_UNKNOWN);
		if (!rc)
			rc = runs_end_run(w, l);
	}
	if (!rc)
		rc = runs_end_block(w, &w->runs);
	return rc ? rc : runs_end_block(w, &w->wakeups);
}

/* -------------------------------------------------------------------------- the blocks */

static int runs_put_processors(struct runs *w)
{
	struct out text;
	struct json j = {.o = &text};

	out_memory(&text);
	json_open(&j, '{');
	json_member_u64(&j, "longest", w->longest);
	/* false: there are some, which the page leaves out. */
	if (w->wakeup_count)
		json_member_bool(&j, "wakeups", w->has_wakeups);
	json_member_open(&j, "lanes", '[');
	for (size_t i = 0; i < w->cpus.count; i++) {
		const struct runs_lane *l = &w->lanes[i];

		json_open(&j, '{');
		json_member_u64(&j, "cpu", l->cpu);
		json_member_u64(&j, "machine", l->machine);
		json_member_u64(&j, "file", l->file);
		json_member_u64(&j, "known", l->known);
		json_member_u64(&j, "unknown", l->unknown);
		json_member_count(&j, "lost", !l->has_unknown_number, l->lost);
		if (w->has_wakeups)
			json_member_u64(&j, "wakeups", l->wakeups);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	if (!text.error)
		page_put_block(w->packer, w->to, "processors", text.buf, text.len);
	const int rc = text.error ? CPIDECODE_ENOMEM : 0;
	out_discard(&text);
	return rc;
}

static int runs_put_threads(struct runs *w)
{
	struct out text;
	struct json j = {.o = &text};

	out_memory(&text);
	for (size_t i = 0; i < w->nthreads && !text.error; i++) {
		const struct runs_thread *t = &w->threads[i];

		if (!text.len)
			json_open(&j, '[');
		json_open(&j, '{');
		json_member_u64(&j, "machine", t->machine);
		json_member_u64(&j, "pid", t->pid);
		json_member_u64(&j, "tid", t->tid);
		json_member_text(&j, "name", t->name ? t->name->name : NULL);
		json_close(&j, '}');
		if (text.len < RUNS_LIST_BYTES && i + 1 < w->nthreads)
			continue;
		json_close(&j, ']');
		page_put_block(w->packer, w->to, "threads", text.buf, text.len);
		text.len = 0;
		j = (struct json){.o = &text};
	}
	const int rc = text.error ? CPIDECODE_ENOMEM : 0;
	out_discard(&text);
	return rc;
}

static void runs_free(struct runs *w)
{
	switch_names_free(&w->names);
	switch_cpus_free(&w->cpus);
	switch_cpus_free(&w->chains);
	free(w->lanes);
	free(w->threads);
	hash_index_free(&w->by_thread);
	for (size_t i = 0; i < RUN_COLUMNS; i++) {
		free(w->runs.column[i].p);
		free(w->wakeups.column[i].p);
	}
	free(w->block.p);
}

static int runs_read(struct runs *w)
{
	const struct report *r = w->r;
	int rc = switches_read(r->trace, r->progress, r->ctx, runs_visit_first, w);

	if (rc || w->count > RUNS_MOST)
		return rc;
	switch_names_sort(&w->names);
	/* With some processors only, a thread's run before may be missing, and the wrong wait's
	 * waker would be found. */
	w->has_wakeups = w->wakeup_count && w->wakeup_count <= RUNS_MOST && !r->filter->by_cpu;
	w->runs = (struct runs_rows){
		.kind = "runs", .columns = w->has_wakeups ? RUN_END + 1 : RUN_END};
	w->wakeups = (struct runs_rows){.kind = "wakeups", .columns = WAKEUP_HOW + 1};
	rc = switches_read(r->trace, r->progress, r->ctx, runs_visit_second, w);
	if (!rc)
		rc = runs_end_lanes(w);
	if (rc || !w->cpus.count)
		return rc;
	rc = runs_put_processors(w);
	return rc ? rc : runs_put_threads(w);
}

int runs_write(const struct report *r, const struct runs_span *span, struct page_packer *packer,
	struct out *to, bool *too_many)
{
	struct runs w = {.r = r, .span = span, .packer = packer, .to = to, .seed = seed_make()};
	int rc = 0;

	if (switches_are_recorded(r->trace))
		rc = runs_read(&w);
	*too_many = w.count > RUNS_MOST;
	runs_free(&w);
	return rc;
}
