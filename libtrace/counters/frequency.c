#include "frequency.h"

#include <stdio.h>
#include <stdlib.h>

#include "file.h"
#include "rate.h"
#include "source.h"

static const char *root = "/sys";

void frequency_look_in(const char *sysfs)
{
	root = sysfs;
}

/* kHz; 0: not there, or it does not know just now. */
static uint64_t read_khz(uint32_t cpu, const char *name)
{
	char path[256], text[24];
	ssize_t n;

	snprintf(path, sizeof path, "%s/devices/system/cpu/cpu%u/cpufreq/%s", root, cpu, name);
	n = file_read_once(path, text, sizeof text - 1);
	if (n <= 0)
		return 0;
	text[n] = 0;
	return strtoull(text, NULL, 10);
}

uint64_t frequency_of(uint32_t cpu)
{
	static const char *const name[] = {
		"cpuinfo_avg_freq", "scaling_cur_freq", "cpuinfo_cur_freq"};
	uint64_t hz = 0;

	for (size_t i = 0; i < sizeof name / sizeof *name && hz == 0; i++)
		hz = read_khz(cpu, name[i]);
	/* From 1 MHz to 1 THz. */
	if (hz >= 1000 && hz <= 1000000000)
		return hz * 1000;
	hz = rate_said_hz();
	return hz ? hz : CPI_NONE;
}
