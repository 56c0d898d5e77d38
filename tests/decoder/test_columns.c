/* The columns of cpidecode.h are those of the report of intervals as CSV. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../formats/interval_hooks.h"
#include "../../formats/scope_hooks.h"
#include "../../include/cpidecode.h"
#include "../lib/trace_build.h"
#include "../lib/suites.h"
#include "compare.h"

enum { INTERVALS = 500, FIELDS = 128, CHUNK = 7 };

static uint64_t bits_of(double f)
{
	uint64_t bits;

	memcpy(&bits, &f, sizeof bits);
	return bits;
}

/* Arguments: a size, an offset that may be negative, a share, and a note that is a
 * text or a number. */
static void put_arguments(struct bytes *b, uint64_t *seed, uint64_t end, uint32_t tid)
{
	const uint32_t which = random31(seed) % 16;
	uint32_t words[6 + 4 * 4] = {
		0, 9 + 2 * (random31(seed) % 3), 0, random31(seed) % 400, 0, 0};
	const char *strings[] = {random31(seed) % 2 ? "a, \"note\"" : "b", NULL};
	uint32_t n = 0;

	for (uint32_t i = 0; i < 4; i++) {
		uint32_t *w = &words[6 + 4 * n];
		uint64_t bits = random31(seed) % 1000, type = INTERVAL_ARG_U64;

		if (!(which >> i & 1))
			continue;
		if (i == 1) {
			type = INTERVAL_ARG_I64;
			bits = (uint64_t)((int64_t)bits - 500);
		} else if (i == 2) {
			type = INTERVAL_ARG_F64;
			bits = bits_of((double)bits / 7);
		} else if (i == 3 && bits % 2) {
			type = INTERVAL_ARG_TEXT;
			bits = 0;
			words[5] = 1;
		}
		w[0] = 1 + 2 * i; /* an entry of LABELS has two numbers */
		w[1] = (uint32_t)type;
		w[2] = (uint32_t)(bits >> 32);
		w[3] = (uint32_t)bits;
		n++;
	}
	words[4] = n;
	put_hook(b, end, tid, SCOPE_MAJOR, SCOPE_MINOR_ARGS, 6 + 4 * n, words,
		words[5] ? strings : NULL);
}

static void put_labels(struct bytes *file)
{
	static const char *const names[] = {
		"size", "offset", "share", "note", "get", "put", "scan"};
	struct bytes entries = {0};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char entry[17] = {(char)strlen(names[i])};

		snprintf(entry + TF_LABEL_TEXT, 9, "%s", names[i]);
		bytes_put(&entries, entry, 16);
	}
	put_section(file, &(struct section){.type = TF_TYPE_LABELS}, &entries);
	bytes_free(&entries);
}

static void put_labelled(struct bytes *b, uint64_t *seed, uint64_t end, uint32_t tid)
{
	const uint64_t elapsed = random31(seed) % 300;

	put_label(b, end, tid, 2, false, elapsed, random31(seed) % 2 ? "say \"a, b\"" : "c");
	put_thread(b, end, tid, 2, elapsed, 1 + random31(seed) % 300, random31(seed) % 1000);
}

static struct fixture {
	struct bytes file;
	cpidecode_trace *t;
} made;

static void begin(void)
{
	struct bytes records = {0}, tasks = {0};
	uint64_t seed = 1, end = 2000;

	made = (struct fixture){0};
	put_header(&made.file, 1);
	put_labels(&made.file);
	for (unsigned i = 0; i < INTERVALS; i++) {
		const uint32_t tid = 1 + random31(&seed) % 3;

		end += 1 + random31(&seed) % 60;
		if (random31(&seed) % 2)
			put_arguments(&records, &seed, end, tid);
		else if (random31(&seed) % 2)
			put_labelled(&records, &seed, end, tid);
		else
			put_thread(&records, end, tid, 1, random31(&seed) % 300,
				random31(&seed) % 3, 100);
	}
	put_hooks(&made.file, 0, 0, TF_CODEC_NONE, &records);
	put_task(&tasks, 1, 10, 0, "one");
	put_task(&tasks, 2, 20, 0, "two, of three");
	put_section(&made.file, &(struct section){.type = TF_TYPE_TASKS}, &tasks);
	put_end(&made.file);
	bytes_free(&records);
	bytes_free(&tasks);
	ck_assert_int_eq(cpidecode_open_memory(made.file.p, made.file.n, &made.t), 0);
}

