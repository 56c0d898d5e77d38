/* Sinks and the small parsers: what they write, byte for byte, and what they refuse. */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../formats/base/time_arg.h"
#include "../../decoder/report/filter.h"
#include "../../decoder/report/query/by.h"
#include "../../decoder/model/stats/ratio.h"
#include "../../decoder/sink/csv.h"
#include "../../decoder/sink/escapes.h"
#include "../../decoder/sink/flame.h"
#include "../../decoder/sink/json.h"
#include "../../decoder/sink/out.h"
#include "../../decoder/sink/fmt.h"
#include "../../decoder/sink/table.h"
#include "../../decoder/sink/units.h"
#include "../lib/suites.h"

#define FFFD "\xEF\xBF\xBD"

static struct out o;

static void setup(void)
{
	out_memory(&o);
}

static void teardown(void)
{
	out_discard(&o);
}

/* The bytes written since the last call. */
static const char *written(void)
{
	static char text[4096];

	ck_assert_int_eq(o.error, 0);
	ck_assert_uint_lt(o.len, sizeof text);
	memcpy(text, o.buf ? o.buf : "", o.len);
	text[o.len] = '\0';
	o.len = 0;
	return text;
}

START_TEST(fixed_numbers_round_as_printf_does)
{
	static const double values[] = {0, 1, 0.00005, 0.00015, 1.23455, 1.99995, 99.99995, 12.5,
		0.5, 1.5, 2.5, 1e13, 123456789012345.0, 1e18, 1e300, -1.25, -0.00001, 3.99994999};

	for (unsigned i = 0; i < sizeof values / sizeof *values; i++)
		for (unsigned decimals = 0; decimals <= 9; decimals++) {
			char expected[400];

			snprintf(expected, sizeof expected, "%.*f", (int)decimals, values[i]);
			if (strncmp(expected, "-0.", 3) == 0 &&
				strspn(expected, "-0.") == strlen(expected))
				memmove(expected, expected + 1, strlen(expected));
			if (strcmp(expected, "-0") == 0)
				strcpy(expected, "0");
			out_fixed(&o, values[i], decimals);
			ck_assert_str_eq(written(), expected);
		}
}
END_TEST

START_TEST(integers_reach_their_ends)
{
	out_u64(&o, UINT64_MAX);
	ck_assert_str_eq(written(), "18446744073709551615");
	out_i64(&o, INT64_MIN);
	ck_assert_str_eq(written(), "-9223372036854775808");
	out_hex(&o, 0xC0, 8);
	ck_assert_str_eq(written(), "000000C0");
	out_seconds(&o, 1000000001);
	ck_assert_str_eq(written(), "1.000000001");
	out_seconds(&o, -1);
	ck_assert_str_eq(written(), "-0.000000001");
	out_seconds(&o, INT64_MIN);
	ck_assert_str_eq(written(), "-9223372036.854775808");
}
END_TEST

/* The bytes that a put function wrote; they must equal printf's. */
#define SAME_AS(format, v, call)                                                                   \
	do {                                                                                       \
		char text[64], expected[64];                                                       \
		char *text_end = call;                                                             \
		*text_end = '\0';                                                                  \
		snprintf(expected, sizeof expected, format, v);                                    \
		ck_assert_str_eq(text, expected);                                                  \
	} while (0)

static void check_numbers(uint64_t v)
{
	uint32_t narrow = (uint32_t)v;

	SAME_AS("%llu", (unsigned long long)v, fmt_u64(text, v));
	SAME_AS("%lld", (long long)v, fmt_i64(text, (int64_t)v));
	SAME_AS("%u", narrow, fmt_u32(text, narrow));
	SAME_AS("%08X", narrow, fmt_hex8(text, narrow));
	SAME_AS("%3u", narrow, fmt_right(text, narrow, 3));
	SAME_AS("%7u", narrow, fmt_right(text, narrow, 7));
	SAME_AS("%u", narrow % 100000000, fmt_short(text, narrow % 100000000));
	SAME_AS("%08u", narrow % 100000000, fmt_8(text, narrow % 100000000));
	SAME_AS("%09u", narrow % 1000000000, fmt_9(text, narrow % 1000000000));
}

