/*
 * Partial results. Hostile ones behind a valid checksum, either raw or (0x40 in the first byte)
 * those of a trace with a few bytes changed: an accepted one can be written and read again, merges
 * to the same result in either order, and can be reported. Those of a trace's slices (0x80) add up
 * to those of the whole trace. With 0x20 a file has results of several hosts.
 */
#include <xxhash.h>

#include "../../decoder/model/trace/trace.h"
#include "../../decoder/base/varint.h"
#include "../../decoder/report/partial/merge.h"
#include "../../decoder/report/report.h"
#include "../../decoder/report/values/percentiles.h"
#include "partial_by.h"
#include "recipe.h"
#include "../lib/wellformed.h"

static const struct printed {
	enum report_kind kind;
	enum report_format format;
	const char *(*wrong)(const char *p, size_t n, size_t *at);
	enum partial_keys by;
	bool exact;
} printed[] = {
	{REPORT_SUMMARY, FORMAT_TEXT, wrong_for_people, KEYS_NONE, false},
	{REPORT_SUMMARY, FORMAT_CSV, wrong_csv, KEYS_NONE, false},
	{REPORT_SUMMARY, FORMAT_JSON, wrong_json_lines, KEYS_NONE, false},
	{REPORT_CPUS, FORMAT_TEXT, wrong_for_people, KEYS_NONE, false},
	{REPORT_CPUS, FORMAT_CSV, wrong_csv, KEYS_NONE, false},
	{REPORT_CPUS, FORMAT_JSON, wrong_json_lines, KEYS_NONE, false},
	{REPORT_FLAME, FORMAT_FOLDED, wrong_folded, KEYS_NONE, false},
	{REPORT_FLAME, FORMAT_SVG, wrong_svg, KEYS_NONE, false},
	{REPORT_HEATMAP, FORMAT_TEXT, wrong_for_people, KEYS_NONE, false},
	{REPORT_HEATMAP, FORMAT_CSV, wrong_csv, KEYS_NONE, false},
	{REPORT_HEATMAP, FORMAT_SVG, wrong_picture, KEYS_NONE, false},
	{REPORT_SLOWEST, FORMAT_TEXT, wrong_for_people, KEYS_NONE, false},
	{REPORT_SLOWEST, FORMAT_JSON, wrong_json_lines, KEYS_NONE, false},
	{REPORT_GAPS, FORMAT_TEXT, wrong_for_people, KEYS_NONE, false},
	{REPORT_GAPS, FORMAT_CSV, wrong_csv, KEYS_NONE, false},
	{REPORT_SUMMARY, FORMAT_TEXT, wrong_for_people, KEYS_PLAIN, false},
	{REPORT_SUMMARY, FORMAT_JSON, wrong_json_lines, KEYS_PLAIN, false},
	{REPORT_HISTOGRAM, FORMAT_CSV, wrong_csv, KEYS_PLAIN, false},
	{REPORT_SUMMARY, FORMAT_CSV, wrong_csv, KEYS_NONE, true},
	{REPORT_SUMMARY, FORMAT_JSON, wrong_json_lines, KEYS_TIME, true},
	{REPORT_HISTOGRAM, FORMAT_TEXT, wrong_for_people, KEYS_TIME, false},
	{REPORT_WHY, FORMAT_TEXT, wrong_for_people, KEYS_NONE, false},
	{REPORT_WHY, FORMAT_JSON, wrong_json_lines, KEYS_NONE, false},
};

enum { PRINTED = sizeof printed / sizeof *printed };

static const struct percentiles *exact_percentiles(void)
{
	static struct percentiles p;

	PROMISE(!percentiles_parse(&p, "50,90,99.9"), "percentiles");
	return &p;
}