static void end(void)
{
	cpidecode_close(made.t);
	bytes_free(&made.file);
}

static int collect(void *ctx, const void *bytes, size_t n)
{
	bytes_put(ctx, bytes, n);
	return 0;
}

/* Cuts a record of CSV into fields, in place. Returns where the next one begins. */
static char *cut_record(char *p, char *fields[FIELDS], size_t *n)
{
	for (*n = 0; *n < FIELDS;) {
		char *to = p;
		bool quoted = *p == '"';

		fields[(*n)++] = to;
		for (p += quoted; quoted ? p[0] != '"' || p[1] == '"' : *p != ',' && *p != '\r';
			p++) {
			p += quoted && *p == '"';
			*to++ = *p;
		}
		p += quoted;
		bool last = *p == '\r';
		p += last ? 2 : 1;
		*to = 0;
		if (last)
			return p;
	}
	ck_abort_msg("too many fields");
}

static void check_text(const cpidecode_columns *c, uint32_t code, const char *field)
{
	size_t length;
	const char *text = cpidecode_columns_text(c, code, &length);

	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(length, strlen(field));
	ck_assert_mem_eq(text, field, length);
}

/* One value against its field. */
static void check_value(const cpidecode_columns *c, const cpidecode_column_info *info,
	const uint64_t *value, bool absent, const char *field)
{
	double f;
	int64_t i;
	uint32_t code;
	char *rest;

	/* An empty field may be an empty text, as of no flags. */
	if (info->type != CPIDECODE_COLUMN_CODE || *field)
		ck_assert_msg(absent == !*field, "%s: '%s'", info->name, field);
	memcpy(&f, value, sizeof f);
	memcpy(&i, value, sizeof i);
	memcpy(&code, value, sizeof code);
	switch (info->type) {
	case CPIDECODE_COLUMN_U64:
		ck_assert_uint_eq(*value, absent ? 0 : strtoull(field, &rest, 10));
		break;
	case CPIDECODE_COLUMN_I64:
		ck_assert_int_eq(i, absent ? 0 : strtoll(field, &rest, 10));
		break;
	case CPIDECODE_COLUMN_F64:
		if (absent)
			ck_assert(isnan(f));
		else
			ck_assert_msg(fabs(f - strtod(field, &rest)) <= 0.00005000001,
				"%s: %s, not %f", info->name, field, f);
		break;
	default:
		ck_assert_uint_eq(info->type, CPIDECODE_COLUMN_CODE);
		if (absent)
			ck_assert_uint_eq(code, CPIDECODE_NO_TEXT);
		else
			check_text(c, code, field);
	}
}

static void report(struct bytes *csv)
{
	const cpidecode_report_options o = {
		.size = sizeof o, .report = "intervals", .format = "csv"};

	ck_assert_int_eq(cpidecode_report(made.t, &o, collect, csv, NULL), 0);
	bytes_put(csv, "", 1);
}

/* _i: 0: each column packed; 1: rows as one struct. */
START_TEST(columns_are_those_of_csv)
{
	struct bytes csv = {0};
	char *names[FIELDS], *fields[FIELDS], *p;
	size_t n, rows = 0;
	cpidecode_columns *c;
	cpidecode_column_buffer to[FIELDS];
	static uint64_t values[FIELDS * CHUNK];
	static uint8_t absent[FIELDS * CHUNK];
	int rc;

	begin();
	report(&csv);
	p = cut_record((char *)csv.p, names, &n);
	ck_assert_int_eq(
		cpidecode_columns_open(made.t, (const char *const *)names, n, NULL, &c, NULL), 0);
	ck_assert_uint_eq(cpidecode_columns_count(c), n);
	ck_assert_uint_ge(cpidecode_columns_rows(c), INTERVALS);
	for (size_t i = 0; i < n; i++)
		to[i] = _i ? (cpidecode_column_buffer){&values[i], 8 * n, &absent[i], n}
			   : (cpidecode_column_buffer){
				     &values[i * CHUNK], 8, &absent[i * CHUNK], 0};
	while ((rc = cpidecode_columns_read(c, to, CHUNK)) > 0) {
		for (size_t row = 0; row < (size_t)rc; row++, rows++) {
			size_t m;

			p = cut_record(p, fields, &m);
			ck_assert_uint_eq(m, n);
			for (size_t i = 0; i < n; i++) {
				size_t at = _i ? row * n + i : i * CHUNK + row;
				cpidecode_column_info info;

				ck_assert_int_eq(cpidecode_columns_info(c, i, &info), 0);
				ck_assert_str_eq(info.name, names[i]);
				check_value(c, &info, &values[at], absent[at], fields[i]);
			}
		}
	}
	ck_assert_int_eq(rc, 0);
	ck_assert_uint_eq(*p, 0);
	ck_assert_uint_eq(rows, cpidecode_columns_rows(c));
	cpidecode_columns_close(c);
	bytes_free(&csv);
}
END_TEST

