/*
 * The drain's main loop: open, rounds, finish.
 */
#include "drain.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../../formats/base/time_ns.h"
#include "../../../include/perfutil.h"
#include "../../ring/layout.h"
#include "private.h"
#include "../../session/fail.h"
#include "../signals.h"

/* A writer that leaves a record uncommitted for this long may be dead; and the interval of checks.
 */
#define HELD_NS (50 * TIME_MS_NS)
#define RECLAIM_NS (100 * TIME_MS_NS)
#define CHECK_NS (500 * TIME_MS_NS)
/* The time that an interrupted writer gets at the end. */
#define LAST_NS (100 * TIME_MS_NS)

/* Publishes the status for other processes. */
static void drain_publish_status(struct drain *d, enum shm_drain_state state)
{
	struct drain_status now;

	if (!drain_owns_page(d))
		return;
	drain_status(d, &now);
	struct shm_drain page = {.state = (uint32_t)state,
		.generation = d->session->generation,
		.pid = (uint32_t)getpid(),
		.bytes = now.bytes,
		.hooks = now.hooks,
		.torn = now.torn,
		.lost = now.lost_unwritten,
		.rotations = now.rotations};
	memcpy(page.trace_id, d->id, sizeof page.trace_id);
	if (d->failed)
		memcpy(page.why, d->why.text, strnlen(d->why.text, sizeof page.why - 1));
	session_publish_drain(d->session, &page);
}

static int drain_record_failure(struct drain *d, int rc, struct session_error *error)
{
	if (error && error != &d->why)
		*error = d->why;
	if (d->failed == 0) {
		d->failed = rc;
		drain_publish_status(d, SHM_DRAIN_FAILED);
	}
	return rc;
}

/* ---------------------------------------------------------------------- open */

static int check_session(const struct session *s, struct session_error *error)
{
	if (s->rings_fd < 0)
		return session_fail(error, PU_ERROR_NO_BUFFER,
			"%s has no trace buffers; `swtrace init -t cont` makes them",
			s->location.dir);
	if (!s->writable)
		return session_fail(error, PU_ERROR_ACCESS_DENIED,
			"%s is open for reading only: it cannot be drained", s->location.dir);
	/* The owner chose the file's name: opening it as root would use root's rights. */
	if (s->location.owner != geteuid())
		return session_fail(error, PU_ERROR_ACCESS_DENIED,
			"%s belongs to user %u, who alone may start its drain", s->location.dir,
			(unsigned)s->location.owner);
	if (s->geometry.mode != SHM_MODE_CONTINUOUS || !session_is_current(s))
		return session_fail(error, PU_ERROR_INCORRECT_STATE,
			"%s is not in continuous mode; `swtrace init -t cont` makes it so",
			s->location.dir);
	return 0;
}

static int drain_fail_memory(struct session_error *error)
{
	return session_fail(error, PU_ERROR_NOT_ENOUGH_MEMORY, "not enough memory for a drain");
}

static int drain_open_rings(struct drain *d, struct session_error *error)
{
	const struct session *s = d->session;

	d->control = malloc(sizeof s->control->ring);
	if (!d->control)
		return drain_fail_memory(error);
	if (!ring_control_copy(d->control, s->control, s->generation))
		return session_fail(error, PU_ERROR_INCORRECT_STATE, "%s got new rings just now",
			s->location.dir);
	int rc = ring_reader_open(&d->reader, s->rings_fd, &s->geometry, d->control);
	if (rc)
		return session_fail(error, rc, "%s: cannot read the rings: %s", s->location.dir,
			RcToString(rc));
	d->rings = ring_reader_rings(&d->reader);
	d->ring = calloc(d->rings, sizeof *d->ring);
	if (!d->ring)
		return drain_fail_memory(error);
	for (uint32_t i = 0; i < d->rings; i++) {
		struct drain_ring *r = &d->ring[i];

		r->queued = r->written = r->released = r->head =
			ring_released(&s->geometry, s->generation, d->control[i].released);
		d->control[i].start = r->queued;
	}
	return 0;
}

