#include "rings.h"

#include <math.h>
#include <stdlib.h>

#include "../../core/clock.h"
#include "../../ring/layout.h"
#include "../continuous.h"

static uint64_t rings_load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* Hooks lost since init. *since: since the last discard. */
static uint64_t rings_read_losses(struct watch *w, uint32_t ring, uint64_t *since)
{
	const struct shm_ring_control *c = &w->session->control->ring[ring];
	struct shm_ring header;

	*since = 0;
	if (ring_reader_header(&w->reader, ring, &header) != 0)
		return 0;
	for (int i = SHM_LOST_FULL; i < SHM_SKIPPED; i++) {
		uint64_t base = rings_load(&c->loss_base[i]);

		*since += header.loss[i] > base ? header.loss[i] - base : 0;
	}
	return shm_losses_sum(header.loss);
}

bool top_rings_open(struct top_rings *r, struct watch *w)
{
	*r = (struct top_rings){.count = w->rings};
	r->ring = calloc(w->rings, sizeof *r->ring);
	for (uint32_t i = 0; r->ring && i < w->rings; i++) {
		r->ring[i] = (struct top_ring){
			.id = ring_reader_id(&w->reader, i), .position0 = w->ring[i].head};
		r->ring[i].lost0 = rings_read_losses(w, i, &r->ring[i].lost_ever);
	}
	return r->ring != NULL;
}

void top_rings_close(struct top_rings *r)
{
	free(r->ring);
	*r = (struct top_rings){0};
}

/* Since when the ring's oldest undrained hook waits. NAN: n/a. */
static double lag_of(struct watch *w, uint32_t ring, uint64_t released)
{
	uint64_t stamp = ring_reader_stamp(&w->reader, ring, released), now;

	if (stamp == 0 || clock_kind() != w->reader.geometry.clock)
		return NAN;
	now = clock_read();
	return now > stamp ? (double)(now - stamp) / (double)w->reader.geometry.ticks_per_second
			   : 0;
}

static void rings_read_fullness(struct top_ring *t, struct watch *w, uint32_t ring, bool drained)
{
	const struct shm_ring_control *c = &w->session->control->ring[ring];
	const struct shm_geometry *g = &w->reader.geometry;
	uint64_t head = w->ring[ring].head, from = rings_load(&c->start);

	t->lag_bytes = 0;
	t->lag_s = drained ? 0 : NAN;
	if (g->mode == SHM_MODE_CONTINUOUS) {
		uint64_t released =
			ring_released(g, w->session->generation, rings_load(&c->released));

		from = released > from ? released : from;
		t->lag_bytes = head > from ? head - from : 0;
		if (drained && head > from)
			t->lag_s = lag_of(w, ring, from);
	}
	double full = head > from ? (double)(head - from) / (double)g->ring_size : 0;
	t->full = full < 1 ? full : 1;
}

static void close_ring(struct top_ring *t, struct watch *w, uint32_t ring, bool drained)
{
	const struct watch_ring *r = &w->ring[ring];

	t->missed = r->missed - t->missed0;
	t->hooks = r->seen - t->seen0 + t->missed;
	t->bytes = r->head > t->position0 ? r->head - t->position0 : 0;
	uint64_t lost = rings_read_losses(w, ring, &t->lost_ever);
	t->lost = lost > t->lost0 ? lost - t->lost0 : 0;
	t->all_hooks += t->hooks;
	t->all_missed += t->missed;
	t->all_bytes += t->bytes;
	t->all_lost += t->lost;
	rings_read_fullness(t, w, ring, drained);
	t->seen0 = r->seen;
	t->missed0 = r->missed;
	t->position0 = r->head;
	t->lost0 = lost > t->lost0 ? lost : t->lost0;
}

static void rings_add_up(struct top_ring *sum, const struct top_ring *t)
{
	sum->hooks += t->hooks;
	sum->missed += t->missed;
	sum->bytes += t->bytes;
	sum->lost += t->lost;
	sum->all_hooks += t->all_hooks;
	sum->all_missed += t->all_missed;
	sum->all_bytes += t->all_bytes;
	sum->all_lost += t->all_lost;
	sum->lost_ever += t->lost_ever;
	sum->lag_bytes += t->lag_bytes;
	sum->full = t->full > sum->full ? t->full : sum->full;
	if (t->lag_s > sum->lag_s || isnan(sum->lag_s))
		sum->lag_s = t->lag_s;
}

void top_rings_close_round(struct top_rings *r, struct watch *w, struct session *s)
{
	r->drained = session_is_continuous(s) && continuous_runs(s);
	r->sum = (struct top_ring){.lag_s = NAN};
	for (uint32_t i = 0; i < r->count; i++) {
		close_ring(&r->ring[i], w, i, r->drained);
		rings_add_up(&r->sum, &r->ring[i]);
	}
}
