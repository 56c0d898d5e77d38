/*
 * Finds the slowest intervals: by a heap; then, in a pass over all, the intervals nearest to the
 * medians of their labels; then, in order, the families of both.
 */
#include "kept.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/hash.h"
#include "../../model/intervals/elapsed.h"
#include "../../model/intervals/stream.h"
#include "../open.h"
#include "../query/top.h"
#include "../tallies.h"

/* The interval of a group that is nearest to its median. */
struct median {
	struct top_entry hook; /* rank: how far it is, in ns */
	bool is_found;
};

struct slowest_search {
	struct report *r;
	struct top top;
	struct tally tally;
	uint64_t *p50;		/* of each group, ns */
	atomic_uchar *wanted;	/* groups with one of the slowest */
	struct median *medians; /* of each group; those of thread 0 first, then of thread 1, ... */
	uint32_t *places;	/* of files, for the order among equals */
	unsigned threads;
	struct kin_walk walk;
	struct overlaps overlaps; /* the rows */
	struct meanwhile_walk meanwhile;
	struct ran_walk ran;
};

static const struct tally_group *slowest_group(
	const struct slowest_search *s, const struct interval *iv)
{
	return tally_find(&s->tally, iv->has_label, iv->label, iv->label_len, iv->major, iv->mm);
}

static bool slowest_is_nearer(const struct top_entry *a, const struct top_entry *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank;
	if (a->trace != b->trace)
		return a->trace < b->trace;
	return interval_order_compare(&a->order, &b->order) < 0;
}

static void slowest_update_median(struct median *m, const struct top_entry *entry)
{
	if (!m->is_found || slowest_is_nearer(entry, &m->hook))
		*m = (struct median){*entry, true};
}

static int slowest_visit_interval(void *ctx, unsigned thread, const struct interval *iv)
{
	struct slowest_search *s = ctx;
	const struct tally_group *g = slowest_group(s, iv);
	const uint64_t ns = elapsed_whole_ns(iv);
	size_t place;

	/* Another pass may find new groups if the trace has changed since. */
	if (!g)
		return 0;
	const uint64_t p50 = s->p50[g->index];
	const struct top_entry entry = {.rank = ns > p50 ? ns - p50 : p50 - ns,
		.order = interval_order_of(iv),
		.trace = s->places[iv->file]};

	if (top_has(&s->top, iv, &place))
		atomic_store_explicit(&s->wanted[g->index], 1, memory_order_relaxed);
	slowest_update_median(&s->medians[thread * s->tally.count + g->index], &entry);
	return 0;
}

/* Finds the medians; those of thread 0 are then of all. */
static int slowest_find_medians(struct slowest_search *s)
{
	const size_t groups = s->tally.count;

	s->threads = tallies_threads(s->r, groups * sizeof *s->medians);
	s->p50 = calloc(groups + 1, sizeof *s->p50);
	s->wanted = calloc(groups + 1, sizeof *s->wanted);
	s->medians = calloc(s->threads * groups + 1, sizeof *s->medians);
	s->places = top_place_traces(s->r->trace);
	if (!s->p50 || !s->wanted || !s->medians || !s->places)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < groups; i++)
		s->p50[s->tally.groups[i]->index] = slowest_median_ns(&s->tally.groups[i]->time);
	int rc = tallies_each(s->r, s->threads, 0, NULL, slowest_visit_interval, s);
	for (unsigned thread = 1; thread < s->threads && !rc; thread++)
		for (size_t i = 0; i < groups; i++) {
			const struct median *m = &s->medians[thread * groups + i];

			if (m->is_found)
				slowest_update_median(&s->medians[i], &m->hook);
		}
	return rc;
}

