/*
 * Where the drain is in each ring.
 *
 * Everything in a ring is hostile. A position moves only forward, only to what the owner's
 * geometry allows (head may be at most a ring's size beyond the section that was released
 * last), and a loop steps over at most a ring's sections.
 */
#include "../../../formats/base/time_ns.h"
#include "../../../include/perfutil.h"
#include "../../ring/layout.h"
#include "private.h"

bool drain_owns_page(const struct drain *d)
{
	return session_is_current(d->session);
}

/* After an init in between they do not describe the new rings. */
void drain_tell_figures(struct drain *d, uint32_t ring)
{
	struct shm_ring_control *page = &d->session->control->ring[ring];
	const struct drain_ring *r = &d->ring[ring];
	uint32_t generation = d->session->generation;

	page->drained = shm_figure(generation, r->before.hooks + r->here.hooks);
	page->drained_torn = shm_figure(generation, r->before.torn + r->here.torn);
}

/* Releases the room before written's section to writers. */
static void drain_release_sections(struct drain *d, uint32_t ring)
{
	struct drain_ring *r = &d->ring[ring];
	uint64_t to = section_start(&d->reader.geometry, r->written);

	d->control[ring].start = r->queued;
	if (to <= r->released)
		return;
	r->released = to;
	/* An init in between gets a word of another generation, which no writer follows. */
	if (drain_owns_page(d))
		ring_store_released(&d->session->control->ring[ring],
			ring_released_word(&d->reader.geometry, d->session->generation, to));
}

void drain_start_at(struct drain *d, uint32_t ring, uint64_t position)
{
	struct drain_ring *r = &d->ring[ring];

	r->queued = position;
	if (r->jobs == 0)
		r->written = position;
	r->ready = false;
	r->held_since = 0;
	if (r->head < position)
		r->head = position;
	drain_release_sections(d, ring);
}

uint64_t drain_limit(const struct drain *d, uint32_t ring)
{
	return d->ring[ring].released + d->reader.geometry.ring_size;
}

/* A discard moved the start forward: skip the hooks before it. */
static void drain_follow_discard(struct drain *d, uint32_t ring)
{
	struct drain_ring *r = &d->ring[ring];

	if (!drain_owns_page(d))
		return;
	uint64_t start = ring_load_start(&d->session->control->ring[ring]);

	/* It was copied from head, which any member can write. */
	if (start > r->queued && start <= r->head)
		drain_start_at(d, ring, start);
}

static void note_lock(struct drain_ring *r, uint32_t lock)
{
	if (lock != r->lock || lock == 0)
		r->locked_since = lock ? time_ns_monotonic() : 0;
	r->lock = lock;
}

static void drain_note_losses(struct drain_ring *r, const struct shm_ring *header)
{
	for (int i = 0; i < SHM_LOSSES; i++)
		if (header->loss[i] > r->loss[i])
			r->loss[i] = header->loss[i];
}

uint64_t drain_read_losses(struct drain *d)
{
	struct shm_ring header;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < d->rings; i++) {
		if (ring_reader_header(&d->reader, i, &header) == 0)
			drain_note_losses(&d->ring[i], &header);
		sum += shm_losses_sum(d->ring[i].loss);
	}
	return sum;
}

void drain_read_header(struct drain *d, uint32_t ring)
{
	struct drain_ring *r = &d->ring[ring];
	struct shm_ring header;

	if (ring_reader_header(&d->reader, ring, &header) != 0) {
		r->damaged = true;
		return;
	}
	drain_note_losses(r, &header);
	r->clock_back = header.clock_back;
	note_lock(r, ring >= d->reader.geometry.cpus ? header.lock : 0);
	if ((header.head & 7) || header.head < r->queued || header.head > drain_limit(d, ring)) {
		r->damaged = true;
		return;
	}
	r->head = header.head;
	drain_follow_discard(d, ring);
}

void drain_seek(struct drain *d, uint32_t ring, bool partial)
{
	const struct shm_geometry *g = &d->reader.geometry;
	struct drain_ring *r = &d->ring[ring];

	while (!r->ready && r->queued < r->head) {
		uint64_t section = section_start(g, r->queued), end = section + g->section_size;

		if (end > r->head && !partial)
			return;
		int entered = ring_reader_entered(&d->reader, ring, section, &r->entry_lost);
		if (entered < 0) {
			r->damaged = true;
			return;
		}
		if (entered) {
			r->stamp = ring_reader_stamp(&d->reader, ring, r->queued);
			r->ready = true;
			return;
		}
		/* Skipped: head is past it, so no writer will enter it. */
		drain_start_at(d, ring, end < r->head ? end : r->head);
	}
}

uint32_t drain_earliest(const struct drain *d)
{
	uint32_t best = d->rings;

	for (uint32_t i = 0; i < d->rings; i++)
		if (d->ring[i].ready &&
			(best == d->rings || d->ring[i].stamp < d->ring[best].stamp))
			best = i;
	return best;
}

/* Whether writers need the room soon: a held section must not make the ring full. */
static bool drain_ring_is_needed(const struct drain *d, uint32_t ring)
{
	const struct shm_geometry *g = &d->reader.geometry;
	uint64_t left = drain_limit(d, ring) - d->ring[ring].head;
	uint64_t enough = g->ring_size / 4;

	if (enough < 2 * (uint64_t)g->section_size)
		enough = 2 * (uint64_t)g->section_size;
	return left <= enough;
}

bool drain_pass(struct drain *d, uint32_t ring, struct drain_job *job)
{
	const struct shm_geometry *g = &d->reader.geometry;
	struct drain_ring *r = &d->ring[ring];
	uint64_t end = section_start(g, r->queued) + g->section_size;
	bool is_finished = end <= r->head;

	job->ring = ring;
	job->from = r->queued;
	job->end = is_finished ? end : r->head;
	job->stamp = r->stamp;
	job->entry_lost = r->entry_lost;
	job->held_since = r->held_since;
	r->jobs++;
	drain_start_at(d, ring, job->end);
	return is_finished;
}

void drain_requeue_job(struct drain *d, const struct drain_job *job)
{
	struct drain_ring *r = &d->ring[job->ring];

	/* A ring that waits has gone back further. */
	if (!r->waits)
		r->queued = job->from;
	r->ready = false;
	if (--r->jobs == 0)
		r->written = r->queued;
	d->control[job->ring].start = r->queued;
}

bool drain_decide(struct drain *d, struct drain_job *job, bool force)
{
	const struct ring_span *span = &job->span;
	struct drain_ring *r = &d->ring[job->ring];

	if (!job->failed && (span->damaged || span->bytes == 0))
		r->damaged = true;
	if (job->failed || (!force && !drain_ring_is_needed(d, job->ring) && span->held)) {
		if (job->failed)
			r->damaged = true;
		else
			r->held_since = job->held_since ? job->held_since : time_ns_monotonic();
		drain_requeue_job(d, job);
		r->waits = true;
		return false;
	}
	/* An invalid record ends an unfinished section: the rest cannot be parsed. */
	if (job->end % d->reader.geometry.section_size && span->bytes && !span->damaged) {
		job->end = span->position + span->bytes;
		r->queued = job->end;
	}
	return true;
}

void drain_complete_job(struct drain *d, const struct drain_job *job)
{
	struct drain_ring *r = &d->ring[job->ring];

	/* Skipped sections follow the last one. */
	r->written = --r->jobs ? job->end : r->queued;
	drain_release_sections(d, job->ring);
}
