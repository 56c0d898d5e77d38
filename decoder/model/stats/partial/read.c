/* Parses the file of a partial result. Trusts nothing. */
#include <string.h>

#include "../../../../formats/bytes.h"
#include "../../../../formats/cpi_hooks.h"
#include "../../../../formats/cpuutil_hooks.h"
#include "../../../../formats/scope_hooks.h"
#include "../../../../formats/trace_file.h"
#include "../../../../include/cpidecode.h"
#include "../../../base/varint.h"
#include "partial.h"
#include "arguments.h"
#include "checksum.h"
#include "threads.h"

/* More intervals than any trace has: sums of such counts cannot overflow. */
#define MAX_COUNT (UINT64_C(1) << 48)

enum { RATIO_NUMBERS = 8 /* each a byte at least */ };

static int get_values(
	struct varint_in *in, struct histogram *h, uint64_t count, struct intern *arena)
{
	uint64_t values[HISTOGRAM_VALUES], value = 0;

	for (uint64_t i = 0; i < count && !in->why; i++) {
		value += varint_get_max(in, UINT64_MAX - value);
		values[i] = value;
	}
	return in->why ? 0 : histogram_hold(h, values, (unsigned)count, arena);
}

/* arena: owns the values, which cannot grow; NULL: none. */
static int get_histogram(
	struct varint_in *in, struct histogram *h, uint64_t most, struct intern *arena)
{
	uint64_t count = varint_get_max(in, most);

	if (count <= HISTOGRAM_VALUES)
		return get_values(in, h, count, arena);
	uint64_t min = varint_get_max(in, UINT64_MAX), max = varint_get_max(in, UINT64_MAX);
	uint64_t bins = varint_get_max(in, HISTOGRAM_ROWS * HISTOGRAM_SUB), bucket = 0;
	for (uint64_t i = 0; i < bins && !in->why; i++) {
		uint64_t step = varint_get_max(in, HISTOGRAM_ROWS * HISTOGRAM_SUB - 1 - bucket);
		uint64_t n = varint_get_max(in, count - h->count);

		if ((i && !step) || !n)
			varint_fail(in, "a histogram's buckets are not in order");
		if (in->why)
			return 0;
		bucket += step;
		int rc = histogram_add_bucket(h, (uint32_t)bucket, n);
		if (rc)
			return rc;
	}
	if (!in->why && (h->count != count || !histogram_set_ends(h, min, max)))
		varint_fail(in, "a histogram contradicts itself");
	return 0;
}

/* Skips a histogram that is not wanted, unchecked. Returns the number of its values. */
static uint64_t skip_histogram(struct varint_in *in, uint64_t most)
{
	enum { ENDS = 2, OF_BIN = 2 };
	uint64_t count = varint_get_max(in, most);

	if (count <= HISTOGRAM_VALUES) {
		varint_skip(in, count);
		return count;
	}
	varint_skip(in, ENDS);
	varint_skip(in, OF_BIN * varint_get_max(in, HISTOGRAM_ROWS * HISTOGRAM_SUB));
	return count;
}

int partial_get_histogram(struct varint_in *in, struct histogram *h, uint64_t most)
{
	return get_histogram(in, h, most, NULL);
}

void partial_get_ratio(struct varint_in *in, struct ratio *r, uint64_t most)
{
	r->above = varint_get(in);
	r->below = varint_get(in);
	r->weighted = varint_get(in);
	r->weight = varint_get(in);
	r->instant = varint_get(in);
	r->instants = varint_get_max(in, most);
}

static void get_ratio(struct varint_in *in, struct ratio *r, uint64_t most)
{
	/* Fast path: most groups lack most ratios. */
	if (in->end - in->p >= RATIO_NUMBERS && !get_le64(in->p)) {
		*r = (struct ratio){.measured = 0};
		in->p += RATIO_NUMBERS;
		return;
	}
	partial_get_ratio(in, r, most);
	r->counted = varint_get_max(in, most);
	r->measured = varint_get_max(in, most);
	if (r->counted > r->measured || r->instants > r->measured ||
		(!r->measured && (r->above || r->below || r->weighted || r->weight || r->instant)))
		varint_fail(in, "a ratio contradicts itself");
}

/* Reads a ratio into *sum, which is zeroed. Returns whether it was measured; else it stays zero. */
static bool get_zeroed_ratio(struct varint_in *in, struct ratio *r, uint64_t most)
{
	if (in->end - in->p >= RATIO_NUMBERS && !get_le64(in->p)) {
		in->p += RATIO_NUMBERS;
		return false;
	}
	get_ratio(in, r, most);
	return r->measured;
}

