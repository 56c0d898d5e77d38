/* Writes the file of a partial result. */
#include <string.h>

#include "../../../../formats/bytes.h"
#include "../../../../formats/cpuutil_hooks.h"
#include "../../../../formats/scope_hooks.h"
#include "../../../base/varint.h"
#include "partial.h"
#include "arguments.h"
#include "checksum.h"
#include "threads.h"

void partial_put_histogram(struct buffer *o, const struct histogram *h)
{
	struct histogram_at at = {0};
	struct histogram_bin bin;
	uint64_t before = 0, bins = 0;

	varint_put(o, h->count);
	if (histogram_exact(h)) {
		for (uint32_t i = 0; i < h->held; i++) {
			varint_put(o, histogram_held(h, i) - before);
			before = histogram_held(h, i);
		}
		return;
	}
	while (histogram_next(h, &at, &bin))
		bins++;
	varint_put(o, h->min);
	varint_put(o, h->max);
	varint_put(o, bins);
	at = (struct histogram_at){0};
	while (histogram_next(h, &at, &bin)) {
		varint_put(o, bin.bucket - before);
		varint_put(o, bin.count);
		before = bin.bucket;
	}
}

void partial_put_ratio(struct buffer *o, const struct ratio *r)
{
	varint_put(o, r->above);
	varint_put(o, r->below);
	varint_put(o, r->weighted);
	varint_put(o, r->weight);
	varint_put(o, r->instant);
	varint_put(o, r->instants);
}

static void put_ratio(struct buffer *o, const struct ratio *r)
{
	partial_put_ratio(o, r);
	varint_put(o, r->counted);
	varint_put(o, r->measured);
}

static void put_ratios(struct buffer *o, const struct ratio *r, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		put_ratio(o, &r[i]);
}

static void put_entries(
	struct buffer *o, const struct timeline *t, const struct timeline_entry *e, uint32_t n)
{
	varint_put(o, n);
	varint_put(o, t->shift);
	varint_put(o, t->cut);
	varint_put_signed(o, e[0].cell);
	for (uint32_t i = 0; i < n; i++) {
		bool same = i && e[i].cell == e[i - 1].cell;

		if (i)
			varint_put(o, (uint64_t)e[i].cell - (uint64_t)e[i - 1].cell);
		varint_put(o, e[i].value - (same ? e[i - 1].value : 0));
		varint_put(o, e[i].count);
	}
}

/* The timeline has fewer values than the group: some came without their order, so drop it. */
static void put_order(struct buffer *o, const struct tally_group *g)
{
	uint32_t n;

	if (!g->order || g->order->total != g->time.count) {
		varint_put(o, 0);
		return;
	}
	struct timeline_entry *e = timeline_sorted(g->order, &n);
	if (e)
		put_entries(o, g->order, e, n);
	else
		o->failed = true;
	free(e);
}

static void put_spread(struct buffer *o, const struct tally_spread *s)
{
	static const struct tally_spread none;

	if (!s)
		s = &none;
	varint_put(o, s->sum);
	partial_put_histogram(o, &s->values);
}

static void put_events(struct buffer *o, const struct tally_extra *extra)
{
	varint_put(o, extra->num_events);
	for (const struct tally_event *e = extra->events; e; e = e->next) {
		varint_put_string(o, e->name, e->length);
		varint_put(o, e->sum);
		varint_put(o, e->known);
		varint_put(o, e->scaled);
	}
}

static int put_container(void *ctx, const char *name)
{
	struct buffer *o = ctx;

	varint_put(o, name != NULL);
	if (name)
		varint_put_string(o, name, strlen(name));
	return 0;
}

static void put_containers(
	struct buffer *o, const struct partial *p, bool owners_differ, const struct tally_group *g)
{
	const struct tally_extra *extra = tally_extra(g);
	const uint32_t most = partial_most_containers(owners_differ), n = extra->num_containers;

	if (!partial_has_containers(p->answers.kind) ||
		tally_is_in(&p->tally, extra, p->nsources ? p->sources->cgroup : NULL)) {
		varint_put(o, 0);
		varint_put(o, 0);
		return;
	}
	varint_put(o, !n ? 1 : n < most ? n : most);
	varint_put(o, extra->containers_left_out || n > most);
	if (n)
		tally_each_container(extra, most, put_container, o);
	else
		put_container(o, tally_owner(&p->tally));
}

static void put_group(
	struct buffer *o, const struct partial *p, bool owners_differ, const struct tally_group *g)
{
	struct sums scratch;
	const struct sums *s = tally_sums(g, &scratch);
	const struct tally_extra *extra = tally_extra(g);
	struct columns_reader r;

