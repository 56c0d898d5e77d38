#include "clock_trust.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "../../formats/base/number.h"
#include "../../formats/trace_file.h"
#include "../../include/perfutil.h"
#include "clock.h"
#include "file.h"

#define SOURCES "/sys/devices/system/clocksource/clocksource0/"

/* --------------------------------------------------------- what the kernel says */

static void clock_read_sources(struct clock_sources *s)
{
	int saved_errno = errno;

	file_read_line(SOURCES "current_clocksource", s->current, sizeof s->current);
	file_read_line(SOURCES "available_clocksource", s->available, sizeof s->available);
	errno = saved_errno;
}

static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; (p = strstr(p, word)) != NULL; p += n) {
		if ((p == list || p[-1] == ' ') && (p[n] == ' ' || p[n] == 0))
			return true;
	}
	return false;
}

/*
 * The kernel compares the TSCs of all processors when these come up and the TSC with another
 * clock while it runs. A TSC that fails is withdrawn from the list of available sources, never
 * to return; so one in the list is good, whichever source is current (in a guest often kvm-clock,
 * xen or acpi_pm by choice). "tsc-early" is the TSC in the first seconds after boot.
 *
 * A paravirtual source that reads the TSC proves less: kvm-clock and xen have a scale and an
 * offset for each processor, so as to correct TSCs that differ. They do not count where "tsc" is
 * not in the list. Hyper-V's page is one for all processors: their TSCs agree.
 *
 * Where /sys is not mounted the kernel cannot be asked, and CPUID decides.
 */
enum clock_trust clock_judge_tsc(bool invariant, const struct clock_sources *s)
{
	static const char *const good[] = {"tsc", "tsc-early"};

	if (!invariant)
		return CLOCK_DISTRUST_RATE;
	if (!s->current[0] && !s->available[0])
		return CLOCK_TRUST_CPUID;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		if (strcmp(s->current, good[i]) == 0 || has_word(s->available, good[i]))
			return CLOCK_TRUST_KERNEL;
	}
	return strcmp(s->current, "hyperv_clocksource_tsc_page") == 0 ? CLOCK_TRUST_KERNEL
								      : CLOCK_DISTRUST_WITHDRAWN;
}

#if defined(__x86_64__)
/* Invariant TSC: constant rate, not stopped by idle states. */
static bool tsc_invariant(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
}
#endif

enum clock_trust clock_trust_now(struct clock_sources *s)
{
	clock_read_sources(s);
#if defined(__x86_64__)
	return clock_judge_tsc(tsc_invariant(), s);
#elif defined(__aarch64__)
	return CLOCK_TRUST_ARCHITECTURE;
#else
	return CLOCK_DISTRUST_NO_COUNTER;
#endif
}

/* --------------------------------------------------------------- time namespaces */

/* The link reads "time:[INODE]". */
uint64_t clock_time_namespace(void)
{
	int saved_errno = errno;
	char link[48];
	const char *p = link + 6;
	uint64_t inode;
	ssize_t n = readlink("/proc/self/ns/time", link, sizeof link - 1);

	errno = saved_errno;
	link[n > 0 ? n : 0] = 0;
	if (strncmp(link, "time:[", 6) != 0)
		return 0;
	return number_scan(&p, link + sizeof link, 10, UINT64_MAX, &inode) ? inode : 0;
}

bool clock_is_same_time(uint64_t time_namespace)
{
	uint64_t own = time_namespace ? clock_time_namespace() : 0;

	return own == 0 || own == time_namespace;
}

int clock_fits_session(uint32_t kind, uint64_t time_namespace)
{
	if (kind != clock_kind())
		return PU_ERROR_NOT_SUPPORTED;
	if (kind == TF_CLOCK_MONOTONIC_RAW && !clock_is_same_time(time_namespace))
		return PU_ERROR_INCOMPATIBLE_OPTIONS;
	return 0;
}
