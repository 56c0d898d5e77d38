/*
 * The watch's position in each ring, and the hooks that it did not see.
 *
 * Everything in a ring is hostile: a position moves only forward and never beyond head, a poll
 * steps over at most a ring's sections twice, and a head that goes back is not followed.
 */
#include "watch.h"

#include <stdlib.h>
#include <string.h>

#include "../../formats/base/time_ns.h"
#include "../../formats/record.h"
#include "../../include/perfutil.h"
#include "../ring/follow.h"
#include "../ring/layout.h"
#include "../session/fail.h"

/* The time that an interrupted writer gets. */
#define HELD_NS 100000000u
/* Attempts to count the ring when the watch begins: fast writers may lap it. */
enum { COUNT_TRIES = 10 };

static void note_damage(struct watch *w, struct watch_ring *r)
{
	w->damaged += !r->damaged;
	r->damaged = true;
}

/* --------------------------------------------------------- counting lost hooks */

/* Hooks of a copied section below a position. */
static uint32_t records_below(const uint8_t *copy, const struct ring_span *span, uint64_t position)
{
	uint32_t n = 0, at = 0, control;

	while (span->position + at < position &&
		rec_read_control(copy, at, span->bytes, &control)) {
		n += rec_control_is_hook(control);
		at += rec_control_size(control);
	}
	return n;
}

/*
 * Hooks from the start to `position`, all there ever were: those that the ledger counts as
 * overwritten, and those still there. Hooks that are overwritten while the sections are counted are
 * in the ledger that is read last. Only if that has lapped position itself are there hooks behind
 * it among them; a reader that continues from there finds that section gone, counts again, and has
 * them right.
 */
static uint64_t hooks_below(struct watch *w, uint32_t ring, uint64_t position)
{
	struct ring_ledger ledger;
	uint64_t sum;
	int n = ring_reader_parts(&w->reader, ring, w->parts), later, k = 0;

	for (int i = 0; i < n; i++) {
		struct ring_span span;

		w->counted[i] = 0;
		if (w->parts[i].position < position &&
			ring_reader_copy(&w->reader, ring, &w->parts[i], w->copy, &span) == 0)
			w->counted[i] = records_below(w->copy, &span, position);
	}
	later = ring_reader_list(&w->reader, ring, w->later, &ledger);
	sum = ledger.overwritten + ledger.torn;
	for (int i = 0; i < n; i++) {
		while (k < later && w->later[k].position < w->parts[i].position)
			k++;
		if (k < later && w->later[k].position == w->parts[i].position)
			sum += w->counted[i];
	}
	return sum;
}

/* Writers lapped the watch: continue with the oldest later section that is still there. */
static void catch_up(struct watch *w, uint32_t ring)
{
	struct watch_ring *r = &w->ring[ring];
	int n = ring_reader_parts(&w->reader, ring, w->parts), i = 0;
	uint64_t to = r->head;

	while (i < n && w->parts[i].position <= r->position)
		i++;
	if (i < n && w->parts[i].position < to)
		to = w->parts[i].position;
	uint64_t below = hooks_below(w, ring, to);
	if (below > r->before) {
		w->missed += below - r->before;
		r->missed += below - r->before;
		r->before = below;
	}
	r->position = to;
	r->held_since = 0;
}

/* A discard moved the start forward: skip the hooks before it. */
static void watch_follow_discard(struct watch *w, uint32_t ring)
{
	struct watch_ring *r = &w->ring[ring];
	uint64_t start = ring_load_start(&w->session->control->ring[ring]);

	if (start == r->start || start > r->head)
		return;
	if (start > r->position) {
		r->position = start;
		r->held_since = 0;
	}
	r->start = start;
	r->before = hooks_below(w, ring, r->position);
	r->lost0 = 0; /* the counters' zero moved with it */
}

/* ---------------------------------------------------------------------- looking */

/* Receives new hooks: one of the two. */
struct receiver {
	watch_fn *event;
	watch_run_fn *run;
	void *arg;
};

static void watch_pass_run(struct watch *w, struct watch_ring *r, uint32_t ring,
	const struct ring_news *news, const struct receiver *to)
{
	r->position += news->bytes;
	r->before += news->hooks;
	r->seen += news->hooks;
	w->seen += news->hooks;
	if (news->bytes)
		to->run(to->arg, ring, w->reader.first_read, news->bytes);
}