static void print(const struct partial *p, const struct printed *how, struct out *out)
{
	struct filter all;
	size_t at = 0;

	out_memory(out);
	/* The command refuses others. */
	if (how->by && p->answers.kind != PARTIAL_BY)
		return;
	if (how->exact && !how->by && p->answers.kind != PARTIAL_EXACT)
		return;
	if (how->kind == REPORT_WHY && p->answers.kind != PARTIAL_WHY)
		return;
	filter_init(&all);
	struct report r = {.out = out,
		.format = how->format,
		.filter = &all,
		.by = partial_by(how->by),
		.exact = how->exact,
		.percentiles = how->exact ? exact_percentiles() : NULL,
		.merged = p};
	int rc = report_merged(&r, how->kind, p);
	/* Answers are parsed on use. */
	if (rc == CPIDECODE_EINVAL && p->answers.count)
		return;
	PROMISE(!rc && !out->error, "a report of the merged result");
	const char *text = out->buf ? out->buf : "", *wrong = how->wrong(text, out->len, &at);
	PROMISE(!wrong, "%s, at %zu of: %.*s", wrong, at, (int)out->len, text);
}

static void on_note(void *ctx, const char *line)
{
	size_t at;

	(void)ctx;
	PROMISE(!wrong_for_people(line, strlen(line), &at), "a note: %s", line);
}

static void say_nothing(const char *format, ...)
{
	(void)format;
}

/* Compares two with diff, in a format, with gates; twice, with the same result. */
static void diff(const struct partial *before, const struct partial *after, enum report_format f)
{
	static const char *const texts[] = {"p90>+5%", "count<-1", "*:mean>+1ns", "cpi>+0%"};
	const struct printed *how = &printed[f];
	struct gate gates[4];
	struct filter all;
	struct out out[2];

	filter_init(&all);
	for (unsigned i = 0; i < 4; i++)
		PROMISE(!gate_parse(texts[i], &gates[i]), "%s", texts[i]);
	for (unsigned i = 0; i < 2; i++) {
		struct report r = {.out = &out[i],
			.format = how->format,
			.filter = &all,
			.gates = gates,
			.ngates = 4,
			.note = on_note};

		out_memory(&out[i]);
		PROMISE(!report_diff(&r, &(struct diff_runs){before, 1},
				&(struct diff_runs){after, 1}, false) &&
				!out[i].error,
			"a diff");
	}
	size_t at = 0;
	const char *text = out[0].buf ? out[0].buf : "";
	const char *wrong = how->wrong(text, out[0].len, &at);
	PROMISE(!wrong, "%s, at %zu of: %.*s", wrong, at, (int)out[0].len, text);
	PROMISE(out[0].len == out[1].len &&
			memcmp(text, out[1].buf ? out[1].buf : "", out[0].len) == 0,
		"one diff, two answers");
	out_discard(&out[0]);
	out_discard(&out[1]);
}

static void write(const struct partial *p, struct buffer *o)
{
	*o = (struct buffer){0};
	partial_write(o, p);
	PROMISE(!o->failed, "memory");
}

static bool same_bytes(const struct buffer *a, const struct buffer *b)
{
	return a->n == b->n && memcmp(a->p, b->p, a->n) == 0;
}

/* A written result can be read, and is written again as the same bytes. */
static void rewrite_partial(const uint8_t *bytes, size_t n)
{
	struct partial p = {.tally.wanted = PARTIAL_WANTED | TALLY_WANT_CONTAINERS};
	struct buffer o;
	const char *why = NULL;
	size_t at = PARTIAL_HEADER_SIZE;
	int rc = partial_read(&p, bytes, n, &why);

	PROMISE(!rc, "a written result is refused: %s", why);
	write(&p, &o);
	while (at < n && at < o.n && o.p[at] == bytes[at])
		at++;
	PROMISE(at == n && at == o.n, "%zu bytes became %zu, from byte %zu on", n, o.n, at);
	free(o.p);
	partial_free(&p);
}

/* Prepends the header, with a valid checksum. */
static void put_payload(
	struct bytes *file, const uint8_t *payload, size_t n, uint32_t version, uint32_t following)
{
	uint8_t h[PARTIAL_HEADER_SIZE] = {0};

	memcpy(h, PARTIAL_MAGIC, 8);
	put_le32(h + PARTIAL_H_VERSION, version);
	put_le32(h + PARTIAL_H_FOLLOWING, following);
	put_le64(h + PARTIAL_H_PAYLOAD, n);
	uint64_t seed = XXH3_64bits(h, PARTIAL_H_CHECKSUM);
	put_le64(h + PARTIAL_H_CHECKSUM, XXH3_64bits_withSeed(payload, n, seed));
	bytes_put(file, h, sizeof h);
	bytes_put(file, payload, n);
}

