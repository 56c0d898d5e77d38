#include "pass.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../../formats/base/threads.h"
#include "../../../formats/base/time_ns.h"
#include "../../../include/cpidecode.h"
#include "pass_plan.h"
#include "section_starts.h"

enum {
	/* Hooks between checks whether the pass has ended elsewhere, and between progress calls. */
	CHECK_HOOKS = 1 << 12,
	PROGRESS_WAIT_MS = 200,
	/* The most bytes of sections held by all threads, unless one thread needs more. */
	HELD_BYTES = 24 << 20,
	/* Nothing here recurses deeply, and the default 8 MiB are a lot if address space is
	 * limited. */
	STACK_BYTES = 512 << 10,
};

struct pass_run;

/* A worker thread and its current slice. */
struct pass_slice {
	_Alignas(PASS_APART) struct pass_run *run;
	struct hook_iter *it;
	struct tick_range *keys; /* for each file */
	unsigned thread;
	size_t index;
	uint64_t hooks;
	atomic_uint_least64_t
		done; /* stored bytes read; written by its thread, read by the first one */
	pthread_t id;
};

struct pass_run {
	const struct pass *pass;
	struct pass_plan plan;
	struct pass_slice *workers;
	unsigned count; /* number of workers; only the calling thread adds workers, before slices
			   end */
	pthread_mutex_t lock;
	pthread_cond_t moved;
	/* Protected by the lock; lowest and failed are also read without it, as hints. */
	size_t next;	      /* next slice to begin */
	bool *active;	      /* parallel to the workers */
	atomic_size_t lowest; /* all slices before it have been read */
	atomic_size_t failed; /* the lowest failed slice so far; SIZE_MAX: none */
	int rc;		      /* its code */
	int error;	      /* its errno: errno is per thread */
};

void *pass_alloc(size_t n, size_t size)
{
	void *p = n <= SIZE_MAX / size ? aligned_alloc(PASS_APART, n * size) : NULL;

	return p ? memset(p, 0, n * size) : NULL;
}

static bool pass_has_failed_before(const struct pass_slice *s)
{
	return atomic_load_explicit(&s->run->failed, memory_order_relaxed) < s->index;
}

/* On the calling thread. */
static bool tell_progress(struct pass_run *run)
{
	const struct pass *p = run->pass;
	uint64_t done = 0;

	if (!p->progress)
		return true;
	for (unsigned i = 0; i < run->count; i++)
		done += atomic_load_explicit(&run->workers[i].done, memory_order_relaxed);
	return p->progress(p->progress_ctx, done, run->plan.stored);
}

static void publish_done(struct pass_slice *s)
{
	uint64_t done, total;

	hook_iter_progress(s->it, &done, &total);
	atomic_store_explicit(&s->done, done, memory_order_relaxed);
}

static int pass_check(struct pass_slice *s)
{
	if (pass_has_failed_before(s))
		return CPIDECODE_ECANCELED;
	publish_done(s);
	if (s->thread == 0 && s->hooks % PASS_PROGRESS_HOOKS == 0 && !tell_progress(s->run))
		return CPIDECODE_ECANCELED;
	return 0;
}

int pass_next(struct pass_slice *s, const struct hook **h)
{
	int rc = ++s->hooks % CHECK_HOOKS ? 0 : pass_check(s);

	return rc ? rc : hook_iter_next(s->it, h);
}

struct ring_cursor *pass_lone(const struct pass_slice *s)
{
	return hook_iter_lone(s->it);
}

unsigned pass_thread(const struct pass_slice *s)
{
	return s->thread;
}

void pass_note_starts(const struct pass_slice *s, struct section_starts *starts, uint64_t ticks)
{
	const struct pass_batch *b = &s->run->plan.batches[s->index];

	section_starts_note(starts, b->file, b->ring, b->begin, b->end, ticks);
}

uint64_t pass_last_tick(const struct pass_slice *s)
{
	return pass_plan_last_tick(&s->run->plan, s->run->pass->trace, s->index);
}

bool pass_has_turn(const struct pass_slice *s)
{
	return atomic_load_explicit(&s->run->lowest, memory_order_relaxed) >= s->index;
}

/* Call with the lock held. The first thread sleeps briefly, because it reports progress. */
static void wait_for_move(struct pass_slice *s)
{
	struct pass_run *run = s->run;

	if (s->thread != 0 || !run->pass->progress) {
		pthread_cond_wait(&run->moved, &run->lock);
		return;
	}
	const struct timespec until =
		time_of_ns(time_ns_monotonic() + PROGRESS_WAIT_MS * TIME_MS_NS);
	pthread_cond_timedwait(&run->moved, &run->lock, &until);
}

int pass_turn(struct pass_slice *s)
{
	struct pass_run *run = s->run;
	int rc = 0;

	if (!pass_has_turn(s))
		publish_done(s);
	/* With the turn, too: what earlier slices wrote is ordered by the lock. */
	pthread_mutex_lock(&run->lock);
	while (!rc && !pass_has_turn(s)) {
		wait_for_move(s);
		if (pass_has_failed_before(s))
			break;
		if (s->thread == 0) {
			pthread_mutex_unlock(&run->lock);
			if (!tell_progress(run))
				rc = CPIDECODE_ECANCELED;
			pthread_mutex_lock(&run->lock);
		}
	}
	if (pass_has_failed_before(s))
		rc = CPIDECODE_ECANCELED;
	pthread_mutex_unlock(&run->lock);
	return rc;
}

