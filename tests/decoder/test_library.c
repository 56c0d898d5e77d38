/* The contract of libcpidecode: fields, seeking, damage, streams, reports. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../formats/cpuutil_hooks.h"
#include "../../formats/scope_hooks.h"
#include "../../include/cpidecode.h"
#include "built.h"

static struct fixture {
	struct bytes bytes;
	cpidecode_trace *t;
	cpidecode_hooks *it;
} made;

static void begin(void)
{
	made = (struct fixture){0};
	put_small_trace(&made.bytes, TF_CODEC_LZ4);
	ck_assert_int_eq(cpidecode_open_memory(made.bytes.p, made.bytes.n, &made.t), 0);
	ck_assert_int_eq(cpidecode_hooks_open(made.t, &made.it), 0);
}

static void end(void)
{
	cpidecode_hooks_close(made.it);
	cpidecode_close(made.t);
	bytes_free(&made.bytes);
	bytes_free(&built);
}

START_TEST(fields_of_hooks)
{
	const cpidecode_hook *h;
	cpidecode_field field;
	unsigned fit = 77;

	begin();
	ck_assert_int_eq(cpidecode_hooks_field(made.it, &field, &fit), 0); /* no hook yet */
	ck_assert_uint_eq(fit, 0);
	ck_assert_int_eq(cpidecode_hooks_next(made.it, &h), 1);
	ck_assert_uint_eq(h->minor, 2);
	ck_assert_ptr_null(h->name);
	ck_assert_int_eq(
		cpidecode_hooks_field(made.it, &field, &fit), 0); /* no schema describes it */
	do {
		ck_assert_int_eq(cpidecode_hooks_next(made.it, &h), 1);
	} while (h->minor != 1);
	ck_assert_int_eq(cpidecode_hooks_field(made.it, &field, NULL), 1);
	ck_assert_str_eq(field.name, "first");
	ck_assert_uint_eq(field.type, CPIDECODE_FIELD_U64);
	ck_assert_uint_eq(field.u, 1);
	ck_assert_int_eq(cpidecode_hooks_field(made.it, &field, NULL), 1);
	ck_assert_str_eq(field.name, "second");
	ck_assert_int_eq(cpidecode_hooks_field(made.it, &field, &fit), 0);
	ck_assert_uint_eq(fit, 0);
}
END_TEST

START_TEST(fields_of_a_group)
{
	const cpidecode_hook *h;
	cpidecode_field field;
	unsigned strings = 0, repeated = 0, ratios = 0;

	begin();
	while (cpidecode_hooks_next(made.it, &h) > 0) {
		while (cpidecode_hooks_field(made.it, &field, NULL) > 0) {
			if (field.type == CPIDECODE_FIELD_STRING) {
				ck_assert_uint_eq(field.length, 5);
				ck_assert_mem_eq(field.string, "label", 5);
				strings++;
			}
			repeated += field.repeated != 0;
			ratios += field.type == CPIDECODE_FIELD_FIX4;
		}
	}
	ck_assert_uint_eq(strings, 4);
	ck_assert_uint_gt(repeated, 0);
	ck_assert_uint_gt(ratios, 0);
}
END_TEST

START_TEST(short_hooks_say_so)
{
	static const uint32_t word = 7;
	struct bytes records = {0};
	cpidecode_trace *t;
	cpidecode_hooks *it;
	const cpidecode_hook *h;
	cpidecode_field field;
	unsigned fit;

	put_header(&built, 1);
	put_text(
		&built, TF_TYPE_SCHEMA, "major 0x10 mine\nhook 1 \"one\"\nu32 first\nu32 second\n");
	put_hook(&records, 2000, 1, 0x10, 1, 1, &word, NULL);
	put_hooks(&built, 0, 0, TF_CODEC_NONE, &records);
	put_end(&built);
	ck_assert_int_eq(cpidecode_open_memory(built.p, built.n, &t), 0);
	ck_assert_int_eq(cpidecode_hooks_open(t, &it), 0);
	ck_assert_int_eq(cpidecode_hooks_next(it, &h), 1);
	ck_assert_int_eq(cpidecode_hooks_field(it, &field, &fit), 1);
	ck_assert_uint_eq(field.u, 7);
	ck_assert_int_eq(cpidecode_hooks_field(it, &field, &fit), 0);
	ck_assert_uint_eq(fit, CPIDECODE_FIT_SHORT);
	cpidecode_hooks_close(it);
	cpidecode_close(t);
	bytes_free(&records);
}
END_TEST