/* The intervals whose families are asked for, each once. */
static int slowest_list_kins(struct slowest_search *s)
{
	const size_t groups = s->tally.count;
	size_t count = s->top.count;

	for (size_t i = 0; i < groups; i++)
		count += s->wanted[i];
	s->walk.kins = calloc(count + 1, sizeof *s->walk.kins);
	if (!s->walk.kins)
		return CPIDECODE_ENOMEM;
	count = 0;
	for (size_t i = 0; i < s->top.count; i++) {
		const struct top_entry *hook = &s->top.at[i];

		s->walk.kins[count++] = (struct kin){.file = hook->order.file,
			.ring = hook->order.ring,
			.position = hook->order.position};
	}
	kin_sort(s->walk.kins, count);
	for (size_t i = 0; i < groups; i++) {
		const struct top_entry *hook = &s->medians[i].hook;

		if (s->wanted[i] && s->medians[i].is_found &&
			!kin_find(s->walk.kins, s->top.count, hook->order.file, hook->order.ring,
				hook->order.position))
			s->walk.kins[count++] = (struct kin){.file = hook->order.file,
				.ring = hook->order.ring,
				.position = hook->order.position};
	}
	kin_sort(s->walk.kins, count);
	s->walk.count = count;
	return 0;
}

static const struct kin *slowest_find_kin(
	const struct slowest_search *s, const struct top_entry *hook)
{
	const struct kin *kin = kin_find(s->walk.kins, s->walk.count, hook->order.file,
		hook->order.ring, hook->order.position);

	return kin && kin->is_found ? kin : NULL;
}

static int slowest_begin_overlaps(struct slowest_search *s)
{
	const struct interval **rows = calloc(s->top.count + 1, sizeof *rows);
	size_t count = 0;

	if (!rows)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < s->top.count; i++) {
		const struct kin *kin = slowest_find_kin(s, &s->top.at[i]);

		if (kin)
			rows[count++] = kin->iv;
	}
	int rc = overlaps_begin(&s->overlaps, rows, count);
	free(rows);
	return rc;
}

/* Reads all intervals in order: those around and inside of a row need not be selected. */
static int slowest_walk(struct slowest_search *s)
{
	const struct report *r = s->r;
	struct interval_stream_options how = {.from_ns = INT64_MIN,
		.progress = r->progress,
		.progress_ctx = r->ctx,
		.threads = r->threads,
		.wants = WANT_START | WANT_QUALITY | WANT_THREAD | WANT_VALUES |
			 (r->compensate ? WANT_OWN_COST : 0),
		.by_machine = true,
		.nested_cost = r->compensate,
		.compensate = r->compensate,
		/* They may contain one, or overlap it. */
		.open = true};
	struct findings found = {0};
	struct interval_stream *stream;
	const struct interval *iv;
	int rc = interval_stream_open(r->trace, &how, &stream, &found);

	findings_free(&found);
	if (rc)
		return rc;
	while ((rc = interval_stream_next(stream, &iv)) > 0)
		if ((rc = kin_add(&s->walk, iv)))
			break;
	if (!rc)
		rc = kin_end(&s->walk);
	/* Intervals that overlap them began before they were found. */
	if (!rc)
		rc = slowest_begin_overlaps(s);
	if (!rc)
		rc = meanwhile_begin(&s->meanwhile);
	if (!rc)
		rc = interval_stream_rewind(stream);
	while (!rc && (rc = interval_stream_next(stream, &iv)) > 0)
		rc = meanwhile_add(&s->meanwhile, iv);
	int error = errno;
	interval_stream_close(stream);
	meanwhile_end(&s->meanwhile);
	errno = error;
	return rc ? rc : ran_read(&s->ran, r->progress, r->ctx);
}

/* Valid as long as the walk; NULL: no memory. */
static const struct trace_text *slowest_name_values(
	struct slowest_search *s, const struct interval *iv)
{
	struct trace_text *names =
		arena_alloc(&s->walk.memory, (iv->num_values + 1) * sizeof *names);

	for (uint32_t i = 0; i < iv->num_values && names; i++)
		names[i] = trace_text_at(s->r->trace, iv->values[i].name);
	return names;
}