/* Passes the copied records on. False: stopped. */
static bool watch_pass_events(struct watch *w, struct watch_ring *r, uint32_t ring, uint32_t bytes,
	const struct receiver *to)
{
	/* A process sets the flag before its first hook: it is set for all hooks copied. */
	if (!w->is_scripted && bytes)
		w->is_scripted = session_sticky(w->session) & SHM_STICKY_SCRIPTED;
	for (uint32_t at = 0; at < bytes;) {
		struct event e;

		event_read(&e, w->copy + at, bytes - at);
		at += e.bytes;
		r->position += e.bytes;
		if (e.hooks == 0)
			continue;
		r->before += e.hooks;
		r->seen += e.hooks;
		w->seen += e.hooks;
		e.has_cpu = ring < w->reader.geometry.cpus;
		e.cpu = ring;
		e.lost = w->lost;
		e.labels = &w->labels;
		e.is_scripted = w->is_scripted;
		if (!to->event(to->arg, &e))
			return false;
	}
	return true;
}

/* Whether to wait for an uncommitted record. */
static bool watch_is_patient(const struct watch *w, struct watch_ring *r)
{
	if (r->held_since == 0)
		r->held_since = w->polled_at ? w->polled_at : 1;
	return w->polled_at - r->held_since < HELD_NS &&
	       r->head - r->position < w->reader.geometry.ring_size / 4;
}

static void to_section_end(const struct watch *w, struct watch_ring *r)
{
	uint64_t end =
		section_start(&w->reader.geometry, r->position) + w->reader.geometry.section_size;

	r->position = end < r->head ? end : r->head;
	r->held_since = 0;
}

/* Finds the records after those passed on. False: nothing new now. */
static bool step_on(struct watch *w, struct watch_ring *r, const struct ring_news *news)
{
	if (news->damaged) {
		note_damage(w, r);
		to_section_end(w, r);
	} else if (news->held) {
		if (watch_is_patient(w, r))
			return false;
		r->position += news->held;
		r->before++;
		r->missed++;
		w->unfinished++;
		r->held_since = 0;
	}
	return true;
}

static bool watch_walk_ring(struct watch *w, uint32_t ring, const struct receiver *to)
{
	struct watch_ring *r = &w->ring[ring];
	uint64_t steps = 2 * (uint64_t)w->reader.geometry.sections + 2;
	struct ring_news news;

	while (r->position < r->head && steps--) {
		if (ring_reader_follow(&w->reader, ring, r->position, r->head,
			    to->run ? NULL : w->copy, &news) != 0) {
			note_damage(w, r);
			return true;
		}
		if (news.state == NEWS_GONE) {
			catch_up(w, ring);
			continue;
		}
		if (news.state == NEWS_SKIPPED) {
			to_section_end(w, r);
			continue;
		}
		if (news.bytes)
			r->held_since = 0;
		if (to->run)
			watch_pass_run(w, r, ring, &news, to);
		else if (!watch_pass_events(w, r, ring, news.bytes, to))
			return false;
		if (!step_on(w, r, &news))
			return true;
	}
	return true;
}

static uint64_t sum_of(const struct shm_ring *header, const struct shm_ring_control *c)
{
	uint64_t sum = 0;

	for (int i = SHM_LOST_FULL; i < SHM_SKIPPED; i++)
		if (header->loss[i] > c->loss_base[i])
			sum += header->loss[i] - c->loss_base[i];
	return sum;
}

/* Reads the header by one small read, which suffices if nothing happened. */
static bool watch_read_head(struct watch *w, uint32_t ring)
{
	struct watch_ring *r = &w->ring[ring];
	struct shm_ring header;

	if (ring_reader_header(&w->reader, ring, &header) != 0 || (header.head & 7) ||
		header.head < r->head) {
		note_damage(w, r);
		return false;
	}
	r->head = header.head;
	watch_follow_discard(w, ring);
	uint64_t lost = sum_of(&header, &w->session->control->ring[ring]);
	if (lost > r->lost0) {
		w->lost += lost - r->lost0;
		r->lost0 = lost;
	}
	return r->position < r->head;
}

static void note_rate(struct watch *w, uint64_t most, uint64_t ns)
{
	double seconds = time_seconds(ns);
	double rate = (double)most / (double)w->reader.geometry.ring_size /
		      (seconds > 1e-6 ? seconds : 1e-6);

	/* Rises at once, decays slowly. */
	w->rate = rate > w->rate ? rate : w->rate * 0.75 + rate * 0.25;
}