/* The clock is 1 GHz, tick 1000 is 5 s. */
static int64_t time_of(uint64_t ticks)
{
	return 5000000000 + (int64_t)ticks - 1000;
}

START_TEST(seeking_lands_on_the_first_hook_from_a_time)
{
	static const uint64_t to[] = {2003, 1995, 3001, 2014, 0, 2014};
	static const uint64_t lands[] = {2003, 1995, 4000, 2014, 1995, 2014};
	const cpidecode_hook *h;

	begin();
	for (unsigned i = 0; i < sizeof to / sizeof *to; i++) {
		ck_assert_int_eq(cpidecode_hooks_seek(made.it, time_of(to[i])), 0);
		ck_assert_int_eq(cpidecode_hooks_next(made.it, &h), 1);
		ck_assert_uint_eq(h->ticks, lands[i]);
	}
	ck_assert_int_eq(cpidecode_hooks_seek(made.it, time_of(4001)), 0);
	ck_assert_int_eq(cpidecode_hooks_next(made.it, &h), 0);
	ck_assert_ptr_null(h);
	ck_assert_int_eq(cpidecode_hooks_seek(made.it, INT64_MAX), 0);
	ck_assert_int_eq(cpidecode_hooks_next(made.it, &h), 0);
	ck_assert_int_eq(cpidecode_hooks_seek(made.it, INT64_MIN), 0);
	unsigned n = 0;
	while (cpidecode_hooks_next(made.it, &h) > 0)
		n++;
	ck_assert_uint_eq(n, 42);
}
END_TEST

START_TEST(damage_found_by_reading)
{
	struct bytes payload = {0};
	cpidecode_trace *t;
	cpidecode_hooks *it;
	const cpidecode_hook *h;
	cpidecode_damage_info damage;
	size_t file = 77;

	put_header(&built, 1);
	bytes_put(&payload, "this is not an LZ4 block: \xff\xff\xff\xff\xff\xff", 32);
	struct section s = {.type = TF_TYPE_HOOKS, .codec = TF_CODEC_LZ4, .hooks = 1, .raw = 40};
	size_t at = put_stored(&built, &s, &payload);
	put_end(&built);
	ck_assert_int_eq(cpidecode_open_memory(built.p, built.n, &t), 0);
	ck_assert_int_eq(cpidecode_hooks_open(t, &it), 0);
	ck_assert_int_eq(cpidecode_hooks_damage(it, 0, &file, &damage), CPIDECODE_EINVAL);
	ck_assert_int_eq(cpidecode_hooks_next(it, &h), 0);
	ck_assert_int_eq(cpidecode_hooks_damage(it, 0, &file, &damage), 0);
	ck_assert_uint_eq(file, 0);
	ck_assert_uint_eq(damage.offset, at);
	ck_assert_int_eq(cpidecode_hooks_damage(it, 1, &file, &damage), CPIDECODE_EINVAL);
	cpidecode_hooks_close(it);
	cpidecode_close(t);
	bytes_free(&payload);
}
END_TEST

START_TEST(intervals_as_a_stream)
{
	cpidecode_interval_stream *s;
	cpidecode_intervals *set;
	cpidecode_interval iv, same;
	size_t n = 0;

	begin();
	ck_assert_int_eq(cpidecode_intervals_read(made.t, &set), 0);
	ck_assert_int_eq(cpidecode_interval_stream_open(made.t, INT64_MIN, INT64_MAX, &s), 0);
	while (cpidecode_interval_stream_next(s, &iv) > 0) {
		ck_assert_int_eq(cpidecode_intervals_get(set, n++, &same), 0);
		ck_assert_int_eq(iv.start_ns, same.start_ns);
		ck_assert_uint_eq(iv.end_ticks, same.end_ticks);
		ck_assert_int_eq(iv.parent, same.parent);
		ck_assert_uint_eq(iv.label_length, same.label_length);
		ck_assert_mem_eq(iv.label, same.label, iv.label_length);
		ck_assert_uint_eq(iv.num_cpus, same.num_cpus);
		ck_assert(iv.cpus[0].raw_cpi == same.cpus[0].raw_cpi);
	}
	ck_assert_uint_eq(n, 2);
	cpidecode_interval_stream_close(s);
	cpidecode_intervals_free(set);
	/* Only the second ends after that. */
	ck_assert_int_eq(cpidecode_interval_stream_open(made.t, time_of(3001), INT64_MAX, &s), 0);
	ck_assert_int_eq(cpidecode_interval_stream_next(s, &iv), 1);
	ck_assert_uint_eq(iv.end_ticks, 4000);
	ck_assert_int_eq(cpidecode_interval_stream_next(s, &iv), 0);
	cpidecode_interval_stream_close(s);
	cpidecode_interval_stream_close(NULL);
}
END_TEST

