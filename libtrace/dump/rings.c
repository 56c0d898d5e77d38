#include "rings.h"

#include <stdlib.h>
#include <string.h>

#include "../../formats/base/time_ns.h"
#include "../../formats/bytes.h"
#include "../../formats/record.h"
#include "../../include/perfutil.h"
#include "../ring/layout.h"
#include "../session/fail.h"
#include "tasks.h"

/*
 * Choosing the next section requires a copy of every ring's next one. Keeps the copies up to this
 * much memory; sections beyond it are copied a second time.
 */
#define KEPT_COPIES_MAX ((uint64_t)64 << 20)

/* The most attempts to count the section at the cut before writers lap it. */
#define CUT_TRIES 100

struct handed_out {
	uint32_t hooks, torn;
	bool seen; /* copied before writers lapped it */
};

struct ring_cursor {
	struct ring_part *parts;
	struct handed_out *out; /* per part */
	uint32_t count, next;	/* parts; the one after the current section */
	uint64_t cut;
	struct ring_ledger earlier; /* when writers lapped the cut; entered 0: not seen */
	bool *gone;		    /* number of parts at that moment */
	uint32_t at_cut;	    /* hooks and torn records below the cut in the cut's section */
	struct ring_ledger ledger;  /* at the cut */
	uint8_t *kept;		    /* the current section, or NULL: to be copied again */
	struct ring_span span;	    /* of the current section; bytes 0: none */
	uint64_t lost;		    /* since the last section written */
	bool gap;		    /* hooks are missing before the next section */
	uint64_t since;		    /* first stamp of the section behind the last gap */
	uint64_t dropped_torn;	    /* in sections without hooks, which are not written */
};

static int rings_report_error(struct session_error *error, int rc, const char *what)
{
	return session_fail(error, rc, "cannot read the rings (%s): %s", what, RcToString(rc));
}

/* Keeps only the records before the cut. The copy is well-formed: the reader parsed it. */
static void rings_trim_span(
	const struct ring_cursor *c, const uint8_t *bytes, struct ring_span *span)
{
	uint64_t room = c->cut > span->position ? c->cut - span->position : 0;
	uint32_t at = 0, control;

	if (room >= span->bytes)
		return;
	span->hooks = span->torn = 0;
	span->first_stamp = span->last_stamp = 0;
	for (; rec_read_control(bytes, at, (uint32_t)room, &control);
		at += rec_control_size(control)) {
		if (!rec_control_is_hook(control))
			continue;
		if (!(control & REC_COMMITTED)) {
			span->torn++;
			continue;
		}
		span->last_stamp = get_le64(bytes + at + REC_STAMP);
		if (span->hooks++ == 0)
			span->first_stamp = span->last_stamp;
	}
	span->bytes = at;
}

static uint64_t section_of_cut(const struct rings *r, const struct ring_cursor *c)
{
	return section_start(&r->reader.geometry, c->cut);
}

/* Counts the records below the cut in its section. False if writers lapped it. */
static bool count_at_cut(struct rings *r, struct ring_cursor *c, int n, int *rc)
{
	const struct ring_part *last = &r->parts[n - 1];
	uint32_t ring = (uint32_t)(c - r->cursor);
	struct ring_span span;

	if (n == 0 || last->position != section_of_cut(r, c))
		return true;
	*rc = ring_reader_copy(&r->reader, ring, last, r->shared, &span);
	if (*rc || span.overwritten)
		return *rc != 0;
	rings_trim_span(c, r->shared, &span);
	c->at_cut = span.hooks + span.torn;
	return true;
}

/* Reads the list of sections into r->parts, the ledger of that moment, and the cut. If
 * sections are kept, the listed ones are. */
static int find_cut(struct rings *r, struct ring_cursor *c)
{
	uint32_t ring = (uint32_t)(c - r->cursor);
	int rc = 0, n = 0;

	for (int i = 0; i < CUT_TRIES && rc == 0; i++) {
		/* A truncated file shows in the ledger. */
		bool keeps = r->keep && ring_reader_keep(&r->reader, ring, r->keep) == 0;

		n = ring_reader_list(&r->reader, ring, r->parts, &c->ledger);
		if (n < 0)
			return n;
		if ((uint32_t)n > r->reader.geometry.sections)
			return PU_ERROR_INTERNAL_ERROR;
		c->cut = c->ledger.head;
		if (keeps && ring_reader_keep_below(&r->reader, ring, c->cut) == 0)
			continue;
		if (count_at_cut(r, c, n, &rc))
			break;
	}
	return rc ? rc : n;
}

