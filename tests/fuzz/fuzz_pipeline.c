/*
 * From bytes to a finished report, of every kind and format. The first bytes select these, the rest
 * is one or two recipes for traces (recipe.h).
 *
 * Invariants of every report: it is well-formed in its format whatever the trace holds, it is the
 * same for any number of threads, and its counts are those of what was read.
 */
#include "../../decoder/model/trace/trace.h"
#include "../../decoder/report/report.h"
#include "recipe.h"
#include "../lib/wellformed.h"

enum how {
	TWO_FILES = 1,	 /* a length of 16 bits, then the first recipe */
	SCHEMA = 2,	 /* a length of 16 bits, then a user's schema */
	FULL_DISK = 4,	 /* every write fails */
	CANCELED = 8,	 /* by the progress callback */
	AS_WRITTEN = 16, /* a file, not a recipe */
	UNVERIFIED = 32, /* opened by the headers, as large files are */
};

enum filters {
	BY_MINOR = 4,
	BY_TID = 8,
	BY_PID = 16,
	BY_CPU = 32,
	GUESTS = 64,
	BY_LABEL = 128,
};

/* Packets of one field, each with its length, up to the end. */
static const char *wrong_perfetto(const char *p, size_t n, size_t *at)
{
	enum { PACKET = 1 << 3 | 2 };

	for (*at = 0; *at < n;) {
		uint64_t length = 0;
		unsigned shift = 0;

		if (p[(*at)++] != PACKET)
			return "no packet";
		do {
			if (*at == n || shift > 56)
				return "no length";
			length |= (uint64_t)(p[*at] & 0x7F) << shift;
			shift += 7;
		} while (p[(*at)++] & 0x80);
		if (length > n - *at)
			return "a packet beyond the end";
		*at += length;
	}
	return NULL;
}

static const struct combination {
	enum report_kind kind;
	enum report_format format;
	const char *(*wrong)(const char *p, size_t n, size_t *at);
} combinations[] = {
	{REPORT_SUMMARY, FORMAT_TEXT, wrong_for_people},
	{REPORT_SUMMARY, FORMAT_CSV, wrong_csv},
	{REPORT_SUMMARY, FORMAT_JSON, wrong_json_lines},
	{REPORT_INTERVALS, FORMAT_TEXT, wrong_for_people},
	{REPORT_INTERVALS, FORMAT_CSV, wrong_csv},
	{REPORT_INTERVALS, FORMAT_JSON, wrong_json_lines},
	{REPORT_HOOKS, FORMAT_TEXT, wrong_for_people},
	{REPORT_HOOKS, FORMAT_CSV, wrong_csv},
	{REPORT_HOOKS, FORMAT_JSON, wrong_json_lines},
	{REPORT_CPUS, FORMAT_TEXT, wrong_for_people},
	{REPORT_CPUS, FORMAT_CSV, wrong_csv},
	{REPORT_CPUS, FORMAT_JSON, wrong_json_lines},
	{REPORT_INFO, FORMAT_TEXT, wrong_for_people},
	{REPORT_INFO, FORMAT_JSON, wrong_json_lines},
	{REPORT_FLAME, FORMAT_FOLDED, wrong_folded},
	{REPORT_FLAME, FORMAT_SVG, wrong_svg},
	{REPORT_EXPORT, FORMAT_PERFETTO, wrong_perfetto},
	{REPORT_WHY, FORMAT_TEXT, wrong_for_people},
	{REPORT_WHY, FORMAT_CSV, wrong_csv},
	{REPORT_WHY, FORMAT_JSON, wrong_json_lines},
	{REPORT_SLOWEST, FORMAT_TEXT, wrong_for_people},
	{REPORT_SLOWEST, FORMAT_JSON, wrong_json_lines},
	{REPORT_GAPS, FORMAT_TEXT, wrong_for_people},
	{REPORT_GAPS, FORMAT_CSV, wrong_csv},
	{REPORT_GAPS, FORMAT_JSON, wrong_json_lines},
	{REPORT_HISTOGRAM, FORMAT_TEXT, wrong_for_people},
	{REPORT_HISTOGRAM, FORMAT_CSV, wrong_csv},
	{REPORT_HISTOGRAM, FORMAT_JSON, wrong_json_lines},
};