static void put_interval(struct bytes *b, uint64_t end, uint32_t tid, uint64_t elapsed)
{
	put_label(b, end, tid, 1, false, elapsed, "l");
	put_label(b, end, tid, 1, true, elapsed, "l");
}

START_TEST(intervals_of_a_stream_have_parents)
{
	struct bytes records = {0};
	static const int64_t parents[] = {-1, -1, 1, 2, 1};
	cpidecode_trace *t;
	cpidecode_interval_stream *s;
	cpidecode_interval iv;

	put_header(&built, 1);
	put_interval(&records, 2500, 7, 100);  /* in the next one */
	put_interval(&records, 3000, 7, 1000); /* in the last one of 7 */
	put_interval(&records, 3500, 7, 300);
	put_interval(&records, 4000, 7, 3000);
	put_interval(&records, 5000, 8, 4100); /* another thread's holds none */
	put_hooks(&built, 0, 0, TF_CODEC_NONE, &records);
	put_end(&built);
	ck_assert_int_eq(cpidecode_open_memory(built.p, built.n, &t), 0);
	ck_assert_int_eq(cpidecode_interval_stream_open(t, INT64_MIN, INT64_MAX, &s), 0);
	for (unsigned i = 0; i < 5; i++) {
		ck_assert_int_eq(cpidecode_interval_stream_next(s, &iv), 1);
		ck_assert_int_eq(iv.parent, parents[i]);
	}
	ck_assert_int_eq(cpidecode_interval_stream_next(s, &iv), 0);
	cpidecode_interval_stream_close(s);
	cpidecode_close(t);
	bytes_free(&records);
}
END_TEST

static int collect(void *ctx, const void *bytes, size_t n)
{
	bytes_put(ctx, bytes, n);
	return 0;
}

static int refuse(void *ctx, const void *bytes, size_t n)
{
	(void)bytes;
	(void)n;
	++*(int *)ctx;
	return 1;
}

static int stop(void *ctx, uint64_t done, uint64_t total)
{
	(void)ctx;
	(void)done;
	(void)total;
	return 1;
}

static void check_utilisation(const cpidecode_interval *iv)
{
	ck_assert_uint_eq(iv->major, CPUUTIL_MAJOR);
	ck_assert_uint_eq(iv->types, 7);
	ck_assert_uint_eq(iv->num_cpus, 2);
	ck_assert_double_eq(iv->busy_pct, 25);
	ck_assert_double_eq(iv->idle_pct, 70);
	ck_assert_double_eq(iv->intr_pct, 5);
	ck_assert_double_eq(iv->actual_perf_pct, 150);
	ck_assert_uint_eq(iv->method, CPUUTIL_METHOD_REFERENCE);
	ck_assert(isnan(iv->raw_cpi) && isnan(iv->scaled_cpi) && isnan(iv->thread_cpi));
	ck_assert(iv->cycles == CPIDECODE_NOT_MEASURED);
	ck_assert_double_eq(iv->cpus[0].busy_pct, 25);
	ck_assert(isnan(iv->cpus[1].busy_pct) && isnan(iv->utils[1].idle_pct));
	ck_assert_double_eq(iv->utils[0].intr_pct, 5);
	ck_assert_uint_eq(iv->utils[0].elapsed, 200);
	ck_assert_uint_eq(iv->utils[0].busy_time, 50);
	ck_assert_uint_eq(iv->utils[0].idle_time, 140);
	ck_assert_uint_eq(iv->utils[0].reference_cycles, 40);
	ck_assert(iv->utils[1].elapsed == CPIDECODE_NOT_MEASURED);
}