static int drain_open_parts(struct drain *d, struct session_error *error)
{
	int rc = drain_lock(d, error);

	if (rc == 0)
		rc = drain_open_rings(d, error);
	if (rc)
		return rc;
	memcpy(d->id, session_drain(d->session)->trace_id, sizeof d->id);
	drain_state_load(d);
	rc = drain_queue_open(d, error);
	if (rc == 0)
		rc = drain_name_open(d, error);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < d->rings; i++) {
		/* From the file, not from what a killed drain stored. */
		drain_tell_figures(d, i);
		drain_read_header(d, i);
	}
	d->polled_at = d->checked = d->clocked = d->noted = d->began = time_ns_monotonic();
	return 0;
}

int drain_open(struct drain **drain, struct session *s, const struct drain_config *config,
	struct session_error *error)
{
	struct held_signals held;
	int rc = check_session(s, error);

	*drain = NULL;
	if (rc)
		return rc;
	struct drain *d = calloc(1, sizeof *d);
	if (!d)
		return drain_fail_memory(error);
	d->session = s;
	d->config = *config;
	d->lock_fd = d->file.out.fd = -1;
	tasks_open(&d->tasks, s);
	signals_hold(&held);
	rc = drain_open_parts(d, error);
	signals_let_go(&held);
	if (rc) {
		drain_close(d);
		return rc;
	}
	drain_publish_status(d, SHM_DRAIN_RUNNING);
	*drain = d;
	return 0;
}

void drain_close(struct drain *d)
{
	if (!d)
		return;
	drain_queue_close(d);
	drain_file_close(&d->file);
	tasks_close(&d->tasks);
	task_losses_free(&d->task_losses);
	ring_reader_close(&d->reader);
	free(d->control);
	free(d->ring);
	if (d->lock_fd >= 0)
		close(d->lock_fd);
	free(d);
}

/* --------------------------------------------------------------------- rounds */

/* The fill rate of the fastest ring, in parts of a ring per second. */
static void drain_measure_fill(struct drain *d)
{
	uint64_t now = time_ns_monotonic(), most = 0;
	double seconds = time_seconds(now - d->polled_at);

	for (uint32_t i = 0; i < d->rings; i++) {
		uint64_t before = d->ring[i].head;

		drain_read_header(d, i);
		if (d->ring[i].head - before > most)
			most = d->ring[i].head - before;
	}
	double rate = (double)most / (double)d->reader.geometry.ring_size /
		      (seconds > 1e-6 ? seconds : 1e-6);
	/* Rises at once, decays slowly. */
	d->rate = rate > d->rate ? rate : d->rate * 0.75 + rate * 0.25;
	d->idle = most == 0;
	d->polled_at = now;
}

/* Prepares the file for a section: room, and the tasks of its hooks. */
static int drain_prepare_file(struct drain *d)
{
	drain_queue_lock_tasks(d);
	int rc = drain_name_rotate(d, &d->why);
	if (rc == 0)
		rc = drain_file_tasks(d, &d->why);
	drain_queue_unlock_tasks(d);
	return rc;
}

/* Writes the oldest job, if there is one. 1: it did; 0: its ring waits; or a PU_ code. */
static int drain_write_oldest(struct drain *d, bool force)
{
	struct drain_job *job = drain_queue_oldest(d);

	if (!job)
		return 0;
	if (d->ring[job->ring].waits) {
		/* An earlier section of its ring waits. */
		drain_requeue_job(d, job);
		drain_queue_remove_oldest(d);
		return 0;
	}
	if (!drain_decide(d, job, force)) {
		drain_queue_remove_oldest(d);
		return 0;
	}
	if (job->span.held)
		drain_queue_pack(d, job);
	int rc = drain_prepare_file(d);
	if (rc == 0)
		rc = drain_file_hooks(d, job, &d->why);
	if (rc)
		return rc;
	drain_complete_job(d, job);
	drain_queue_remove_oldest(d);
	return 1;
}

/* After a failure: the sections are still in the rings. */
static void drain_empty_queue(struct drain *d)
{
	const struct drain_job *job;

	while ((job = drain_queue_newest(d))) {
		drain_requeue_job(d, job);
		drain_queue_remove_newest(d);
	}
}

/* Writes the oldest jobs until one is free, or all. Sets *took if it wrote one. 0 or a PU_ code. */
static int drain_write_queue(struct drain *d, bool all, bool force, int *took)
{
	while (drain_queue_oldest(d) && (all || !drain_queue_free_job(d))) {
		int rc = drain_write_oldest(d, force);

		if (rc < 0)
			return rc;
		*took |= rc;
	}
	return 0;
}

