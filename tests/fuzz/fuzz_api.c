/*
 * Uses the library as an embedding program does (include/cpidecode.h), on one recipe. The first
 * byte is the number of statements that follow, each a seek, steps, fields or a report.
 */
#include "../../formats/trace_file.h"
#include "recipe.h"

/* The stamps of all hooks, in the order of one iteration. */
struct times {
	struct bytes bytes; /* int64_t */
	bool sorted;	    /* and the clock was never set: times are ordered */
};

static size_t ntimes(const struct times *t)
{
	return t->bytes.n / sizeof(int64_t);
}

static int64_t time_at(const struct times *t, size_t i)
{
	return ((const int64_t *)(const void *)t->bytes.p)[i];
}

static void describe(const cpidecode_trace *t)
{
	cpidecode_file_info info;
	cpidecode_damage_info damage;
	cpidecode_loss_info loss;
	const char *key, *value;
	size_t key_length, value_length;

	PROMISE(cpidecode_files(t) == 1 && !cpidecode_file(t, 0, &info), "one file");
	PROMISE(cpidecode_file(t, 1, &info) == CPIDECODE_EINVAL, "no second one");
	for (size_t i = 0; !cpidecode_meta(t, 0, i, &key, &key_length, &value, &value_length); i++)
		PROMISE(!memchr(key, '\n', key_length) && !memchr(value, '\n', value_length),
			"a newline in META");
	for (size_t i = 0; !cpidecode_damage(t, 0, i, &damage); i++)
		;
	for (size_t i = 0; !cpidecode_loss(t, 0, i, &loss); i++)
		;
}

static void fields(cpidecode_hooks *it, const cpidecode_hook *h)
{
	cpidecode_field f;
	unsigned fit = 0, n = 0;
	int rc;

	while ((rc = cpidecode_hooks_field(it, &f, &fit)) > 0) {
		PROMISE(f.name && f.type <= CPIDECODE_FIELD_STRING, "a field's name and type");
		n++;
	}
	PROMISE(!rc && (h->name || !n), "code %d", rc);
	for (unsigned i = 0; i <= h->nstrings; i++) {
		size_t length;

		PROMISE(!cpidecode_hook_string(h, i, &length) == (i == h->nstrings), "strings");
	}
}

static void iterate(const cpidecode_trace *t, struct times *times)
{
	cpidecode_hooks *it;
	const cpidecode_hook *h;
	cpidecode_counts counts;
	int rc;

	times->sorted = true;
	PROMISE(!cpidecode_hooks_open(t, &it), "memory");
	while ((rc = cpidecode_hooks_next(it, &h)) > 0) {
		size_t n = ntimes(times);

		times->sorted &= !n || time_at(times, n - 1) <= h->time_ns;
		bytes_put(&times->bytes, &h->time_ns, sizeof h->time_ns);
		fields(it, h);
	}
	PROMISE(!rc, "code %d", rc);
	cpidecode_hooks_counts(it, &counts);
	PROMISE(counts.hooks == ntimes(times), "%llu hooks", (unsigned long long)counts.hooks);
	cpidecode_hooks_close(it);
}

/* The index of the first hook not before `time`. */
static size_t first_after(const struct times *times, int64_t time)
{
	size_t i = 0;

	while (i < ntimes(times) && time_at(times, i) < time)
		i++;
	return i;
}

static void seek(cpidecode_hooks *it, const struct times *times, int64_t time, unsigned steps)
{
	const cpidecode_hook *h;
	size_t i = first_after(times, time);

	PROMISE(!cpidecode_hooks_seek(it, time), "a seek");
	for (unsigned k = 0; k < steps; k++, i++) {
		int rc = cpidecode_hooks_next(it, &h);

		PROMISE(rc >= 0 && (!times->sorted || rc == (i < ntimes(times))), "code %d", rc);
		if (!rc)
			break;
		PROMISE(h->time_ns >= time || !times->sorted, "a hook before the time");
		PROMISE(!times->sorted || h->time_ns == time_at(times, i), "another hook");
		if (k % 2)
			fields(it, h);
	}
}

struct sink {
	size_t left; /* until it refuses more */
	bool canceled;
};

static int sink_write(void *ctx, const void *bytes, size_t n)
{
	struct sink *s = ctx;

	PROMISE(bytes && n && !s->canceled, "called after its end");
	s->canceled = n > s->left;
	s->left -= s->canceled ? 0 : n;
	return s->canceled;
}