/* Also next to one of CPI, which has no such figures, of the same thread and moment. */
START_TEST(intervals_of_utilisation)
{
	const uint32_t words[29] = {7, 1, 2, 0, 200, 0, 200, 0, 50, 0, 140, 0, 10, 0, 60, 0, 40};
	struct bytes records = {0}, file = {0};
	cpidecode_trace *t;
	cpidecode_intervals *set;
	cpidecode_interval_stream *s;
	cpidecode_interval iv;

	put_thread(&records, 1000, 1, 2, 200, 5, 5);
	put_hook(&records, 1000, 1, CPUUTIL_MAJOR, CPUUTIL_MINOR_PER_CPU | 2, 29, words, NULL);
	put_header(&file, 1);
	put_hooks(&file, 0, 0, TF_CODEC_NONE, &records);
	ck_assert_int_eq(cpidecode_open_memory(file.p, file.n, &t), 0);
	ck_assert_int_eq(cpidecode_intervals_read(t, &set), 0);
	ck_assert_uint_eq(cpidecode_intervals_count(set), 2);
	ck_assert_int_eq(cpidecode_intervals_get(set, 0, &iv), 0);
	ck_assert_uint_eq(iv.major, CPI_MAJOR);
	ck_assert(isnan(iv.idle_pct) && !iv.utils);
	ck_assert_int_eq(cpidecode_intervals_get(set, 1, &iv), 0);
	check_utilisation(&iv);
	ck_assert_int_eq(iv.parent, 0);
	cpidecode_intervals_free(set);
	ck_assert_int_eq(cpidecode_interval_stream_open(t, INT64_MIN, INT64_MAX, &s), 0);
	ck_assert_int_eq(cpidecode_interval_stream_next(s, &iv), 1);
	ck_assert(!iv.utils);
	ck_assert_int_eq(cpidecode_interval_stream_next(s, &iv), 1);
	check_utilisation(&iv);
	ck_assert_int_eq(cpidecode_interval_stream_next(s, &iv), 0);
	cpidecode_interval_stream_close(s);
	cpidecode_close(t);
	bytes_free(&records);
	bytes_free(&file);
}
END_TEST

static void check_value(const cpidecode_value *v, const char *name, unsigned type)
{
	ck_assert_uint_eq(v->name_length, strlen(name));
	ck_assert_mem_eq(v->name, name, strlen(name));
	ck_assert_uint_eq(v->kind, CPIDECODE_VALUE_ARGUMENT);
	ck_assert_uint_eq(v->type, type);
}

static void check_values(int (*get)(void *of, size_t i, cpidecode_value *v), void *of)
{
	cpidecode_value v;

	ck_assert_int_eq(get(of, 0, &v), 0);
	check_value(&v, "size", CPIDECODE_VALUE_I64);
	ck_assert_int_eq(v.i, INT64_MIN);
	ck_assert_int_eq(get(of, 1, &v), 0);
	check_value(&v, "key", CPIDECODE_VALUE_TEXT);
	ck_assert_uint_eq(v.text_length, 4);
	ck_assert_mem_eq(v.text, "of a", 4);
	ck_assert_int_eq(get(of, 2, &v), 0);
	check_value(&v, "later", CPIDECODE_VALUE_NONE);
	ck_assert_int_eq(get(of, 3, &v), CPIDECODE_EINVAL);
}

static int value_of_stream(void *of, size_t i, cpidecode_value *v)
{
	return cpidecode_interval_stream_value(of, i, v);
}

static int value_of_set(void *of, size_t i, cpidecode_value *v)
{
	return cpidecode_intervals_value(of, 0, i, v);
}

