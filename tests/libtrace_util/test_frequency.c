/* The actual frequency of a processor, as a made-up /sys tells it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../libtrace/counters/machine/frequency.h"
#include "../../libtrace/counters/source.h"
#include "made_up_sysfs.h"
#include "util_suites.h"

bool __real_file_read_number(const char *path, int64_t *value);
bool __wrap_file_read_number(const char *path, int64_t *value);

/* Frequencies come from the made-up /sys. */
bool __wrap_file_read_number(const char *path, int64_t *value)
{
	char below[256];

	if (!strstr(path, "/cpufreq/"))
		return __real_file_read_number(path, value);
	snprintf(below, sizeof below, "%s%s", sysfs_root(), path + strlen("/sys"));
	return __real_file_read_number(below, value);
}

static void set_up(void)
{
	unsetenv("SWTRACE_CPU_HZ");
}

static void put_cpufreq(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof path, "devices/system/cpu/cpu1/cpufreq/%s", name);
	sysfs_put_below_root(path, text);
}

START_TEST(an_unknown_frequency_is_not_measured)
{
	ck_assert_uint_eq(frequency_of(1), NOT_MEASURED);
	put_cpufreq("scaling_cur_freq", "2000000\n");
	ck_assert_uint_eq(frequency_of(0), NOT_MEASURED);
	ck_assert_uint_eq(frequency_of(11), NOT_MEASURED);
	ck_assert_uint_eq(frequency_of(UINT32_MAX), NOT_MEASURED);
}
END_TEST

START_TEST(the_nearest_to_the_truth)
{
	put_cpufreq("cpuinfo_cur_freq", "1000000\n");
	ck_assert_uint_eq(frequency_of(1), 1000000000);
	put_cpufreq("scaling_cur_freq", "2000000\n");
	ck_assert_uint_eq(frequency_of(1), 2000000000);
	put_cpufreq("cpuinfo_avg_freq", "2345678\n");
	ck_assert_uint_eq(frequency_of(1), 2345678000);
}
END_TEST

static void sources_are(const char *expected)
{
	char text[128];

	frequency_sources(text, sizeof text);
	ck_assert_str_eq(text, expected);
}

/* Lists the sources used, not those available. */
START_TEST(each_source_of_frequencies_is_named)
{
	sources_are("");
	frequency_of(1);
	sources_are("");
	setenv("SWTRACE_CPU_HZ", "1500000000", 1);
	frequency_of(1);
	sources_are("environment (SWTRACE_CPU_HZ)");
	put_cpufreq("scaling_cur_freq", "2000000\n");
	frequency_of(1);
	sources_are("cpufreq/scaling_cur_freq + environment (SWTRACE_CPU_HZ)");
}
END_TEST

START_TEST(source_of_the_kernel)
{
	setenv("SWTRACE_CPU_HZ", "1500000000", 1);
	put_cpufreq("cpuinfo_cur_freq", "2000000\n");
	frequency_of(1);
	sources_are("cpufreq/cpuinfo_cur_freq");
}
END_TEST

/* The environment's value is for machines whose kernel has none. */
START_TEST(cpufreq_precedes_the_environment)
{
	setenv("SWTRACE_CPU_HZ", "1500000000", 1);
	ck_assert_uint_eq(frequency_of(1), 1500000000);
	put_cpufreq("scaling_cur_freq", "2000000\n");
	ck_assert_uint_eq(frequency_of(1), 2000000000);
	setenv("SWTRACE_CPU_HZ", "fast", 1);
	ck_assert_uint_eq(frequency_of(0), NOT_MEASURED);
}
END_TEST

static const char *const no_frequencies[] = {"", "\n", "<unknown>\n", "0\n", "-5\n", "999\n",
	"1000000001\n", "99999999999999999999999\n"};

START_TEST(no_frequency)
{
	put_cpufreq("scaling_cur_freq", no_frequencies[_i]);
	ck_assert_uint_eq(frequency_of(1), NOT_MEASURED);
}
END_TEST

Suite *frequency_suite(void)
{
	return SUITE("frequency", .set_up = set_up,
		TESTS(an_unknown_frequency_is_not_measured, the_nearest_to_the_truth,
			cpufreq_precedes_the_environment, each_source_of_frequencies_is_named,
			source_of_the_kernel),
		LOOPS({no_frequency, 0, sizeof no_frequencies / sizeof *no_frequencies}));
}
