#include "hook_counts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/base/hash.h"
#include "../../../formats/base/time_ns.h"
#include "../../base/grow.h"
#include "../../model/hooks/pass.h"
#include "../../model/trace/nrm2_tail.h"
#include "../../model/hooks/schema.h"
#include "../hooks/where.h"
#include "../open.h"
#include "../rows.h"
#include "choice.h"

/* The count of a kind of hooks, in one ring or in all. */
struct hook_count {
	uint32_t minor, ring; /* guest rings count as the first of them */
	uint8_t major;
	const struct schema_hook *schema; /* of the first one that has one */
	uint64_t count;
	int64_t first_ns, last_ns;
};

/* A thread's. */
struct hook_counter {
	_Alignas(PASS_APART) struct hook_count *at;
	size_t count, room;
	struct hash_index index;
	size_t recent; /* that the last hook was of */
};

struct hook_counting {
	struct report *r;
	struct hook_counter *counters;
	unsigned threads;
	bool by_minor, filtered, imported;
	struct hook_count *all; /* by kind, then ring */
	size_t count;
};

bool hook_counts_parse(const char *list, bool *by_minor)
{
	*by_minor = strcmp(list, "major,minor") == 0;
	return *by_minor || strcmp(list, "major") == 0;
}

static uint64_t hook_counts_hash(const struct hook_count *c)
{
	uint64_t key = (uint64_t)c->minor << 32 | c->ring;

	return hash_u64(key ^ (uint64_t)c->major << 24);
}

static bool hook_counts_is_same(const struct hook_count *a, const struct hook_count *b)
{
	return a->minor == b->minor && a->ring == b->ring && a->major == b->major;
}

static void hook_counts_merge(struct hook_count *to, const struct hook_count *from)
{
	if (!to->count || from->first_ns < to->first_ns)
		to->first_ns = from->first_ns;
	if (!to->count || from->last_ns > to->last_ns)
		to->last_ns = from->last_ns;
	to->count += from->count;
	if (!to->schema)
		to->schema = from->schema;
}

/* NULL: no memory. */
static struct hook_count *hook_counts_find(struct hook_counter *c, const struct hook_count *key)
{
	uint64_t hash = hook_counts_hash(key);
	size_t i;

	if (c->recent < c->count && hook_counts_is_same(&c->at[c->recent], key))
		return &c->at[c->recent];
	for (uint32_t at; (at = hash_index_next(&c->index, &hash));)
		if (hook_counts_is_same(&c->at[at - 1], key)) {
			c->recent = at - 1;
			return &c->at[at - 1];
		}
	if (c->count >= UINT32_MAX - 1 || array_grow(&c->at, c->count, &c->room, sizeof *c->at) ||
		!hash_index_grow(&c->index, c->count + 1, &i))
		return NULL;
	c->at[c->count] =
		(struct hook_count){.minor = key->minor, .ring = key->ring, .major = key->major};
	c->recent = c->count++;
	for (; i < c->count; i++)
		hash_index_add(&c->index, hook_counts_hash(&c->at[i]), (uint32_t)i);
	return &c->at[c->recent];
}

static int hook_counts_read_slice(void *ctx, struct pass_slice *slice)
{
	struct hook_counting *s = ctx;
	struct hook_counter *counter = &s->counters[pass_thread(slice)];
	struct filter_group group = {.trace = s->r->trace};
	const struct hook *h;
	struct hook copy;
	int rc;

	while ((rc = pass_next(slice, &h)) > 0) {
		if (s->filtered && !hooks_select(s->r, h, &group))
			continue;
		if (s->imported)
			h = hook_as_written(s->r->trace, h, &copy);
		const struct hook_count one = {.minor = s->by_minor ? h->minor : 0,
			.ring = hook_on_cpu(h) ? h->ring : TF_GUEST_RING,
			.major = h->major,
			.schema = h->schema,
			.count = 1,
			.first_ns = h->time_ns,
			.last_ns = h->time_ns};
		struct hook_count *c = hook_counts_find(counter, &one);

		if (!c)
			return CPIDECODE_ENOMEM;
		hook_counts_merge(c, &one);
	}
	return rc;
}

static int hook_counts_compare(const void *x, const void *y)
{
	const struct hook_count *a = x, *b = y;
	int c = compare_u64_pair(a->major, b->major, a->minor, b->minor);

	return c ? c : compare_u64(a->ring, b->ring);
}

/* All threads' counts, each kind and ring once. */
static int hook_counts_collect(struct hook_counting *s)
{
	size_t n = 0, kept = 0;

	for (unsigned i = 0; i < s->threads; i++)
		n += s->counters[i].count;
	s->all = calloc(n + 1, sizeof *s->all);
	if (!s->all)
		return CPIDECODE_ENOMEM;
	n = 0;
	for (unsigned i = 0; i < s->threads; i++)
		for (size_t k = 0; k < s->counters[i].count; k++)
			s->all[n++] = s->counters[i].at[k];
	if (n)
		qsort(s->all, n, sizeof *s->all, hook_counts_compare);
	for (size_t i = 0; i < n; i++)
		if (kept && hook_counts_is_same(&s->all[kept - 1], &s->all[i]))
			hook_counts_merge(&s->all[kept - 1], &s->all[i]);
		else
			s->all[kept++] = s->all[i];
	s->count = kept;
	return 0;
}

