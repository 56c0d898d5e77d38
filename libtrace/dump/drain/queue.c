/*
 * Sections on their way from the rings to the file. One thread, the drain's, finds them and writes
 * them; it and `--drain-threads` less one other threads copy and compress them, a section one
 * thread: its bytes then stay in one processor's cache.
 *
 * Invariants: jobs are written in the order in which they were queued. Of the drain the other
 * threads touch only the job that they claimed, and the tasks under their lock. Jobs are a ring:
 * those from `written` to `queued` are in use, of which those below `claimed` are done or being
 * done. A job belongs to the drain's thread until it is queued, to the thread that claimed it until
 * it is done, and then to the drain's thread again. The number of jobs bounds the memory: with all
 * of them in use, the oldest is written first.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/threads.h"
#include "../../../include/perfutil.h"
#include "../../session/fail.h"
#include "../../ring/layout.h"
#include "private.h"

/* Enough for each thread to find one while the oldest is written. */
enum { JOBS_PER_THREAD = 3 };

/* A thread that copies. Its reader's control words hold nothing but the start of a job's ring. */
struct drain_worker {
	struct drain_queue *queue;
	pthread_t thread;
	struct ring_reader reader;
	struct shm_ring_control *control;
};

struct drain_queue {
	struct drain *drain;
	struct drain_worker own; /* the drain's thread */
	struct drain_worker *other;
	uint32_t others, readers; /* started threads, opened readers */
	struct drain_job *job;
	uint32_t jobs;
	pthread_mutex_t tasks; /* guards drain->tasks while jobs are queued */
	pthread_mutex_t lock;  /* guards the members below, and is_done of jobs */
	pthread_cond_t added, done;
	uint64_t written, claimed, queued; /* numbers of jobs so far */
	bool ends;
};

static struct drain_job *queue_job(struct drain_queue *q, uint64_t number)
{
	return &q->job[number % q->jobs];
}

void drain_queue_pack(struct drain *d, struct drain_job *j)
{
	j->packed = packer_pack(&j->packer, d->config.codec, true, j->copy, j->span.bytes);
}

/* Copies and compresses. A section that may have to wait is compressed once it need not. */
static void worker_run_job(struct drain_worker *w, struct drain_job *j)
{
	struct drain *d = w->queue->drain;
	const struct shm_geometry *g = &w->reader.geometry;
	uint64_t section = section_start(g, j->from);
	struct ring_part part = {.position = section, .index = section_index(g, section)};

	w->control[j->ring].start = j->from;
	j->failed = ring_reader_copy(&w->reader, j->ring, &part, j->copy, &j->span);
	if (j->failed)
		return;
	/* It was entered when it was found: the entry word was scribbled on since. */
	if (j->span.overwritten)
		j->span.bytes = j->span.hooks = j->span.torn = 0;
	pthread_mutex_lock(&w->queue->tasks);
	tasks_translate(&d->tasks, j->copy, j->span.bytes);
	pthread_mutex_unlock(&w->queue->tasks);
	if (!j->span.held)
		drain_queue_pack(d, j);
}

/* Does the next job. The caller holds the lock, which is released meanwhile. */
static void worker_run_next(struct drain_worker *w)
{
	struct drain_queue *q = w->queue;
	struct drain_job *j = queue_job(q, q->claimed++);

	pthread_mutex_unlock(&q->lock);
	worker_run_job(w, j);
	pthread_mutex_lock(&q->lock);
	j->is_done = true;
}