static int cursor_open(struct rings *r, uint32_t ring, bool keep)
{
	struct ring_cursor *c = &r->cursor[ring];
	int n = find_cut(r, c);

	if (n <= 0)
		return n;
	c->parts = malloc((size_t)n * sizeof *c->parts);
	c->out = calloc((size_t)n, sizeof *c->out);
	c->gone = calloc((size_t)n, sizeof *c->gone);
	if (!c->parts || !c->out || !c->gone)
		return PU_ERROR_NOT_ENOUGH_MEMORY;
	memcpy(c->parts, r->parts, (size_t)n * sizeof *c->parts);
	c->count = (uint32_t)n;
	c->gap = c->ledger.overwritten + c->ledger.torn != 0;
	r->total += c->count;
	if (keep) {
		c->kept = malloc(r->reader.geometry.section_size);
		if (!c->kept)
			return PU_ERROR_NOT_ENOUGH_MEMORY;
	}
	return 0;
}

static int copy_part(struct rings *r, uint32_t ring, uint32_t part)
{
	struct ring_cursor *c = &r->cursor[ring];
	uint8_t *bytes = c->kept ? c->kept : r->shared;
	int rc = ring_reader_copy(&r->reader, ring, &c->parts[part], bytes, &c->span);

	if (rc == 0 && c->span.bytes)
		rings_trim_span(c, bytes, &c->span);
	return rc;
}

/* Whether to write the current copy. A section without hooks has no stamp to be ordered by and
 * nothing to show: its torn records go to the ledger. */
static bool rings_accept_section(struct ring_cursor *c, uint32_t part)
{
	if (c->span.bytes && c->span.hooks)
		return true;
	if (c->span.bytes) {
		c->dropped_torn += c->span.torn;
		c->out[part].torn = c->span.torn;
	}
	c->span = (struct ring_span){.overwritten = c->span.overwritten};
	return false;
}

/* The start of the section that overwrites the cut's section. */
static uint64_t rings_limit_of_cut(const struct rings *r, const struct ring_cursor *c)
{
	return section_of_cut(r, c) + r->reader.geometry.ring_size;
}

/* Records the counters from before writers lapped the cut. The ring keeps them for another lap. */
static void watch_cut(struct rings *r, uint32_t ring)
{
	struct ring_cursor *c = &r->cursor[ring];
	struct shm_ring header;

	if (c->earlier.entered || ring_reader_header(&r->reader, ring, &header) != 0 ||
		header.head < rings_limit_of_cut(r, c))
		return;
	ring_reader_gone_below(&r->reader, ring, rings_limit_of_cut(r, c), c->parts, c->count,
		&c->ledger, c->gone, &c->earlier);
}

/* If writers lapped the previous section, they are about to lap this one. */
static bool skip_gone(struct rings *r, uint32_t ring, uint32_t part)
{
	struct ring_cursor *c = &r->cursor[ring];
	uint64_t lost;

	if (r->keep)
		return false;
	if (ring_reader_entered(&r->reader, ring, c->parts[part].position, &lost) != 0)
		return false;
	c->span = (struct ring_span){.overwritten = true};
	return true;
}

static void note_seen(struct ring_cursor *c, uint32_t part)
{
	c->out[part].seen = !c->span.overwritten;
	c->gap = c->gap || c->span.overwritten;
}

/* Moves to the ring's next section with a hook; span.bytes is 0 if there is none. */
static int rings_advance_cursor(struct rings *r, uint32_t ring)
{
	struct ring_cursor *c = &r->cursor[ring];

	c->span = (struct ring_span){0};
	while (c->next < c->count) {
		uint32_t part = c->next++;
		bool outrun = c->span.overwritten;
		int rc = outrun && skip_gone(r, ring, part) ? 0 : copy_part(r, ring, part);

		if (rc)
			return rc;
		if (outrun && part % 64 == 0)
			watch_cut(r, ring);
		c->lost += c->parts[part].lost_before;
		note_seen(c, part);
		if (rings_accept_section(c, part))
			return 0;
	}
	return 0;
}

static int open_cursors(struct rings *r)
{
	uint64_t kept = 0, began = time_ns_monotonic();

	for (uint32_t i = 0; i < r->rings; i++) {
		bool keep = kept + r->reader.geometry.section_size <= KEPT_COPIES_MAX;
		int rc = cursor_open(r, i, keep);

		if (rc)
			return rc;
		if (r->cursor[i].kept)
			kept += r->reader.geometry.section_size;
	}
	r->skew_ns = time_ns_monotonic() - began;
	for (uint32_t i = 0; i < r->rings; i++) {
		int rc = rings_advance_cursor(r, i);

		if (rc)
			return rc;
	}
	return 0;
}

