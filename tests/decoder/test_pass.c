/* Passes: however a trace is cut and by however many threads it is read, the same comes of it. */
#include <pthread.h>
#include <stdlib.h>

#include "../../decoder/model/trace/clock/clock.h"
#include "../../decoder/model/hooks/pass.h"
#include "../../formats/base/compare.h"
#include "../../include/cpidecode.h"
#include "open.h"
#include "../lib/random.h"
#include "../lib/sanitized.h"
#include "built.h"

struct seen {
	uint64_t ticks, position;
	int64_t time_ns;
	uint32_t file, ring;
};

struct list {
	struct seen *at;
	size_t n, cap;
};

static void add_seen(struct list *l, const struct hook *h)
{
	if (l->n == l->cap) {
		l->cap = 2 * l->cap + 64;
		l->at = realloc(l->at, l->cap * sizeof *l->at);
		ck_assert_ptr_nonnull(l->at);
	}
	l->at[l->n++] = (struct seen){.ticks = h->ticks,
		.position = h->position,
		.time_ns = h->time_ns,
		.file = h->file,
		.ring = h->ring};
}

/* Repeatable: the same traces every time. */
struct dice {
	uint64_t state;
};

static uint32_t roll_dice(struct dice *d, uint32_t sides)
{
	return random31(&d->state) % sides;
}

enum kind {
	HONEST,
	BACKWARDS, /* stamps go back */
	LYING,	   /* section headers, too */
	STEPPED,   /* honest, but a file's clock goes back */
	KINDS,
};

static void put_odd_record(struct bytes *b, struct dice *d, uint64_t stamp)
{
	switch (roll_dice(d, 4)) {
	case 0:
		put_pad(b, 8 + 8 * roll_dice(d, 3));
		break;
	case 1: /* torn */
		put_u32(b, 16);
		put_u32(b, 0);
		put_u64(b, 0);
		break;
	case 2: /* of a reserved kind */
		put_u32(b, 8 | REC_COMMITTED | 2);
		put_u32(b, 0);
		break;
	default: /* more words than it has room for */
		put_plain(b, stamp, 1, 0);
		put_le16(b->p + b->n - 32 + REC_NWORDS, 3);
		break;
	}
}

static uint64_t next_stamp(struct dice *d, enum kind kind, uint64_t stamp)
{
	static const uint64_t extremes[] = {0, 1, UINT64_MAX, UINT64_MAX - 1};
	bool honest = kind == HONEST || kind == STEPPED;

	if (!honest && roll_dice(d, 10) == 0)
		return roll_dice(d, 4) ? roll_dice(d, 4000) : extremes[roll_dice(d, 4)];
	return stamp + (roll_dice(d, 3) ? roll_dice(d, 40) : 0);
}

/* A section whose header is true, or random. */
static void put_any_section(struct bytes *file, struct dice *d, enum kind kind, uint32_t ring,
	uint64_t position, struct bytes *records)
{
	struct section s = {.type = TF_TYPE_HOOKS, .ring = ring, .position = position};

	if (kind != LYING || roll_dice(d, 2)) {
		put_hooks(file, ring, position, roll_dice(d, 2) ? TF_CODEC_LZ4 : TF_CODEC_NONE,
			records);
		return;
	}
	if (roll_dice(d, 5) == 0)
		put_u64(records, REC_COMMITTED);		  /* a size that leads nowhere */
	s.codec = roll_dice(d, 8) ? TF_CODEC_NONE : TF_CODEC_LZ4; /* which does not unpack */
	s.hooks = roll_dice(d, 4);
	s.torn = roll_dice(d, 3);
	s.first = roll_dice(d, 5000);
	s.last = roll_dice(d, 8) ? roll_dice(d, 5000) : UINT64_MAX;
	put_stored(file, &s, records);
	records->n = 0;
}

static void put_ring(struct bytes *file, struct dice *d, enum kind kind, uint32_t ring)
{
	struct bytes r = {0};
	uint64_t stamp = roll_dice(d, 1000), position = roll_dice(d, 100) * 8;

	for (unsigned sections = roll_dice(d, 10); sections > 0; sections--) {
		for (unsigned n = roll_dice(d, 12); n > 0; n--) {
			if (roll_dice(d, 6) == 0) {
				put_odd_record(&r, d, stamp);
				continue;
			}
			stamp = next_stamp(d, kind, stamp);
			put_plain(&r, stamp, 1 + roll_dice(d, 3), roll_dice(d, 3));
		}
		size_t bytes = r.n + 8;
		put_any_section(file, d, kind, ring, position, &r);
		position += bytes;
	}
	bytes_free(&r);
}

