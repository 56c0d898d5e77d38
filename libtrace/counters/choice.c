#include "choice.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/trace_file.h"
#include "../../include/perfutil.h"
#include "../core/clock.h"
#include "../core/file.h"
#include "machine/idle.h"
#include "machine/rate.h"
#include "thread/thread.h"

enum { SCRIPT_BYTES = 1024 * 1024 };

static int counter_choice_refuse(
	struct counter_choice *c, int rc, const char *value, const char *what)
{
	snprintf(c->trouble, sizeof c->trouble, "SWTRACE_COUNTERS=%.100s: %s", value, what);
	return rc;
}

static int load_script(struct counter_choice *c, const char *value, const char *file)
{
	char *text = malloc(SCRIPT_BYTES + 1);
	char what[128];
	const char *why;
	unsigned line;
	ssize_t n;
	int rc;

	if (!text)
		return counter_choice_refuse(c, PU_ERROR_NOT_ENOUGH_MEMORY, value, "out of memory");
	n = file_read_once(file, text, SCRIPT_BYTES + 1);
	if (n < 0) {
		rc = counter_choice_refuse(c, PU_ERR_FILE_ERROR, value, strerror(errno));
	} else if (n > SCRIPT_BYTES) {
		rc = counter_choice_refuse(
			c, PU_ERROR_INVALID_PARAMETER, value, "longer than 1 MiB");
	} else {
		rc = script_parse(text, (size_t)n, &c->script, &line, &why);
		if (rc) {
			snprintf(what, sizeof what, "line %u: %s", line, why);
			counter_choice_refuse(c, rc, value, what);
		}
	}
	free(text);
	return rc;
}

static int choose_kind(struct counter_choice *c, const char *value)
{
	static const char *const names[] = {[KIND_AUTO] = "auto",
		[KIND_SOFTWARE] = "software",
		[KIND_PERF] = "perf",
		[KIND_NONE] = "none"};
	static const char scripted[] = "scripted:";

	if (!value || !*value)
		return 0;
	for (int i = KIND_AUTO; i <= KIND_NONE; i++) {
		if (strcmp(value, names[i]) == 0) {
			c->asked = (enum counter_kind)i;
			return 0;
		}
	}
	if (strncmp(value, scripted, sizeof scripted - 1) == 0) {
		c->asked = KIND_SCRIPTED;
		return load_script(c, value, value + sizeof scripted - 1);
	}
	return counter_choice_refuse(c, PU_ERROR_INVALID_PARAMETER, value,
		"not auto, software, perf, none or scripted:FILE");
}

static void use_script(struct counter_choice *c)
{
	unsigned quantities = script_quantities(c->script);

	for (int q = 0; q < COUNTER_QUANTITIES; q++)
		if (quantities & COUNTER_BIT(q))
			c->from[q] = FROM_SCRIPT;
	if (quantities & COUNTER_BIT(COUNTER_BUSY))
		c->busy = CPI_SOURCE_SCRIPT;
	c->source = SHM_SOURCE_SCRIPTED;
}

static enum cpi_source idle_source(void)
{
	switch (idle_kind()) {
	case IDLE_TIMER_LIST:
		return CPI_SOURCE_TIMER_LIST;
	case IDLE_PROC_STAT:
		return CPI_SOURCE_PROC_STAT;
	default:
		return CPI_SOURCE_NONE;
	}
}

static void use_software(struct counter_choice *c)
{
	if (c->from[COUNTER_BUSY] == FROM_NOTHING && idle_source() != CPI_SOURCE_NONE) {
		c->from[COUNTER_BUSY] = FROM_IDLE;
		c->busy = idle_source();
	}
	/* Half a perf group is useless: both counts of a CPI must be of one kind. */
	if (c->asked != KIND_PERF && c->from[COUNTER_THREAD_CYCLES] == FROM_NOTHING &&
		rate_hz() != 0 && thread_time_ns() != NOT_MEASURED)
		c->from[COUNTER_THREAD_CYCLES] = FROM_THREAD_CLOCK;
	if (c->source == SHM_SOURCE_NONE)
		c->source = SHM_SOURCE_SOFTWARE;
}