/* With the lock: a slice has begun or ended. */
static void find_lowest(struct pass_run *run)
{
	size_t lowest = run->next;

	for (unsigned i = 0; i < run->count; i++)
		if (run->active[i] && run->workers[i].index < lowest)
			lowest = run->workers[i].index;
	atomic_store_explicit(&run->lowest, lowest, memory_order_relaxed);
}

/* Slices begin in order, so the lowest one being read never waits for its turn. */
static bool begin_slice(struct pass_slice *s)
{
	struct pass_run *run = s->run;

	pthread_mutex_lock(&run->lock);
	bool any = run->next < run->plan.slices && run->failed == SIZE_MAX;
	if (any) {
		s->index = run->next++;
		run->active[s->thread] = true;
		find_lowest(run);
	}
	pthread_mutex_unlock(&run->lock);
	return any;
}

/* The pass returns the code of the lowest failed slice, independent of the number of threads. */
static void end_slice(struct pass_slice *s, int rc)
{
	struct pass_run *run = s->run;
	int error = errno;

	publish_done(s);
	pthread_mutex_lock(&run->lock);
	if (rc && s->index < run->failed) {
		run->failed = s->index;
		run->rc = rc;
		run->error = error;
	}
	run->active[s->thread] = false;
	find_lowest(run);
	pthread_cond_broadcast(&run->moved);
	pthread_mutex_unlock(&run->lock);
}

static void *pass_run_worker(void *arg)
{
	struct pass_slice *s = arg;
	const struct pass *p = s->run->pass;

	while (begin_slice(s)) {
		pass_plan_start(&s->run->plan, p->trace, s->index, s->it, s->keys);
		end_slice(s, p->read(p->ctx, s));
	}
	return NULL;
}

static int open_worker(struct pass_run *run, unsigned i)
{
	const struct pass *p = run->pass;
	struct pass_slice *s = &run->workers[i];
	size_t files = trace_nfiles(p->trace);

	s->run = run;
	s->thread = i;
	s->keys = calloc(files ? files : 1, sizeof *s->keys);
	int rc = s->keys ? hook_iter_open(p->trace, &s->it) : CPIDECODE_ENOMEM;
	if (!rc) {
		hook_iter_range(s->it, p->from_ns, p->to_ns);
		hook_iter_slice(s->it, p->slices);
		hook_iter_spare(s->it, p->spared);
	}
	return rc;
}

static void close_worker(struct pass_slice *s)
{
	hook_iter_close(s->it);
	free(s->keys);
}

/* Starts as many threads as possible: fewer are only slower. */
static void start_threads(struct pass_run *run, unsigned threads)
{
	for (unsigned i = 1; i < threads; i++) {
		struct pass_slice *s = &run->workers[i];
		bool started = !open_worker(run, i);

		pthread_mutex_lock(&run->lock);
		started = started && !thread_start(&s->id, STACK_BYTES, pass_run_worker, s);
		if (started)
			run->count++;
		pthread_mutex_unlock(&run->lock);
		if (!started) {
			close_worker(s);
			break;
		}
	}
}

static int pass_collect_findings(struct pass_run *run, struct findings *found)
{
	int rc = 0;

	for (unsigned i = 0; i < run->count; i++) {
		if (found && !rc)
			rc = findings_add(found, run->pass->trace, run->workers[i].it);
		close_worker(&run->workers[i]);
	}
	return rc;
}

static int run_workers(struct pass_run *run, unsigned threads, struct findings *found)
{
	run->workers = pass_alloc(threads, sizeof *run->workers);
	run->active = calloc(threads, sizeof *run->active);
	if (!run->workers || !run->active)
		return CPIDECODE_ENOMEM;
	int rc = open_worker(run, 0);
	if (rc) {
		close_worker(&run->workers[0]);
		return rc;
	}
	run->count = 1;
	start_threads(run, threads);
	pass_run_worker(&run->workers[0]);
	for (unsigned i = 1; i < run->count; i++)
		pthread_join(run->workers[i].id, NULL);
	/* The last report of the workers is some hooks short of the end. */
	if (!run->rc && run->pass->progress)
		run->pass->progress(run->pass->progress_ctx, run->plan.stored, run->plan.stored);
	rc = pass_collect_findings(run, found);
	return run->rc ? run->rc : rc;
}

static unsigned pass_count_processors(void)
{
	cpu_set_t set;
	long n = sched_getaffinity(0, sizeof set, &set) ? sysconf(_SC_NPROCESSORS_ONLN)
							: CPU_COUNT(&set);

	return n > 0 ? (unsigned)n : 1;
}

static unsigned pass_limit_threads(unsigned n, uint64_t most)
{
	return n < most ? n : most ? (unsigned)most : 1;
}

unsigned pass_threads(const struct pass *p)
{
	return pass_limit_threads(
		p->threads ? p->threads : pass_count_processors(), PASS_MAX_THREADS);
}

static void init_lock(struct pass_run *run)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&run->lock, NULL);
	pthread_cond_init(&run->moved, &attr);
	pthread_condattr_destroy(&attr);
}

int pass_run(const struct pass *p, struct findings *found)
{
	struct pass_run run = {.pass = p, .failed = SIZE_MAX};
	int rc = pass_plan_make(&run.plan, p);

	if (!rc) {
		unsigned threads = pass_limit_threads(pass_threads(p), run.plan.slices);

		if (run.plan.held)
			threads = pass_limit_threads(threads, HELD_BYTES / run.plan.held);
		init_lock(&run);
		rc = run_workers(&run, threads, found);
		pthread_cond_destroy(&run.moved);
		pthread_mutex_destroy(&run.lock);
	}
	free(run.workers);
	free(run.active);
	pass_plan_free(&run.plan);
	if (run.rc)
		errno = run.error;
	return rc;
}