struct columns_in {
	struct varint_in *in;
	uint64_t count; /* intervals of the group */
};

/* CPU utilisation of the system. */
static void get_system(void *ctx, uint32_t number, struct ratio *column)
{
	struct columns_in *from = ctx;

	(void)number;
	for (unsigned i = COLUMN_IDLE; i < COLUMN_UTIL_RATIOS; i++)
		get_ratio(from->in, &column[i], from->count);
}

static void get_cpi_column(void *ctx, uint32_t number, struct ratio *column)
{
	struct columns_in *from = ctx;

	(void)number;
	for (unsigned i = COLUMN_RAW; i < COLUMN_CPI_RATIOS; i++)
		get_ratio(from->in, &column[i], from->count);
}

static void get_util_column(void *ctx, uint32_t number, struct ratio *column)
{
	/* The system's column precedes the number of columns. */
	if (!number)
		return;
	get_cpi_column(ctx, number, column);
	get_system(ctx, number, column);
}

static int get_columns(struct varint_in *in, struct tally *t, struct tally_group *g)
{
	struct columns_in from = {in, g->time.count};
	const bool util = tally_is_util(g);
	int rc = util ? tally_change_columns(t, g, 1, get_system, &from) : 0;

	if (util && !rc)
		g->extra->methods = (uint32_t)varint_get_max(in, 2 * TALLY_METHOD_UNKNOWN - 1);
	uint32_t n = (uint32_t)varint_get_max(in, TALLY_CPUS);
	/* Each number has at least one byte, which bounds the memory by the bytes present. */
	if (n > (uint64_t)(in->end - in->p))
		varint_fail(in, "it ends too soon");
	if (rc || in->why)
		return rc;
	if (!(t->wanted & TALLY_WANT_CPUS)) {
		const uint64_t ratios = COLUMN_CPI_RATIOS - COLUMN_RAW +
					(util ? COLUMN_UTIL_RATIOS - COLUMN_IDLE : 0);

		varint_skip(in, n * ratios * RATIO_NUMBERS);
		return 0;
	}
	return tally_change_columns(t, g, n + util, util ? get_util_column : get_cpi_column, &from);
}

/* Reads the timeline at its stated resolution: merging depends on it. */
static int get_timeline(struct varint_in *in, const struct tally_group *g, struct timeline *t)
{
	uint64_t n = varint_get_max(in, TIMELINE_CELLS * TIMELINE_VALUES), step;
	struct timeline_entry e = {0};
	int rc = 0;

	if (!n)
		return 0;
	unsigned shift = (unsigned)varint_get_max(in, TIMELINE_SHIFT);
	unsigned cut = (unsigned)varint_get_max(in, TIMELINE_BITS - 1);
	t->shift = (uint8_t)shift;
	t->cut = (uint8_t)cut;
	e.cell = varint_get_signed(in);
	int64_t last = INT64_MAX >> t->shift;
	uint64_t total = 0;
	if (e.cell > last || e.cell < INT64_MIN >> t->shift)
		varint_fail(in, "an invalid time");
	for (uint64_t i = 0; i < n && !in->why && !rc; i++) {
		step = i ? varint_get_max(in, (uint64_t)last - (uint64_t)e.cell) : 0;
		bool same = i && !step;
		e.cell = (int64_t)((uint64_t)e.cell + step);
		uint64_t more = varint_get_max(in, same ? UINT64_MAX - e.value : UINT64_MAX);
		e.value = same ? e.value + more : more;
		e.count = varint_get_max(in, g->time.count - total);
		total += e.count;
		if ((same && !more) || !e.count || timeline_cut(e.value, t->cut) != e.value)
			varint_fail(in, "the order of intervals contradicts itself");
		if (!in->why)
			rc = timeline_add_entry(t, &e);
	}
	if (!in->why && !rc)
		rc = timeline_settle(t);
	if (!in->why && !rc &&
		(total != g->time.count || t->used != n || t->shift != shift || t->cut != cut))
		varint_fail(in, "the order of intervals is not that of all");
	return rc;
}

/* Most of the bytes of a group. Bytes that a merge does not need are skipped unchecked. */
static void skip_timeline(struct varint_in *in)
{
	enum { FIRST = 2, OF_ENTRY = 3 };
	uint64_t n = varint_get_max(in, TIMELINE_CELLS * TIMELINE_VALUES);

	if (n)
		varint_skip(in, FIRST + OF_ENTRY * n);
}

