/*
 * The result of reading a trace does not depend on how it is cut into slices, on the number of
 * threads, or on the memory for sorting intervals. The first bytes select these, the rest is one or
 * two recipes (recipe.h). The passes of reports cut only traces far larger than these.
 */
#include "../../formats/base/compare.h"
#include "../../formats/interval_hooks.h"
#include "../../decoder/model/intervals/stream.h"
#include "../../decoder/model/hooks/pass.h"
#include "recipe.h"

enum how {
	TWO_FILES = 1, /* a length of 16 bits, then the first recipe */
	ORDERED = 2,
	RANGE = 4,   /* two bytes: parts of 256 of the trace's span */
	HOSTILE = 8, /* section headers may be wrong: only a crash is an error */
	BY_MACHINE = 16,
	UNVERIFIED = 32,
};

struct settings {
	uint8_t how, threads, from, to;
	uint16_t slice, budget;
};

/* A hook's identity and time. Their lists are bytes. */
struct seen {
	uint64_t ticks, position;
	int64_t time_ns;
	uint32_t file, ring, tid, minor;
};

static void collect_hook(struct bytes *l, const struct hook *h)
{
	struct seen s;

	memset(&s, 0, sizeof s);
	s = (struct seen){.ticks = h->ticks,
		.position = h->position,
		.time_ns = h->time_ns,
		.file = h->file,
		.ring = h->ring,
		.tid = h->tid,
		.minor = h->minor};
	bytes_put(l, &s, sizeof s);
}

static int read_slice(void *ctx, struct pass_slice *slice)
{
	struct bytes *l = ctx, own = {0};
	const struct hook *h;
	int rc;

	while ((rc = pass_next(slice, &h)) > 0)
		collect_hook(&own, h);
	if (!rc)
		rc = pass_turn(slice); /* only this slice adds to the list */
	if (!rc)
		bytes_put(l, own.p, own.n);
	bytes_free(&own);
	return rc;
}

static int by_ring(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	int c = compare_u64_pair(x->file, y->file, x->ring, y->ring);

	return c ? c : compare_u64(x->position, y->position);
}

static void sort(struct bytes *l)
{
	if (l->n)
		qsort(l->p, l->n / sizeof(struct seen), sizeof(struct seen), by_ring);
}

static void same_hooks(const struct bytes *a, const struct bytes *b)
{
	const struct seen *x = (void *)a->p, *y = (void *)b->p;
	size_t n = a->n / sizeof *x;

	PROMISE(a->n == b->n, "%zu hooks, in slices %zu", n, b->n / sizeof *x);
	for (size_t i = 0; i < n; i++)
		PROMISE(x[i].ticks == y[i].ticks && x[i].position == y[i].position &&
				x[i].time_ns == y[i].time_ns && x[i].file == y[i].file &&
				x[i].ring == y[i].ring && x[i].tid == y[i].tid &&
				x[i].minor == y[i].minor,
			"hook %zu of %zu", i, n);
}

static void iterate(const struct trace *t, int64_t from, int64_t to, struct bytes *l)
{
	struct hook_iter *it;
	const struct hook *h;
	int rc;

	PROMISE(!hook_iter_open(t, &it), "memory");
	hook_iter_range(it, from, to);
	while ((rc = hook_iter_next(it, &h)) > 0)
		collect_hook(l, h);
	PROMISE(!rc, "code %d", rc);
	hook_iter_close(it);
}

static void hooks(const struct trace *t, const struct settings *s, int64_t from, int64_t to)
{
	struct bytes whole = {0}, cut = {0};
	struct findings found = {0};
	struct pass p = {.trace = t,
		.from_ns = from,
		.to_ns = to,
		.threads = 1 + s->threads % 4,
		.ordered = s->how & ORDERED,
		.slice_bytes = s->slice,
		.read = read_slice,
		.ctx = &cut};

	iterate(t, from, to, &whole);
	PROMISE(!pass_run(&p, &found), "a pass");
	PROMISE(found.total.hooks * sizeof(struct seen) == cut.n || from != INT64_MIN ||
			to != INT64_MAX,
		"%llu hooks", (unsigned long long)found.total.hooks);
	if (!p.ordered) {
		sort(&cut);
		sort(&whole);
	}
	if (!(s->how & HOSTILE))
		same_hooks(&whole, &cut);
	findings_free(&found);
	bytes_free(&whole);
	bytes_free(&cut);
}