START_TEST(named_values_of_intervals)
{
	const uint32_t words[] = {SCOPE_KNOWN_NO_SWITCH, 3, 0, 100, 3, 3, 1, INTERVAL_ARG_I64,
		0x80000000, 0, 0, INTERVAL_ARG_TEXT, 0, 0, 0, 99, 1, 2};
	const char *texts[] = {"key", "of a", "later", NULL};
	/* Numbers 1 and 3. */
	static const uint8_t labels[32] = {
		4, [8] = 's', 'i', 'z', 'e', [16] = 3, [24] = 'g', 'e', 't'};
	struct bytes records = {0}, file = {0}, entries = {0};
	cpidecode_trace *t;
	cpidecode_intervals *set;
	cpidecode_interval_stream *s;
	cpidecode_interval iv;
	cpidecode_value v;

	put_hook(&records, 1000, 1, SCOPE_MAJOR, SCOPE_MINOR_ARGS, 18, words, texts);
	put_hook(&records, 2000, 1, SCOPE_MAJOR, SCOPE_MINOR_PLAIN, 4, words, NULL);
	put_header(&file, 1);
	put_hooks(&file, 0, 0, TF_CODEC_NONE, &records);
	bytes_put(&entries, labels, sizeof labels);
	put_section(&file, &(struct section){.type = TF_TYPE_LABELS}, &entries);
	ck_assert_int_eq(cpidecode_open_memory(file.p, file.n, &t), 0);
	ck_assert_int_eq(cpidecode_intervals_read(t, &set), 0);
	check_values(value_of_set, set);
	ck_assert_int_eq(cpidecode_intervals_value(set, 1, 0, &v), CPIDECODE_EINVAL);
	ck_assert_int_eq(cpidecode_intervals_value(set, 2, 0, &v), CPIDECODE_EINVAL);
	cpidecode_intervals_free(set);
	ck_assert_int_eq(cpidecode_interval_stream_open(t, INT64_MIN, INT64_MAX, &s), 0);
	ck_assert_int_eq(cpidecode_interval_stream_value(s, 0, &v), CPIDECODE_EINVAL);
	ck_assert_int_eq(cpidecode_interval_stream_next(s, &iv), 1);
	ck_assert_uint_eq(iv.major, SCOPE_MAJOR);
	ck_assert_uint_eq(iv.label_length, 3);
	ck_assert_mem_eq(iv.label, "get", 3);
	ck_assert(iv.on_cpu_ns == 100 && iv.off_cpu_ns == 0 && iv.ctx_switches == 0);
	check_values(value_of_stream, s);
	ck_assert_int_eq(cpidecode_interval_stream_next(s, &iv), 1);
	ck_assert_int_eq(cpidecode_interval_stream_value(s, 0, &v), CPIDECODE_EINVAL);
	ck_assert_int_eq(cpidecode_interval_stream_next(s, &iv), 0);
	ck_assert_int_eq(cpidecode_interval_stream_value(s, 0, &v), CPIDECODE_EINVAL);
	cpidecode_interval_stream_close(s);
	cpidecode_close(t);
	bytes_free(&records);
	bytes_free(&file);
	bytes_free(&entries);
}
END_TEST

START_TEST(every_report)
{
	static const char *const reports[] = {"summary", "intervals", "hooks", "cpus", "info",
		"diff", "why", "histogram", "slowest", "gaps", "heatmap"};
	static const char *const formats[] = {"text", "csv", "json"};

	begin();
	for (unsigned i = 0; i < sizeof reports / sizeof *reports; i++) {
		for (unsigned j = 0; j < 3; j++) {
			cpidecode_report_options o = {.size = sizeof o,
				.report = reports[i],
				.format = formats[j],
				.before = made.t};
			struct bytes b = {0};
			int rc = cpidecode_report(made.t, &o, collect, &b, NULL);
			bool none = (i == 4 || i == 8) && j == 1; /* info, slowest: csv */

			ck_assert_int_eq(rc, none ? CPIDECODE_EINVAL : 0);
			ck_assert(none ? !b.n : b.n > 0);
			bytes_free(&b);
		}
	}
}
END_TEST

START_TEST(reports_by_default_and_by_name)
{
	cpidecode_counts counts;

	begin();
	ck_assert_int_eq(cpidecode_report(made.t, NULL, collect, &built, &counts), 0);
	ck_assert_uint_eq(counts.hooks, 42);
	bytes_put(&built, "", 1);
	ck_assert_ptr_nonnull(strstr((char *)built.p, "label"));
	cpidecode_report_options o = {.size = sizeof o, .format = "folded"};
	built.n = 0;
	ck_assert_int_eq(cpidecode_report(made.t, &o, collect, &built, NULL), 0);
	bytes_put(&built, "", 1);
	ck_assert_ptr_nonnull(strstr((char *)built.p, "eleven;label "));
	o.label = "other*";
	built.n = 0;
	ck_assert_int_eq(cpidecode_report(made.t, &o, collect, &built, NULL), 0);
	ck_assert_uint_eq(built.n, 0);
}
END_TEST