/* Queues a ring's next section. Unfinished ones are written before others are queued. */
static int drain_queue_section(struct drain *d, uint32_t ring, bool force, int *took)
{
	bool finished = drain_pass(d, ring, drain_queue_free_job(d));
	bool later = drain_queue_add(d) && finished;
	int rc = later ? 0 : drain_write_queue(d, true, force, took);

	if (rc == 0 && !d->ring[ring].waits)
		return 1;
	return rc;
}

/* Writes the available sections. 1: some, 0: none, or a PU_ code. */
static int drain_write_sections(struct drain *d, bool partial, bool force)
{
	uint32_t ring;
	int took = 0, rc = 0;

	for (ring = 0; ring < d->rings; ring++) {
		d->ring[ring].waits = false;
		drain_seek(d, ring, partial);
	}
	while (rc >= 0 && (ring = drain_earliest(d)) != d->rings) {
		rc = drain_queue_section(d, ring, force, &took);
		if (rc == 1)
			drain_seek(d, ring, partial);
		if (rc >= 0)
			rc = drain_write_queue(d, false, force, &took);
	}
	if (rc >= 0)
		rc = drain_write_queue(d, true, force, &took);
	if (rc < 0)
		drain_empty_queue(d);
	return rc < 0 ? rc : took;
}

/* Whether a writer has held the next section long enough to check that it is alive. */
static bool drain_is_stuck(const struct drain *d)
{
	for (uint32_t i = 0; i < d->rings; i++) {
		const struct drain_ring *r = &d->ring[i];

		if ((r->held_since && d->polled_at > r->held_since + HELD_NS) ||
			(r->locked_since && d->polled_at > r->locked_since + HELD_NS))
			return true;
	}
	return false;
}

/* Another command that holds the lock reclaims itself, or the next round does. */
static void drain_reclaim_sections(struct drain *d)
{
	uint64_t began = time_ns_monotonic();

	if (began < d->reclaim_at || !drain_owns_page(d) ||
		session_lock(d->session, false, NULL) != 0)
		return;
	session_reclaim(d->session);
	session_unlock(d->session);
	/* Reclaiming reads every ring completely: rarely enough to be cheap with large ones. */
	uint64_t now = time_ns_monotonic();
	d->reclaim_at = now + RECLAIM_NS + 20 * (now - began);
}

static int keep_up(struct drain *d)
{
	int rc = 0;

	if (d->polled_at - d->checked > CHECK_NS) {
		rc = drain_name_check(d, &d->why);
		d->checked = d->polled_at;
	}
	return rc ? rc : drain_file_keep_up(d, &d->why);
}

static int one_round(struct drain *d)
{
	drain_measure_fill(d);
	int rc = keep_up(d);
	if (rc == 0)
		rc = drain_write_sections(d, false, false);
	if (rc >= 0 && drain_is_stuck(d))
		drain_reclaim_sections(d);
	return rc;
}

int drain_round(struct drain *d, struct session_error *error)
{
	struct held_signals held;

	if (d->failed || d->finished)
		return d->failed ? drain_record_failure(d, d->failed, error) : 0;
	signals_hold(&held);
	int rc = one_round(d);
	signals_let_go(&held);
	if (rc < 0)
		return drain_record_failure(d, rc, error);
	if (rc > 0)
		drain_publish_status(d, SHM_DRAIN_RUNNING);
	return rc;
}

/*
 * Wake-ups are the cost of an idle drain, so it sleeps as long as possible: until writers that
 * start now, at 200 MB/s each, would have filled a quarter of their rings.
 */
static unsigned idle_pause(const struct drain *d)
{
	uint64_t ms = d->reader.geometry.ring_size / 4 / 200000;

	if (ms < 10)
		ms = 10;
	if (ms > 40)
		ms = 40;
	return ms < d->rings / 10 ? d->rings / 10 : (unsigned)ms;
}

unsigned drain_pause(const struct drain *d)
{
	if (d->idle && d->rate < 0.01)
		return idle_pause(d);
	/* Milliseconds until a quarter of the fastest ring is full. */
	double ms = 250 / (d->rate > 0.001 ? d->rate : 0.001);

	return ms < 1 ? 1 : ms > 10 ? 10 : (unsigned)ms;
}

