/* Numbers, decimals and quantities with units. */
#include <string.h>

#include "../../formats/base/number.h"
#include "../../formats/base/quantity.h"
#include "../lib/suites.h"

START_TEST(numbers_end_where_their_digits_end)
{
	static const struct {
		const char *text;
		uint64_t most, value;
		size_t length; /* 0: refused */
	} cases[] = {{"0", 0, 0, 1}, {"1", 0, 0, 0}, {"007x", 7, 7, 3}, {"", 9, 0, 0},
		{"x", 9, 0, 0}, {"-1", 9, 0, 0}, {" 1", 9, 0, 0}, {"0x1F,", 31, 31, 4},
		{"0X1f", 30, 0, 0}, {"0x", 9, 0, 0}, {"0xg", 9, 0, 0}, {"1f", 31, 1, 1},
		{"18446744073709551615", UINT64_MAX, UINT64_MAX, 20},
		{"18446744073709551616", UINT64_MAX, 0, 0},
		{"0xffffffffffffffff", UINT64_MAX, UINT64_MAX, 18},
		{"0x10000000000000000", UINT64_MAX, 0, 0}};
	uint64_t value;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *p = cases[i].text, *end = p + strlen(p);
		bool found = number_scan_prefixed(&p, end, cases[i].most, &value);

		ck_assert_msg(found == (cases[i].length != 0), "'%s'", cases[i].text);
		if (found) {
			ck_assert_uint_eq(value, cases[i].value);
			ck_assert_uint_eq(p - cases[i].text, cases[i].length);
		}
	}
	ck_assert_uint_eq(number_count_digits("12aF.", 10), 2);
	ck_assert_uint_eq(number_count_digits("12aF.", 16), 4);
	ck_assert_uint_eq(number_count_digits("", 16), 0);
	/* The end given ends it, too. */
	const char *p = "123";
	ck_assert(number_scan(&p, p + 2, 10, 99, &value));
	ck_assert_uint_eq(value, 12);
}
END_TEST

START_TEST(decimals_are_exact)
{
	static const struct {
		const char *text;
		uint64_t unit, most, value;
		bool is_strict, is_good;
	} cases[] = {{"1.25", 100, 999, 125, true, true}, {"1.259", 100, 999, 125, true, true},
		{"9.99", 100, 999, 999, true, true}, {"9.99", 100, 998, 0, true, false},
		{"10", 100, 999, 0, true, false}, {"1.", 100, 999, 0, true, false},
		{".5", 100, 999, 0, true, false}, {"1.", 100, 999, 100, false, true},
		{".5", 100, 999, 50, false, true}, {".", 100, 999, 0, false, false},
		{"", 100, 999, 0, false, false}, {"0.00000000009", 60000000000, 99, 5, true, true},
		{"0.33333333333333333333333", 1000000000, 1000000000, 333333333, true, true},
		{"18446744073709551615", 1, UINT64_MAX, UINT64_MAX, true, true}};
	uint64_t value;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *p = cases[i].text, *end = p + strlen(p);
		bool good = quantity_scan_decimal(&p, end,
			cases[i].is_strict ? QUANTITY_WHOLE_POINT : 0, cases[i].unit, cases[i].most,
			&value);

		ck_assert_msg(good == cases[i].is_good, "case %zu: '%s'", i, cases[i].text);
		if (good) {
			ck_assert_uint_eq(value, cases[i].value);
			ck_assert_ptr_eq(p, end);
		}
	}
}
END_TEST

START_TEST(durations_have_units)
{
	enum { SECONDS = QUANTITY_BARE_SECONDS, ANY = QUANTITY_ANY_CASE };
	static const struct {
		const char *text;
		unsigned form;
		uint64_t ns; /* UINT64_MAX: refused */
	} cases[] = {{"1.5s", 0, 1500000000}, {"7ns", 0, 7}, {"2us", 0, 2000}, {"3ms", 0, 3000000},
		{"1m", 0, 60000000000}, {"0.5h", 0, 1800000000000}, {"2", SECONDS, 2000000000},
		{"2", 0, UINT64_MAX}, {"", SECONDS, UINT64_MAX}, {"s", SECONDS, UINT64_MAX},
		{"1MS", ANY, 1000000}, {"1MS", 0, UINT64_MAX}, {"1 s", 0, 1000000000},
		{"1 ", SECONDS, UINT64_MAX}, {" 1s", 0, UINT64_MAX}, {"1.2.3s", 0, UINT64_MAX},
		{"1d", 0, UINT64_MAX}, {"1sx", 0, UINT64_MAX}, {"-1s", 0, UINT64_MAX},
		{"9223372036s", 0, 9223372036000000000},
		{"1.5D", ANY | QUANTITY_DAYS, 129600000000000}, {"9223372037s", 0, UINT64_MAX},
		{"99999999999999999999h", 0, UINT64_MAX}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t ns = 0;
		bool good = quantity_parse_duration(
			cases[i].text, strlen(cases[i].text), cases[i].form, INT64_MAX, &ns);

		ck_assert_msg(good == (cases[i].ns != UINT64_MAX), "case %zu", i);
		if (good)
			ck_assert_uint_eq(ns, cases[i].ns);
	}
}
END_TEST

START_TEST(sizes_are_of_1024)
{
	static const struct {
		const char *text;
		unsigned form;
		uint64_t bytes; /* UINT64_MAX: refused */
	} cases[] = {{"0", 0, 0}, {"12", 0, 12}, {"1K", 0, 1024}, {"3M", 0, 3 << 20},
		{"2G", 0, 2ull << 30}, {"2g", 0, UINT64_MAX}, {"2g", QUANTITY_ANY_CASE, 2ull << 30},
		{"", 0, UINT64_MAX}, {"K", 0, UINT64_MAX}, {"1KB", 0, UINT64_MAX},
		{"1.5K", 0, UINT64_MAX}, {"1T", 0, UINT64_MAX}, {"-1", 0, UINT64_MAX},
		{"9007199254740991K", 0, 9223372036854774784}, {"9007199254740992K", 0, UINT64_MAX},
		{"9223372036854775807", 0, INT64_MAX}, {"9223372036854775808", 0, UINT64_MAX}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t bytes = 0;
		bool good = quantity_parse_size(cases[i].text, cases[i].form, INT64_MAX, &bytes);

		ck_assert_msg(good == (cases[i].bytes != UINT64_MAX), "case %zu", i);
		if (good)
			ck_assert_uint_eq(bytes, cases[i].bytes);
	}
}
END_TEST

START_TEST(prefixes_keep_values_below_1000)
{
	static const struct {
		double value, scaled;
		const char *prefix;
	} cases[] = {{0, 0, ""}, {999.9, 999.9, ""}, {999.95, 0.99995, "k"}, {1e6, 1, "M"},
		{2.5e18, 2.5, "E"}, {1e24, 1e6, "E"}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		double value = cases[i].value;

		ck_assert_str_eq(quantity_scale(&value), cases[i].prefix);
		ck_assert_double_eq_tol(value, cases[i].scaled, 1e-9 * (cases[i].scaled + 1));
	}
}
END_TEST

int main(void)
{
	return suites_run(SUITE("number", .timeout = 60,
				  TESTS(numbers_end_where_their_digits_end, decimals_are_exact,
					  durations_have_units, sizes_are_of_1024,
					  prefixes_keep_values_below_1000)),
		NULL);
}