int rings_open(struct rings *r, const struct session *s, const struct ring_keep *keep,
	struct session_error *error)
{
	memset(r, 0, sizeof *r);
	r->keep = keep;
	if (s->rings_fd < 0)
		return session_fail(error, PU_ERROR_NO_BUFFER,
			"%s has no rings: there is nothing to dump; `swtrace init` makes them",
			s->location.dir);
	/* Copied: a later discard or init must not move the starts under this dump. */
	r->control = malloc(sizeof s->control->ring);
	if (!r->control)
		return rings_report_error(error, PU_ERROR_NOT_ENOUGH_MEMORY, "not enough memory");
	if (!ring_control_copy(r->control, s->control, s->generation)) {
		free(r->control);
		r->control = NULL;
		return session_fail(error, PU_ERROR_INCORRECT_STATE,
			"%s got new rings just now; dump again", s->location.dir);
	}
	int rc = ring_reader_open(&r->reader, s->rings_fd, &s->geometry, r->control);
	if (rc) {
		free(r->control);
		r->control = NULL;
		return rings_report_error(error, rc, "opening");
	}
	r->rings = ring_reader_rings(&r->reader);
	r->cursor = calloc(r->rings, sizeof *r->cursor);
	r->parts = calloc(s->geometry.sections, sizeof *r->parts);
	r->shared = malloc(s->geometry.section_size);
	rc = PU_ERROR_NOT_ENOUGH_MEMORY;
	if (r->cursor && r->parts && r->shared)
		rc = open_cursors(r);
	if (rc) {
		rings_close(r);
		return rings_report_error(error, rc, "first look");
	}
	return 0;
}

void rings_close(struct rings *r)
{
	if (!r->control)
		return;
	for (uint32_t i = 0; r->cursor && i < r->rings; i++) {
		free(r->cursor[i].parts);
		free(r->cursor[i].out);
		free(r->cursor[i].gone);
		free(r->cursor[i].kept);
	}
	ring_reader_let_go(&r->reader);
	ring_reader_close(&r->reader);
	free(r->cursor);
	free(r->parts);
	free(r->shared);
	free(r->control);
	memset(r, 0, sizeof *r);
}

/* Stamps never decrease within a ring, so the current section with the smallest one is next. */
static struct ring_cursor *rings_find_earliest(struct rings *r)
{
	struct ring_cursor *best = NULL;

	for (uint32_t i = 0; i < r->rings; i++) {
		struct ring_cursor *c = &r->cursor[i];

		if (c->span.bytes && (!best || c->span.first_stamp < best->span.first_stamp))
			best = c;
	}
	return best;
}

static void rings_fill_section(struct rings *r, struct ring_cursor *c, struct rings_section *out)
{
	struct handed_out *h = &c->out[c->next - 1];
	uint8_t *bytes = c->kept ? c->kept : r->shared;

	h->hooks = c->span.hooks;
	h->torn = c->span.torn;
	if (c->gap)
		c->since = c->span.first_stamp;
	c->gap = false;
	out->id = ring_reader_id(&r->reader, (uint32_t)(c - r->cursor));
	out->span = c->span;
	out->lost = c->lost;
	out->bytes = bytes;
	if (r->tasks)
		tasks_translate(r->tasks, bytes, c->span.bytes);
	r->given = c;
	c->lost = 0;
}

/* The current ring, and the others in turn. */
static void watch_cuts(struct rings *r)
{
	if (r->given)
		watch_cut(r, (uint32_t)(r->given - r->cursor));
	watch_cut(r, r->watched++ % r->rings);
}

int rings_next(struct rings *r, struct rings_section *out, struct session_error *error)
{
	struct ring_cursor *c;
	int rc = r->given ? rings_advance_cursor(r, (uint32_t)(r->given - r->cursor)) : 0;

	watch_cuts(r);
	r->given = NULL;
	while (rc == 0 && (c = rings_find_earliest(r))) {
		uint32_t ring = (uint32_t)(c - r->cursor);

		if (!c->kept) {
			rc = copy_part(r, ring, c->next - 1);
			note_seen(c, c->next - 1);
		}
		if (rc == 0 && rings_accept_section(c, c->next - 1)) {
			rings_fill_section(r, c, out);
			return 1;
		}
		if (rc == 0)
			rc = rings_advance_cursor(r, ring);
	}
	return rc ? rings_report_error(error, rc, "copying") : 0;
}