START_TEST(numbers_are_written_as_printf_does)
{
	uint64_t power = 1, dice = 3;

	for (unsigned i = 0; i < 20; i++, power *= 10)
		for (uint64_t near = 0; near < 5; near++)
			check_numbers(power + near - 2);
	for (unsigned i = 0; i < 12000; i++) {
		check_numbers(i);
		check_numbers((uint64_t)i * 9999);
		dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		check_numbers(dice >> i % 64);
	}
	check_numbers(UINT64_MAX);
	check_numbers(UINT64_C(1) << 63);
}
END_TEST

START_TEST(words_in_hexadecimal)
{
	uint8_t words[4 * 70] = {0xEF, 0xBE, 0xAD, 0xDE, 0x09, 0x0A, 0x90, 0xA9};

	out_words(&o, words, 0);
	ck_assert_str_eq(written(), "");
	out_words(&o, words, 2);
	ck_assert_str_eq(written(), "DEADBEEF A9900A09");
	for (unsigned n = 31; n <= 70; n++) {
		out_words(&o, words, n);
		ck_assert_uint_eq(strlen(written()), 9 * n - 1);
	}
	for (unsigned digit = 0; digit < 16; digit++) {
		out_hex(&o, digit * UINT64_C(0x1111111111111111), 16);
		ck_assert_uint_eq(
			strtoull(written(), NULL, 16), digit * UINT64_C(0x1111111111111111));
	}
}
END_TEST

START_TEST(doubles_read_back)
{
	static const double values[] = {0, 0.1, 1.0 / 3, 1e-300, 6.02214076e23, 5e-324};

	for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
		out_double(&o, values[i]);
		ck_assert(strtod(written(), NULL) == values[i]);
	}
}
END_TEST

static void csv_is(const char *s, size_t n, const char *expected)
{
	struct csv c = {.o = &o};

	csv_string(&c, s, n);
	ck_assert_str_eq(written(), expected);
}

START_TEST(csv_quotes_only_where_needed)
{
	csv_is("plain text", 10, "plain text");
	csv_is("a,b", 3, "\"a,b\"");
	csv_is("say \"hi\"", 8, "\"say \"\"hi\"\"\"");
	csv_is("two\nlines", 9, "\"two\nlines\"");
	csv_is("cr\r", 3, "\"cr\r\"");
	csv_is("", 0, "\"\"");
	csv_is(" padded", 7, "\" padded\"");
	csv_is("\xFF,\xC3\xA9", 4, "\"" FFFD ",\xC3\xA9\"");
	csv_is("\x1b[2J\x07\x7f\xC2\x9b\xC2\xA0\t", 11, FFFD "[2J" FFFD FFFD FFFD "\xC2\xA0\t");
	/* Data that a spreadsheet would read as a formula is not changed. */
	csv_is("=1+1", 4, "=1+1");
}
END_TEST

START_TEST(csv_cells_and_lines)
{
	struct csv c = {.o = &o};

	csv_text(&c, "a");
	csv_text(&c, "b");
	csv_end(&c);
	csv_fixed(&c, NAN, 4);
	csv_fixed(&c, 1.5, 4);
	csv_end(&c);
	csv_empty(&c);
	csv_text(&c, NULL);
	csv_u64(&c, 7);
	csv_end(&c);
	ck_assert_str_eq(written(), "a,b\r\n,1.5000\r\n,,7\r\n");
}
END_TEST

START_TEST(json_document)
{
	struct json j = {.o = &o};

	json_open(&j, '{');
	json_key(&j, "a");
	json_open(&j, '[');
	json_u64(&j, 1);
	json_i64(&j, -2);
	json_null(&j);
	json_close(&j, ']');
	json_key(&j, "b");
	json_fixed(&j, 0.25, 4);
	json_key(&j, "c");
	json_fixed(&j, NAN, 4);
	json_key(&j, "d");
	json_double(&j, INFINITY);
	json_key(&j, "e");
	json_open(&j, '{');
	json_close(&j, '}');
	json_key(&j, "f");
	json_bool(&j, true);
	json_key(&j, "g");
	json_text(&j, NULL);
	json_close(&j, '}');
	json_end_line(&j);
	json_u64(&j, 5);
	ck_assert_str_eq(written(),
		"{\"a\":[1,-2,null],\"b\":0.2500,\"c\":null,\"d\":null,\"e\":{},\"f\":true,\"g\":null}\n5");
}
END_TEST

