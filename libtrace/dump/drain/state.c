/*
 * State that outlives a drain. META records the counts before this file, so that a resuming drain
 * can continue the ledger. Facts known only at an orderly end (how far into a section the drain
 * got, the hooks that it could not write, and the losses) follow the configuration:
 *
 *	generation: G
 *	trace: 32 hexadecimal digits
 *	ring.N: queued unwritten full big held no_guest skipped no_slot no_memory unattached
 *	rings: how many such lines
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../formats/base/number.h"
#include "../../../formats/base/text.h"
#include "private.h"

/* ----------------------------------------------------------------------- META */

enum { BEFORE_WORDS = 3 + SHM_LOSSES };

/* The causes in the order of the lines. Lines of version 1.0 end with the fifth. */
static const uint8_t causes[SHM_LOSSES] = {SHM_LOST_FULL, SHM_LOST_BIG, SHM_LOST_HELD,
	SHM_LOST_NO_GUEST, SHM_SKIPPED, SHM_LOST_NO_SLOT, SHM_LOST_NO_MEMORY, SHM_LOST_UNATTACHED};

enum { CAUSES_LACKED = SHM_LOSSES - 5 };

static void losses_to_words(const uint64_t loss[SHM_LOSSES], uint64_t w[SHM_LOSSES])
{
	for (int k = 0; k < SHM_LOSSES; k++)
		w[k] = loss[causes[k]];
}

static void words_to_losses(const uint64_t w[SHM_LOSSES], uint64_t loss[SHM_LOSSES])
{
	for (int k = 0; k < SHM_LOSSES; k++)
		loss[causes[k]] = w[k];
}

static void words_line(
	struct buffer *t, const char *prefix, uint32_t ring, const uint64_t *w, int count)
{
	char key[32], value[24 * BEFORE_WORDS] = "";

	snprintf(key, sizeof key, "%s%" PRIu32, prefix, ring);
	for (int k = 0; k < count; k++)
		text_append(value, sizeof value, "%s%" PRIu64, k ? " " : "", w[k]);
	meta_add_line(t, key, value);
}

static void words_before(const struct drain_ring *r, bool rotated, uint64_t w[BEFORE_WORDS])
{
	w[0] = r->before.hooks + r->here.hooks;
	w[1] = r->before.torn + r->here.torn;
	w[2] = r->before.unwritten + r->here.unwritten;
	losses_to_words(rotated ? r->loss : r->lost0, w + 3);
}

void drain_state_meta(const struct drain *d, bool rotated, struct buffer *t)
{
	meta_add_line(t, "drain", d->note);
	meta_add_linef(t, "files before", "%" PRIu64, d->rotations);
	meta_add_linef(t, "bytes before", "%" PRIu64, d->bytes_before);
	if (d->config.keep)
		meta_add_linef(t, "keep", "%" PRIu32, d->config.keep);
	for (uint32_t i = 0; i < d->rings; i++) {
		uint64_t w[BEFORE_WORDS], any = 0;

		words_before(&d->ring[i], rotated, w);
		for (int k = 0; k < BEFORE_WORDS; k++)
			any |= w[k];
		if (any)
			words_line(t, "before.", i, w, BEFORE_WORDS);
	}
}

/* The numbers of a line, or false. */
static bool state_parse_numbers(const char *text, uint64_t *w, int count)
{
	const char *end = text + strlen(text);

	for (int i = 0; i < count; i++) {
		if (!number_scan(&text, end, 10, UINT64_MAX, &w[i]) ||
			*text++ != (i + 1 < count ? ' ' : 0))
			return false;
	}
	return true;
}

/* The numbers of a ring's line, which may lack causes added later. */
static bool ring_numbers(const char *text, uint64_t *w, int count)
{
	if (state_parse_numbers(text, w, count))
		return true;
	memset(w, 0, (size_t)count * sizeof *w);
	return state_parse_numbers(text, w, count - CAUSES_LACKED);
}

/* The ring named by a key "prefix.N", or d->rings. */
static uint32_t ring_of(const struct drain *d, const char *key, const char *prefix)
{
	size_t length = strlen(prefix);
	uint64_t n;

	if (strncmp(key, prefix, length) != 0 || !state_parse_numbers(key + length, &n, 1) ||
		n >= d->rings)
		return d->rings;
	return (uint32_t)n;
}

static void meta_line(void *ctx, const char *key, const char *value)
{
	struct drain *d = ctx;
	uint32_t ring = ring_of(d, key, "before.");
	uint64_t w[BEFORE_WORDS];

	if (strcmp(key, "files before") == 0 && state_parse_numbers(value, w, 1))
		d->rotations = w[0];
	else if (strcmp(key, "bytes before") == 0 && state_parse_numbers(value, w, 1))
		d->bytes_before = w[0];
	else if (ring < d->rings && ring_numbers(value, w, BEFORE_WORDS)) {
		struct drain_ring *r = &d->ring[ring];

		r->before = (struct drain_share){.hooks = w[0], .torn = w[1], .unwritten = w[2]};
		words_to_losses(w + 3, r->lost0);
	}
}