START_TEST(types_are_those_of_the_values)
{
	static const char *const names[] = {"start_ns", "elapsed_ns", "label", "raw_cpi",
		"arg.size", "arg.offset", "arg.share", "arg.note", "arg.none"};
	static const uint32_t types[] = {CPIDECODE_COLUMN_I64, CPIDECODE_COLUMN_U64,
		CPIDECODE_COLUMN_CODE, CPIDECODE_COLUMN_F64, CPIDECODE_COLUMN_U64,
		CPIDECODE_COLUMN_I64, CPIDECODE_COLUMN_F64, CPIDECODE_COLUMN_CODE,
		CPIDECODE_COLUMN_U64};
	cpidecode_columns *c;
	cpidecode_column_info info;

	begin();
	ck_assert_int_eq(cpidecode_columns_open(made.t, names, 9, NULL, &c, NULL), 0);
	for (size_t i = 0; i < 9; i++) {
		ck_assert_int_eq(cpidecode_columns_info(c, i, &info), 0);
		ck_assert_msg(info.type == types[i], "%s: %u", names[i], info.type);
	}
	ck_assert_int_eq(cpidecode_columns_info(c, 9, &info), CPIDECODE_EINVAL);
	cpidecode_columns_close(c);
	/* All of them, without arguments. */
	ck_assert_int_eq(cpidecode_columns_open(made.t, NULL, 0, NULL, &c, NULL), 0);
	ck_assert_int_eq(cpidecode_columns_info(c, 0, &info), 0);
	ck_assert_str_eq(info.name, "start_ns");
	ck_assert_uint_gt(cpidecode_columns_count(c), 30);
	cpidecode_columns_close(c);
	cpidecode_columns_close(NULL);
}
END_TEST

/* How many rows a condition leaves, and the sum of their elapsed times. */
static unsigned rows_where(cpidecode_columns_options o, uint64_t *sum)
{
	static const char *const names[] = {"tid", "elapsed_ns"};
	uint64_t elapsed[CHUNK];
	/* No place for the first. */
	const cpidecode_column_buffer to[2] = {{0}, {.values = elapsed}};
	cpidecode_columns *c;
	unsigned rows = 0;
	int rc;

	o.size = sizeof o;
	ck_assert_int_eq(cpidecode_columns_open(made.t, names, 2, &o, &c, NULL), 0);
	*sum = 0;
	while ((rc = cpidecode_columns_read(c, to, CHUNK)) > 0)
		for (int i = 0; i < rc; i++, rows++)
			*sum += elapsed[i];
	ck_assert_int_eq(rc, 0);
	cpidecode_columns_close(c);
	return rows;
}

START_TEST(conditions_choose_rows)
{
	uint64_t sum, long_sum, short_sum, inner_sum;

	begin();
	unsigned all = rows_where((cpidecode_columns_options){0}, &sum);
	unsigned longer =
		rows_where((cpidecode_columns_options){.where = "elapsed_ns > 150"}, &long_sum);
	unsigned shorter =
		rows_where((cpidecode_columns_options){.where = "elapsed_ns <= 150"}, &short_sum);
	unsigned inner =
		rows_where((cpidecode_columns_options){.where = "not depth = 0"}, &inner_sum);
	unsigned nested = rows_where(
		(cpidecode_columns_options){.where = "parent.tid > 0", .threads = 1}, &short_sum);
	ck_assert_uint_gt(longer, 0);
	ck_assert_uint_gt(shorter, 0);
	ck_assert_uint_eq(longer + shorter, all);
	ck_assert_uint_gt(inner, 0);
	ck_assert_uint_lt(inner, all);
	ck_assert_uint_eq(nested, inner);
	ck_assert_uint_eq(short_sum, inner_sum);
	/* A range of time is that of the stream. */
	cpidecode_interval_stream *s;
	cpidecode_interval iv;
	unsigned streamed = 0;
	ck_assert_int_eq(cpidecode_interval_stream_open(made.t, INT64_MIN, INT64_MAX, &s), 0);
	for (unsigned i = 0; i < all / 2; i++)
		ck_assert_int_eq(cpidecode_interval_stream_next(s, &iv), 1);
	cpidecode_interval_stream_close(s);
	const int64_t from = iv.start_ns, to = iv.start_ns + 500;
	ck_assert_int_eq(cpidecode_interval_stream_open(made.t, from, to, &s), 0);
	while (cpidecode_interval_stream_next(s, &iv) > 0)
		streamed++;
	cpidecode_interval_stream_close(s);
	ck_assert_uint_gt(streamed, 0);
	ck_assert_uint_lt(streamed, all);
	ck_assert_uint_eq(streamed,
		rows_where((cpidecode_columns_options){.from_ns = from, .to_ns = to}, &sum));
}
END_TEST