/* ------------------------------------------------------------------------ output */

/* A kind: its counts by ring, and their sum. */
struct hook_kind {
	const struct hook_count *rings;
	size_t nrings;
	struct hook_count sum;
};

struct hook_kind_row {
	const struct hook_kind *kind;
	struct hook_count of; /* the sum, or one of its rings */
	struct cell minor, name, cpu;
	int64_t origin;
	double rate;
};

static const struct hook_kind_row *hook_counts_row(const void *row)
{
	return row;
}

static void hook_counts_spell_since(struct out *o, int64_t ns, int64_t origin)
{
	const int64_t since = (int64_t)((uint64_t)ns - (uint64_t)origin);

	out_str(o, since < 0 ? "" : "+");
	out_seconds(o, since);
}

static void hook_counts_spell_first(struct out *o, const void *row)
{
	hook_counts_spell_since(o, hook_counts_row(row)->of.first_ns, hook_counts_row(row)->origin);
}

static void hook_counts_spell_last(struct out *o, const void *row)
{
	hook_counts_spell_since(o, hook_counts_row(row)->of.last_ns, hook_counts_row(row)->origin);
}

static void hook_counts_spell_major(struct out *o, const void *row)
{
	out_hex(o, hook_counts_row(row)->of.major, 2);
}

static void hook_counts_spell_minor(struct out *o, const void *row)
{
	if (hook_counts_row(row)->minor.kind != CELL_NONE)
		out_hex(o, hook_counts_row(row)->of.minor, 8);
}

static void hook_counts_spell_rings(struct out *o, const void *row)
{
	const struct hook_kind *k = hook_counts_row(row)->kind;

	for (size_t i = 0; i < k->nrings; i++) {
		out_str(o, i ? "  " : "");
		if (k->rings[i].ring & TF_GUEST_RING)
			out_str(o, "guest");
		else
			out_u64(o, k->rings[i].ring);
		out_printf(o, ": %" PRIu64, k->rings[i].count);
	}
}

static void hook_counts_nest_cpus(struct json *j, const void *row)
{
	const struct hook_kind *k = hook_counts_row(row)->kind;

	json_open(j, '[');
	for (size_t i = 0; i < k->nrings; i++) {
		json_open(j, '{');
		json_member_count(j, "cpu", !(k->rings[i].ring & TF_GUEST_RING), k->rings[i].ring);
		json_member_u64(j, "count", k->rings[i].count);
		json_member_i64(j, "first_ns", k->rings[i].first_ns);
		json_member_i64(j, "last_ns", k->rings[i].last_ns);
		json_close(j, '}');
	}
	json_close(j, ']');
}

#define AT(member) COLUMN_AT(struct hook_kind_row, member)
static const struct column hook_count_columns[] = {
	{"major", "major", AT(of.major), .text = hook_counts_spell_major, .spare = 1},
	{"minor", "minor", AT(minor), .text = hook_counts_spell_minor, .spare = 2},
	{"name", "name", AT(name), .is_text = true, .left = true, .none = "", .place = PLACE_FIRST},
	{"cpu", AT(cpu), .in = IN_CSV},
	{"count", "count", AT(of.count)},
	{"rate_per_s", "per second", AT(rate), .decimals = 1, .spare = 3},
	{"first_ns", "first", AT(of.first_ns), .text = hook_counts_spell_first, .spare = 5},
	{"last_ns", "last", AT(of.last_ns), .text = hook_counts_spell_last, .spare = 6},
	{"cpus", "by processor", .source = COLUMN_NEST, .nest = hook_counts_nest_cpus,
		.text = hook_counts_spell_rings, .left = true, .in = IN_TEXT | IN_JSON,
		.place = PLACE_LAST, .spare = 4},
	{.name = NULL},
};

/* The most frequent first. */
static int hook_counts_compare_kinds(const void *x, const void *y)
{
	const struct hook_kind *a = x, *b = y;

	int c = compare_u64(b->sum.count, a->sum.count);

	return c ? c : hook_counts_compare(&a->sum, &b->sum);
}

/* The time from the trace's first hook to its last one, within --from and --to. */
static double hook_counts_seconds(const struct report *r)
{
	int64_t first, last;

	if (!trace_span(r->trace, &first, &last))
		return 0;
	if (r->filter->from > first)
		first = r->filter->from;
	if (r->filter->to < last)
		last = r->filter->to;
	return last > first ? time_seconds((uint64_t)last - (uint64_t)first) : 0;
}

static double hook_counts_rate(const struct hook_count *c, double seconds)
{
	return seconds > 0 ? (double)c->count / seconds : NAN;
}