/* Walks the lines of a text; skips lines without a colon. */
static void each_line(
	char *text, void (*line)(void *ctx, const char *key, const char *value), void *ctx)
{
	char *save = NULL;

	for (char *at = strtok_r(text, "\n", &save); at; at = strtok_r(NULL, "\n", &save)) {
		char *colon = strstr(at, ": ");

		if (!colon)
			continue;
		*colon = 0;
		line(ctx, at, colon + 2);
	}
}

void drain_state_parse_meta(struct drain *d, char *text)
{
	each_line(text, meta_line, d);
}

/* -------------------------------------------------------- after the configuration */

enum { STATE_BYTES_MAX = 512 << 10, STATE_WORDS = 2 + SHM_LOSSES };

static const char state_begins[] = "generation: ";

/* All of the text, terminated; *state: where the state begins in it, or its end. */
static char *drain_state_read_text(const struct drain *d, size_t *state)
{
	char *text = malloc(STATE_BYTES_MAX + 1);
	ssize_t n = text ? pread(d->lock_fd, text, STATE_BYTES_MAX, 0) : -1;

	if (n < 0) {
		free(text);
		return NULL;
	}
	text[n] = 0;
	char *at = strncmp(text, state_begins, sizeof state_begins - 1) == 0 ? text : NULL;
	char *found = at ? at : strstr(text, "\ngeneration: ");

	*state = found ? (size_t)(found - text) + (found != at) : strlen(text);
	return text;
}

void drain_state_save(struct drain *d)
{
	char id[2 * TRACE_ID_SIZE + 1];
	struct buffer t = {0};
	size_t from = 0;
	char *old = drain_state_read_text(d, &from);

	free(old);
	if (!old)
		return;
	text_of_bytes(id, d->id, TRACE_ID_SIZE);
	meta_add_linef(&t, "generation", "%" PRIu32, d->session->generation);
	meta_add_line(&t, "trace", id);
	for (uint32_t i = 0; i < d->rings; i++) {
		const struct drain_ring *r = &d->ring[i];
		uint64_t w[STATE_WORDS] = {r->queued, r->here.unwritten};

		losses_to_words(r->loss, w + 2);
		words_line(&t, "ring.", i, w, STATE_WORDS);
	}
	meta_add_linef(&t, "rings", "%" PRIu32, d->rings);
	/* Written after the configuration, which a failure leaves intact. An incomplete state
	 * counts as none. */
	if (!t.failed && pwrite(d->lock_fd, t.p, t.n, (off_t)from) == (ssize_t)t.n &&
		ftruncate(d->lock_fd, (off_t)(from + t.n)) != 0)
		(void)!ftruncate(d->lock_fd, (off_t)from);
	buffer_free(&t);
}

struct state {
	struct drain *drain;
	uint64_t (*ring)[STATE_WORDS];
	uint64_t generation, rings, seen;
	char trace[2 * TRACE_ID_SIZE + 1];
};

static void state_line(void *ctx, const char *key, const char *value)
{
	struct state *s = ctx;
	uint32_t ring = ring_of(s->drain, key, "ring.");

	if (strcmp(key, "generation") == 0)
		state_parse_numbers(value, &s->generation, 1);
	else if (strcmp(key, "rings") == 0)
		state_parse_numbers(value, &s->rings, 1);
	else if (strcmp(key, "trace") == 0)
		snprintf(s->trace, sizeof s->trace, "%s", value);
	else if (ring == s->seen && ring_numbers(value, s->ring[ring], STATE_WORDS))
		s->seen++;
}

static void use_state(struct drain *d, const struct state *s)
{
	char id[2 * TRACE_ID_SIZE + 1];

	text_of_bytes(id, d->id, TRACE_ID_SIZE);
	d->state_known = strcmp(s->trace, id) == 0;
	for (uint32_t i = 0; i < d->rings; i++) {
		struct drain_ring *r = &d->ring[i];
		const uint64_t *w = s->ring[i];

		if (w[0] > r->queued && w[0] <= drain_limit(d, i))
			drain_start_at(d, i, w[0]);
		if (d->state_known)
			r->here.unwritten = w[1];
		words_to_losses(w + 2, r->lost0);
	}
}

void drain_state_load(struct drain *d)
{
	struct state s = {.drain = d, .ring = calloc(d->rings, sizeof *s.ring)};
	size_t from = 0;
	char *text = drain_state_read_text(d, &from);

	if (text && s.ring) {
		each_line(text + from, state_line, &s);
		if (s.generation == d->session->generation && s.rings == d->rings &&
			s.seen == d->rings)
			use_state(d, &s);
	}
	free(s.ring);
	free(text);
}