static int get_order(struct varint_in *in, struct tally *t, struct tally_group *g)
{
	if (!(t->wanted & TALLY_WANT_ORDER)) {
		skip_timeline(in);
		return 0;
	}
	struct timeline *order = tally_need_order(t, g);

	return order ? get_timeline(in, g, order) : CPIDECODE_ENOMEM;
}

static int get_spread(struct varint_in *in, struct tally *t, struct tally_group *g,
	enum tally_value value, struct counted_sum *sum)
{
	struct counted_sum all;
	int rc = 0;

	/* Fast path: most groups lack most values. *sum is zeroed. */
	if (in->end - in->p >= 2 && !in->p[0] && !in->p[1]) {
		in->p += 2;
		return 0;
	}
	all.sum = varint_get(in);
	if (t->wanted & TALLY_WANT_VALUES) {
		struct tally_spread *s = tally_need_spread(t, g, value);

		if (!s)
			return CPIDECODE_ENOMEM;
		s->sum = all.sum;
		rc = partial_get_histogram(in, &s->values, g->time.count);
		all.measured = s->values.count;
	} else {
		all.measured = skip_histogram(in, g->time.count);
	}
	if (sum)
		*sum = all;
	return rc;
}

static int get_spreads(struct varint_in *in, struct tally *t, struct tally_group *g, struct sums *s)
{
	int rc = 0;

	for (unsigned v = 0; v < TALLY_VALUES && !rc; v++)
		rc = get_spread(in, t, g, v,
			v == TALLY_THREAD_INSTRUCTIONS ? &s->thread_instructions
			: v == TALLY_INSTRUCTIONS      ? &s->instructions
						       : NULL);
	return rc;
}

static int get_events(struct varint_in *in, struct tally *t, struct tally_group *g)
{
	uint64_t n = varint_get_max(in, TALLY_EVENTS);
	const uint8_t *before = NULL;
	uint32_t before_length = 0, length;
	int rc = 0;

	for (uint64_t i = 0; i < n && !in->why && !rc; i++) {
		const uint8_t *name = varint_get_string(in, &length);
		struct tally_event e = {.sum = varint_get(in)};

		e.known = varint_get_max(in, g->time.count);
		e.scaled = varint_get_max(in, e.known);
		if (!in->why && i &&
			tally_compare_events((const char *)before, before_length,
				(const char *)name, length) >= 0)
			varint_fail(in, "events are not in order");
		if (!in->why && !e.known && e.sum)
			varint_fail(in, "an event contradicts itself");
		if (!in->why)
			rc = tally_merge_event(t, g, &e, (const char *)name, length);
		before = name;
		before_length = length;
	}
	return rc;
}

/* Whether a name may follow the one before it; NULL comes first. */
static bool is_next_container(bool is_first, const char *before, const char *name)
{
	return is_first || (name && (!before || strcmp(before, name) < 0));
}

static int get_container(struct varint_in *in, struct tally *t, const char **name)
{
	uint32_t length;

	*name = NULL;
	if (!varint_get_max(in, 1))
		return 0;
	const uint8_t *bytes = varint_get_string(in, &length);
	if (length > TF_CONTAINER_MAX || !length || memchr(bytes, 0, length))
		varint_fail(in, "an invalid container's name");
	if (in->why)
		return 0;
	char *copy = arena_alloc(&t->memory, length + 1);
	if (!copy)
		return CPIDECODE_ENOMEM;
	memcpy(copy, bytes, length);
	copy[length] = 0;
	*name = copy;
	return 0;
}

static int get_containers(
	struct varint_in *in, struct tally *t, struct tally_group *g, bool owners_differ)
{
	const uint32_t most = partial_most_containers(owners_differ);
	uint64_t n = varint_get_max(in, most);
	bool left_out = varint_get_max(in, 1);
	const char *before = NULL, *name;
	struct tally_extra *extra = n ? tally_need_extra(t, g) : NULL;
	int rc = n && !extra ? CPIDECODE_ENOMEM : 0;

	if (left_out && n != most)
		varint_fail(in, "containers contradict themselves");
	for (uint64_t i = 0; i < n && !in->why && !rc; i++) {
		rc = get_container(in, t, &name);
		if (!rc && !in->why && !is_next_container(!i, before, name))
			varint_fail(in, "containers are not in order");
		if (!rc && !in->why)
			rc = tally_add_container(t, extra, name);
		before = name;
	}
	if (!rc && !in->why && n == 1 && tally_is_in(t, extra, t->owner))
		varint_fail(in, "containers contradict themselves");
	if (n && extra)
		extra->containers_left_out = left_out;
	return rc;
}