	varint_put(o, g->has_label);
	varint_put_string(o, g->label, g->label_len);
	varint_put(o, (g->major == CPUUTIL_MAJOR	? PARTIAL_UTIL_MINOR
			      : g->major == SCOPE_MAJOR ? PARTIAL_SCOPE_MINOR
							: 0u) +
			      g->mm);
	varint_put(o, s->scripted);
	varint_put(o, s->quality);
	varint_put(o, s->flagged);
	for (unsigned i = 0; i < SUMS_FLAGS; i++)
		varint_put(o, s->by_flag[i]);
	varint_put(o, g->total);
	partial_put_histogram(o, &g->time);
	put_ratio(o, &s->ratios.raw);
	put_ratio(o, &s->ratios.scaled);
	put_ratio(o, &s->ratios.thread);
	put_ratio(o, &s->ratios.busy);
	if (tally_is_util(g)) {
		put_ratios(o, tally_util(g, &r), COLUMN_IDLE, COLUMN_UTIL_RATIOS);
		varint_put(o, extra->methods);
	}
	varint_put(o, tally_processors(g));
	tally_first_processor(g, &r);
	for (uint32_t i = tally_processors(g); i; i--)
		put_ratios(o, columns_next(&r), COLUMN_RAW, extra->columns.width);
	for (unsigned i = 0; i < TALLY_VALUES; i++)
		put_spread(o, tally_spread(g, i));
	put_order(o, g);
	put_events(o, extra);
	put_containers(o, p, owners_differ, g);
}

static void put_rings(struct buffer *o, const struct partial_source *s)
{
	varint_put(o, s->has_rings);
	if (s->has_rings)
		buffer_add(o, s->rings, sizeof s->rings);
	varint_put(o, s->rotation.number);
	varint_put(o, s->rotation.keep);
	varint_put(o, s->nspans);
	for (size_t i = 0; i < s->nspans; i++) {
		varint_put(o, s->spans[i].ring);
		varint_put(o, s->spans[i].from);
		varint_put(o, s->spans[i].to - s->spans[i].from);
	}
}

static void put_source(struct buffer *o, const struct partial_source *s)
{
	buffer_add(o, s->trace_id, sizeof s->trace_id);
	varint_put(o, s->fingerprint);
	varint_put_string(o, s->path, strlen(s->path));
	varint_put_string(o, s->host, s->host ? strlen(s->host) : 0);
	varint_put(o, s->time_error_ns == PARTIAL_NO_ERROR ? 0 : s->time_error_ns + 1);
	varint_put_string(o, s->command, s->command ? strlen(s->command) : 0);
	varint_put_string(o, s->cgroup, s->cgroup ? strlen(s->cgroup) : 0);
	varint_put(o, s->has_hooks);
	varint_put(o, s->first);
	varint_put(o, s->last - s->first);
	varint_put(o, s->ticks_per_second);
	varint_put(o, s->scripted);
	put_rings(o, s);
	varint_put(o, s->nslices);
	for (size_t i = 0; i < s->nslices; i++) {
		varint_put(o, s->slices[i].first);
		varint_put(o, s->slices[i].last);
	}
	for (unsigned i = 0; i < PARTIAL_COUNTS; i++)
		varint_put(o, s->counts[i]);
	varint_put(o, s->ndamage);
	for (size_t i = 0; i < s->ndamage; i++) {
		varint_put(o, s->damage[i].offset);
		varint_put(o, s->damage[i].bytes);
	}
	varint_put(o, s->nfindings);
	for (size_t i = 0; i < s->nfindings; i++) {
		const struct clock_finding *f = &s->findings[i];

		varint_put(o, f->kind);
		varint_put(o, f->from);
		varint_put(o, f->to);
		varint_put_signed(o, f->from_ns);
		varint_put_signed(o, f->to_ns);
		varint_put_signed(o, f->ns);
	}
}

/* *a is settled: at most one answer. */
static void put_answers(struct buffer *o, const struct partial_answers *a)
{
	varint_put(o, a->kind);
	if (!a->kind)
		return;
	varint_put(o, a->has_origin);
	if (a->has_origin)
		varint_put_signed(o, a->origin);
	buffer_add(o, a->bytes.p, a->bytes.n);
}

void partial_write(struct buffer *o, const struct partial *p)
{
	uint8_t header[PARTIAL_HEADER_SIZE] = {0};
	const char *filter = p->filter ? p->filter : "";
	bool owners_differ;

	partial_owner(p, &owners_differ);

	memcpy(header, PARTIAL_MAGIC, 8);
	put_le32(header + PARTIAL_H_VERSION, PARTIAL_VERSION);
	buffer_add(o, header, sizeof header);
	partial_arguments_put(o, &p->arguments);
	varint_put_string(o, filter, strlen(filter));
	varint_put(o, p->nsources);
	for (size_t i = 0; i < p->nsources; i++)
		put_source(o, &p->sources[i]);
	partial_threads_put(o, p);
	varint_put(o, p->tally.cpus_left_out);
	varint_put(o, p->tally.count);
	for (size_t i = 0; i < p->tally.count; i++)
		put_group(o, p, owners_differ, p->tally.groups[i]);
	put_answers(o, &p->answers);
	if (o->failed)
		return;
	put_le64(o->p + PARTIAL_H_PAYLOAD, o->n - PARTIAL_HEADER_SIZE);
	put_le64(o->p + PARTIAL_H_CHECKSUM, partial_checksum(o->p, o->n));
}

void partial_set_following(uint8_t *bytes, size_t n, uint32_t following)
{
	put_le32(bytes + PARTIAL_H_VERSION, PARTIAL_VERSION_HOSTS);
	put_le32(bytes + PARTIAL_H_FOLLOWING, following);
	put_le64(bytes + PARTIAL_H_CHECKSUM, partial_checksum(bytes, n));
}
