/* All intervals: read, nested, sorted. */
#include "intervals.h"

#include <string.h>

#include "../../base/grow.h"
#include "../../base/intern.h"
#include "../../base/sort.h"
#include "interval_keep.h"
#include "nesting.h"
#include "../hooks/pass.h"

struct reader {
	struct interval_set pub;
	struct intern memory; /* labels and arrays */
	struct interval *at;
	size_t cap;
	struct nest_node *nodes;
	size_t nodes_cap;
	const struct interval_set_options *options;
	const struct trace *t;
};

static int keep_interval(struct reader *r, const struct interval *iv)
{
	int rc = grow(&r->at, r->pub.count, &r->cap, sizeof *r->at);

	return rc ? rc : interval_keep(&r->memory, iv, r->options->cpus, &r->at[r->pub.count++]);
}

static int interval_set_add_interval(struct reader *r, const struct interval *iv)
{
	const struct interval_set_options *o = r->options;
	struct nest_node node = {.start = iv->end_ticks - iv->elapsed,
		.end = iv->end_ticks,
		.position = iv->position,
		.era = 2 * iv->machine + (iv->elapsed <= iv->end_ticks),
		.tid = iv->tid,
		.ring = iv->ring,
		.file = iv->file,
		.index = -1};
	int rc = grow(&r->nodes, r->pub.seen, &r->nodes_cap, sizeof *r->nodes);

	if (rc)
		return rc;
	if (!o->filter || o->filter(o->ctx, iv)) {
		node.index = (int64_t)r->pub.count;
		rc = keep_interval(r, iv);
	}
	r->nodes[r->pub.seen++] = node;
	return rc;
}

static int interval_set_read_slice(void *ctx, struct pass_slice *slice)
{
	struct reader *r = ctx;
	struct interval_builder *b;
	const struct interval *iv;
	const unsigned values = r->options->values ? WANT_VALUES : 0;
	int rc = interval_builder_new(r->t, WANT_ALL | values, &b);

	if (rc)
		return rc;
	while ((rc = interval_read(b, slice, &iv)) > 0)
		if ((rc = interval_set_add_interval(r, iv)))
			break;
	if (!rc)
		rc = interval_builder_tell(b, &r->pub.found);
	interval_builder_free(b);
	return rc;
}

struct order {
	const struct interval *at;
	bool one_machine; /* ticks are comparable */
};

/* The ticks by which it began before tick 0. */
static uint64_t early(const struct interval *iv)
{
	return iv->elapsed > iv->end_ticks ? iv->elapsed - iv->end_ticks : 0;
}

static int interval_set_compare_starts(const void *a, const void *b, void *ctx)
{
	const struct order *o = ctx;
	const struct interval *x = &o->at[*(const size_t *)a], *y = &o->at[*(const size_t *)b];
	int c = 0;

	if (!o->one_machine) {
		c = compare_i64(x->start_ns, y->start_ns);
		if (!c)
			c = compare_i64(y->end_ns, x->end_ns);
	}
	if (!c)
		c = compare_u64(x->start_ticks, y->start_ticks);
	if (!c && o->one_machine)
		c = compare_u64(early(y), early(x));
	if (!c)
		c = compare_u64(y->end_ticks, x->end_ticks);
	if (!c)
		c = compare_u64(x->ring, y->ring);
	if (!c)
		c = compare_u64(x->position, y->position);
	return c ? c : compare_u64(x->file, y->file);
}

/* Permutes in place: element order[i] moves to index i; moved_to has each one's new index. */
static void permute(struct interval *at, size_t *order, size_t *moved_to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		moved_to[order[i]] = i;
	for (size_t i = 0; i < n; i++) {
		if (order[i] == i)
			continue;
		struct interval first = at[i];
		size_t to = i;
		while (order[to] != i) {
			size_t from = order[to];

			at[to] = at[from];
			order[to] = to;
			to = from;
		}
		at[to] = first;
		order[to] = to;
	}
}

static int sort_set(struct reader *r, const struct trace *t)
{
	size_t n = r->pub.count;
	struct order o = {.at = r->at, .one_machine = true};

	for (size_t i = 1; i < trace_nfiles(t); i++)
		if (trace_file(t, i)->machine != trace_file(t, 0)->machine)
			o.one_machine = false;
	size_t *order = malloc((n + 1) * sizeof *order);
	size_t *moved_to = malloc((n + 1) * sizeof *moved_to);
	int rc = order && moved_to ? 0 : CPIDECODE_ENOMEM;
	if (!rc) {
		for (size_t i = 0; i < n; i++)
			order[i] = i;
		qsort_r(order, n, sizeof *order, interval_set_compare_starts, &o);
		permute(r->at, order, moved_to, n);
		for (size_t i = 0; i < n; i++)
			if (r->at[i].parent >= 0)
				r->at[i].parent = (int64_t)moved_to[r->at[i].parent];
	}
	free(order);
	free(moved_to);
	return rc;
}

int interval_set_read(const struct trace *t, const struct interval_set_options *options,
	struct interval_set **set)
{
	static const struct interval_set_options none;
	struct reader *r = calloc(1, sizeof *r);
	struct pass pass = {.trace = t,
		.from_ns = INT64_MIN,
		.to_ns = INT64_MAX,
		.threads = 1,
		.read = interval_set_read_slice,
		.ctx = r};

	*set = NULL;
	if (!r)
		return CPIDECODE_ENOMEM;
	r->options = options ? options : &none;
	r->t = t;
	int rc = pass_run(&pass, &r->pub.found);
	if (!rc)
		rc = nest(r->nodes, r->pub.seen, r->at);
	free(r->nodes);
	r->nodes = NULL;
	if (!rc)
		rc = sort_set(r, t);
	r->pub.at = r->at;
	if (rc)
		interval_set_free(&r->pub);
	else
		*set = &r->pub;
	return rc;
}

void interval_set_free(struct interval_set *set)
{
	struct reader *r = (struct reader *)set; /* its first member */

	if (!r)
		return;
	findings_free(&r->pub.found);
	intern_free(&r->memory);
	free(r->at);
	free(r);
}