/* A kind's row: the sum of its rings. seconds: the trace's length. */
static struct hook_kind_row hook_counts_make_row(
	const struct hook_kind *k, bool by_minor, int64_t origin, double seconds)
{
	const char *name = k->sum.schema && by_minor ? schema_hook_name(k->sum.schema) : NULL;

	return (struct hook_kind_row){.kind = k,
		.of = k->sum,
		.minor = cell_u64(k->sum.minor, by_minor),
		.name = cell_string(name, name ? strlen(name) : 0, name),
		.cpu = cell_string("all", 3, true),
		.origin = origin,
		.rate = hook_counts_rate(&k->sum, seconds)};
}

struct hook_kinds {
	struct report *r;
	struct hook_kind *at;
	size_t count;
	bool by_minor;
	int64_t origin;
	double seconds; /* of the trace */
	struct hook_kind_row row;
};

/* ctx: the kinds. */
static const void *hook_counts_choose_row(void *ctx, const void *element)
{
	struct hook_kinds *k = ctx;

	k->row = hook_counts_make_row(element, k->by_minor, k->origin, k->seconds);
	return &k->row;
}

static void hook_counts_add_rows(
	struct rows *rows, const struct hook_kinds *all, const struct hook_kind *k)
{
	struct hook_kind_row row =
		hook_counts_make_row(k, all->by_minor, all->origin, all->seconds);

	rows_add(rows, &row);
	for (size_t i = 0; i < k->nrings && rows->format == FORMAT_CSV; i++) {
		const uint32_t ring = k->rings[i].ring;

		row.cpu =
			ring & TF_GUEST_RING ? cell_string("guest", 5, true) : cell_u64(ring, true);
		row.of = k->rings[i];
		row.rate = hook_counts_rate(&row.of, all->seconds);
		rows_add(rows, &row);
	}
}

static void hook_counts_print(const struct hook_kinds *k)
{
	struct report *r = k->r;
	struct rows rows;

	rows_begin(&rows, r, hook_count_columns, 0);
	if (!k->count && r->format == FORMAT_TEXT)
		out_str(r->out, "no hooks\n");
	while ((k->count || r->format != FORMAT_TEXT) && rows_pass(&rows))
		for (size_t i = 0; i < k->count && !r->out->error; i++)
			hook_counts_add_rows(&rows, k, &k->at[i]);
	rows_end(&rows);
}

static int hook_counts_answer(const struct hook_counting *s)
{
	struct hook_kinds kinds = {.r = s->r,
		.at = calloc(s->count + 1, sizeof *kinds.at),
		.by_minor = s->by_minor,
		.origin = report_start(s->r->trace),
		.seconds = hook_counts_seconds(s->r)};
	const struct choice choice = {.columns = hook_count_columns,
		.what = "a column of the report",
		.row = hook_counts_choose_row,
		.ctx = &kinds};
	struct hook_kind *k = kinds.at;

	if (!k)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < s->count; i++) {
		const struct hook_count *c = &s->all[i];

		if (!kinds.count || k->sum.minor != c->minor || k->sum.major != c->major) {
			k = &kinds.at[kinds.count++];
			*k = (struct hook_kind){
				.rings = c, .sum = {.minor = c->minor, .major = c->major}};
		}
		k->nrings++;
		hook_counts_merge(&k->sum, c);
	}
	if (kinds.count)
		qsort(kinds.at, kinds.count, sizeof *kinds.at, hook_counts_compare_kinds);
	int rc = choice_make(s->r, &choice, kinds.at, &kinds.count, sizeof *kinds.at);
	if (!rc)
		hook_counts_print(&kinds);
	free(kinds.at);
	return rc;
}

int hook_counts_report(struct report *r)
{
	struct hook_counting s = {.r = r, .filtered = !hooks_take_all(r)};
	struct pass pass = report_pass(r, hook_counts_read_slice, &s);

	hook_counts_parse(r->by_list, &s.by_minor);
	if (!r->filter->by_pid && !(r->hook_where && r->hook_where->asks_task))
		pass.spared = HOOK_SPARE_TASK;
	for (size_t i = 0; i < trace_nfiles(r->trace); i++)
		s.imported |= trace_file(r->trace, i)->import != NULL;
	s.threads = pass_threads(&pass);
	s.counters = pass_alloc(s.threads, sizeof *s.counters);
	int rc = !s.counters ? CPIDECODE_ENOMEM : rows_check_columns(r, hook_count_columns, NULL);
	if (!rc)
		rc = pass_run(&pass, r->found);
	if (!rc)
		rc = hook_counts_collect(&s);
	if (!rc)
		rc = hook_counts_answer(&s);
	for (unsigned i = 0; s.counters && i < s.threads; i++) {
		free(s.counters[i].at);
		hash_index_free(&s.counters[i].index);
	}
	free(s.counters);
	free(s.all);
	return rc;
}

#undef AT