/* Whether any is not 0. */
static bool get_flags(struct varint_in *in, struct sums *s)
{
	enum { NUMBERS = 3 + SUMS_FLAGS };
	_Static_assert(NUMBERS == 7, "all but the last byte of a word");

	/* Fast path: most groups have none. */
	if (in->end - in->p > NUMBERS && !(get_le64(in->p) << 8)) {
		in->p += NUMBERS;
		return false;
	}
	s->scripted = varint_get_max(in, MAX_COUNT);
	s->quality = varint_get_max(in, MAX_COUNT);
	s->flagged = varint_get_max(in, MAX_COUNT);
	bool any = s->scripted || s->quality || s->flagged;
	for (unsigned i = 0; i < SUMS_FLAGS; i++) {
		s->by_flag[i] = varint_get_max(in, MAX_COUNT);
		any |= s->by_flag[i] != 0;
	}
	return any;
}

/* The rest of a group, after its name. */
static int get_figures(
	struct varint_in *in, struct tally *t, struct tally_group *g, bool owners_differ)
{
	struct sums s;

	memset(&s, 0, sizeof s);
	bool any = get_flags(in, &s);
	g->total = varint_get(in);
	int rc = get_histogram(in, &g->time, MAX_COUNT, t->is_brief ? &t->memory : NULL);
	uint64_t count = g->time.count;
	if (!count || s.scripted > count || s.flagged > count || s.quality > count)
		varint_fail(in, "a group contradicts itself");
	any |= get_zeroed_ratio(in, &s.ratios.raw, count);
	any |= get_zeroed_ratio(in, &s.ratios.scaled, count);
	any |= get_zeroed_ratio(in, &s.ratios.thread, count);
	any |= get_zeroed_ratio(in, &s.ratios.busy, count);
	if (!rc)
		rc = get_columns(in, t, g);
	if (!rc)
		rc = get_spreads(in, t, g, &s);
	if (!rc && !in->why)
		rc = get_order(in, t, g);
	if (!rc && !in->why)
		rc = get_events(in, t, g);
	if (!rc && !in->why)
		rc = get_containers(in, t, g, owners_differ);
	any |= s.thread_instructions.measured || s.instructions.measured ||
	       s.thread_instructions.sum || s.instructions.sum;
	/* A group of light intervals has only times: its sums are 0. */
	return rc || !any ? rc : tally_set_sums(t, g, &s);
}

static int get_group(struct varint_in *in, struct tally *t, bool owners_differ)
{
	uint32_t length;
	size_t known = t->count;
	bool has_label = varint_get_max(in, 1);
	const uint8_t *label = varint_get_string(in, &length);
	uint64_t minor = varint_get_max(in, PARTIAL_SCOPE_MINOR + 0xFF);
	uint8_t major = minor < PARTIAL_UTIL_MINOR    ? CPI_MAJOR
			: minor < PARTIAL_SCOPE_MINOR ? CPUUTIL_MAJOR
						      : SCOPE_MAJOR;

	if (!has_label && length)
		varint_fail(in, "an invalid label");
	if (in->why)
		return 0;
	struct tally_group *g =
		tally_group_of(t, has_label, (const char *)label, length, major, (uint8_t)minor);
	if (!g)
		return CPIDECODE_ENOMEM;
	if (t->count == known) {
		varint_fail(in, "a group comes twice");
		return 0;
	}
	return get_figures(in, t, g, owners_differ);
}

static int get_rings(struct varint_in *in, struct partial_source *s)
{
	int rc = 0;

	s->has_rings = varint_get_max(in, 1);
	const uint8_t *id = s->has_rings ? varint_get_raw(in, sizeof s->rings) : NULL;
	if (id && !in->why)
		memcpy(s->rings, id, sizeof s->rings);
	s->rotation.number = varint_get_max(in, UINT64_MAX);
	s->rotation.keep = varint_get_max(in, UINT64_MAX);
	uint64_t n = varint_get_max(in, UINT32_MAX);
	for (uint64_t i = 0; i < n && !in->why && !rc; i++) {
		struct partial_span span = {.ring = (uint32_t)varint_get_max(in, UINT32_MAX)};

		span.from = varint_get_max(in, UINT64_MAX);
		span.to = span.from + varint_get_max(in, UINT64_MAX - span.from);
		if (i && span.ring <= s->spans[i - 1].ring)
			varint_fail(in, "rings are not in order");
		else if (!in->why)
			rc = partial_add_span(s, span);
	}
	return rc;
}