START_TEST(parents_are_rows)
{
	static const char *const names[] = {"parent"};
	cpidecode_columns *c;
	cpidecode_interval_stream *s;
	cpidecode_interval iv;
	int64_t parent;
	uint8_t absent;
	unsigned nested = 0, rows = 0;

	begin();
	ck_assert_int_eq(cpidecode_columns_open(made.t, names, 1, NULL, &c, NULL), 0);
	ck_assert_int_eq(cpidecode_interval_stream_open(made.t, INT64_MIN, INT64_MAX, &s), 0);
	while (cpidecode_interval_stream_next(s, &iv) > 0) {
		const cpidecode_column_buffer to = {.values = &parent, .absent = &absent};

		ck_assert_int_eq(cpidecode_columns_read(c, &to, 1), 1);
		ck_assert_int_eq(parent, iv.parent);
		ck_assert_uint_eq(absent, parent < 0);
		nested += parent >= 0;
		rows++;
	}
	ck_assert_uint_gt(nested, 0);
	ck_assert_uint_lt(nested, rows);
	cpidecode_interval_stream_close(s);
	cpidecode_columns_close(c);
}
END_TEST

START_TEST(unknown_columns_are_reported)
{
	static const char *const names[] = {"tid", "no_such_column"}, *const nest[] = {"cpus"},
				 *const nameless[] = {"arg."};
	cpidecode_columns *c;
	cpidecode_columns_error error;
	cpidecode_columns_options o = {.size = sizeof o, .where = "tid = 1 and"};
	size_t length;

	begin();
	ck_assert_int_eq(
		cpidecode_columns_open(made.t, names, 2, NULL, &c, &error), CPIDECODE_EINVAL);
	ck_assert_ptr_null(c);
	ck_assert_uint_eq(error.column, 1);
	ck_assert_ptr_nonnull(strstr(error.reason, "no such column"));
	ck_assert_int_eq(cpidecode_columns_open(made.t, nest, 1, NULL, &c, NULL), CPIDECODE_EINVAL);
	ck_assert_int_eq(
		cpidecode_columns_open(made.t, nameless, 1, NULL, &c, NULL), CPIDECODE_EINVAL);
	ck_assert_int_eq(
		cpidecode_columns_open(made.t, names, 1, &o, &c, &error), CPIDECODE_EINVAL);
	ck_assert_uint_eq(error.column, 1);
	ck_assert_uint_eq(error.at, strlen(o.where));
	ck_assert_ptr_nonnull(strstr(error.reason, "expected"));
	o.where = NULL;
	o.size = sizeof o - 1;
	ck_assert_int_eq(cpidecode_columns_open(made.t, names, 1, &o, &c, NULL), CPIDECODE_EINVAL);
	ck_assert_int_eq(cpidecode_columns_open(made.t, NULL, 1, NULL, &c, NULL), CPIDECODE_EINVAL);
	ck_assert_int_eq(cpidecode_columns_open(made.t, names, 1, NULL, &c, NULL), 0);
	ck_assert_ptr_null(cpidecode_columns_text(c, 0, &length));
	ck_assert_ptr_null(cpidecode_columns_text(c, CPIDECODE_NO_TEXT, &length));
	cpidecode_columns_close(c);
}
END_TEST

int main(void)
{
	return suites_run(SUITE("columns", .timeout = 120, .tear_down = end,
				  TESTS(types_are_those_of_the_values, conditions_choose_rows,
					  parents_are_rows, unknown_columns_are_reported),
				  LOOPS({columns_are_those_of_csv, 0, 2})),
		NULL);
}