struct settings {
	const struct combination *what;
	uint8_t weight_and_filters, value, label, from, to, how, threads;
};

/* One report and its arguments. */
struct answer {
	struct out out;
	struct findings found;
	int rc;
};

static void on_note(void *ctx, const char *line)
{
	size_t at;
	const char *wrong = wrong_for_people(line, strlen(line), &at);

	(void)ctx;
	PROMISE(!wrong && !strchr(line, '\n'), "a note: %s", line);
}

static bool no_progress(void *ctx, uint64_t done, uint64_t total)
{
	(void)ctx;
	PROMISE(done <= total, "%llu of %llu", (unsigned long long)done, (unsigned long long)total);
	return false;
}

static void set_filter(struct filter *f, const struct settings *s, const struct trace *t)
{
	static const char *const labels[] = {
		"*", "a", "?", "[a-c]*", "*\xFF*", "outer", "", "[!b]"};
	int64_t first, last;
	uint8_t by = s->weight_and_filters;

	filter_init(f);
	f->by_minor = by & BY_MINOR;
	f->by_tid = by & BY_TID;
	f->by_pid = by & BY_PID;
	f->by_cpu = by & BY_CPU;
	f->guests = by & GUESTS;
	f->minor = f->tid = f->pid = s->value;
	f->cpus[s->value % sizeof f->cpus] = s->label;
	if (by & BY_LABEL)
		f->label = labels[s->label % (sizeof labels / sizeof *labels)];
	if (!trace_span(t, &first, &last))
		return;
	/* 256ths of the trace's span, unless the span is too wide to compute them. */
	int64_t part;
	if (__builtin_sub_overflow(last, first, &part))
		return;
	part = part / 256 + 1; /* 255 parts do not overflow */
	if (s->from)
		f->from = add_saturated(first, part * (s->from - 1));
	if (s->to)
		f->to = add_saturated(first, part * (s->to - 1));
}

static void run_report(
	const struct trace *t, const struct settings *s, unsigned threads, struct answer *a)
{
	struct filter filter;

	set_filter(&filter, s, t);
	if (s->how & FULL_DISK)
		PROMISE(!out_open(&a->out, "/dev/full"), "/dev/full");
	else
		out_memory(&a->out);
	struct report r = {.out = &a->out,
		.format = s->what->format,
		.weight = s->weight_and_filters & 3,
		.filter = &filter,
		.threads = threads,
		.tail = s->threads * 4u % 1000,
		.found = &a->found,
		.progress = s->how & CANCELED ? no_progress : NULL,
		.note = on_note};
	report_about(&r, t);
	a->rc = report_run(&r, s->what->kind);
	PROMISE(a->rc <= 0, "code %d", a->rc);
	if (!(s->how & (FULL_DISK | CANCELED)))
		PROMISE(!a->rc && !a->out.error, "code %d, error %d", a->rc, a->out.error);
}

static void free_answer(struct answer *a)
{
	out_discard(&a->out);
	findings_free(&a->found);
}

static bool same_counts(const struct hook_counts *a, const struct hook_counts *b)
{
	return a->hooks == b->hooks && a->pads == b->pads && a->torn == b->torn &&
	       a->reserved == b->reserved && a->malformed == b->malformed &&
	       a->promised == b->promised && a->torn_promised == b->torn_promised &&
	       a->bad_sections == b->bad_sections && a->bad_bytes == b->bad_bytes;
}