static void put_any_file(struct bytes *file, struct dice *d, enum kind kind, uint8_t id)
{
	struct bytes p = {0};

	put_header(file, id);
	int64_t real = 5000000000 + roll_dice(d, 500);
	put_le64(file->p + TF_H_SYNC + TF_SYNC_REALTIME, (uint64_t)real);
	seal_header(file->p);
	if (kind == STEPPED || roll_dice(d, 3) == 0) {
		put_sync(&p, 1500, real + 600, 1600);
		put_sync(&p, 2000, real + (kind == STEPPED ? 100 : 1200), 2200);
		put_section(file, &(struct section){.type = TF_TYPE_CLOCK}, &p);
	}
	for (uint32_t ring = 0; ring < 6; ring++)
		if (roll_dice(d, 3))
			put_ring(file, d, kind, ring);
	put_end(file);
	bytes_free(&p);
}

static void build_random(struct built_trace *m, uint64_t seed)
{
	struct dice d = {seed};
	enum kind kind = seed % KINDS;

	*m = (struct built_trace){.count = 1 + roll_dice(&d, 3)};
	for (size_t i = 0; i < m->count; i++)
		put_any_file(&m->files[i], &d, kind, (uint8_t)(1 + i));
	built_trace_open(m);
}

/* The hooks of one iteration. */
static struct list iterate(const struct trace *t, int64_t from, int64_t to, struct findings *f)
{
	struct list l = {0};
	struct hook_iter *it;
	const struct hook *h;
	int rc;

	ck_assert_int_eq(hook_iter_open(t, &it), 0);
	hook_iter_range(it, from, to);
	while ((rc = hook_iter_next(it, &h)) > 0)
		add_seen(&l, h);
	ck_assert_int_eq(rc, 0);
	ck_assert_int_eq(findings_add(f, t, it), 0);
	ck_assert_uint_eq(f->total.hooks, l.n);
	hook_iter_close(it);
	return l;
}

struct gathering {
	struct list list; /* no lock: pass_turn has to do */
	size_t turns;
	pthread_mutex_t lock;
};

static int gather_in_order(void *ctx, struct pass_slice *s)
{
	struct gathering *g = ctx;
	struct list own = {0};
	const struct hook *h;
	int rc;

	while ((rc = pass_next(s, &h)) > 0)
		add_seen(&own, h);
	if (!rc)
		rc = pass_turn(s);
	if (!rc) {
		ck_assert(pass_has_turn(s));
		g->turns++;
		for (size_t i = 0; i < own.n; i++) {
			struct hook copy = {.ticks = own.at[i].ticks,
				.position = own.at[i].position,
				.time_ns = own.at[i].time_ns,
				.file = own.at[i].file,
				.ring = own.at[i].ring};

			add_seen(&g->list, &copy);
		}
	}
	free(own.at);
	return rc;
}

static int gather_slice(void *ctx, struct pass_slice *s)
{
	struct gathering *g = ctx;
	const struct hook *h;
	uint64_t last = 0;
	bool any = false;
	int rc;

	while ((rc = pass_next(s, &h)) > 0) {
		ck_assert(!any || h->position > last);
		last = h->position;
		any = true;
		pthread_mutex_lock(&g->lock);
		add_seen(&g->list, h);
		pthread_mutex_unlock(&g->lock);
	}
	return rc;
}

static int by_place(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	int c = compare_u64_pair(x->file, y->file, x->ring, y->ring);

	return c ? c : compare_u64(x->position, y->position);
}

static void same_hooks(const struct list *a, const struct list *b, unsigned spared)
{
	ck_assert_uint_eq(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		ck_assert_uint_eq(a->at[i].ticks, b->at[i].ticks);
		ck_assert_uint_eq(a->at[i].position, b->at[i].position);
		ck_assert_uint_eq(a->at[i].ring, b->at[i].ring);
		ck_assert_uint_eq(a->at[i].file, b->at[i].file);
		if (!(spared & HOOK_SPARE_TIME))
			ck_assert_int_eq(a->at[i].time_ns, b->at[i].time_ns);
	}
}