static struct interval_stream *stream(
	const struct trace *t, const struct settings *s, unsigned threads, size_t budget)
{
	struct interval_stream *stream;
	struct interval_stream_options o = {.from_ns = INT64_MIN,
		.threads = threads,
		.budget = budget,
		.wants = ~0u,
		.by_machine = s->how & BY_MACHINE};

	PROMISE(!interval_stream_open(t, &o, &stream, NULL), "a stream");
	return stream;
}

/* Hooks whose bytes are not in memory are compared elsewhere. */
static bool same_label(const struct interval *a, const struct interval *b)
{
	return a->has_label == b->has_label && a->label_len == b->label_len &&
	       (!a->label || memcmp(a->label, b->label, a->label_len) == 0);
}

static bool same_values(const struct interval *a, const struct interval *b)
{
	if (a->num_values != b->num_values)
		return false;
	for (uint32_t i = 0; i < a->num_values; i++) {
		const struct interval_value *x = &a->values[i], *y = &b->values[i];

		if (x->name != y->name || x->kind != y->kind || x->type != y->type ||
			x->length != y->length)
			return false;
		if (x->type == INTERVAL_ARG_TEXT
				? memcmp(a->value_texts + x->at, b->value_texts + y->at, x->length)
				: x->u != y->u)
			return false;
	}
	return true;
}

static bool same_interval(const struct interval *a, const struct interval *b)
{
	return a->start_ns == b->start_ns && a->end_ns == b->end_ns && a->ring == b->ring &&
	       a->tid == b->tid && a->position == b->position && a->file == b->file &&
	       a->depth == b->depth && a->flags == b->flags && a->num_cpus == b->num_cpus &&
	       a->cycles == b->cycles && a->elapsed == b->elapsed && same_label(a, b) &&
	       same_values(a, b);
}

static void intervals(const struct trace *t, const struct settings *s)
{
	struct interval_stream *one = stream(t, s, 1, 0);
	struct interval_stream *other = stream(t, s, 1 + s->threads % 3, s->budget + 1u);
	const struct interval *a, *b;

	PROMISE(interval_stream_count(one) == interval_stream_count(other), "counts");
	for (unsigned turn = 0; turn < 2; turn++) {
		int x, y;

		while ((x = interval_stream_next(one, &a)) > 0) {
			y = interval_stream_next(other, &b);
			PROMISE(y > 0 && same_interval(a, b), "code %d, start %lld and %lld", y,
				(long long)a->start_ns, y > 0 ? (long long)b->start_ns : 0);
		}
		PROMISE(!x && !interval_stream_next(other, &b), "code %d", x);
		PROMISE(!interval_stream_rewind(one) && !interval_stream_rewind(other), "rewind");
	}
	interval_stream_close(one);
	interval_stream_close(other);
}

/* Intervals of a single-threaded pass: hooks are fed to the builder, or it reads them. */
struct gathered {
	struct interval_builder *builder;
	bool fed;
	unsigned flags;	     /* those that the wants define */
	struct bytes all;    /* struct interval, without their labels and values */
	struct bytes labels; /* and values */
};

/* Their array lives as long as the builder's group. */
static void gather_values(struct gathered *g, const struct interval *iv)
{
	for (uint32_t i = 0; i < iv->num_values; i++) {
		const struct interval_value *v = &iv->values[i];
		const bool is_text = v->type == INTERVAL_ARG_TEXT;
		const uint64_t parts[] = {v->name, v->kind, v->type, v->length, is_text ? 0 : v->u};

		bytes_put(&g->labels, parts, sizeof parts);
		if (is_text)
			bytes_put(&g->labels, iv->value_texts + v->at, v->length);
	}
}

static void collect_interval(struct gathered *g, const struct interval *iv)
{
	struct interval own = *iv;

	own.cpus = NULL;
	own.label = NULL;
	own.num_values = 0;
	own.flags &= g->flags;
	gather_values(g, iv);
	bytes_put(&g->all, &own, sizeof own);
	if (iv->has_label)
		bytes_put(&g->labels, iv->label, iv->label_len);
}

static int gather_slice(void *ctx, struct pass_slice *slice)
{
	struct gathered *g = ctx;
	const struct interval *iv;
	const struct hook *h;
	int rc;

	if (!g->fed) {
		while ((rc = interval_read(g->builder, slice, &iv)) > 0)
			collect_interval(g, iv);
		return rc;
	}
	while ((rc = pass_next(slice, &h)) > 0) {
		rc = interval_feed(g->builder, h, &iv);
		PROMISE(rc >= 0, "code %d", rc);
		if (rc)
			collect_interval(g, iv);
	}
	while (interval_flush(g->builder, &iv) > 0)
		collect_interval(g, iv);
	return rc;
}