static void json_is(const char *s, size_t n, const char *expected)
{
	escape_json(&o, s, n);
	ck_assert_str_eq(written(), expected);
}

START_TEST(json_strings_escape_and_stay_utf8)
{
	json_is("a\"b\\c/", 6, "a\\\"b\\\\c/");
	json_is("\b\f\n\r\t\x01\x1f\0", 8, "\\b\\f\\n\\r\\t\\u0001\\u001F\\u0000");
	json_is("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 9, "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
	/* Each bad byte by itself: a cut sequence, an overlong one, a surrogate, too large. */
	json_is("\xE2\x82", 2, FFFD FFFD);
	json_is("\xC0\xAF", 2, FFFD FFFD);
	json_is("\xED\xA0\x80", 3, FFFD FFFD FFFD);
	json_is("\xF4\x90\x80\x80", 4, FFFD FFFD FFFD FFFD);
	json_is("\xE2\x82x\x80", 4, FFFD FFFD "x" FFFD);
	json_is("\xF8\xFF", 2, FFFD FFFD);
	json_is("\x7f\xC2\x80\xC2\x9b\xC2\x9f\xC2\xA0", 9, "\\u007F\\u0080\\u009B\\u009F\xC2\xA0");
}
END_TEST

START_TEST(text_never_reaches_a_terminal_raw)
{
	static const char evil[] = "\x1b[31m\x07\x9b\xC2\x9b\x7f \xC3\xA9\n\"\\";

	escape_quoted(&o, evil, sizeof evil - 1);
	ck_assert_str_eq(written(), "\"\\x1B[31m\\x07\\x9B\\xC2\\x9B\\x7F \xC3\xA9\\n\\\"\\\\\"");
	escape_text(&o, "\"a\\", 3);
	ck_assert_str_eq(written(), "\"a\\");
	/* Nor does a name rearrange the text after it. */
	escape_text(&o, "\xE2\x80\xAE\xE2\x81\xA6\xE2\x80\xA8\xD8\x9C", 11);
	ck_assert_str_eq(written(), "\\xE2\\x80\\xAE\\xE2\\x81\\xA6\\xE2\\x80\\xA8\\xD8\\x9C");
	escape_text(&o, "\xE2\x80\x90\xE2\x80\xAF\xE2\x81\xAA\xD8\x9D", 11);
	ck_assert_str_eq(written(), "\xE2\x80\x90\xE2\x80\xAF\xE2\x81\xAA\xD8\x9D");
}
END_TEST

START_TEST(xml_frames_and_names_are_safe)
{
	escape_xml(&o, "<a href='x'>&\"\x01\xFF\n\xEF\xBF\xBF", 20);
	ck_assert_str_eq(written(), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;" FFFD FFFD "&#10;" FFFD);
	escape_frame(&o, "a;b\nc\x7f d\xFF\xC2\x9b", 11);
	ck_assert_str_eq(written(), "a_b_c_ d" FFFD "_");
	escape_name(&o, "a;b\nc\x7f d\xFF\xC2\x9b", 11);
	ck_assert_str_eq(written(), "a;b_c_ d" FFFD "_");
}
END_TEST

static int64_t time_of(const char *text, bool relative)
{
	struct time_arg t;
	const char *wrong = time_arg_parse(text, &t);

	ck_assert_msg(!wrong, "%s: %s", text, wrong);
	ck_assert(t.given);
	ck_assert_int_eq(t.relative, relative);
	return t.ns;
}

START_TEST(times_absolute)
{
	ck_assert_int_eq(time_of("0", false), 0);
	ck_assert_int_eq(time_of("1714564800.25", false), 1714564800250000000);
	ck_assert_int_eq(time_of("1700000000.123456789999", false), 1700000000123456789);
	ck_assert_int_eq(time_of("-1.5", false), -1500000000);
	ck_assert_int_eq(time_of("2024-05-01T12:00:00Z", false), 1714564800000000000);
	ck_assert_int_eq(time_of("2024-05-01T12:00:00.25z", false), 1714564800250000000);
	ck_assert_int_eq(time_of("2024-05-01 14:00:00+02:00", false), 1714564800000000000);
	ck_assert_int_eq(time_of("2024-05-01T08:30-0330", false), 1714564800000000000);
}
END_TEST

START_TEST(times_local)
{
	setenv("TZ", "XYZ-3", 1);
	tzset();
	ck_assert_int_eq(time_of("2024-05-01T15:00", false), 1714564800000000000);
	ck_assert_int_eq(time_of("2024-05-01", false), 1714521600000000000 - 10800000000000);
}
END_TEST

START_TEST(times_relative)
{
	ck_assert_int_eq(time_of("+1.5s", true), 1500000000);
	ck_assert_int_eq(time_of("+2", true), 2000000000);
	ck_assert_int_eq(time_of("+1.5 s", true), 1500000000);
	ck_assert_int_eq(time_of("+200 ms", true), 200000000);
	ck_assert_int_eq(time_of("+200ms", true), 200000000);
	ck_assert_int_eq(time_of("+1.5us", true), 1500);
	ck_assert_int_eq(time_of("+7ns", true), 7);
	ck_assert_int_eq(time_of("+1.5m", true), 90000000000);
	ck_assert_int_eq(time_of("+1h", true), 3600000000000);
	ck_assert_int_eq(time_of("-0.000983682 s", true), -983682);
	ck_assert_int_eq(time_of("-1ms", true), -1000000);
}
END_TEST

START_TEST(times_refused)
{
	static const char *const bad[] = {"", "+", "+s", "+1x", "+1.2.3s", "+1 ", "+1 5", "+ s",
		"-s", "-1x", "abc", "1e9", "12 ", "99999999999999", "+99999999999h", "2024-13-01",
		"2024-02-30", "2023-02-29T00:00Z", "2024-05-01T25:00Z", "2024-05-01T12:00:00Zx",
		"2024-05-01T12:00:00+2", "--5", ".", "2024-05-01T12:00:00.Z"};
	struct time_arg t;

	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(time_arg_parse(bad[i], &t) != NULL, "'%s' was taken", bad[i]);
}
END_TEST

START_TEST(durations_for_people)
{
	static const struct {
		double ns;
		const char *text;
	} cases[] = {{0, "0 ns"}, {999, "999 ns"}, {999.6, "1.00 us"}, {1234, "1.23 us"},
		{12345, "12.3 us"}, {123456, "123 us"}, {999600, "1.00 ms"}, {1.5e9, "1.50 s"},
		{1e12, "1000 s"}, {NAN, "n/a"}};

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		units_duration(&o, cases[i].ns);
		ck_assert_str_eq(written(), cases[i].text);
	}
	units_iso8601(&o, 1714564800250000000);
	ck_assert_str_eq(written(), "2024-05-01T12:00:00.250000000Z");
	units_iso8601(&o, -1);
	ck_assert_str_eq(written(), "1969-12-31T23:59:59.999999999Z");
	units_size(&o, 1536);
	ck_assert_str_eq(written(), "1.5 KiB");
}
END_TEST

START_TEST(table_columns_line_up)
{
	struct table t;

	for (table_begin(&t, &o); table_pass(&t);) {
		out_str(table_right(&t), "n");
		table_text(&t, "name");
		table_end_row(&t);
		out_u64(table_right(&t), 1000);
		table_text(&t, "\xC3\xA9");
		table_text(&t, "x");
		table_end_row(&t);
	}
	table_free(&t);
	ck_assert_str_eq(written(), "   n  name\n1000  \xC3\xA9     x\n");
}
END_TEST

START_TEST(ratios_are_of_sums_or_weighted)
{
	struct ratio r = {0};

	ck_assert(isnan(ratio_value(&r)));
	ratio_add(&r, NOT_MEASURED, NOT_MEASURED, NAN, 1000);
	ck_assert(isnan(ratio_value(&r)));
	ratio_add(&r, 100, 100, 1.0, 10);
	ratio_add(&r, 900, 100, 9.0, 30);
	ck_assert_double_eq(ratio_value(&r), 5.0);
	/* One without counts: everything is weighted by elapsed time. */
	ratio_add(&r, NOT_MEASURED, NOT_MEASURED, 2.0, 60);
	ck_assert_double_eq_tol(ratio_value(&r), (1.0 * 10 + 9.0 * 30 + 2.0 * 60) / 100, 1e-12);
}
END_TEST

START_TEST(filters_select_matching_intervals)
{
	struct filter f;
	struct task task = {.tid = 5, .pid = 4, .name = "t"};
	struct interval iv = {.start_ns = 100,
		.end_ns = 200,
		.ring = 3,
		.tid = 5,
		.mm = 7,
		.has_label = true,
		.label = "abc",
		.label_len = 3};

	filter_init(&f);
	ck_assert(filter_interval(&f, &iv));
	f.from = 200;
	ck_assert(filter_interval(&f, &iv));
	f.from = 201;
	ck_assert(!filter_interval(&f, &iv));
	filter_init(&f);
	f.to = 99;
	ck_assert(!filter_interval(&f, &iv));
	filter_init(&f);
	f.by_pid = true;
	f.pid = 4;
	ck_assert(!filter_interval(&f, &iv));
	iv.task = &task;
	ck_assert(filter_interval(&f, &iv));
	f.label = "a*";
	ck_assert(filter_interval(&f, &iv));
	iv.has_label = false;
	ck_assert(!filter_interval(&f, &iv));
	filter_init(&f);
	f.by_cpu = true;
	f.cpus[0] = 1 << 3;
	ck_assert(filter_interval(&f, &iv));
	iv.ring = 0x80000003;
	ck_assert(!filter_interval(&f, &iv));
	f.guests = true;
	ck_assert(filter_interval(&f, &iv));
}
END_TEST

static struct flame_stack frame(const char *name, bool has_value, uint64_t self)
{
	return (struct flame_stack){
		.name = name, .name_len = strlen(name), .self = self, .has_value = has_value};
}

/* Partial results are untrusted: checks the validation of group names by keys. */
START_TEST(values_of_keys_are_checked)
{
	static const struct {
		const char *name;
		uint32_t length;
		bool is_good;
	} names[] = {
		/* A number and a text; both absent; a double. */
		{"\1\7\0\0\0\0\0\0\0\4\2\0\0\0\0\0\0\0ab", 20, true},
		{"\0\0", 2, true},
		{"\3\0\0\0\0\0\0\360?\0", 10, true},
		/* Cut off; too long a text; a value more; none; another kind; infinite. */
		{"\1\7\0\0\0\0\0\0\0\4\2\0\0\0\0\0\0\0a", 19, false},
		{"\0\4\377\377\377\377\377\377\377\377", 10, false},
		{"\0\0\0", 3, false},
		{"\0", 1, false},
		{"\0\5\0\0\0\0\0\0\0\0", 10, false},
		{"\0\3\0\0\0\0\0\0\360\177", 10, false},
	};
	char expected[BY_EXPECTED];
	struct tally t = {0};
	struct by by;
	size_t at;

	ck_assert(by_parse(&by, "tid,task", &at, expected));
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct tally_group *g =
			tally_group_of(&t, true, names[i].name, names[i].length, 0, 0);

		ck_assert_ptr_nonnull(g);
		ck_assert_msg(by_is_encoded(&by, g) == names[i].is_good, "name %zu", i);
	}
	tally_free(&t);
}
END_TEST