static int read_payload(const uint8_t *payload, size_t n, struct partial *p)
{
	struct bytes file = {0};
	const char *why = NULL;

	put_payload(&file, payload, n, PARTIAL_VERSION, 0);
	uint8_t *exact = exact_copy(file.p, file.n);
	p->tally.wanted = PARTIAL_WANTED | TALLY_WANT_CONTAINERS;
	int rc = partial_read(p, exact, file.n, &why);
	PROMISE(!rc || (rc == 1 && why), "code %d", rc);
	/* A reader may sort the parts it accepts. */
	if (!rc) {
		struct buffer o;

		PROMISE(!partial_settle(p), "memory");

		write(p, &o);
		rewrite_partial(o.p, o.n);
		free(o.p);
	}
	free(exact);
	bytes_free(&file);
	return rc;
}

static void read_hostile(struct feed *in)
{
	struct partial one[2] = {{0}, {0}}, other[2] = {{0}, {0}};
	struct buffer a, b;
	struct out out;
	const uint8_t *first;
	size_t n = feed_bytes(in, feed_u16(in), &first);
	struct partial_clash clash;
	int rc = read_payload(first, n, &one[0]);

	for (unsigned i = 0; i < PRINTED && !rc; i++) {
		print(&one[0], &printed[i], &out);
		out_discard(&out);
	}
	/* In both orders. Merging changes its target, so each is read twice. */
	if (!rc && in->n && !read_payload(in->p, in->n, &other[0])) {
		read_payload(first, n, &one[1]);
		read_payload(in->p, in->n, &other[1]);
		diff(&one[1], &other[1], (enum report_format)(n % 3));
		int ab = partial_merge(&one[0], &other[0], &clash);
		int ba = partial_merge(&other[1], &one[1], &clash);
		/* One of them may have all of the other, but not the reverse. */
		PROMISE(!ab == !ba && ab >= 0 && ba >= 0, "codes %d and %d", ab, ba);
		int answer = merge_settle(&one[0], say_nothing);
		PROMISE(answer == merge_settle(&other[1], say_nothing),
			"the order of answers shows");
		write(&one[0], &a);
		write(&other[1], &b);
		PROMISE(ab || answer || same_bytes(&a, &b), "the order of merging shows");
		free(a.p);
		free(b.p);
	}
	for (unsigned i = 0; i < 2; i++) {
		partial_free(&one[i]);
		partial_free(&other[i]);
	}
}

struct rewritten {
	const uint8_t *file;
	struct buffer to;
	size_t results;
};

static int count_result(void *ctx, struct results_range range)
{
	struct rewritten *w = ctx;

	(void)range;
	w->results++;
	return 0;
}

static int rewrite_result(void *ctx, struct results_range range)
{
	struct rewritten *w = ctx;
	struct partial p = {.tally.wanted = PARTIAL_WANTED | TALLY_WANT_CONTAINERS};
	struct buffer o;
	const char *why = NULL;
	int rc = partial_read(&p, w->file + range.at, range.bytes, &why);

	PROMISE(!rc && !partial_settle(&p), "a result that was merged: %s", why);
	write(&p, &o);
	if (w->results > 1)
		partial_set_following(o.p, o.n, (uint32_t)--w->results);
	else if (w->to.n)
		partial_set_following(o.p, o.n, 0);
	buffer_add(&w->to, o.p, o.n);
	free(o.p);
	partial_free(&p);
	return 0;
}

/* A file that is accepted is accepted as it is written again, which is the same bytes then. */
static void rewrite(const uint8_t *file, size_t n, struct rewritten *w)
{
	const char *why;

	*w = (struct rewritten){.file = file};
	PROMISE(!results_each(file, n, count_result, w, &why), "a file that was merged: %s", why);
	PROMISE(!results_each(file, n, rewrite_result, w, &why) && !w->to.failed, "memory");
}

/* Up to three results. The first byte tells their number, and which header contradicts the others.
 */