static void gather_all(struct gathered *g, const struct trace *t, const struct settings *s,
	int64_t from, int64_t to, struct findings *found)
{
	struct pass p = {.trace = t,
		.from_ns = from,
		.to_ns = to,
		.threads = 1,
		.slice_bytes = s->slice,
		.read = gather_slice,
		.ctx = g};

	const unsigned wants = s->budget & (WANT_ALL | WANT_VALUES);

	g->flags = wants & WANT_FLAGS ? ~0u : ~(unsigned)(IV_INCONSISTENT | IV_MALFORMED);
	PROMISE(!interval_builder_new(t, wants, &g->builder), "memory");
	PROMISE(!pass_run(&p, found), "a pass");
	interval_builder_free(g->builder);
}

static bool same_measures(const struct interval *a, const struct interval *b)
{
	return same_values(a, b) && a->types == b->types && a->instructions == b->instructions &&
	       a->busy_cycles == b->busy_cycles && a->thread_cycles == b->thread_cycles &&
	       a->on_cpu_ns == b->on_cpu_ns && a->faults == b->faults && a->task == b->task;
}

/* Holds for wrong headers too: both read the same sections. */
static void builders(const struct trace *t, const struct settings *s, int64_t from, int64_t to)
{
	struct gathered fed = {.fed = true}, read = {0};
	struct findings fed_found = {0}, read_found = {0};

	gather_all(&fed, t, s, from, to, &fed_found);
	gather_all(&read, t, s, from, to, &read_found);
	const struct interval *a = (void *)fed.all.p, *b = (void *)read.all.p;
	size_t n = fed.all.n / sizeof *a;
	PROMISE(fed.all.n == read.all.n, "%zu fed, %zu read", n, read.all.n / sizeof *a);
	for (size_t i = 0; i < n; i++)
		PROMISE(same_interval(&a[i], &b[i]) && same_measures(&a[i], &b[i]),
			"interval %zu of %zu", i, n);
	PROMISE(fed.labels.n == read.labels.n &&
			(!fed.labels.n || memcmp(fed.labels.p, read.labels.p, fed.labels.n) == 0),
		"labels");
	/* Who feeds hooks does not count those that are of no group. */
	PROMISE(fed_found.total.malformed <= read_found.total.malformed, "malformed");
	fed_found.total.malformed = read_found.total.malformed;
	PROMISE(memcmp(&fed_found.total, &read_found.total, sizeof fed_found.total) == 0, "counts");
	findings_free(&fed_found);
	findings_free(&read_found);
	bytes_free(&fed.all);
	bytes_free(&fed.labels);
	bytes_free(&read.all);
	bytes_free(&read.labels);
}

static int add(
	struct trace *t, const struct settings *s, const uint8_t *p, size_t n, uint8_t **kept)
{
	struct bytes file = {0};

	if (s->how & HOSTILE)
		recipe_build(p, n, &file);
	else
		recipe_build_honest(p, n, &file);
	*kept = exact_copy(file.p, file.n);
	int rc = trace_add_memory(t, *kept, file.n, "memory");
	bytes_free(&file);
	return rc;
}

static void check_cuts(const struct trace *t, const struct settings *s)
{
	int64_t from = INT64_MIN, to = INT64_MAX, first, last, span;

	if (s->how & RANGE && trace_span(t, &first, &last) &&
		!__builtin_sub_overflow(last, first, &span)) {
		from = first + span / 256 * s->from;
		to = last - span / 256 * s->to;
		/* More stamps than just the first and the last. */
		from = add_saturated(from, s->from % 3);
		to = add_saturated(to, -(s->to % 3));
	}
	hooks(t, s, from, to);
	intervals(t, s);
	builders(t, s, from, to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feed in = {data, size};
	struct settings s;
	struct trace *t;
	uint8_t *files[2] = {NULL, NULL};
	const uint8_t *p;
	int rc = 0;

	s.how = feed_u8(&in);
	s.threads = feed_u8(&in);
	s.from = feed_u8(&in);
	s.to = feed_u8(&in);
	s.slice = feed_u16(&in);
	s.budget = feed_u16(&in);
	PROMISE(!trace_new(&t), "an empty trace");
	trace_set_verify(t, s.how & UNVERIFIED ? VERIFY_LATER : VERIFY_ALL);
	if (s.how & TWO_FILES) {
		size_t n = feed_bytes(&in, feed_u16(&in), &p);

		rc = add(t, &s, p, n, &files[0]);
	}
	if (!rc)
		rc = add(t, &s, in.p, in.n, &files[1]);
	if (!rc)
		check_cuts(t, &s);
	trace_free(t);
	free(files[0]);
	free(files[1]);
	return 0;
}