START_TEST(reports_that_do_not_come_about)
{
	static const struct {
		const char *report, *format, *weight;
	} wrong[] = {{"hook", NULL, NULL}, {NULL, "xml", NULL}, {NULL, "svg", "grams"},
		{"hooks", "folded", NULL}, {"info", "csv", NULL}, {"diff", NULL, NULL},
		{"summary", "nrm2", NULL}};
	int calls = 0;

	begin();
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		cpidecode_report_options o = {.size = sizeof o,
			.report = wrong[i].report,
			.format = wrong[i].format,
			.weight = wrong[i].weight};

		ck_assert_int_eq(
			cpidecode_report(made.t, &o, collect, &built, NULL), CPIDECODE_EINVAL);
	}
	cpidecode_report_options o = {.report = "hooks"}; /* without its size */
	ck_assert_int_eq(cpidecode_report(made.t, &o, collect, &built, NULL), CPIDECODE_EINVAL);
	ck_assert_uint_eq(built.n, 0);
	o.size = sizeof o;
	ck_assert_int_eq(cpidecode_report(made.t, &o, refuse, &calls, NULL), CPIDECODE_ECANCELED);
	ck_assert_int_eq(calls, 1);
}
END_TEST

static void make_long(struct bytes *file)
{
	struct bytes records = {0};

	put_header(file, 1);
	for (uint64_t section = 0; section < 200; section++) {
		for (uint64_t i = 0; i < 1000; i++)
			put_plain(&records, 2000 + section * 1000 + i, 1, 1);
		put_hooks(file, 0, section * 65536, TF_CODEC_NONE, &records);
	}
	put_end(file);
	bytes_free(&records);
}

START_TEST(canceled_by_progress)
{
	struct bytes out = {0};
	cpidecode_trace *t;

	make_long(&built);
	ck_assert_int_eq(cpidecode_open_memory(built.p, built.n, &t), 0);
	cpidecode_report_options o = {.size = sizeof o, .report = "hooks", .progress = stop};
	ck_assert_int_eq(cpidecode_report(t, &o, collect, &out, NULL), CPIDECODE_ECANCELED);
	cpidecode_close(t);
	bytes_free(&out);
}
END_TEST

static void *report_in_a_thread(void *trace)
{
	struct bytes *b = calloc(1, sizeof *b);
	cpidecode_report_options o = {.size = sizeof o, .report = "hooks", .format = "json"};

	if (cpidecode_report(trace, &o, collect, b, NULL))
		abort();
	return b;
}

START_TEST(several_reports_at_once)
{
	enum { THREADS = 3 };
	pthread_t threads[THREADS];
	struct bytes *b[THREADS];

	begin();
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, report_in_a_thread, made.t), 0);
	for (int i = 0; i < THREADS; i++) {
		void *result;

		pthread_join(threads[i], &result);
		b[i] = result;
	}
	for (int i = 0; i < THREADS; i++) {
		ck_assert_uint_eq(b[i]->n, b[0]->n);
		ck_assert_mem_eq(b[i]->p, b[0]->p, b[0]->n);
	}
	for (int i = 0; i < THREADS; i++) {
		bytes_free(b[i]);
		free(b[i]);
	}
}
END_TEST

START_TEST(opening_with_options)
{
	static const char good[] = "major 0x10 yours\nhook 1 \"mine\"\nu32 a\nu32 b\n";
	static const char bad[] = "major 0x10 yours\nhook 1 \"mine\"\nu33 a\n";
	const char *schemas[] = {good, bad};
	const size_t lengths[] = {sizeof good - 1, sizeof bad - 1};
	char name[] = "/tmp/cpidecode-test.XXXXXX";
	const char *paths[] = {name, "/nonexistent"};
	cpidecode_open_options o = {
		.size = sizeof o, .schemas = schemas, .schema_lengths = lengths, .nschemas = 1};
	cpidecode_open_error error;
	cpidecode_trace *t;
	cpidecode_hooks *it;
	const cpidecode_hook *h;
	int fd = mkstemp(name);

	put_small_trace(&built, TF_CODEC_NONE);
	ck_assert_int_eq(write(fd, built.p, built.n), (ssize_t)built.n);
	ck_assert_int_eq(cpidecode_open_with(paths, 1, &o, &t, &error), 0);
	ck_assert_int_eq(cpidecode_hooks_open(t, &it), 0);
	do {
		ck_assert_int_eq(cpidecode_hooks_next(it, &h), 1);
	} while (h->minor != 1);
	ck_assert_str_eq(h->name, "mine");
	cpidecode_hooks_close(it);
	cpidecode_close(t);
	ck_assert_int_eq(cpidecode_open_with(paths, 2, &o, &t, &error), CPIDECODE_EOPEN);
	ck_assert_uint_eq(error.file, 1);
	ck_assert_int_eq(error.system_error, ENOENT);
	ck_assert_ptr_null(t);
	o.nschemas = 2;
	ck_assert_int_eq(cpidecode_open_with(paths, 1, &o, &t, &error), CPIDECODE_ESCHEMA);
	ck_assert_uint_eq(error.file, 1);
	ck_assert_uint_eq(error.line, 3);
	ck_assert_int_gt(error.reason[0], 0);
	o.size = 8;
	ck_assert_int_eq(cpidecode_open_with(paths, 1, &o, &t, NULL), CPIDECODE_EINVAL);
	ck_assert_int_eq(cpidecode_open_with(paths, 0, NULL, &t, NULL), CPIDECODE_EINVAL);
	close(fd);
	unlink(name);
}
END_TEST