static void several(struct feed *in)
{
	const uint8_t how = feed_u8(in), n = 1 + how % 3;
	struct partial p = {.tally.wanted = PARTIAL_WANTED | TALLY_WANT_CONTAINERS}, again = p;
	struct bytes file = {0};

	for (uint8_t i = 0; i < n; i++) {
		const bool is_wrong = how >> 2 & 3 && i == (how >> 4) % n;
		const uint8_t *payload;
		size_t length = feed_bytes(in, feed_u16(in), &payload);
		uint32_t following = n - 1U - i, version = PARTIAL_VERSION_HOSTS;

		if (n == 1)
			version = PARTIAL_VERSION;
		if (is_wrong && how & 4)
			following += how & 8 ? 1 : UINT32_MAX;
		else if (is_wrong)
			version = PARTIAL_VERSION + PARTIAL_VERSION_HOSTS - version;
		put_payload(&file, payload, length, version, following);
	}
	uint8_t *exact = exact_copy(file.p, file.n);
	int rc = merge_add_bytes(&p, "file", exact, file.n, say_nothing);
	PROMISE(rc <= 0 || (rc == MERGE_UNREADABLE && !p.filter), "code %d", rc);
	PROMISE(!(how >> 2 & 3) || rc, "a header that contradicts the others is accepted");
	if (!rc) {
		struct rewritten first, second;

		PROMISE(!merge_add_bytes(&p, "file", exact, file.n, say_nothing),
			"the same file again");
		rewrite(exact, file.n, &first);
		PROMISE(!merge_add_bytes(&again, "file", first.to.p, first.to.n, say_nothing),
			"a rewritten file is refused");
		rewrite(first.to.p, first.to.n, &second);
		PROMISE(same_bytes(&first.to, &second.to), "written twice, other bytes");
		free(first.to.p);
		free(second.to.p);
	}
	partial_free(&p);
	partial_free(&again);
	free(exact);
	bytes_free(&file);
}

/* The partial result of a slice of the trace. */
static void of_slice(const struct trace *t, struct tick_range slice, const struct printed *how,
	struct partial *p)
{
	struct findings found = {0};
	struct filter all;
	struct out out;
	const char *why = NULL;

	filter_init(&all);
	out_memory(&out);
	struct report r = {.out = &out, .filter = &all, .threads = 2, .found = &found};
	report_about(&r, t);
	r.slices = &slice;
	r.partial_of = how->kind;
	r.by = partial_by(how->by);
	r.exact = how->exact;
	r.percentiles = how->exact ? exact_percentiles() : NULL;
	r.format = how->format;
	PROMISE(!report_run(&r, REPORT_PARTIAL) && !out.error, "a partial result");
	p->tally.wanted = PARTIAL_WANTED | TALLY_WANT_CONTAINERS;
	int rc = partial_read(p, (uint8_t *)out.buf, out.len, &why);
	PROMISE(!rc && !partial_settle(p), "our own partial result: %s", why);
	rewrite_partial((uint8_t *)out.buf, out.len);
	out_discard(&out);
	findings_free(&found);
}

static void put_length(struct bytes *to, size_t n)
{
	bytes_put(to, &(uint8_t[]){(uint8_t)n, (uint8_t)(n >> 8)}, 2);
}

static void name_hosts(struct partial *p, const char *name)
{
	for (size_t i = 0; i < p->nsources; i++) {
		free(p->sources[i].host);
		p->sources[i].host = name ? strdup(name) : NULL;
	}
}

/* A trace's results as those of three hosts, with some bytes changed by the input. */
static void changed_hosts(struct partial *p, struct feed *in)
{
	static const char *const names[] = {"a", "b", NULL};
	struct bytes hosts = {0};

	bytes_put(&hosts, &(uint8_t[]){in->n ? in->p[0] & 0x3F : 2}, 1);
	for (unsigned i = 0; i < 3; i++) {
		struct buffer o;

		name_hosts(p, names[i]);
		write(p, &o);
		if (o.n - PARTIAL_HEADER_SIZE <= UINT16_MAX) {
			put_length(&hosts, o.n - PARTIAL_HEADER_SIZE);
			bytes_put(&hosts, o.p + PARTIAL_HEADER_SIZE, o.n - PARTIAL_HEADER_SIZE);
		}
		free(o.p);
	}
	feed_u8(in);
	while (in->n && hosts.n > 1) {
		uint16_t place = feed_u16(in);

		hosts.p[1 + place % (hosts.n - 1)] ^= feed_u8(in);
	}
	several(&(struct feed){hosts.p, hosts.n});
	bytes_free(&hosts);
}