static int slowest_print_all(struct slowest_search *s)
{
	bool is_first = true;

	for (size_t i = 0; i < s->top.count && !s->r->out->error; i++) {
		const struct top_entry *hook = &s->top.at[i], *middle;
		struct slowest one = {.place = i + 1, .kin = slowest_find_kin(s, hook)};

		if (!one.kin)
			continue;
		one.meanwhile = meanwhile_find(&s->meanwhile, one.kin->iv);
		one.ran = ran_find(&s->ran, one.kin->iv);
		one.group = slowest_group(s, one.kin->iv);
		if (!one.group)
			continue;
		middle = &s->medians[one.group->index].hook;
		one.median = kin_find(s->walk.kins, s->walk.count, middle->order.file,
			middle->order.ring, middle->order.position);
		if (!one.median)
			continue;
		one.names = slowest_name_values(s, one.kin->iv);
		if (!one.names)
			return CPIDECODE_ENOMEM;
		one.start = report_start(s->r->trace);
		slowest_print(s->r, &one, is_first);
		is_first = false;
	}
	if (is_first && s->r->format == FORMAT_TEXT)
		out_str(s->r->out, "no intervals\n");
	return 0;
}

static void slowest_free(struct slowest_search *s)
{
	meanwhile_free(&s->meanwhile);
	ran_free(&s->ran);
	overlaps_free(&s->overlaps);
	kin_free(&s->walk);
	free(s->walk.kins);
	free(s->p50);
	free(s->places);
	free(s->wanted);
	free(s->medians);
	tally_free(&s->tally);
	top_free(&s->top);
}

/* Finds the longest ones, or the first ones by --sort. */
static int slowest_find_top(struct slowest_search *s)
{
	struct report *r = s->r;
	struct top_order order;
	const size_t most = r->top ? r->top : SLOWEST_DEFAULT;

	if (!r->sort)
		return top_find(&s->top, r, NULL, most);
	const bool is_known = top_parse_order(&order, r);
	int rc = is_known ? top_find(&s->top, r, &order, most) : 0;

	if (rc || (is_known && !atomic_load_explicit(&order.has_texts, memory_order_relaxed)))
		return rc;
	report_note(r,
		"--sort %s: --report slowest sorts by a column of numbers that an interval has alone, as elapsed_ns, off_cpu_ns, arg.NAME and event.NAME",
		r->sort);
	r->is_misused = true;
	return CPIDECODE_EINVAL;
}

int report_slowest(struct report *r)
{
	struct slowest_search s = {.r = r,
		.walk = {.trace = r->trace},
		.meanwhile = {.trace = r->trace, .overlaps = &s.overlaps},
		.ran = {.trace = r->trace, .overlaps = &s.overlaps}};
	int rc = slowest_find_top(&s);

	if (!rc)
		rc = tallies_read(r, &s.tally);
	if (!rc)
		rc = slowest_find_medians(&s);
	if (!rc)
		rc = slowest_list_kins(&s);
	if (!rc)
		rc = slowest_walk(&s);
	if (!rc) {
		if (r->format == FORMAT_TEXT)
			report_head_lines(r);
		rc = slowest_print_all(&s);
	}
	if (!rc)
		tallies_note_children_lost(r, &s.tally, REPORT_SELF_BOUNDS);
	slowest_free(&s);
	return rc;
}

/* ------------------------------------------------------------------------ partial results */

/* Candidates for the median interval of each group. */
struct slowest_collector {
	const struct tally *tally;
	struct slowest_kept *kept;
	struct hash_index index; /* of medians, by group and slot */
};

static uint64_t slowest_hash_median(const struct slowest_median *m)
{
	return hash_add_u64(hash_u64(m->slot), m->group->hash);
}

