/*
 * A section's hooks lie between its first and its last stamp. For each step of time, `within`
 * counts the hooks of sections inside it, and `reach` those of sections that also extend beyond it:
 * the step has at least `within` hooks and at most `within` + `reach`.
 */
#include "early.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../../sink/json.h"
#include "../../../sink/page.h"
#include "about.h"

enum { EARLY_STEPS = 1024, EARLY_LANES = 256 };

/* A processor's ring, or all guest rings of a file. */
struct early_lane {
	uint64_t hooks;
	uint64_t within[EARLY_STEPS], reach[EARLY_STEPS];
};

struct early {
	const struct report *r;
	int64_t first; /* ns: the first hook */
	uint64_t until, width, hooks;
	bool has_lanes; /* false: `all` instead */
	struct early_lane all;
	struct out text;
	struct json json;
};

static size_t early_step(const struct early *e, const struct trace_file *f, uint64_t ticks)
{
	const int64_t time = trace_time(f, ticks);
	const uint64_t since = time > e->first ? (uint64_t)time - (uint64_t)e->first : 0;
	const uint64_t step = since / e->width;

	return step < EARLY_STEPS ? (size_t)step : EARLY_STEPS - 1;
}

static void early_add_ring(
	struct early *e, const struct trace_file *f, size_t ring, struct early_lane *lane)
{
	struct trace_section s;

	for (size_t i = 0; trace_section(f, ring, i, &s); i++) {
		/* The clock may have been set back within it. */
		const size_t a = early_step(e, f, s.first), b = early_step(e, f, s.last);

		lane->hooks += s.hooks;
		if (a == b)
			lane->within[a] += s.hooks;
		for (size_t at = a < b ? a : b; a != b && at <= (a < b ? b : a); at++)
			lane->reach[at] += s.hooks;
	}
}

static void early_put_steps(struct json *j, const char *name, const uint64_t *steps)
{
	json_member_open(j, name, '[');
	for (size_t i = 0; i < EARLY_STEPS; i++)
		json_u64(j, steps[i]);
	json_close(j, ']');
}

static void early_put_lane(struct json *j, const char *name, const struct early_lane *lane)
{
	json_member_text(j, "name", name);
	json_member_u64(j, "hooks", lane->hooks);
	early_put_steps(j, "within", lane->within);
	early_put_steps(j, "reach", lane->reach);
}

static void early_name_lane(
	const struct early *e, const struct trace_file *f, uint32_t ring, struct out *name)
{
	const char *host = trace_meta_value(f, "host");

	name->len = 0;
	if (trace_nfiles(e->r->trace) > 1) {
		out_str(name, host ? host : f->path);
		out_str(name, ": ");
	}
	if (ring & TF_GUEST_RING)
		out_str(name, "guest rings");
	else
		out_printf(name, "processor %" PRIu32, ring);
	out_char(name, '\0');
}

/* Rings are in order: processors before guest rings. */
static int early_put_lanes(struct early *e)
{
	struct early_lane *lane = malloc(sizeof *lane);
	struct out name;
	int rc = lane ? 0 : CPIDECODE_ENOMEM;

	out_memory(&name);
	for (size_t i = 0; i < trace_nfiles(e->r->trace) && !rc; i++) {
		const struct trace_file *f = trace_file(e->r->trace, i);

		for (size_t k = 0; k < f->nrings && !rc; k++) {
			const uint32_t ring = f->rings[k].ring;

			*lane = (struct early_lane){0};
			early_add_ring(e, f, k, lane);
			while (ring & TF_GUEST_RING && k + 1 < f->nrings)
				early_add_ring(e, f, ++k, lane);
			early_name_lane(e, f, ring, &name);
			if (name.error)
				rc = CPIDECODE_ENOMEM;
			if (rc || !lane->hooks)
				continue;
			json_open(&e->json, '{');
			early_put_lane(&e->json, name.buf, lane);
			json_close(&e->json, '}');
		}
	}
	out_discard(&name);
	free(lane);
	return rc;
}

static size_t early_count_lanes(const struct early *e)
{
	size_t lanes = 0;

	for (size_t i = 0; i < trace_nfiles(e->r->trace); i++) {
		const struct trace_file *f = trace_file(e->r->trace, i);

		for (size_t k = 0; k < f->nrings; k++)
			lanes += !k || !(f->rings[k].ring & TF_GUEST_RING) ||
				 !(f->rings[k - 1].ring & TF_GUEST_RING);
	}
	return lanes;
}

/* Too many lanes are one. */
static void early_put_all(struct early *e)
{
	for (size_t i = 0; i < trace_nfiles(e->r->trace); i++) {
		const struct trace_file *f = trace_file(e->r->trace, i);

		for (size_t k = 0; k < f->nrings; k++)
			early_add_ring(e, f, k, &e->all);
	}
	json_member_open(&e->json, "all", '{');
	early_put_lane(&e->json, "all", &e->all);
	json_close(&e->json, '}');
}

static int early_put(struct early *e)
{
	const struct report *r = e->r;
	struct json *j = &e->json;
	int rc = 0;

	json_open(j, '{');
	json_member_text(j, "host", r->host);
	json_member_text(j, "command", r->command);
	json_key(j, "base"); /* a string: a double lacks its last digits */
	json_format(j, "%" PRId64, e->first);
	json_member_u64(j, "until", e->until);
	json_member_u64(j, "width", e->width);
	json_member_u64(j, "steps", EARLY_STEPS);
	json_member_u64(j, "hooks", e->hooks);
	json_member_open(j, "files", '[');
	for (size_t i = 0; i < trace_nfiles(r->trace); i++)
		json_text(j, trace_file(r->trace, i)->path);
	json_close(j, ']');
	json_member_open(j, "losses", '[');
	about_write_losses(r, j);
	json_close(j, ']');
	json_member_open(j, "lanes", '[');
	if (e->has_lanes)
		rc = early_put_lanes(e);
	json_close(j, ']');
	if (!e->has_lanes)
		early_put_all(e);
	json_close(j, '}');
	return e->text.error ? CPIDECODE_ENOMEM : rc;
}

uint64_t early_count_hooks(const struct trace *t)
{
	uint64_t hooks = 0;

	for (size_t i = 0; i < trace_nfiles(t); i++)
		hooks += trace_file(t, i)->hooks;
	return hooks;
}

int early_write(const struct report *r)
{
	struct early *e = calloc(1, sizeof *e);
	struct page_packer *packer = page_packer_new();
	int rc = e && packer ? 0 : CPIDECODE_ENOMEM;

	if (!rc) {
		int64_t last;

		e->r = r;
		out_memory(&e->text);
		e->json.o = &e->text;
		trace_span(r->trace, &e->first, &last);
		e->until = last > e->first ? (uint64_t)last - (uint64_t)e->first : 0;
		e->width = e->until / EARLY_STEPS + 1;
		e->hooks = early_count_hooks(r->trace);
		e->has_lanes = early_count_lanes(e) <= EARLY_LANES;
		rc = early_put(e);
	}
	if (!rc) {
		page_begin_early(r->out);
		page_put_block(packer, r->out, "early", e->text.buf, e->text.len);
		page_end(r->out);
	}
	if (e)
		out_discard(&e->text);
	page_packer_free(packer);
	free(e);
	return rc;
}