START_TEST(folded_stacks_are_in_order)
{
	/* A name that is a prefix of another: its own line comes first, the longer one last. */
	struct flame_stack frames[] = {{.first_child = 1}, frame("t", false, 0),
		frame("b", true, 5), frame("b c", true, 7), frame("a_x", true, 1),
		frame("in", true, 2), frame("", true, 4), frame("t=", false, 0),
		frame("z", true, 9)};

	frames[1].first_child = 4;
	frames[2].first_child = 5;
	frames[3].first_child = 6;
	frames[7].first_child = 8;
	frames[1].next = 7;
	frames[4].next = 2;
	frames[2].next = 3;
	ck_assert_int_eq(flame_folded(&o, frames, &(uint64_t){0}), 0);
	ck_assert_str_eq(written(), "t;a_x 1\nt;b 5\nt;b c 7\nt;b c; 4\nt;b;in 2\nt=;z 9\n");
	frames[0].first_child = 0;
	ck_assert_int_eq(flame_folded(&o, frames, &(uint64_t){0}), 0);
	ck_assert_str_eq(written(), "");
}
END_TEST

START_TEST(svg_holds_no_name_unescaped)
{
	struct flame_frame frames[] = {
		{.name = "all", .name_len = 3, .first_child = 1, .total = 10},
		{.name = "<script>\"'&\x1b]]>",
			.name_len = 15,
			.kind = FLAME_TASK,
			.depth = 1,
			.total = 10,
			.cpi = NAN}};
	struct flame f = {.frames = frames,
		.count = 2,
		.unit = "cycles",
		.weight = "cycles",
		.host = "<h>",
		.range = "now"};

	flame_svg(&o, &f);
	out_char(&o, '\0');
	ck_assert_ptr_null(strstr(o.buf, "<script>\"'"));
	ck_assert_ptr_null(strstr(o.buf, "<h>"));
	ck_assert_ptr_null(strchr(o.buf, 0x1b));
	ck_assert_ptr_nonnull(strstr(o.buf, "&lt;script&gt;&quot;&#39;&amp;\\x1B]]&gt;"));
	ck_assert_ptr_null(strstr(o.buf, "href"));
}
END_TEST