/* Room for twice as many. */
static int slowest_index_medians(struct slowest_collector *c)
{
	size_t i;

	if (!hash_index_grow(&c->index, c->kept->nmedians + 1, &i))
		return CPIDECODE_ENOMEM;
	for (; i < c->kept->nmedians; i++)
		hash_index_add(&c->index, slowest_hash_median(&c->kept->medians[i]), (uint32_t)i);
	return 0;
}

static int slowest_collect_interval(void *ctx, unsigned thread, const struct interval *iv)
{
	struct slowest_collector *c = ctx;
	struct slowest_median m = {.group = tally_find(c->tally, iv->has_label, iv->label,
					   iv->label_len, iv->major, iv->mm),
		.ns = elapsed_whole_ns(iv),
		.key = {iv->file, iv->ring, iv->start_ticks, iv->position}};

	(void)thread;
	/* Another pass may find new groups if the trace has changed since. */
	if (!m.group)
		return 0;
	if (slowest_index_medians(c))
		return CPIDECODE_ENOMEM;
	slowest_median_settle(&m);
	const uint64_t hash = slowest_hash_median(&m);
	uint64_t at = hash;
	for (uint32_t found; (found = hash_index_next(&c->index, &at));) {
		struct slowest_median *known = &c->kept->medians[found - 1];

		if (known->group != m.group || known->slot != m.slot)
			continue;
		if (slowest_compare_medians(&m, known, c->kept) < 0)
			*known = m;
		return 0;
	}
	struct slowest_median *new = slowest_kept_median(c->kept);
	if (!new)
		return CPIDECODE_ENOMEM;
	*new = m;
	hash_index_add(&c->index, hash, (uint32_t)c->kept->nmedians - 1);
	return 0;
}

/* Single-threaded: every thread would need its own table. */
static int slowest_collect_medians(
	struct slowest_search *s, const struct tally *t, struct slowest_kept *k)
{
	struct slowest_collector c = {.tally = t, .kept = k};
	int rc = tallies_each(s->r, 1, 0, NULL, slowest_collect_interval, &c);

	hash_index_free(&c.index);
	return rc;
}

static int slowest_list_files(struct slowest_search *s, struct slowest_kept *k)
{
	for (size_t i = 0; i < trace_nfiles(s->r->trace); i++) {
		const struct trace_file *f = trace_file(s->r->trace, i);
		struct slowest_file *file = slowest_kept_file(k);

		if (!file)
			return CPIDECODE_ENOMEM;
		trace_file_id(f, file->trace_id);
		file->fingerprint = f->fingerprint;
	}
	return 0;
}

static int slowest_list_kept(struct slowest_search *s, const struct slowest_kept *k)
{
	size_t count = s->top.count;

	s->walk.kins = calloc(count + k->nmedians + 1, sizeof *s->walk.kins);
	if (!s->walk.kins)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct top_entry *hook = &s->top.at[i];

		s->walk.kins[i] = (struct kin){.file = hook->order.file,
			.ring = hook->order.ring,
			.position = hook->order.position};
	}
	kin_sort(s->walk.kins, count);
	for (size_t i = 0; i < k->nmedians; i++) {
		const struct slowest_key *key = &k->medians[i].key;

		if (!kin_find(s->walk.kins, s->top.count, key->file, key->ring, key->position))
			s->walk.kins[count++] = (struct kin){.file = key->file,
				.ring = key->ring,
				.position = key->position,
				.is_brief = true};
	}
	kin_sort(s->walk.kins, count);
	s->walk.count = count;
	return 0;
}