static void same_findings(const struct trace *t, const struct findings *a, const struct findings *b)
{
	ck_assert_mem_eq(&a->total, &b->total, sizeof a->total);
	for (size_t i = 0; i < trace_nfiles(t); i++)
		for (size_t j = 0; j < trace_file(t, i)->nrings; j++)
			ck_assert_mem_eq(findings_ring(a, i, j), findings_ring(b, i, j),
				sizeof(struct hook_counts));
	ck_assert_uint_eq(a->ndamage, b->ndamage);
	for (size_t i = 0; i < a->ndamage; i++) {
		ck_assert_uint_eq(a->damage[i].file, b->damage[i].file);
		ck_assert_uint_eq(a->damage[i].offset, b->damage[i].offset);
		ck_assert_uint_eq(a->damage[i].bytes, b->damage[i].bytes);
		ck_assert_str_eq(a->damage[i].why, b->damage[i].why);
	}
}

static size_t check_pass(const struct trace *t, const struct pass *how, struct list *expected,
	const struct findings *found)
{
	struct gathering g = {.lock = PTHREAD_MUTEX_INITIALIZER};
	struct findings own = {0};
	struct pass p = *how;

	p.trace = t;
	p.read = p.ordered ? gather_in_order : gather_slice;
	p.ctx = &g;
	ck_assert_int_eq(pass_run(&p, &own), 0);
	if (!p.ordered && g.list.n)
		qsort(g.list.at, g.list.n, sizeof *g.list.at, by_place);
	same_hooks(&g.list, expected, p.spared);
	same_findings(t, &own, found);
	findings_free(&own);
	free(g.list.at);
	return g.turns;
}

/* ThreadSanitizer looks for races between the threads, of which a few traces show all. */
enum { STEP = WITH_TSAN ? 5 : 1 };

START_TEST(any_cut_and_any_number_of_threads_say_the_same)
{
	static const uint64_t sizes[] = {1, 400, 3000, 0};
	size_t most = 0;

	for (uint64_t seed = 0; seed < 120; seed += STEP) {
		struct built_trace m;
		struct findings found = {0};
		struct dice d = {seed + 1000};
		int64_t from = INT64_MIN, to = INT64_MAX;

		build_random(&m, seed);
		if (roll_dice(&d, 2))
			from = 4999999000 + roll_dice(&d, 4000);
		if (roll_dice(&d, 2))
			to = 5000000000 + roll_dice(&d, 3000);
		struct list all = iterate(m.t, from, to, &found);
		struct list sorted = {.n = all.n, .at = calloc(all.n + 1, sizeof *all.at)};
		if (all.n)
			memcpy(sorted.at, all.at, all.n * sizeof *all.at);
		qsort(sorted.at, sorted.n, sizeof *sorted.at, by_place);
		for (unsigned i = 0; i < 12; i++) {
			struct pass p = {.from_ns = from,
				.to_ns = to,
				.threads = 1 + (i + (unsigned)seed) % 5,
				.spared = (i + (unsigned)seed) % 4,
				.slice_bytes = sizes[i % 4],
				.ordered = i % 3 != 0};
			size_t turns = check_pass(m.t, &p, p.ordered ? &all : &sorted, &found);

			most = turns > most ? turns : most;
		}
		findings_free(&found);
		free(all.at);
		free(sorted.at);
		built_trace_close(&m);
	}
	/* They were cut, or nothing was tested. */
	ck_assert_uint_gt(most, 30);
}
END_TEST

static int by_time(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	if (x->ticks != y->ticks)
		return x->ticks < y->ticks ? -1 : 1;
	if (x->ring != y->ring)
		return x->ring < y->ring ? -1 : 1;
	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return x->file < y->file ? -1 : x->file > y->file;
}

START_TEST(honest_hooks_come_in_order_of_time)
{
	for (uint64_t seed = HONEST; seed < 40; seed += KINDS) {
		struct built_trace m;
		struct findings found = {0};

		build_random(&m, seed);
		struct list all = iterate(m.t, INT64_MIN, INT64_MAX, &found);
		for (size_t i = 1; i < all.n; i++)
			ck_assert_int_le(by_time(&all.at[i - 1], &all.at[i]), 0);
		findings_free(&found);
		free(all.at);
		built_trace_close(&m);
	}
}
END_TEST

