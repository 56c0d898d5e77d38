/*
 * Instances of CPU utilisation: the public functions.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/time_ns.h"
#include "../../../formats/cpuutil_hooks.h"
#include "../../../include/perfutil.h"
#include "../../counters/machine/proc_stat.h"
#include "../../counters/source.h"
#include "../../counters/usage/usage.h"
#include "../../core/handle.h"
#include "../cpi/announce.h"
#include "../../session/attach.h"
#include "figures.h"
#include "group.h"
#include "sampling.h"

#define KNOWN_FLAGS ((UINT32)CPUUTIL_TRACE_EVERYTHING)

/* One allocation: the arrays that these pointers refer to follow the structure. */
struct cpu_util {
	UINT32 mode;
	struct counter_sample *start, *now;
	uint64_t start_ticks; /* where the elapsed time begins */
	struct counter_interval *interval;
	struct usage_carry *carry; /* of the samples of CpuUtilSample */
	UINT32 mm;
	char *label; /* of CpuUtilGet's hooks, or NULL */
	CPUUTIL_DATA data;
};

static struct cpu_util *cpu_util_new_instance(UINT32 mode)
{
	const uint32_t room = counters_room();
	const size_t own = counters_align_size(sizeof(struct cpu_util));
	const size_t sample = counters_sample_size(room);
	const size_t interval = counters_interval_size(room);
	const size_t carry = room * sizeof(struct usage_carry);
	char *p = calloc(1, own + 2 * sample + interval + carry);
	struct cpu_util *u = (struct cpu_util *)(void *)p;

	if (!u)
		return NULL;
	u->mode = mode;
	u->start = (struct counter_sample *)(void *)(p + own);
	u->now = (struct counter_sample *)(void *)(p + own + sample);
	u->interval = (struct counter_interval *)(void *)(p + own + 2 * sample);
	u->carry = (struct usage_carry *)(void *)(p + own + 2 * sample + interval);
	u->start->room = u->now->room = room;
	u->mm = CPUUTIL_TRACE_MINOR_CODE;
	util_clear(&u->data);
	return u;
}

/* The session's rings first, as attaching to them may cost milliseconds. */
static void cpu_util_start_interval(struct cpu_util *u)
{
	attach_discover();
	attach_ready(CPUUTIL_MAJOR);
	usage_read(u->start);
	u->start_ticks = u->start->ticks;
}

static int cpu_util_make_instance(UINT32 mode, void **handle)
{
	struct cpu_util *u;
	int rc = usage_hold();

	if (rc)
		return rc;
	u = cpu_util_new_instance(mode);
	*handle = u ? handle_new(HANDLE_CPU_UTIL, u) : NULL;
	if (!*handle) {
		free(u);
		usage_drop();
		return PU_ERROR_NOT_ENOUGH_MEMORY;
	}
	cpu_util_start_interval(u);
	return PU_SUCCESS;
}

int CpuUtilInit(UINT32 trace_mode, void **handle)
{
	int saved = errno, rc;

	if (!handle)
		return PU_ERR_NULL_PTR;
	if (trace_mode & ~KNOWN_FLAGS)
		return PU_ERROR_INVALID_PARAMETER;
	rc = counters_choose();
	if (rc == PU_SUCCESS && usage_choice()->method == AI_METHOD_NONE)
		rc = PU_ERROR_NOT_SUPPORTED;
	if (rc == PU_SUCCESS) {
		instance_announce_source();
		attach_discover();
		attach_refresh_name();
		rc = cpu_util_make_instance(trace_mode, handle);
	}
	errno = saved;
	return rc;
}

/* The instance, or NULL and *rc says why. */
static struct cpu_util *cpu_util_find_instance(void *handle, int *rc)
{
	struct cpu_util *u = handle_find(HANDLE_CPU_UTIL, handle);

	*rc = u ? PU_SUCCESS : handle_error(handle);
	return u;
}

int CpuUtilTerminate(void *handle)
{
	struct cpu_util *u = handle_end(HANDLE_CPU_UTIL, handle);

	if (!u)
		return handle_error(handle);
	usage_drop();
	free(u->label);
	free(u);
	return PU_SUCCESS;
}

int CpuUtilStart(void *handle)
{
	int saved = errno, rc;
	struct cpu_util *u = cpu_util_find_instance(handle, &rc);

	if (u)
		cpu_util_start_interval(u);
	errno = saved;
	return rc;
}

/* ------------------------------------------------------------------------------- getting */

/* The hooks that a Get writes. */
struct trace {
	UINT32 types; /* CPUUTIL_TRACE_ flags */
	UINT32 mm;
	const char *label;
};