/* Keeps the results of the walk. */
static int slowest_keep(struct slowest_search *s, struct slowest_kept *k)
{
	size_t n = 0;

	for (size_t i = 0; i < s->top.count; i++) {
		const struct top_entry *hook = &s->top.at[i];
		const struct kin *kin = slowest_find_kin(s, hook);
		struct slowest_row *row = kin ? slowest_kept_row(k) : NULL;

		if (!kin)
			continue;
		if (!row)
			return CPIDECODE_ENOMEM;
		row->key = (struct slowest_key){hook->order.file, hook->order.ring,
			hook->order.start, hook->order.position};
		row->rank = hook->rank;
		row->kin = *kin;
		row->meanwhile = *meanwhile_find(&s->meanwhile, kin->iv);
		row->ran = ran_find(&s->ran, kin->iv);
		row->names = slowest_name_values(s, kin->iv);
		if (!row->names)
			return CPIDECODE_ENOMEM;
	}
	for (size_t i = 0; i < k->nmedians; i++) {
		const struct slowest_key *key = &k->medians[i].key;
		const struct kin *kin =
			kin_find(s->walk.kins, s->walk.count, key->file, key->ring, key->position);

		if (!kin || !kin->is_found)
			continue;
		k->medians[n] = k->medians[i];
		k->medians[n++].kin = *kin;
	}
	k->nmedians = n;
	return 0;
}

int report_slowest_partial(struct report *r, struct partial *p)
{
	struct slowest_search s = {.r = r,
		.walk = {.trace = r->trace},
		.meanwhile = {.trace = r->trace, .overlaps = &s.overlaps},
		.ran = {.trace = r->trace, .overlaps = &s.overlaps}};
	struct slowest_kept k = {.most = r->top ? r->top : SLOWEST_DEFAULT};
	int64_t last;

	/* Only counts and times are needed. */
	p->tally.wanted = 0;
	k.has_start = trace_span(r->trace, &k.start, &last);
	int rc = top_find(&s.top, r, NULL, k.most);
	if (!rc)
		rc = tallies_read(r, &p->tally);
	if (!rc)
		rc = slowest_list_files(&s, &k);
	if (!rc)
		rc = slowest_collect_medians(&s, &p->tally, &k);
	if (!rc)
		rc = slowest_list_kept(&s, &k);
	if (!rc)
		rc = slowest_walk(&s);
	if (!rc)
		rc = slowest_keep(&s, &k);
	if (!rc)
		rc = slowest_kept_reduce(&k) ? slowest_kept_put(p, &k) : CPIDECODE_EINVAL;
	slowest_kept_free(&k);
	slowest_free(&s);
	return rc;
}

static int slowest_print_kept(
	struct report *r, const struct slowest_kept *k, const struct partial *p)
{
	const size_t most = r->top && r->top < k->nrows ? r->top : k->nrows;

	if (r->format == FORMAT_TEXT)
		report_head_lines(r);
	for (size_t i = 0; i < most && !r->out->error; i++) {
		const struct slowest_row *row = &k->rows[i];
		const struct interval *iv = row->kin.iv;
		struct slowest one = {.kin = &row->kin,
			.meanwhile = &row->meanwhile,
			.ran = row->ran,
			.names = row->names,
			.group = tally_find(&p->tally, iv->has_label, iv->label, iv->label_len,
				iv->major, iv->mm),
			.start = k->start,
			.place = i + 1};
		const struct slowest_median *median = slowest_kept_find(k, one.group);

		if (!median)
			return CPIDECODE_EINVAL;
		one.median = &median->kin;
		slowest_print(r, &one, i == 0);
	}
	if (!most && r->format == FORMAT_TEXT)
		out_str(r->out, "no intervals\n");
	return 0;
}

int report_slowest_merged(struct report *r, const struct partial *p)
{
	struct slowest_kept k = {0};
	int rc = slowest_kept_get(&k, p);

	if (!rc && r->top > k.most) {
		report_note(r,
			"--top %zu: the partial results have the %zu slowest: make them with --top %zu",
			r->top, k.most, r->top);
		r->is_misused = true;
		rc = CPIDECODE_EINVAL;
	} else if (!rc) {
		rc = slowest_print_kept(r, &k, p);
	}
	if (rc == CPIDECODE_EINVAL && !r->is_misused)
		report_note(r, "the intervals of a partial result are damaged");
	slowest_kept_free(&k);
	return rc;
}