START_TEST(files_appear_when_complete)
{
	char dir[] = "/tmp/cpidecode.XXXXXX", path[64], link[64];
	struct out file;
	struct stat st;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/report", dir);
	snprintf(link, sizeof link, "%s/link", dir);
	ck_assert_int_eq(out_open(&file, path), 0);
	out_str(&file, "first");
	ck_assert_int_ne(stat(path, &st), 0);
	ck_assert_int_eq(out_close(&file), 0);
	out_discard(&file);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_size, 5);
	/* Given up: the old one stays. Through a link: the link stays. */
	ck_assert_int_eq(symlink(path, link), 0);
	ck_assert_int_eq(out_open(&file, link), 0);
	out_discard(&file);
	ck_assert_int_eq(out_open(&file, link), 0);
	out_str(&file, "second");
	ck_assert_int_eq(out_close(&file), 0);
	out_discard(&file);
	ck_assert_int_eq(lstat(link, &st), 0);
	ck_assert(S_ISLNK(st.st_mode));
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_size, 6);
	unlink(link);
	unlink(path);
	ck_assert_int_eq(rmdir(dir), 0); /* no temporary file is left */
}
END_TEST

START_TEST(a_full_device_is_noticed)
{
	struct out file;
	struct stat st;

	if (!stat("/dev/full", &st) && S_ISCHR(st.st_mode)) {
		ck_assert_int_eq(out_open(&file, "/dev/full"), 0);
		for (int i = 0; i < 100000; i++)
			out_str(&file, "0123456789");
		ck_assert_int_eq(out_close(&file), -ENOSPC);
		out_discard(&file);
		ck_assert_int_eq(stat("/dev/full", &st), 0);
		ck_assert(S_ISCHR(st.st_mode));
	}
	ck_assert_int_lt(out_open(&file, "/nowhere/report"), 0);
	ck_assert_int_lt(out_open(&file, "/tmp"), 0);
}
END_TEST

int main(void)
{
	return suites_run(
		SUITE("decoder output", .set_up = setup, .tear_down = teardown,
			TESTS(fixed_numbers_round_as_printf_does, integers_reach_their_ends,
				numbers_are_written_as_printf_does, words_in_hexadecimal,
				doubles_read_back, csv_quotes_only_where_needed,
				csv_cells_and_lines, json_document,
				json_strings_escape_and_stay_utf8,
				text_never_reaches_a_terminal_raw, xml_frames_and_names_are_safe,
				times_absolute, times_local, times_relative, times_refused,
				durations_for_people, table_columns_line_up,
				ratios_are_of_sums_or_weighted, filters_select_matching_intervals,
				values_of_keys_are_checked, folded_stacks_are_in_order,
				svg_holds_no_name_unescaped, files_appear_when_complete,
				a_full_device_is_noticed)),
		NULL);
}