/* A trace in a file; later reads fail. */
static void begin_unreadable(int *fd)
{
	char name[] = "/tmp/cpidecode-test.XXXXXX";
	int deaf = open("/dev/null", O_WRONLY);

	made = (struct fixture){0};
	*fd = mkstemp(name);
	ck_assert_int_ge(*fd, 0);
	unlink(name);
	put_small_trace(&made.bytes, TF_CODEC_NONE);
	ck_assert_int_eq(write(*fd, made.bytes.p, made.bytes.n), (ssize_t)made.bytes.n);
	lseek(*fd, 0, SEEK_SET);
	ck_assert_int_eq(cpidecode_open_fd(*fd, &made.t), 0);
	ck_assert_int_eq(dup2(deaf, *fd), *fd);
	close(deaf);
	ck_assert_int_eq(cpidecode_hooks_open(made.t, &made.it), 0);
}

START_TEST(a_failed_read_is_an_error_with_its_offset)
{
	const cpidecode_hook *h;
	cpidecode_damage_info where;
	cpidecode_interval_stream *s;
	cpidecode_intervals *set;
	size_t file;
	int fd;

	begin_unreadable(&fd);
	for (unsigned i = 0; i < 2; i++) {
		errno = 0;
		ck_assert_int_eq(cpidecode_hooks_next(made.it, &h), CPIDECODE_EREAD);
		ck_assert_ptr_null(h);
		ck_assert_int_eq(errno, i ? 0 : EBADF);
	}
	ck_assert_int_eq(cpidecode_hooks_damage(made.it, 0, &file, &where), 0);
	ck_assert_uint_eq(file, 0);
	ck_assert_uint_eq(get_le32(made.bytes.p + where.offset), TF_SECTION_MAGIC);
	ck_assert_int_eq(cpidecode_hooks_damage(made.it, 1, &file, &where), CPIDECODE_EINVAL);
	int rc = cpidecode_interval_stream_open(made.t, INT64_MIN, INT64_MAX, &s);
	ck_assert_int_eq(rc, CPIDECODE_EREAD);
	ck_assert_int_eq(cpidecode_intervals_read(made.t, &set), CPIDECODE_EREAD);
	close(fd);
}
END_TEST

START_TEST(no_report_comes_of_reading_that_fails)
{
	static const char *const reports[] = {"summary", "intervals", "hooks", "cpus", "why",
		"diff", "histogram", "slowest", "gaps", "heatmap"};
	int fd;

	begin_unreadable(&fd);
	for (unsigned i = 0; i < sizeof reports / sizeof *reports; i++) {
		const cpidecode_report_options o = {
			.size = sizeof o, .report = reports[i], .threads = 2, .before = made.t};
		struct bytes b = {0};

		errno = 0;
		ck_assert_int_eq(cpidecode_report(made.t, &o, collect, &b, NULL), CPIDECODE_EREAD);
		ck_assert_int_eq(errno, EBADF);
		bytes_free(&b);
	}
	close(fd);
}
END_TEST

int main(void)
{
	return suites_run(
		SUITE("library", .timeout = 300, .tear_down = end,
			TESTS(fields_of_hooks, fields_of_a_group, short_hooks_say_so,
				seeking_lands_on_the_first_hook_from_a_time,
				damage_found_by_reading, intervals_as_a_stream,
				intervals_of_a_stream_have_parents, intervals_of_utilisation,
				named_values_of_intervals, every_report,
				reports_by_default_and_by_name, reports_that_do_not_come_about,
				canceled_by_progress, several_reports_at_once, opening_with_options,
				a_failed_read_is_an_error_with_its_offset,
				no_report_comes_of_reading_that_fails)),
		NULL);
}