static void report(const cpidecode_trace *t, uint8_t which, uint8_t how)
{
	static const char *const names[] = {
		NULL, "summary", "intervals", "hooks", "cpus", "info", "flame", "diff"};
	static const char *const formats[] = {NULL, "text", "csv", "json", "folded", "svg", "x"};
	cpidecode_report_options o = {.size = sizeof o,
		.report = names[which % 8],
		.format = formats[which / 8 % 7],
		.weight = how & 1 ? "ns" : NULL,
		.label = how & 2 ? "*a*" : NULL,
		.by_tid = how & 4,
		.tid = 1,
		.threads = how >> 6};
	struct sink s = {.left = how & 8 ? 100 : SIZE_MAX};
	cpidecode_counts counts;
	int rc = cpidecode_report(t, &o, sink_write, &s, &counts);

	PROMISE(!rc || rc == CPIDECODE_EINVAL || (s.canceled && rc == CPIDECODE_ECANCELED),
		"code %d", rc);
}

static bool same_interval(const cpidecode_interval *a, const cpidecode_interval *b)
{
	return a->start_ns == b->start_ns && a->end_ns == b->end_ns && a->tid == b->tid &&
	       a->ring == b->ring && a->depth == b->depth && a->flags == b->flags &&
	       a->label_length == b->label_length && a->num_cpus == b->num_cpus;
}

/* Whether its times are in range: those out of range all become one value, in no order. */
static bool in_time(const cpidecode_interval *iv)
{
	return iv->start_ns != INT64_MIN && iv->start_ns != INT64_MAX && iv->end_ns != INT64_MAX;
}

/* The values of the interval that the stream returned last, and of the set's. */
static void values(
	const cpidecode_interval_stream *stream, const cpidecode_intervals *set, size_t i)
{
	cpidecode_value a, b;
	size_t k = 0;

	for (; cpidecode_interval_stream_value(stream, k, &a) == 0; k++) {
		PROMISE(!cpidecode_intervals_value(set, i, k, &b), "a value");
		PROMISE(a.name == b.name && a.type == b.type && a.u == b.u && a.i == b.i &&
				a.text_length == b.text_length &&
				(!a.text_length || !memcmp(a.text, b.text, a.text_length)),
			"value %zu", k);
	}
	PROMISE(cpidecode_intervals_value(set, i, k, &b) == CPIDECODE_EINVAL, "values");
}

static void intervals(const cpidecode_trace *t)
{
	cpidecode_intervals *set;
	cpidecode_interval_stream *stream;
	cpidecode_interval a, b;
	size_t i = 0;
	bool ordered = true;
	int rc;

	PROMISE(!cpidecode_intervals_read(t, &set), "intervals");
	PROMISE(!cpidecode_interval_stream_open(t, INT64_MIN, INT64_MAX, &stream), "intervals");
	for (; (rc = cpidecode_interval_stream_next(stream, &a)) > 0; i++) {
		PROMISE(!cpidecode_intervals_get(set, i, &b), "more in the stream");
		ordered &= in_time(&a) && in_time(&b);
		PROMISE(!ordered || same_interval(&a, &b), "interval %zu: depths %u and %u", i,
			a.depth, b.depth);
		if (ordered)
			values(stream, set, i);
		if (!ordered || !b.depth)
			continue;
		PROMISE(b.parent >= 0 && b.parent < (int64_t)i, "a parent");
		PROMISE(!cpidecode_intervals_get(set, (size_t)b.parent, &a), "a parent");
		PROMISE(a.depth + 1 == b.depth && a.tid == b.tid, "another's parent");
	}
	PROMISE(!rc && i == cpidecode_intervals_count(set), "%zu intervals", i);
	cpidecode_interval_stream_close(stream);
	cpidecode_intervals_free(set);
}

static void use_trace(const cpidecode_trace *t, struct feed *in, unsigned statements, bool steady)
{
	struct times times = {0};
	cpidecode_hooks *it;

	describe(t);
	iterate(t, &times);
	times.sorted &= steady;
	intervals(t);
	PROMISE(!cpidecode_hooks_open(t, &it), "memory");
	while (statements--) {
		uint8_t what = feed_u8(in), operand = feed_u8(in);
		size_t n = ntimes(&times);

		if (what & 0x80)
			report(t, what & 0x7F, operand);
		else if (n)
			seek(it, &times, add_saturated(time_at(&times, operand % n), what % 3 - 1),
				what >> 3);
		else
			seek(it, &times, operand, 1);
	}
	cpidecode_hooks_close(it);
	bytes_free(&times.bytes);
}

static const char clock_section[] = {'S', 'W', 'T', 'S', TF_TYPE_CLOCK, 0};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feed in = {data, size}, program;
	struct bytes file = {0};
	cpidecode_trace *t;
	unsigned statements = feed_u8(&in) % 8;

	program.n = feed_bytes(&in, 2 * statements, &program.p);
	recipe_build_honest(in.p, in.n, &file);
	uint8_t *bytes = exact_copy(file.p, file.n);
	if (!cpidecode_open_memory(bytes, file.n, &t)) {
		/* With a single sync time advances evenly. */
		use_trace(t, &program, statements,
			!memmem(bytes, file.n, clock_section, sizeof clock_section));
		cpidecode_close(t);
	} else {
		PROMISE(!t, "a trace and an error");
	}
	free(bytes);
	bytes_free(&file);
	return 0;
}