static int cpu_util_write_group(struct cpu_util *u, const struct trace *t, uint64_t *elapsed)
{
	const struct util_spec spec = {
		.summary = (t->types & CPUUTIL_TRACE_SUMMARY) != 0,
		.detailed = (t->types & CPUUTIL_TRACE_DETAILED) != 0,
		.mm = t->mm,
		.label = t->label,
		.start_ticks = u->start_ticks,
	};

	return util_group_write(&spec, u->interval, elapsed);
}

/* t: types 0 to write nothing. data: whether the caller wants CPUUTIL_DATA. carry: see
 * usage_difference. */
static int cpu_util_get_interval(
	struct cpu_util *u, const struct trace *t, bool data, struct usage_carry *carry)
{
	int saved = errno, rc = PU_SUCCESS;
	bool write = t->types && attach_wants(CPUUTIL_MAJOR);
	uint64_t elapsed;

	if (!write && !data)
		return PU_SUCCESS;
	usage_read(u->now);
	usage_difference(u->start, u->now, u->interval, carry);
	elapsed = u->now->ticks > u->start_ticks ? u->now->ticks - u->start_ticks : 0;
	if (write)
		rc = cpu_util_write_group(u, t, &elapsed);
	if (data) {
		util_fill(&u->data, u->interval);
		u->data.elapsed_cycles = elapsed;
	}
	errno = saved;
	return rc;
}

int CpuUtilGet(void *handle, const CPUUTIL_DATA **data)
{
	int rc;
	struct cpu_util *u = cpu_util_find_instance(handle, &rc);

	if (!u)
		return rc;
	if (!data)
		return PU_ERR_NULL_PTR;

	const struct trace t = {u->mode, u->mm, u->label};

	rc = cpu_util_get_interval(u, &t, true, NULL);
	*data = &u->data;
	return rc;
}

int CpuUtilGetAndTrace(void *handle, int minor_code, UINT32 trace_mode, const char *label,
	const CPUUTIL_DATA **data)
{
	int rc;
	struct cpu_util *u = cpu_util_find_instance(handle, &rc);

	if (!u)
		return rc;
	if (minor_code < 0 || minor_code > (int)CPUUTIL_MINOR_MM || trace_mode & ~KNOWN_FLAGS)
		return PU_ERROR_INVALID_PARAMETER;

	const struct trace t = {
		trace_mode ? trace_mode : CPUUTIL_TRACE_SUMMARY, (UINT32)minor_code, label};

	rc = cpu_util_get_interval(u, &t, data != NULL, NULL);
	if (data)
		*data = &u->data;
	return rc;
}

int CpuUtilSetTraceHookId(void *handle, int minor_code, const char *label)
{
	int rc;
	struct cpu_util *u = cpu_util_find_instance(handle, &rc);
	char *copy = NULL;

	if (!u)
		return rc;
	if (minor_code < 0 || minor_code > (int)CPUUTIL_MINOR_MM)
		return PU_ERROR_INVALID_PARAMETER;
	if (label) {
		copy = strdup(label);
		if (!copy)
			return PU_ERROR_NOT_ENOUGH_MEMORY;
	}
	free(u->label);
	u->label = copy;
	u->mm = (UINT32)minor_code;
	return PU_SUCCESS;
}

/* ------------------------------------------------------------------------------ sampling */

/* The next interval begins where this one ended, also in the trace. */
static void cpu_util_advance_start(struct cpu_util *u)
{
	struct counter_sample *now = u->now;

	u->start_ticks += u->data.elapsed_cycles;
	u->now = u->start;
	u->start = now;
}

/* The kernel's accounts advance in steps: time that a step moves out of one interval is carried
 * into the next. Not for periods near the step's own length. */
static struct usage_carry *cpu_util_begin_row(struct cpu_util *u, uint64_t period)
{
	memset(u->carry, 0, u->now->room * sizeof *u->carry);
	cpu_util_start_interval(u);
	return period >= 2 * stat_resolution() ? u->carry : NULL;
}

int CpuUtilSample(void *handle, UINT32 period_ms,
	int (*sampled)(const CPUUTIL_DATA *data, void *context), void *context)
{
	const uint64_t period = (period_ms ? period_ms : CPUUTIL_DEFAULT_PERIOD_MS) * TIME_MS_NS;
	struct usage_carry *carry;
	uint64_t begun, n = 1;
	int rc;
	struct cpu_util *u = cpu_util_find_instance(handle, &rc);

	if (!u)
		return rc;
	if (!sampled)
		return PU_ERR_NULL_PTR;
	carry = cpu_util_begin_row(u, period);
	/* After the first sample: no interval is shorter than the period. */
	begun = sampling_calls.now();
	do {
		const struct trace t = {u->mode, u->mm, u->label};

		sampling_calls.wait(begun + n * period);
		/* The session counts lost hooks. */
		cpu_util_get_interval(u, &t, true, carry);
		cpu_util_advance_start(u);
		rc = sampled(&u->data, context);
		n = sampling_next(begun, period, n, sampling_calls.now());
	} while (rc == 0);
	return rc;
}
