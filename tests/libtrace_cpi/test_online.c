#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../include/perfutil.h"
#include "../../libtrace/core/file.h"
#include "../../libtrace/core/online.h"
#include "../../libtrace/counters/machine/rate.h"
#include "../../libtrace/counters/source.h"
#include "suites.h"

static const struct {
	const char *text;
	uint32_t end, members;
} good[] = {
	{"0", 1, 1},
	{"0\n", 1, 1},
	{"0-3\n", 4, 4},
	{"0,2-3,7\n", 8, 4},
	{"5", 6, 1},
	{"63-64", 65, 2},
	{"0-1023", 1024, 1024},
	{"0-4095", 1024, 1024},
	{"3,1,2", 4, 3},
	{"1,1,1", 2, 1},
	{"7,5000", 8, 1},
};

START_TEST(cpu_lists_are_parsed)
{
	struct cpu_set set;
	uint32_t members = 0;

	ck_assert(cpu_set_parse(&set, good[_i].text, strlen(good[_i].text)));
	ck_assert_uint_eq(set.end, good[_i].end);
	for (uint32_t cpu = 0; cpu < 2048; cpu++)
		members += cpu_set_has(&set, cpu);
	ck_assert_uint_eq(members, good[_i].members);
}
END_TEST

static const char *const bad[] = {"", "\n", "-", "-1", "0-", "1-0", "0,", ",0", "0,,1", "a", "0 1",
	"0-1-2", "0\n1", "0\n\n", "1x", "99999999999999999999", "0-99999999999", "5000", "+1",
	"0x1", "0-3,\n", " 0"};

START_TEST(not_lists)
{
	struct cpu_set set;

	ck_assert(!cpu_set_parse(&set, bad[_i], strlen(bad[_i])));
	ck_assert_uint_eq(set.end, 0);
	for (uint32_t cpu = 0; cpu < 1024; cpu++)
		ck_assert(!cpu_set_has(&set, cpu));
}
END_TEST

START_TEST(this_machine)
{
	int n = GetActiveProcessorCount();

	ck_assert_int_ge(n, (int)sysconf(_SC_NPROCESSORS_ONLN));
	ck_assert_int_le(n, MAX_CPUS);
	ck_assert_uint_ge(cpus_possible(), (uint32_t)n);
	ck_assert_uint_le(cpus_possible(), MAX_CPUS);
}
END_TEST

/* A daemon that closes everything, and whose next file gets our number, and holds one. */
START_TEST(descriptor_closed)
{
	const int high = file_high_descriptor();
	int n = GetActiveProcessorCount();
	FILE *other;

	for (int fd = 3; fd < high + 64; fd++)
		close(fd);
	ck_assert_int_eq(GetActiveProcessorCount(), n);
	other = tmpfile();
	fputs("812\n", other);
	fflush(other);
	for (int i = 0; i < 8; i++) {
		ck_assert_int_ge(dup(fileno(other)), 0);
		ck_assert_int_ge(dup2(fileno(other), high + i), 0);
	}
	ck_assert_int_eq(GetActiveProcessorCount(), n);
}
END_TEST

static const struct {
	const char *text;
	uint64_t hz;
} rates[] = {
	{"2700000000", 2700000000u},
	{"1000000\n", 1000000},
	{"1000000000000", 1000000000000u},
	{"999999", 0},
	{"1000000000001", 0},
	{"99999999999999999999999", 0},
	{"", 0},
	{"-1", 0},
	{"2.7e9", 0},
	{"2700000000 ", 0},
	{"2700 MHz", 0},
};

START_TEST(rates_are_parsed_in_hertz)
{
	ck_assert_uint_eq(rate_parse_hz(rates[_i].text), rates[_i].hz);
}
END_TEST

START_TEST(scaling_saturates)
{
	ck_assert_uint_eq(rate_scale(10, 3, 2), 15);
	ck_assert_uint_eq(rate_scale(1, 1, 2), 1);
	ck_assert_uint_eq(rate_scale(1, 1, 3), 0);
	ck_assert_uint_eq(rate_scale(UINT64_MAX - 5, 7, 7), UINT64_MAX - 5);
	ck_assert_uint_eq(rate_scale(UINT64_MAX - 5, 8, 7), NOT_MEASURED - 1);
	ck_assert_uint_eq(rate_scale(5, 5, 0), NOT_MEASURED);
}
END_TEST

Suite *online_suite(void)
{
	return SUITE("online", TESTS(this_machine, descriptor_closed, scaling_saturates),
		LOOPS({cpu_lists_are_parsed, 0, sizeof good / sizeof *good},
			{not_lists, 0, sizeof bad / sizeof *bad},
			{rates_are_parsed_in_hertz, 0, sizeof rates / sizeof *rates}));
}