static int get_slices(struct varint_in *in, struct partial_source *s)
{
	uint64_t n = varint_get_max(in, UINT32_MAX);
	int rc = 0;

	for (uint64_t i = 0; i < n && !in->why && !rc; i++) {
		struct tick_range slice = {.first = varint_get_max(in, UINT64_MAX)};

		slice.last = varint_get_max(in, UINT64_MAX);
		const struct tick_range *last = s->nslices ? &s->slices[s->nslices - 1] : NULL;
		if (slice.first > slice.last ||
			(last && (last->last >= UINT64_MAX - 1 || slice.first <= last->last + 1)))
			varint_fail(in, "slices are not in order");
		else
			rc = partial_add_slice(s, slice);
	}
	return rc;
}

static int get_damage(struct varint_in *in, struct partial_source *s)
{
	uint64_t n = varint_get_max(in, PARTIAL_DAMAGE);
	int rc = 0;

	for (uint64_t i = 0; i < n && !in->why && !rc; i++) {
		struct partial_damage d = {.offset = varint_get_max(in, UINT64_MAX)};

		d.bytes = varint_get_max(in, UINT64_MAX);
		if (i && d.offset <= s->damage[i - 1].offset)
			varint_fail(in, "damage is not in order");
		else
			rc = partial_add_damage(s, d);
	}
	return rc;
}

static int get_findings(struct varint_in *in, struct partial_source *s)
{
	uint64_t n = varint_get_max(in, PARTIAL_CLOCK_FINDINGS);
	int rc = 0;

	for (uint64_t i = 0; i < n && !in->why && !rc; i++) {
		struct clock_finding f = {
			.kind = (enum clock_finding_kind)varint_get_max(in, CLOCK_CONTRADICTION)};

		f.from = varint_get_max(in, UINT64_MAX);
		f.to = varint_get_max(in, UINT64_MAX);
		f.from_ns = varint_get_signed(in);
		f.to_ns = varint_get_signed(in);
		f.ns = varint_get_signed(in);
		if (!in->why)
			rc = partial_add_finding(s, &f);
	}
	return rc;
}

/* A text of META; empty: none. */
static int get_meta(struct varint_in *in, char **text)
{
	uint32_t length;
	const uint8_t *bytes = varint_get_string(in, &length);

	if (in->why || !length)
		return 0;
	if (memchr(bytes, 0, length))
		varint_fail(in, "a host or command with a zero byte");
	else if (!(*text = strndup((const char *)bytes, length)))
		return CPIDECODE_ENOMEM;
	return 0;
}

static int get_extent(struct varint_in *in, struct partial_source *s)
{
	int rc = get_meta(in, &s->host);
	uint64_t error = varint_get_max(in, UINT64_MAX);

	s->time_error_ns = error ? error - 1 : PARTIAL_NO_ERROR;
	if (!rc)
		rc = get_meta(in, &s->command);
	if (!rc)
		rc = get_meta(in, &s->cgroup);
	if (s->cgroup && strlen(s->cgroup) > TF_CONTAINER_MAX)
		varint_fail(in, "an invalid container's name");
	s->has_hooks = varint_get_max(in, 1);
	s->first = varint_get_max(in, UINT64_MAX);
	s->last = s->first + varint_get_max(in, UINT64_MAX - s->first);
	s->ticks_per_second = varint_get_max(in, UINT64_MAX);
	return rc;
}

static int get_source(struct varint_in *in, struct partial *p)
{
	uint32_t length;
	const uint8_t *id = varint_get_raw(in, 16);
	uint64_t fingerprint = varint_get_max(in, UINT64_MAX);
	const uint8_t *path = varint_get_string(in, &length);

	if (length && memchr(path, 0, length))
		varint_fail(in, "a name with a zero byte");
	if (in->why)
		return 0;
	char *name = strndup((const char *)path, length);
	struct partial_source *s = name ? partial_add_source(p, name) : NULL;
	free(name);
	if (!s)
		return CPIDECODE_ENOMEM;
	memcpy(s->trace_id, id, sizeof s->trace_id);
	s->fingerprint = fingerprint;
	if (s > p->sources && partial_compare_sources(s - 1, s) >= 0)
		varint_fail(in, "files are not in order");
	int rc = get_extent(in, s);
	s->scripted = varint_get_max(in, 1);
	if (!rc)
		rc = get_rings(in, s);
	if (!rc)
		rc = get_slices(in, s);
	for (unsigned i = 0; i < PARTIAL_COUNTS; i++)
		s->counts[i] = varint_get_max(in, UINT64_MAX);
	if (!rc)
		rc = get_damage(in, s);
	return rc ? rc : get_findings(in, s);
}