static void *worker_run(void *arg)
{
	struct drain_worker *w = arg;
	struct drain_queue *q = w->queue;

	pthread_mutex_lock(&q->lock);
	for (;;) {
		while (q->claimed == q->queued && !q->ends)
			pthread_cond_wait(&q->added, &q->lock);
		if (q->ends)
			break;
		worker_run_next(w);
		pthread_cond_signal(&q->done);
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

/* ------------------------------------------------------------------ open, close */

/* 0 or a PU_ code. */
static int worker_open(struct drain_worker *w, struct drain_queue *q)
{
	const struct session *s = q->drain->session;

	w->queue = q;
	w->control = calloc(1, sizeof s->control->ring);
	if (!w->control)
		return PU_ERROR_NOT_ENOUGH_MEMORY;
	return ring_reader_open(&w->reader, s->rings_fd, &s->geometry, w->control);
}

static void worker_close(struct drain_worker *w)
{
	ring_reader_close(&w->reader);
	free(w->control);
}

static int queue_open_workers(struct drain_queue *q, uint32_t others)
{
	int rc = worker_open(&q->own, q);

	q->other = calloc(others, sizeof *q->other);
	if (others && !q->other)
		return PU_ERROR_NOT_ENOUGH_MEMORY;
	for (; rc == 0 && q->readers < others; q->readers++)
		rc = worker_open(&q->other[q->readers], q);
	return rc;
}

/* Signals go to the drain's thread, whose waiting they interrupt. Returns an errno. */
static int queue_start_threads(struct drain_queue *q, uint32_t others)
{
	int rc = 0;

	while (rc == 0 && q->others < others) {
		struct drain_worker *w = &q->other[q->others];

		rc = thread_start(&w->thread, 0, worker_run, w);
		q->others += rc == 0;
	}
	return rc;
}

static int queue_make_jobs(struct drain_queue *q, uint32_t jobs, uint32_t section_size)
{
	q->job = calloc(jobs, sizeof *q->job);
	for (; q->job && q->jobs < jobs; q->jobs++) {
		struct drain_job *j = &q->job[q->jobs];

		j->copy = malloc(section_size);
		if (!packer_open(&j->packer, section_size) || !j->copy) {
			q->jobs++; /* for drain_queue_close */
			return PU_ERROR_NOT_ENOUGH_MEMORY;
		}
	}
	return q->job ? 0 : PU_ERROR_NOT_ENOUGH_MEMORY;
}

int drain_queue_open(struct drain *d, struct session_error *error)
{
	uint32_t others = d->config.threads > 1 ? d->config.threads - 1 : 0;
	struct drain_queue *q = calloc(1, sizeof *q);
	int rc = q ? 0 : PU_ERROR_NOT_ENOUGH_MEMORY;

	d->queue = q;
	if (q) {
		q->drain = d;
		pthread_mutex_init(&q->lock, NULL);
		pthread_mutex_init(&q->tasks, NULL);
		pthread_cond_init(&q->added, NULL);
		pthread_cond_init(&q->done, NULL);
		rc = queue_open_workers(q, others);
	}
	if (rc == 0)
		rc = queue_make_jobs(q, others ? JOBS_PER_THREAD * (others + 1) : 1,
			d->reader.geometry.section_size);
	if (rc)
		return session_fail(error, rc, "not enough memory for a drain");
	rc = queue_start_threads(q, others);
	return rc ? session_fail(error, PU_ERROR_INSUFFICIENT_RESOURCES,
			    "cannot start %u threads of the drain: %s", others, strerror(rc))
		  : 0;
}

void drain_queue_close(struct drain *d)
{
	struct drain_queue *q = d->queue;

	if (!q)
		return;
	pthread_mutex_lock(&q->lock);
	q->ends = true;
	pthread_cond_broadcast(&q->added);
	pthread_mutex_unlock(&q->lock);
	for (uint32_t i = 0; i < q->others; i++)
		pthread_join(q->other[i].thread, NULL);
	for (uint32_t i = 0; i < q->readers; i++)
		worker_close(&q->other[i]);
	worker_close(&q->own);
	for (uint32_t i = 0; i < q->jobs; i++) {
		free(q->job[i].copy);
		packer_close(&q->job[i].packer);
	}
	pthread_mutex_destroy(&q->lock);
	pthread_mutex_destroy(&q->tasks);
	pthread_cond_destroy(&q->added);
	pthread_cond_destroy(&q->done);
	free(q->job);
	free(q->other);
	free(q);
	d->queue = NULL;
}

/* ------------------------------------------------------------------------- jobs */

void drain_queue_lock_tasks(struct drain *d)
{
	pthread_mutex_lock(&d->queue->tasks);
}

void drain_queue_unlock_tasks(struct drain *d)
{
	pthread_mutex_unlock(&d->queue->tasks);
}

struct drain_job *drain_queue_free_job(struct drain *d)
{
	struct drain_queue *q = d->queue;

	/* Only this thread changes either number. */
	return q->queued - q->written < q->jobs ? queue_job(q, q->queued) : NULL;
}

bool drain_queue_add(struct drain *d)
{
	struct drain_queue *q = d->queue;

	pthread_mutex_lock(&q->lock);
	queue_job(q, q->queued)->is_done = false;
	q->queued++;
	pthread_cond_signal(&q->added);
	pthread_mutex_unlock(&q->lock);
	return q->others != 0;
}

/* Until the job of that number is done; does others meanwhile. */
static struct drain_job *queue_wait(struct drain_queue *q, uint64_t number)
{
	struct drain_job *j = queue_job(q, number);

	pthread_mutex_lock(&q->lock);
	while (!j->is_done) {
		if (q->claimed < q->queued)
			worker_run_next(&q->own);
		else
			pthread_cond_wait(&q->done, &q->lock);
	}
	pthread_mutex_unlock(&q->lock);
	return j;
}

struct drain_job *drain_queue_oldest(struct drain *d)
{
	struct drain_queue *q = d->queue;

	return q->written == q->queued ? NULL : queue_wait(q, q->written);
}

void drain_queue_remove_oldest(struct drain *d)
{
	d->queue->written++;
}

struct drain_job *drain_queue_newest(struct drain *d)
{
	struct drain_queue *q = d->queue;

	return q->written == q->queued ? NULL : queue_wait(q, q->queued - 1);
}

void drain_queue_remove_newest(struct drain *d)
{
	struct drain_queue *q = d->queue;

	pthread_mutex_lock(&q->lock);
	q->queued--;
	q->claimed--;
	pthread_mutex_unlock(&q->lock);
}
