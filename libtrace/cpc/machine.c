/*
 * Describes the machine's counters and the events that it knows.
 */
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <linux/perf_event.h>

#include "cpc.h"

uint_t cpc_npic(cpc_t *cpc)
{
	return cpc_is(cpc, __func__) ? event_pmu_counters() : 0;
}

/* Whether a processor event opens with this sample period (0: without overflow signals). */
static bool machine_event_opens(uint64_t sample_period)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = sample_period,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	struct perf_group g;

	if (perf_group_open(&g, &attr, 1, 0, -1, NULL) != 0)
		return false;
	perf_group_close(&g, false);
	return true;
}

/* Software events always signal, and the signal names the event that overflowed. */
uint_t cpc_caps(cpc_t *cpc)
{
	if (!cpc_is(cpc, __func__) || (machine_event_opens(0) && !machine_event_opens(INT64_MAX)))
		return 0;
	return CPC_CAP_OVERFLOW_INTERRUPT | CPC_CAP_OVERFLOW_PRECISE;
}

const char *cpc_cciname(cpc_t *cpc)
{
	static char name[96];

	if (!cpc_is(cpc, __func__))
		return NULL;
	cpc_lock();
	if (*event_pmu_name())
		snprintf(name, sizeof name, "Linux perf events, PMU %s", event_pmu_name());
	else
		snprintf(name, sizeof name, "Linux perf events, software only");
	cpc_unlock();
	return name;
}

#if defined(__x86_64__)
static const char *machine_cpu_reference(void)
{
	unsigned a, b = 0, c, d;

	__get_cpuid(0, &a, &b, &c, &d);
	if (b == signature_INTEL_ebx)
		return "See the Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3, chapters on performance monitoring.";
	if (b == signature_AMD_ebx)
		return "See the AMD64 Architecture Programmer's Manual, volume 2, and the Processor Programming Reference of this family.";
	return "See the processor's manual.";
}
#elif defined(__aarch64__)
static const char *machine_cpu_reference(void)
{
	return "See the Arm Architecture Reference Manual, the Performance Monitors Extension, and the core's Technical Reference Manual.";
}
#else
static const char *machine_cpu_reference(void)
{
	return "See the processor's manual.";
}
#endif

const char *cpc_cpuref(cpc_t *cpc)
{
	return cpc_is(cpc, __func__) ? machine_cpu_reference() : NULL;
}

/* ----------------------------------------------------------------------------- walks */

struct walk {
	void *arg;
	uint_t picno;
	bool generic_only, hardware_only;
	void (*event)(void *arg, const char *event);
	void (*event_of)(void *arg, uint_t picno, const char *event);
	void (*attr)(void *arg, const char *attr);
};

static bool is_hardware(const char *name)
{
	struct cpc_event e;
	char why[EVENT_WHY_MAX];

	return event_find(name, &e, why) == 0 && !e.software;
}

static int machine_visit_event(void *user, const struct cpc_event_info *info)
{
	const struct walk *w = user;

	if (w->generic_only && info->origin != CPC_EVENT_GENERIC)
		return 0;
	if (w->hardware_only && !is_hardware(info->name))
		return 0;
	if (w->event)
		w->event(w->arg, info->name);
	else
		w->event_of(w->arg, w->picno, info->name);
	return 0;
}

void cpc_walk_events_all(cpc_t *cpc, void *arg, void (*action)(void *arg, const char *event))
{
	struct walk w = {.arg = arg, .event = action};

	if (cpc_is(cpc, __func__))
		event_walk(machine_visit_event, &w);
}

void cpc_walk_generic_events_all(
	cpc_t *cpc, void *arg, void (*action)(void *arg, const char *event))
{
	struct walk w = {.arg = arg, .event = action, .generic_only = true};

	if (cpc_is(cpc, __func__))
		event_walk(machine_visit_event, &w);
}

static bool has_pic(cpc_t *cpc, uint_t picno, const char *fn)
{
	uint_t count;

	if (!cpc_is(cpc, fn))
		return false;
	count = event_pmu_counters();
	if (picno < count)
		return true;
	cpc_tell(cpc_handler(cpc), fn, EINVAL, CPC_INVALID_PICNUM,
		"there is no counter %u: the processor has %u", picno, count);
	return false;
}

void cpc_walk_events_pic(cpc_t *cpc, uint_t picno, void *arg,
	void (*action)(void *arg, uint_t picno, const char *event))
{
	struct walk w = {.arg = arg, .picno = picno, .event_of = action, .hardware_only = true};

	if (has_pic(cpc, picno, __func__))
		event_walk(machine_visit_event, &w);
}

void cpc_walk_generic_events_pic(cpc_t *cpc, uint_t picno, void *arg,
	void (*action)(void *arg, uint_t picno, const char *event))
{
	struct walk w = {.arg = arg,
		.picno = picno,
		.event_of = action,
		.hardware_only = true,
		.generic_only = true};

	if (has_pic(cpc, picno, __func__))
		event_walk(machine_visit_event, &w);
}

static int visit_term(void *user, const char *term)
{
	const struct walk *w = user;

	w->attr(w->arg, term);
	return 0;
}

void cpc_walk_attrs(cpc_t *cpc, void *arg, void (*action)(void *arg, const char *attr))
{
	struct walk w = {.arg = arg, .attr = action};

	if (cpc_is(cpc, __func__))
		event_walk_terms(NULL, visit_term, &w);
}