START_TEST(seek_goes_to_any_time)
{
	for (uint64_t seed = HONEST; seed < 40; seed += KINDS) {
		struct built_trace m;
		struct findings found = {0};
		struct dice d = {seed};
		struct hook_iter *it;
		const struct hook *h;

		build_random(&m, seed);
		struct list all = iterate(m.t, INT64_MIN, INT64_MAX, &found);
		ck_assert_int_eq(hook_iter_open(m.t, &it), 0);
		for (unsigned i = 0; i < 40; i++) {
			int64_t to = 4999999000 + roll_dice(&d, 4000);
			size_t first = 0;

			if (i == 0)
				to = INT64_MIN;
			if (i == 1)
				to = INT64_MAX;
			while (first < all.n && all.at[first].time_ns < to)
				first++;
			ck_assert_int_eq(hook_iter_seek(it, to), 0);
			for (size_t k = first; k < first + roll_dice(&d, 30); k++) {
				int rc = hook_iter_next(it, &h);

				ck_assert_int_eq(rc, k < all.n);
				if (!rc)
					break;
				ck_assert_uint_eq(h->position, all.at[k].position);
				ck_assert_uint_eq(h->ring, all.at[k].ring);
				ck_assert_uint_eq(h->file, all.at[k].file);
			}
		}
		hook_iter_close(it);
		findings_free(&found);
		free(all.at);
		built_trace_close(&m);
	}
}
END_TEST

/* One ring, n sections of ten hooks. */
static struct trace *long_ring(struct bytes *file, unsigned n)
{
	struct bytes r = {0};

	put_header(file, 1);
	for (unsigned i = 0; i < n; i++) {
		for (unsigned k = 0; k < 10; k++)
			put_plain(&r, 100 * i + k, 1, 0);
		put_hooks(file, 0, 320 * i, TF_CODEC_NONE, &r);
	}
	bytes_free(&r);
	return opened(file);
}

static int fail_some(void *ctx, struct pass_slice *s)
{
	const struct hook *h;
	int rc, section = 0;

	(void)ctx;
	while ((rc = pass_next(s, &h)) > 0)
		section = (int)(h->ticks / 100);
	if (section == 5 || section == 9)
		return -1000 - section;
	return rc ? rc : pass_turn(s);
}

START_TEST(the_first_slice_that_fails_says_why)
{
	struct trace *t = long_ring(&built, 30);

	for (unsigned threads = 1; threads <= 5; threads++) {
		for (unsigned ordered = 0; ordered < 2; ordered++) {
			struct pass p = {.trace = t,
				.from_ns = INT64_MIN,
				.to_ns = INT64_MAX,
				.threads = threads,
				.ordered = ordered,
				.slice_bytes = 1,
				.read = fail_some};

			if (ordered || threads == 1)
				ck_assert_int_eq(pass_run(&p, NULL), -1005);
		}
	}
	trace_free(t);
}
END_TEST

static bool stop_at_third(void *ctx, uint64_t done, uint64_t total)
{
	ck_assert_uint_le(done, total);
	return ++*(unsigned *)ctx < 3;
}

static int read_to_end(void *ctx, struct pass_slice *s)
{
	const struct hook *h;
	int rc;

	(void)ctx;
	while ((rc = pass_next(s, &h)) > 0)
		;
	return rc;
}

START_TEST(progress_can_end_it)
{
	struct trace *t = long_ring(&built, 40000);
	unsigned calls = 0;
	struct pass p = {.trace = t,
		.from_ns = INT64_MIN,
		.to_ns = INT64_MAX,
		.threads = 1,
		.read = read_to_end,
		.progress = stop_at_third,
		.progress_ctx = &calls};

	ck_assert_int_eq(pass_run(&p, NULL), CPIDECODE_ECANCELED);
	ck_assert_uint_eq(calls, 3);
	trace_free(t);
}
END_TEST

static bool keep_progress(void *ctx, uint64_t done, uint64_t total)
{
	uint64_t *last = ctx;

	last[0] = done;
	last[1] = total;
	return true;
}