static bool watch_poll_rings(struct watch *w, const struct receiver *to)
{
	uint64_t most = 0, last = w->polled_at;
	bool go_on = true;

	w->polled_at = time_ns_monotonic();
	for (uint32_t i = 0; go_on && i < w->rings; i++) {
		uint64_t before = w->ring[i].head;

		if (watch_read_head(w, i))
			go_on = watch_walk_ring(w, i, to);
		if (w->ring[i].head - before > most)
			most = w->ring[i].head - before;
	}
	note_rate(w, most, w->polled_at - last);
	return go_on;
}

bool watch_poll(struct watch *w, watch_fn *each, void *arg)
{
	return watch_poll_rings(w, &(struct receiver){.event = each, .arg = arg});
}

void watch_poll_headers(struct watch *w, watch_run_fn *each, void *arg)
{
	watch_poll_rings(w, &(struct receiver){.run = each, .arg = arg});
}

unsigned watch_pause(const struct watch *w)
{
	unsigned idle = 10 > w->rings / 10 ? 10 : w->rings / 10;
	/* Milliseconds until a quarter of the fastest ring is full. */
	double ms = 250 / (w->rate > 0.001 ? w->rate : 0.001);

	return ms < 1 ? 1 : ms > idle ? idle : (unsigned)ms;
}

/* ---------------------------------------------------------------- open, poll, close */

/* Begins at a record being written now: it will be seen. */
static void begin_at(struct watch *w, uint32_t ring, const struct shm_ring *header)
{
	uint64_t section = section_start(&w->reader.geometry, header->head);
	struct watch_ring *r = &w->ring[ring];
	struct ring_news news;

	r->start = ring_load_start(&w->session->control->ring[ring]);
	r->head = r->position = header->head;
	r->lost0 = sum_of(header, &w->session->control->ring[ring]);
	if (section < header->head &&
		ring_reader_follow(&w->reader, ring, section, header->head, w->copy, &news) == 0 &&
		news.state == NEWS_THERE && news.held && section + news.bytes >= r->start)
		r->position = section + news.bytes;
	r->before = hooks_below(w, ring, r->position);
}

/* Counts again if writers lapped the ring meanwhile. */
static void begin_at_head(struct watch *w, uint32_t ring)
{
	const struct shm_geometry *g = &w->reader.geometry;
	struct watch_ring *r = &w->ring[ring];
	struct shm_ring header;

	for (int i = 0; i < COUNT_TRIES; i++) {
		if (ring_reader_header(&w->reader, ring, &header) != 0 || (header.head & 7)) {
			note_damage(w, r);
			return;
		}
		if (i && header.head < section_start(g, r->position) + g->ring_size)
			return;
		begin_at(w, ring, &header);
	}
}

static int watch_fail_memory(struct session_error *error)
{
	return session_fail(
		error, PU_ERROR_NOT_ENOUGH_MEMORY, "not enough memory to watch the rings");
}

static int watch_allocate_rings(struct watch *w, struct session_error *error)
{
	const struct shm_geometry *g = &w->reader.geometry;

	w->ring = calloc(w->rings, sizeof *w->ring);
	w->parts = malloc(g->sections * sizeof *w->parts);
	w->later = malloc(g->sections * sizeof *w->later);
	w->counted = malloc(g->sections * sizeof *w->counted);
	w->copy = malloc(g->section_size);
	return w->ring && w->parts && w->later && w->counted && w->copy ? 0
									: watch_fail_memory(error);
}

int watch_open(struct watch *w, const struct session *s, struct session_error *error)
{
	memset(w, 0, sizeof *w);
	if (s->rings_fd < 0)
		return session_fail(error, PU_ERROR_NO_BUFFER,
			"%s has no trace buffers; swtrace init makes them", s->location.dir);
	w->session = w->labels.session = s;
	int rc = ring_reader_open(&w->reader, s->rings_fd, &s->geometry, s->control->ring);
	if (rc)
		return session_fail(error, rc, "%s: cannot read the rings: %s", s->location.dir,
			RcToString(rc));
	w->rings = ring_reader_rings(&w->reader);
	rc = watch_allocate_rings(w, error);
	if (rc) {
		watch_close(w);
		return rc;
	}
	w->polled_at = time_ns_monotonic();
	for (uint32_t i = 0; i < w->rings; i++)
		begin_at_head(w, i);
	return 0;
}

void watch_close(struct watch *w)
{
	if (!w->session)
		return;
	ring_reader_close(&w->reader);
	label_copy_free(&w->labels);
	free(w->ring);
	free(w->parts);
	free(w->later);
	free(w->counted);
	free(w->copy);
	memset(w, 0, sizeof *w);
}