/* A trace's partial result, with some bytes changed by the input. */
static void read_changed(const struct trace *t, bool is_of_hosts, const uint8_t *changes, size_t n)
{
	struct partial p = {0};
	struct buffer o;
	struct feed in = {changes, n};

	of_slice(t, ALL_TICKS, &printed[n % PRINTED], &p);
	if (is_of_hosts) {
		changed_hosts(&p, &in);
		partial_free(&p);
		return;
	}
	write(&p, &o);
	partial_free(&p);
	size_t payload = o.n - PARTIAL_HEADER_SIZE;
	struct bytes two = {0};
	put_length(&two, payload);
	bytes_put(&two, o.p + PARTIAL_HEADER_SIZE, payload);
	bytes_put(&two, o.p + PARTIAL_HEADER_SIZE, payload);
	while (in.n && payload) {
		uint16_t place = feed_u16(&in);

		two.p[2 + place % (2 * payload)] ^= feed_u8(&in);
	}
	if (payload <= UINT16_MAX)
		read_hostile(&(struct feed){two.p, two.n});
	bytes_free(&two);
	free(o.p);
}

static void direct(const struct trace *t, const struct printed *how, struct out *out)
{
	struct findings found = {0};
	struct filter all;

	filter_init(&all);
	out_memory(out);
	struct report r = {
		.out = out, .format = how->format, .filter = &all, .threads = 1, .found = &found};
	r.by = partial_by(how->by);
	r.exact = how->exact;
	r.percentiles = how->exact ? exact_percentiles() : NULL;
	report_about(&r, t);
	/* The merged result says that counters were scripted if a partial result does. */
	r.scripted = false;
	PROMISE(!report_run(&r, how->kind) && !out->error, "a report");
	findings_free(&found);
}

static void slices(const struct trace *t, const struct printed *how, uint64_t cut)
{
	struct partial early = {0}, late = {0};
	struct out merged, whole;
	struct partial_clash clash;

	of_slice(t, (struct tick_range){0, cut - 1}, how, &early);
	of_slice(t, (struct tick_range){cut, UINT64_MAX}, how, &late);
	if (!early.answers.kind)
		diff(&early, &late, how->format);
	int rc = partial_merge(&late, &early, &clash);
	PROMISE(!rc && !merge_settle(&late, say_nothing), "slices of one trace: %d", rc);
	print(&late, how, &merged);
	direct(t, how, &whole);
	PROMISE(merged.len == whole.len &&
			(!whole.len || memcmp(merged.buf, whole.buf, whole.len) == 0),
		"merged: %.*s\nwhole: %.*s", (int)merged.len, merged.buf, (int)whole.len,
		whole.buf);
	out_discard(&merged);
	out_discard(&whole);
	partial_free(&early);
	partial_free(&late);
}

static void of_trace(struct feed *in, uint8_t kind)
{
	struct bytes file = {0};
	struct trace *t;
	const uint8_t *changes = NULL;
	uint8_t part = feed_u8(in);
	size_t n = kind & 0x80 ? 0 : feed_bytes(in, 3 * (part % 8), &changes);

	/* Sections of the other slice, by their headers, are not read. */
	recipe_build_honest(in->p, in->n, &file);
	uint8_t *bytes = exact_copy(file.p, file.n);
	PROMISE(!trace_new(&t), "an empty trace");
	int rc = trace_add_memory(t, bytes, file.n, "memory");
	if (!rc && !(kind & 0x80)) {
		read_changed(t, kind & 0x20, changes, n);
	} else if (!rc && trace_file(t, 0)->has_hooks) {
		uint64_t first = trace_file(t, 0)->first, span = trace_file(t, 0)->last - first;
		uint64_t cut = first + span / 256 * part + part % 7;

		slices(t, &printed[(kind & 0x3F) % PRINTED], cut ? cut : 1);
	}
	trace_free(t);
	free(bytes);
	bytes_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feed in = {data, size};
	uint8_t kind = feed_u8(&in);

	if (kind & 0xC0)
		of_trace(&in, kind);
	else if (kind & 0x20)
		several(&in);
	else
		read_hostile(&in);
	return 0;
}