static void compare(const struct answer *a, const struct answer *b)
{
	PROMISE(a->rc == b->rc, "codes %d and %d", a->rc, b->rc);
	PROMISE(same_counts(&a->found.total, &b->found.total), "threads count differently");
	PROMISE(a->found.ndamage == b->found.ndamage, "threads find different damage");
	PROMISE(a->out.len == b->out.len &&
			(!a->out.len || memcmp(a->out.buf, b->out.buf, a->out.len) == 0),
		"threads write differently");
}

static uint64_t lines(const struct out *o)
{
	uint64_t n = 0;

	for (size_t i = 0; i < o->len; i++)
		n += o->buf[i] == '\n';
	return n;
}

static void check_answer(const struct trace *t, const struct settings *s, const struct answer *a)
{
	size_t at = 0;
	const char *text = a->out.buf ? a->out.buf : "";
	const char *wrong = s->what->wrong(text, a->out.len, &at);

	PROMISE(!wrong, "%s, at %zu of: %.*s", wrong, at, (int)a->out.len, text);
	/* One line for each hook that was read. */
	bool all = s->weight_and_filters < 4 && !s->from && !s->to;
	struct report about = {0};
	report_about(&about, t);
	const bool is_text = s->what->format == FORMAT_TEXT;
	const unsigned head = is_text ? about.scripted + (about.ntraces > 1) : 0;
	if (s->what->kind == REPORT_HOOKS && s->what->format != FORMAT_CSV && all)
		PROMISE(lines(&a->out) == a->found.total.hooks + head, "%llu hooks",
			(unsigned long long)a->found.total.hooks);
}

static void report(const struct trace *t, const struct settings *s)
{
	struct answer one = {0}, several = {0};

	run_report(t, s, 1, &one);
	if (!(s->how & (FULL_DISK | CANCELED))) {
		check_answer(t, s, &one);
		run_report(t, s, 2 + s->threads % 3, &several);
		compare(&one, &several);
		free_answer(&several);
	}
	free_answer(&one);
}

/* 0, or the code of the refusal. *bytes must outlive the trace. */
static int add(struct trace *t, const struct settings *s, const uint8_t *p, size_t n,
	const char *name, uint8_t **bytes)
{
	struct bytes file = {0};

	if (s->how & AS_WRITTEN)
		bytes_put(&file, p, n);
	else
		recipe_build(p, n, &file);
	*bytes = exact_copy(file.p, file.n);
	int rc = trace_add_memory(t, *bytes, file.n, name);
	bytes_free(&file);
	return rc;
}

static void run_pipeline(const struct settings *s, struct feed *in)
{
	struct trace *t;
	struct schema_error error;
	uint8_t *files[2] = {NULL, NULL};
	const uint8_t *p;

	PROMISE(!trace_new(&t), "an empty trace");
	trace_set_verify(t, s->how & UNVERIFIED ? VERIFY_LATER : VERIFY_ALL);
	if (s->how & SCHEMA) {
		size_t n = feed_bytes(in, feed_u16(in), &p);

		trace_add_schema(t, (const char *)p, n, &error);
	}
	int rc = 0;
	if (s->how & TWO_FILES) {
		size_t n = feed_bytes(in, feed_u16(in), &p);

		rc = add(t, s, p, n, "first\x1b[31m.bin", &files[0]);
	}
	if (!rc)
		rc = add(t, s, in->p, in->n, "trace.bin", &files[1]);
	if (!rc)
		report(t, s);
	trace_free(t);
	free(files[0]);
	free(files[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feed in = {data, size};
	struct settings s;

	s.what = &combinations[feed_u8(&in) % (sizeof combinations / sizeof *combinations)];
	s.weight_and_filters = feed_u8(&in);
	s.value = feed_u8(&in);
	s.label = feed_u8(&in);
	s.from = feed_u8(&in);
	s.to = feed_u8(&in);
	s.how = feed_u8(&in);
	s.threads = feed_u8(&in);
	run_pipeline(&s, &in);
	return 0;
}