bool drain_orphaned(const struct drain *d)
{
	return !drain_owns_page(d);
}

/* --------------------------------------------------------------------- finish */

static int drain_write_rest(struct drain *d)
{
	uint64_t until = time_ns_monotonic() + LAST_NS;
	const struct timespec pause = {.tv_nsec = TIME_MS_NS};
	bool force = false;
	int rc;

	for (;;) {
		bool held = false;

		drain_measure_fill(d);
		rc = drain_write_sections(d, true, force);
		for (uint32_t i = 0; i < d->rings; i++)
			held = held || d->ring[i].held_since;
		if (rc < 0 || force || !held)
			return rc < 0 ? rc : 0;
		force = time_ns_monotonic() > until;
		drain_reclaim_sections(d);
		nanosleep(&pause, NULL);
	}
}

/* Counts a ring's sections as unwritten, and releases them. True: a record is uncommitted, unless
 * forced, which counts it as torn. */
static bool drain_count_unwritten(struct drain *d, uint32_t ring, bool force)
{
	struct drain_ring *r = &d->ring[ring];

	r->ready = r->waits = false;
	for (drain_seek(d, ring, true); r->ready; drain_seek(d, ring, true)) {
		drain_pass(d, ring, drain_queue_free_job(d));
		drain_queue_add(d);
		struct drain_job *job = drain_queue_oldest(d);
		const bool failed = job->failed, is_due = drain_decide(d, job, force);

		drain_queue_remove_oldest(d);
		if (!is_due)
			return !failed;
		r->here.unwritten += job->span.hooks;
		r->here.loose_torn += job->span.torn;
		r->here.torn += job->span.torn;
		drain_complete_job(d, job);
	}
	return false;
}

/* Counts what can no longer be written, and releases the room to the writers. Tracing is off: a
 * record that is begun is committed soon, unless its writer was stopped. */
static void drain_count_rest(struct drain *d)
{
	const uint64_t until = time_ns_monotonic() + LAST_NS;
	const struct timespec pause = {.tv_nsec = TIME_MS_NS};
	bool force, held;

	do {
		force = time_ns_monotonic() > until;
		held = false;
		drain_measure_fill(d);
		for (uint32_t i = 0; i < d->rings; i++)
			held |= drain_count_unwritten(d, i, force);
		if (held)
			nanosleep(&pause, NULL);
	} while (held && !force);
}

static int drain_finish_file(struct drain *d)
{
	int rc = d->failed ? 0 : drain_write_rest(d);

	if (rc == 0 && !d->failed)
		rc = drain_name_check(d, &d->why);
	if (rc == 0 && !d->failed)
		rc = drain_file_end(d, &d->why);
	if (rc || d->failed) {
		drain_count_rest(d);
		drain_file_end_anyhow(d);
		drain_name_account(d);
	}
	return rc;
}

int drain_finish(struct drain *d, struct session_error *error)
{
	struct held_signals held;

	if (d->finished)
		return d->failed ? drain_record_failure(d, d->failed, error) : 0;
	d->finished = true;
	signals_hold(&held);
	int rc = drain_finish_file(d);
	signals_let_go(&held);
	drain_state_save(d);
	if (rc || d->failed) {
		rc = drain_record_failure(d, d->failed ? d->failed : rc, error);
		drain_publish_status(d, SHM_DRAIN_FAILED);
		return rc;
	}
	drain_publish_status(d, SHM_DRAIN_FINISHED);
	return 0;
}

void drain_status(const struct drain *d, struct drain_status *status)
{
	memset(status, 0, sizeof *status);
	status->bytes = d->bytes_before + d->file.whole;
	status->rotations = d->rotations;
	for (uint32_t i = 0; i < d->rings; i++) {
		const struct drain_ring *r = &d->ring[i];

		status->hooks += r->before.hooks + r->here.hooks;
		status->torn += r->before.torn + r->here.torn;
		status->lost_full += r->loss[SHM_LOST_FULL];
		status->lost_other += shm_losses_sum(r->loss) - r->loss[SHM_LOST_FULL];
		status->lost_unwritten += r->before.unwritten + r->here.unwritten;
		status->waiting += r->head - r->queued;
		status->damaged += r->damaged;
	}
}