START_TEST(progress_ends_at_the_total)
{
	struct trace *t = long_ring(&built, 100);
	uint64_t last[2] = {0};
	struct pass p = {.trace = t,
		.from_ns = INT64_MIN,
		.to_ns = INT64_MAX,
		.threads = 2,
		.read = read_to_end,
		.progress = keep_progress,
		.progress_ctx = last};

	ck_assert_int_eq(pass_run(&p, NULL), 0);
	ck_assert_uint_gt(last[1], 0);
	ck_assert_uint_eq(last[0], last[1]);
	trace_free(t);
}
END_TEST

START_TEST(the_first_of_much_damage_is_reported)
{
	/* One of every two sections does not unpack. */
	struct bytes r = {0};
	const unsigned n = 2500;

	put_header(&built, 1);
	for (unsigned i = 0; i < 2 * n; i++) {
		put_plain(&r, i, 1, 0);
		struct section s = {.type = TF_TYPE_HOOKS,
			.codec = i % 2 ? TF_CODEC_LZ4 : TF_CODEC_NONE,
			.ring = i % 5,
			.position = 32 * i,
			.hooks = 1,
			.first = i,
			.last = i};
		put_stored(&built, &s, &r);
		r.n = 0;
	}
	struct trace *t = opened(&built);
	for (unsigned i = 0; i < 6; i++) {
		struct findings found = {0};
		struct pass p = {.trace = t,
			.from_ns = INT64_MIN,
			.to_ns = INT64_MAX,
			.threads = 1 + i / 2,
			.ordered = i % 2,
			.slice_bytes = 2000,
			.read = read_to_end};

		ck_assert_int_eq(pass_run(&p, &found), 0);
		ck_assert_uint_eq(found.total.bad_sections, n);
		ck_assert_uint_eq(found.total.hooks, n);
		ck_assert_uint_eq(found.ndamage, MAX_KEPT_DAMAGE);
		for (unsigned k = 0; k < MAX_KEPT_DAMAGE; k++)
			ck_assert_uint_eq(found.damage[k].offset,
				TF_HEADER_SIZE + (2 * k + 1) * (TF_SECTION_SIZE + 32));
		findings_free(&found);
	}
	trace_free(t);
	bytes_free(&r);
}
END_TEST

START_TEST(groups_are_not_cut)
{
	/* Hooks of one stamp in two sections, and so on: there is nowhere to cut. */
	struct bytes r = {0};
	struct gathering g = {.lock = PTHREAD_MUTEX_INITIALIZER};

	put_header(&built, 1);
	for (unsigned i = 0; i < 20; i++) {
		put_plain(&r, 100 + i, 1, 0);
		put_plain(&r, 101 + i, 1, 0);
		put_hooks(&built, 0, 64 * i, TF_CODEC_NONE, &r);
	}
	struct trace *t = opened(&built);
	struct pass p = {.trace = t,
		.from_ns = INT64_MIN,
		.to_ns = INT64_MAX,
		.threads = 3,
		.slice_bytes = 1,
		.read = gather_in_order,
		.ctx = &g};
	ck_assert_int_eq(pass_run(&p, NULL), 0);
	ck_assert_uint_eq(g.turns, 1);
	ck_assert_uint_eq(g.list.n, 40);
	free(g.list.at);
	trace_free(t);
	bytes_free(&r);
}
END_TEST

START_TEST(a_trace_without_hooks_is_read_too)
{
	put_header(&built, 1);
	struct trace *t = opened(&built);
	for (unsigned i = 0; i < 4; i++) {
		struct gathering g = {.lock = PTHREAD_MUTEX_INITIALIZER};
		struct findings found = {0};
		struct pass p = {.trace = t,
			.from_ns = INT64_MIN,
			.to_ns = i < 2 ? INT64_MAX : INT64_MIN,
			.ordered = i % 2,
			.threads = 4,
			.read = gather_in_order,
			.ctx = &g};

		ck_assert_int_eq(pass_run(&p, &found), 0);
		ck_assert_uint_eq(g.list.n, 0);
		ck_assert_uint_eq(found.total.hooks, 0);
		findings_free(&found);
	}
	trace_free(t);
}
END_TEST

BUILT_MAIN("pass", any_cut_and_any_number_of_threads_say_the_same,
	honest_hooks_come_in_order_of_time, seek_goes_to_any_time,
	the_first_slice_that_fails_says_why, progress_can_end_it, progress_ends_at_the_total,
	the_first_of_much_damage_is_reported, groups_are_not_cut, a_trace_without_hooks_is_read_too)
