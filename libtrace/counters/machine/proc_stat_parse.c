#include <string.h>

#include "../../../formats/base/number.h"
#include "proc_stat.h"

/* 18 digits: sums of all fields fit. */
#define PROC_STAT_MOST UINT64_C(999999999999999999)

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, FIELDS };

/* The number of fields: user, nice, system, idle, iowait, irq, softirq, steal. */
static int stat_parse_fields(const char *p, const char *end, uint64_t value[FIELDS])
{
	int n = 0;

	while (n < FIELDS && p < end) {
		if (*p != ' ')
			return n - 1; /* in the middle of a number */
		while (p < end && *p == ' ')
			p++;
		if (p == end)
			break;
		if (!number_scan(&p, end, 10, PROC_STAT_MOST, &value[n]))
			return n;
		n++;
	}
	return p < end && *p != ' ' ? n - 1 : n;
}

/* "cpu7 user nice system idle iowait ..." */
static bool stat_parse_line(const char *p, const char *end, struct stat_line *line)
{
	uint64_t cpu, value[FIELDS] = {0};
	int n;

	if (end - p < 4 || memcmp(p, "cpu", 3) != 0)
		return false;
	p += 3;
	if (!number_scan(&p, end, 10, PROC_STAT_MOST, &cpu) || cpu >= UINT32_MAX)
		return false;
	n = stat_parse_fields(p, end, value);
	if (n <= IOWAIT)
		return false;
	*line = (struct stat_line){.cpu = (uint32_t)cpu,
		.user = value[USER],
		.nice = value[NICE],
		.system = value[SYSTEM],
		.irq = value[IRQ],
		.softirq = value[SOFTIRQ],
		.idle = value[IDLE] + value[IOWAIT],
		.intr = value[IRQ] + value[SOFTIRQ],
		.steal = value[STEAL],
		.has_intr = n > SOFTIRQ,
		.has_steal = n > STEAL};
	return true;
}

bool stat_next(const char **p, const char *end, struct stat_line *line)
{
	while (*p < end) {
		const char *start = *p, *nl = memchr(start, '\n', (size_t)(end - start));

		if (!nl)
			break;
		*p = nl + 1;
		if (stat_parse_line(start, nl, line))
			return true;
		/* The lines after the processors may be long. */
		if (nl - start < 3 || memcmp(start, "cpu", 3) != 0)
			break;
	}
	*p = end;
	return false;
}
