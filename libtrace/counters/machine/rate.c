#include "rate.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/number.h"
#include "../../../formats/base/time_ns.h"
#include "../../../formats/trace_file.h"
#include "../../core/clock.h"
#include "../../core/file.h"
#include "../sample.h"

static pthread_once_t rate_once = PTHREAD_ONCE_INIT;
/* Set once the rates are known, so that using them needs no call to check it. */
static _Atomic bool found;
static uint64_t hz, tick_hz;
static uint64_t ns_per_tick; /* 2^NS_SHIFT times; a division is slower than a read of the clock */

enum { NS_SHIFT = 40 };
static bool ticks_are_cycles;

uint64_t rate_scale(uint64_t value, uint64_t mul, uint64_t div)
{
	unsigned __int128 v;

	if (div == 0)
		return NOT_MEASURED;
	v = ((unsigned __int128)value * mul + div / 2) / div;
	return v < NOT_MEASURED ? (uint64_t)v : NOT_MEASURED - 1;
}

uint64_t rate_parse_hz(const char *text)
{
	uint64_t v;

	if (!number_scan(&text, text + strlen(text), 10, 1000000000000u, &v) ||
		(*text && *text != '\n'))
		return 0;
	return v >= 1000000u ? v : 0;
}

static uint64_t rate_read_sysfs_hz(const char *path, const char *zeros)
{
	char text[40];
	ssize_t n = file_read_once(path, text, 20);
	size_t digits;

	if (n <= 0)
		return 0;
	text[n] = 0;
	digits = number_count_digits(text, 10);
	memcpy(text + digits, zeros, strlen(zeros) + 1);
	return rate_parse_hz(text);
}

uint64_t rate_said_hz(void)
{
	const char *said = secure_getenv("SWTRACE_CPU_HZ");

	return said ? rate_parse_hz(said) : 0;
}

static void rate_find_hz(void)
{
	tick_hz = clock_ticks_per_second();
	ns_per_tick = (uint64_t)(((unsigned __int128)TIME_SECOND_NS << NS_SHIFT) / tick_hz);
	if (clock_kind() == TF_CLOCK_TSC) {
		ticks_are_cycles = true;
		hz = tick_hz;
		return;
	}
	hz = rate_said_hz();
	if (hz == 0) /* MHz */
		hz = rate_read_sysfs_hz(
			"/sys/devices/system/cpu/cpu0/acpi_cppc/nominal_freq", "000000");
	if (hz == 0) /* kHz */
		hz = rate_read_sysfs_hz(
			"/sys/devices/system/cpu/cpu0/cpufreq/base_frequency", "000");
}

static void rate_find_once(void)
{
	rate_find_hz();
	found = true;
}

static void rate_ready(void)
{
	if (!found)
		pthread_once(&rate_once, rate_find_once);
}

uint64_t rate_hz(void)
{
	rate_ready();
	return hz;
}

uint64_t rate_cycles_of_ticks(uint64_t ticks)
{
	if (rate_hz() == 0)
		return NOT_MEASURED;
	return ticks_are_cycles ? ticks : rate_scale(ticks, hz, tick_hz);
}

uint64_t rate_ns_of_ticks(uint64_t ticks)
{
	rate_ready();
	return (uint64_t)((unsigned __int128)ticks * ns_per_tick >> NS_SHIFT);
}

uint64_t rate_cycles_of_ns(uint64_t ns)
{
	return rate_hz() == 0 ? NOT_MEASURED : rate_scale(ns, hz, TIME_SECOND_NS);
}
