#include "frequency.h"

#include <stdatomic.h>
#include <stdio.h>

#include "../../../formats/base/text.h"
#include "../../core/file.h"
#include "rate.h"
#include "../sample.h"

/* The most accurate first. */
static const char *const files[] = {"cpuinfo_avg_freq", "scaling_cur_freq", "cpuinfo_cur_freq"};
enum { FILES = sizeof files / sizeof *files, FROM_ENVIRONMENT = FILES };

static _Atomic unsigned used; /* a bit a file, and FROM_ENVIRONMENT */

static uint64_t frequency_note_source(unsigned source, uint64_t hz)
{
	atomic_fetch_or_explicit(&used, 1u << source, memory_order_relaxed);
	return hz;
}

/* kHz; 0: no such file, or currently unknown. */
static uint64_t read_khz(uint32_t cpu, const char *name)
{
	char path[256];
	int64_t khz;

	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpufreq/%s", cpu, name);
	return file_read_number(path, &khz) && khz > 0 ? (uint64_t)khz : 0;
}

uint64_t frequency_of(uint32_t cpu)
{
	uint64_t hz = 0;
	unsigned file = 0;

	while (file < FILES && (hz = read_khz(cpu, files[file])) == 0)
		file++;
	/* From 1 MHz to 1 THz. */
	if (hz >= 1000 && hz <= 1000000000)
		return frequency_note_source(file, hz * 1000);
	hz = rate_said_hz();
	return hz ? frequency_note_source(FROM_ENVIRONMENT, hz) : NOT_MEASURED;
}

void frequency_sources(char *text, size_t size)
{
	const unsigned now = atomic_load_explicit(&used, memory_order_relaxed);
	const char *between = "";

	*text = 0;
	for (unsigned i = 0; i <= FROM_ENVIRONMENT; i++) {
		if (!(now >> i & 1))
			continue;
		text_append(text, size, "%s%s%s", between,
			i == FROM_ENVIRONMENT ? "environment (SWTRACE_CPU_HZ)" : "cpufreq/",
			i == FROM_ENVIRONMENT ? "" : files[i]);
		between = " + ";
	}
}