/*
 * Reference cycles and mperf count at the rate of the time stamp counter, so that their
 * share of its ticks is the time that was not idle. A processor without such a clock counts
 * its own unhalted cycles, at whatever rate it runs: these are the scaled cycles themselves.
 */
static enum cpi_source busy_of_counters(const struct counters_pmu *pmu)
{
	if (pmu->taken)
		return CPI_SOURCE_NONE;
	if (clock_kind() == TF_CLOCK_TSC) {
		if (pmu->ref_cycles)
			return CPI_SOURCE_REF_CYCLES;
		return pmu->msr ? CPI_SOURCE_MPERF : CPI_SOURCE_NONE;
	}
	return pmu->cycles ? CPI_SOURCE_CYCLES : CPI_SOURCE_NONE;
}

static void use_perf(struct counter_choice *c)
{
	counters_probe_pmu(&c->pmu);
	if (c->pmu.cpu_wide)
		c->from[COUNTER_INSTRUCTIONS] = FROM_PERF;
	c->busy = busy_of_counters(&c->pmu);
	if (c->busy != CPI_SOURCE_NONE)
		c->from[COUNTER_BUSY] = FROM_PERF;
	c->busy_share_of_idle = c->busy == CPI_SOURCE_CYCLES && rate_hz() == 0;
	if (c->pmu.thread) {
		c->from[COUNTER_THREAD_INSTRUCTIONS] = FROM_PERF;
		c->from[COUNTER_THREAD_CYCLES] = FROM_PERF;
	}
	if (c->pmu.cpu_wide || c->pmu.thread || c->busy != CPI_SOURCE_NONE)
		c->source = SHM_SOURCE_PERF;
}

void counter_choose_for(struct counter_choice *c, const char *value)
{
	memset(c, 0, sizeof *c);
	c->rc = choose_kind(c, value);
	if (c->rc)
		return;
	c->switch_pages = c->asked == KIND_AUTO || c->asked == KIND_PERF;
	if (c->asked == KIND_SCRIPTED)
		use_script(c);
	if (c->asked == KIND_AUTO || c->asked == KIND_PERF)
		use_perf(c);
	if (c->asked == KIND_AUTO || c->asked == KIND_PERF || c->asked == KIND_SOFTWARE)
		use_software(c);
	for (int q = 0; q < COUNTER_QUANTITIES; q++) {
		c->of[c->from[q]] |= COUNTER_BIT(q);
		if (c->from[q] != FROM_NOTHING)
			c->measured |= COUNTER_BIT(q);
	}
	c->counted = c->of[FROM_PERF] | c->of[FROM_IDLE];
	if (c->busy_share_of_idle)
		c->counted |= COUNTER_BIT(COUNTER_BUSY);
	if (c->script)
		c->counted = ~0u;
	if (!c->measured && c->source == SHM_SOURCE_SOFTWARE)
		c->source = SHM_SOURCE_NONE;
}

static struct counter_choice choice;
static pthread_once_t counter_choice_once = PTHREAD_ONCE_INIT;
/* Set once the choice is made, so that reading counters needs no call to check it. */
static _Atomic bool chosen;

static void choice_choose_sources(void)
{
	counter_choose_for(&choice, secure_getenv("SWTRACE_COUNTERS"));
	chosen = true;
}

const struct counter_choice *counter_choice(void)
{
	if (!chosen)
		pthread_once(&counter_choice_once, choice_choose_sources);
	return &choice;
}

uint32_t counter_choice_flags(const struct counter_choice *c)
{
	bool perf = c->source == SHM_SOURCE_PERF;
	uint32_t flags = c->measured | (uint32_t)c->busy << COUNTER_FLAG_BUSY_SHIFT;

	if (perf && c->pmu.thread && c->pmu.user_only)
		flags |= COUNTER_FLAG_USER_ONLY;
	if (perf && c->pmu.core_types > 1)
		flags |= COUNTER_FLAG_CORE_TYPES;
	return flags;
}