static int get_answers(struct varint_in *in, struct partial *p)
{
	const enum partial_answer kind =
		(enum partial_answer)varint_get_max(in, PARTIAL_ANSWERS - 1);
	uint32_t length;

	if (!kind)
		return 0;
	p->answers.has_origin = varint_get_max(in, 1);
	if (p->answers.has_origin)
		p->answers.origin = varint_get_signed(in);
	const uint8_t *bytes = varint_get_string(in, &length);
	return in->why ? 0 : partial_add_answer(p, kind, bytes, length);
}

static int get_payload(struct varint_in *in, struct partial *p)
{
	uint32_t length;
	bool owners_differ;
	int rc = partial_arguments_get(in, &p->arguments);
	const uint8_t *filter = varint_get_string(in, &length);

	if (length && memchr(filter, 0, length))
		varint_fail(in, "a filter with a zero byte");
	p->filter = strndup(length ? (const char *)filter : "", length);
	if (!p->filter)
		return CPIDECODE_ENOMEM;
	uint64_t n = varint_get_max(in, UINT32_MAX);
	for (uint64_t i = 0; i < n && !in->why && !rc; i++)
		rc = get_source(in, p);
	if (!in->why && !rc)
		rc = partial_threads_get(in, p);
	const char *known = partial_owner(p, &owners_differ);
	if (!in->why && !rc)
		rc = tally_set_owner(&p->tally, p->nsources ? p->sources->cgroup : NULL, known);
	p->tally.cpus_left_out = varint_get_max(in, MAX_COUNT);
	n = varint_get_max(in, UINT32_MAX);
	for (uint64_t i = 0; i < n && !in->why && !rc; i++)
		rc = get_group(in, &p->tally, owners_differ);
	if (!rc)
		rc = get_answers(in, p);
	if (!in->why && in->p < in->end)
		varint_fail(in, "something follows its end");
	return rc;
}

static const char *wrong_header(const uint8_t *bytes, size_t n)
{
	if (n < 8 || memcmp(bytes, PARTIAL_MAGIC, 8) != 0)
		return "not a partial result (cpidecode --partial writes them)";
	if (n < PARTIAL_HEADER_SIZE)
		return "cut off";
	const uint32_t version = get_le32(bytes + PARTIAL_H_VERSION);
	if (version != PARTIAL_VERSION && version != PARTIAL_VERSION_HOSTS)
		return "a partial result of another version: make it again of the trace (cpidecode --partial)";
	if (version == PARTIAL_VERSION && get_le32(bytes + PARTIAL_H_FOLLOWING))
		return "damaged: its header contradicts itself";
	return NULL;
}

size_t partial_size(const uint8_t *bytes, size_t n, uint32_t *following, const char **why)
{
	*why = wrong_header(bytes, n);
	if (*why)
		return 0;
	const uint64_t payload = get_le64(bytes + PARTIAL_H_PAYLOAD),
		       left = n - PARTIAL_HEADER_SIZE;

	*following = get_le32(bytes + PARTIAL_H_FOLLOWING);
	if (payload > left || (payload < left) != (*following > 0)) {
		*why = "cut off, or longer than it says";
		return 0;
	}
	return PARTIAL_HEADER_SIZE + (size_t)payload;
}

static const char *wrong_bytes(const uint8_t *bytes, size_t n)
{
	const char *why = wrong_header(bytes, n);

	if (why)
		return why;
	if (get_le64(bytes + PARTIAL_H_PAYLOAD) != n - PARTIAL_HEADER_SIZE)
		return "cut off, or longer than it says";
	if (get_le64(bytes + PARTIAL_H_CHECKSUM) != partial_checksum(bytes, n))
		return "damaged: its checksum does not hold";
	return NULL;
}

int partial_read(struct partial *p, const uint8_t *bytes, size_t n, const char **why)
{
	*why = wrong_bytes(bytes, n);
	if (*why)
		return 1;
	struct varint_in in = {.p = bytes + PARTIAL_HEADER_SIZE, .end = bytes + n};
	int rc = get_payload(&in, p);
	*why = in.why;
	return rc ? rc : in.why != NULL;
}