uint64_t rings_complete_since(const struct rings *r)
{
	uint64_t since = 0;

	for (uint32_t i = 0; i < r->rings; i++) {
		const struct ring_cursor *c = &r->cursor[i];

		if (c->gap)
			return UINT64_MAX;
		if (c->since > since)
			since = c->since;
	}
	return since;
}

const uint64_t *rings_losses(const struct rings *r, uint32_t ring)
{
	return r->cursor[ring].ledger.loss;
}

/* Counts the written part of sections that are gone by a moment. */
struct gone {
	uint64_t hooks, torn;
};

static void add_gone(struct gone *g, const struct handed_out *out)
{
	g->hooks += out->hooks;
	g->torn += out->torn;
}

/* Both lists are sorted. A held section outlives younger ones. */
static void gone_from_list(
	const struct rings *r, const struct ring_cursor *c, uint32_t n, struct gone *gone)
{
	for (uint32_t i = 0, k = 0; i < c->count; i++) {
		while (k < n && r->parts[k].position < c->parts[i].position)
			k++;
		if (k == n || r->parts[k].position != c->parts[i].position)
			add_gone(gone, &c->out[i]);
	}
}

/*
 * A held section outlives those around it. If it was overwritten before its turn, but behind the
 * moment of c->earlier, its hooks are in neither count.
 */
static bool is_part_uncounted(const struct rings *r, const struct ring_cursor *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (!c->gone[i] && !c->out[i].seen && c->parts[i].position != section_of_cut(r, c))
			return true;
	return false;
}

/*
 * `now`: the ledger; `gone`: the records handed out among those that it counts as overwritten. If
 * writers have wrapped to the cut's section, uses the counters of that moment, which count nothing
 * behind the cut, and adds the records below the cut in its own section.
 */
static int find_gone(
	struct rings *r, struct ring_cursor *c, struct ring_ledger *now, struct gone *gone)
{
	uint32_t ring = (uint32_t)(c - r->cursor);
	int n = ring_reader_list(&r->reader, ring, r->parts, now);

	if (n < 0)
		return n;
	if (now->entered > rings_limit_of_cut(r, c))
		watch_cut(r, ring);
	if (c->earlier.entered == 0 || is_part_uncounted(r, c)) {
		gone_from_list(r, c, (uint32_t)n, gone);
		return 0;
	}
	*now = c->earlier;
	for (uint32_t i = 0; i < c->count; i++)
		if (c->gone[i])
			add_gone(gone, &c->out[i]);
	now->overwritten += c->at_cut;
	/* Nothing of it is counted twice. */
	if (c->count && c->parts[c->count - 1].position == section_of_cut(r, c))
		add_gone(gone, &c->out[c->count - 1]);
	return 0;
}

static uint32_t count_missed(const struct ring_cursor *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->count; i++)
		n += !c->out[i].seen;
	return n;
}

/*
 * The counters count everything overwritten by now, including sections that were handed out first:
 * those are subtracted. A record that was torn when it was handed out may have been committed
 * before it was overwritten, so only the sum can be trusted; the excess of one term goes to the
 * other.
 */
int rings_settle(
	struct rings *r, uint32_t ring, struct rings_ledger *out, struct session_error *error)
{
	struct ring_cursor *c = &r->cursor[ring];
	struct ring_ledger now;
	struct gone gone = {0};
	int rc;

	*out = (struct rings_ledger){.id = ring_reader_id(&r->reader, ring),
		.cut = c->cut,
		.sections = c->count,
		.missed = count_missed(c),
		.overwritten = c->ledger.overwritten,
		.torn = c->ledger.torn + c->dropped_torn,
		.damaged = c->ledger.damaged};
	memcpy(out->loss, c->ledger.loss, sizeof out->loss);
	/* All sections of the cut were handed out: the rest was gone then. */
	if (out->missed == 0)
		return 0;
	rc = find_gone(r, c, &now, &gone);
	if (rc)
		return rings_report_error(error, rc, "ledger");
	out->later = now.entered > rings_limit_of_cut(r, c);
	out->damaged = now.damaged || out->damaged;
	uint64_t all = now.overwritten + now.torn, elsewhere = gone.hooks + gone.torn;
	uint64_t left = all > elsewhere ? all - elsewhere : 0;
	out->torn = now.torn > gone.torn ? now.torn - gone.torn : 0;
	if (out->torn > left)
		out->torn = left;
	out->overwritten = left - out->torn;
	out->torn += c->dropped_torn;
	return 0;
}
