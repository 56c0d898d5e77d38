/*
 * CPI instances: the public functions.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../../include/perfutil.h"
#include "../../../formats/cpi_hooks.h"
#include "../../../formats/interval_hooks.h"
#include "../../core/clock.h"
#include "../../counters/plain.h"
#include "../../counters/source.h"
#include "../../counters/thread/thread.h"
#include "../../session/attach.h"
#include "../scope/begins.h"
#include "arguments.h"
#include "events.h"
#include "figures.h"
#include "group.h"
#include "../../core/handle.h"
#include "announce.h"

_Static_assert(CPI_TRACE_MAJOR == CPI_MAJOR, "one major");

#define KNOWN_FLAGS ((UINT32)(CPI_TYPE_ALL | CPI_TYPE_TRACE_QUALITY))
_Static_assert((CPI_TYPE_ALL & CPI_TYPE_TRACE_QUALITY) == 0, "never implied");

/* Whether the caller reads CPI_DATA. DATA_UNUSED: there were Gets, but none asked for it. */
enum data_use { DATA_UNKNOWN, DATA_UNUSED, DATA_USED };

/* One allocation: the arrays that these pointers refer to follow the structure. */
struct instance {
	/* These share a cache line: all that an interval needs while tracing is off. */
	UINT32 mode;
	enum data_use data_use;
	bool only_ticks;  /* CpiStart read `ticks` and no sample */
	UINT32 start_tid; /* of the thread that called CpiStart */
	uint64_t ticks;
	struct arguments *arguments; /* since CpiStart; NULL: there never were any */
	struct events *events;	     /* NULL: none so far */
	unsigned want;
	UINT32 mm;
	struct counter_sample *start, *now;
	struct counter_interval *interval;
	struct group_image *image;
	struct own_calibration *own;
	struct group_more more; /* of the Get that is writing */
	char *label;		/* of CpiGet's hooks, or NULL */
	CPI_DATA data;
};

/* The number of instances whose caller may read the thread's CPI_DATA. Unless it is 0, hardware
 * counters keep running while tracing is off: one instance must not stop counters that an interval
 * of another one needs. */
static unsigned thread_data_users;

static void cpi_add_data_user(const struct instance *i, int more)
{
	if (i->mode & CPI_TYPE_ONTHREAD)
		__atomic_fetch_add(&thread_data_users, (unsigned)more, __ATOMIC_RELAXED);
}

static __attribute__((noinline)) void cpi_note_data_use(struct instance *i, bool data)
{
	const enum data_use before = i->data_use;

	i->data_use = data ? DATA_USED : DATA_UNUSED;
	if (!data)
		cpi_add_data_user(i, -1);
	else if (before == DATA_UNUSED)
		cpi_add_data_user(i, 1);
}

static unsigned cpi_select_quantities(UINT32 mode)
{
	unsigned want = COUNTER_BIT(COUNTER_INSTRUCTIONS);

	if (mode & CPI_TYPE_SCALED)
		want |= COUNTER_BIT(COUNTER_BUSY);
	if (mode & CPI_TYPE_ONTHREAD)
		want |= COUNTER_THREAD_BITS;
	if (mode & CPI_TYPE_TRACE_QUALITY)
		want |= COUNTER_QUALITY_BIT;
	return want;
}

/* Hooks include the thread's time and switches where reading them is free. CPI_DATA has no quality
 * figures. */
static unsigned cpi_select_now(const struct instance *i, bool write)
{
	if (!write)
		return i->want & ~COUNTER_QUALITY_BIT;
	return attach_wants(INTERVAL_MAJOR) ? i->want | COUNTER_TIME_BIT : i->want;
}

static void clear_data(CPI_DATA *d)
{
	memset(d, 0, sizeof *d);
	for (int cpu = 0; cpu < MAX_CPUS; cpu++)
		d->raw_cpi[cpu] = d->scaled_cpi[cpu] = d->cpu_busy[cpu] = NAN;
	d->raw_sys_cpi = d->scaled_sys_cpi = d->sys_busy = d->thread_cpi = NAN;
	d->tid = counters_tid();
}

static struct instance *cpi_new_instance(UINT32 mode)
{
	uint32_t room = counters_room();
	size_t sample = counters_sample_size(room);
	size_t interval = counters_interval_size(room);
	size_t own = counters_align_size(sizeof(struct instance));
	struct instance *i = malloc(own + 2 * sample + interval + group_image_size(room));
	char *p = (char *)i;

	if (!i)
		return NULL;
	memset(i, 0, own);
	i->mode = mode | CPI_TYPE_RAW;
	i->want = cpi_select_quantities(mode);
	i->start = (struct counter_sample *)(void *)(p + own);
	i->now = (struct counter_sample *)(void *)(p + own + sample);
	i->interval = (struct counter_interval *)(void *)(p + own + 2 * sample);
	i->image = (struct group_image *)(void *)(p + own + 2 * sample + interval);
	memset(i->image, 0, sizeof *i->image);
	i->start->room = i->now->room = room;
	i->start->plain = false;
	i->start->page_thread = NOT_MEASURED;
	i->mm = CPI_TRACE_DEFAULT_MINOR;
	i->own = own_cost_of_mode(mode);
	clear_data(&i->data);
	return i;
}

/* The number of the interval's begin hook; 0 if the interval will be dropped. */
static uint64_t cpi_begin(const struct instance *i)
{
	const struct arguments *a = i->arguments;

	if (!a || !a->begin)
		return 0;
	/* A child of fork has its parent's instances, and a period of its own once attached. */
	attach_ready(CPI_MAJOR);
	return a->period == begins_period() ? a->begin : 0;
}

static void cpi_drop_begin(struct instance *i)
{
	uint64_t begin = cpi_begin(i);

	if (begin)
		begins_write_over(INTERVAL_MAJOR, CPI_MAJOR, i->mm, begin);
}

/* Ends the previous interval if no Get did. Returns true: it took time. */
static __attribute__((noinline, cold)) bool cpi_write_begin(struct instance *i)
{
	const size_t length = i->label ? strlen(i->label) : 0;
	struct begin_hook what = {.major = INTERVAL_MAJOR,
		.gate = CPI_MAJOR,
		.mm = i->mm,
		.text = i->label,
		.length = length <= SHM_LABEL_TEXT_MAX ? (uint32_t)length : 0};

	cpi_drop_begin(i);
	if (!i->arguments)
		i->arguments = arguments_new();
	if (!i->arguments)
		return true;
	if (what.length)
		what.number = attach_find_label(what.text, what.length, NULL);
	if (what.number)
		what.length = 0;
	i->arguments->period = begins_period();
	i->arguments->begin = begins_write(&what);
	return true;
}

/* Handles rare requests before the clock is read again. True if it took time. */
static inline __attribute__((always_inline)) bool cpi_start_extras(
	struct instance *i, bool events_first, bool is_start)
{
	bool late = events_first && events_start_again(&i->events);

	return (is_start && begins_are_on() && cpi_write_begin(i)) | late;
}

/*
 * The clock is read first: it decides whether to search for the session again. It is read again
 * after all system calls (milliseconds, if rings are attached), so that the interval begins when
 * nothing else is left to do. Nothing is read that neither a hook nor the caller will want.
 */
static inline bool cpi_start_once(struct instance *i, bool is_start)
{
	uint64_t now = clock_read();
	bool late = false, on = attach_begin(CPI_MAJOR, now, &late);
	/* Guess from the last interval: see events.h. */
	const bool events_first = i->start->plain;

	i->start_tid = thread_self()->tid;
	i->only_ticks = i->data_use == DATA_UNUSED && !on;
	if (!on) {
		late |= counters_rest(__atomic_load_n(&thread_data_users, __ATOMIC_RELAXED) == 0);
		late |= events_start_off(i->events);
	} else if (__builtin_expect(__atomic_load_n(&attach_extras, __ATOMIC_RELAXED) != 0, 0)) {
		late |= cpi_start_extras(i, events_first, is_start);
	}
	if (late)
		now = clock_read();
	if (i->only_ticks)
		i->ticks = now;
	else
		counters_start(i->start, cpi_select_now(i, on), now);
	if (on && !(events_first && i->start->plain))
		events_start(&i->events);
	return on;
}

/* Fast path for an interval in a loop, after cpi_start_once: reads the events, if any, then only
 * the clock and the thread's page. */
static inline __attribute__((always_inline)) bool cpi_start_again(
	struct instance *i, bool has_events)
{
	const uint32_t extras = has_events ? ATTACH_EVENTS_USED : 0;
	uint64_t now;

	if (i->arguments || i->only_ticks ||
		__atomic_load_n(&attach_extras, __ATOMIC_RELAXED) != extras)
		return false;
	if (has_events) {
		if (!i->start->plain || !ring_self_may_write(CPI_MAJOR))
			return false;
		events_start_again(&i->events);
	}
	now = clock_read();
	if (!attach_has_begun(CPI_MAJOR, now) ||
		__atomic_load_n(&ring_gate_page()->gate[INTERVAL_MAJOR], __ATOMIC_RELAXED) == 0)
		return false;
	return plain_start_again(i->start, i->want & COUNTER_QUALITY_BIT, now);
}

/* Fast path while tracing is off, after cpi_start_once has noticed and stopped the thread's
 * counters: reads only the clock. A child of fork takes the slow path (thread_is_met). */
static inline bool cpi_start_off_again(struct instance *i)
{
	const struct thread_self *self = &counters_self;
	uint64_t now = clock_read();

	if (i->data_use != DATA_UNUSED || i->arguments || i->events || !thread_is_met() ||
		!activity_rests(self) || thread_group_counts(self) ||
		!attach_is_off(CPI_MAJOR, now))
		return false;
	i->start_tid = self->tid;
	i->ticks = now;
	return true;
}

/* Ends an empty interval as cpi_get_interval would. */
static uint64_t cpi_end_empty(struct instance *i)
{
	if (!i->start->plain) {
		counters_read(i->now, cpi_select_now(i, true), COUNTER_GET);
		return i->now->ticks;
	}
	if (counters_counted_thread(i->start) && !plain_count_thread_again(i->start, i->interval))
		counters_end_thread(i->now);
	return clock_read();
}

/* Measures empty intervals, when the first interval of this mode begins while tracing is on. */
static __attribute__((noinline)) void cpi_measure_inside(struct instance *i, bool is_start)
{
	uint32_t sample[OWN_COST_SAMPLES];

	for (int n = 0; n < OWN_COST_SAMPLES; n++) {
		if (!cpi_start_again(i, false))
			cpi_start_once(i, false);
		sample[n] = (uint32_t)(cpi_end_empty(i) - i->start->ticks);
	}
	own_cost_set_inside(i->own, sample);
	cpi_start_once(i, is_start);
}

/* is_start: called by CpiStart; the interval that CpiInit starts has no begin hook. Returns
 * PU_SUCCESS, so that CpiStart can tail-call it. */
static __attribute__((noinline)) int cpi_start_interval(struct instance *i, bool is_start)
{
	const bool needs_inside = own_cost_needs_inside(i->own);

	if (is_start && !needs_inside && cpi_start_again(i, true))
		return PU_SUCCESS;
	if (i->arguments)
		arguments_clear(i->arguments);
	if (cpi_start_once(i, is_start) && needs_inside)
		cpi_measure_inside(i, is_start);
	return PU_SUCCESS;
}

int CpiInit(UINT32 mode, void **handle)
{
	int saved = errno, rc;
	struct instance *i;

	if (!handle)
		return PU_ERR_NULL_PTR;
	if (mode & ~KNOWN_FLAGS)
		return PU_ERROR_INVALID_PARAMETER;
	rc = counters_choose();
	if (rc)
		goto out;
	instance_announce_source();
	attach_discover();
	attach_refresh_name();
	rc = counters_hold(cpi_select_quantities(mode));
	if (rc)
		goto out;
	rc = PU_ERROR_NOT_ENOUGH_MEMORY;
	i = cpi_new_instance(mode);
	if (!i)
		goto drop;
	*handle = handle_new(HANDLE_CPI, i);
	if (!*handle) {
		free(i);
		goto drop;
	}
	cpi_add_data_user(i, 1);
	cpi_start_interval(i, false);
	rc = PU_SUCCESS;
	goto out;
drop:
	counters_drop(cpi_select_quantities(mode));
out:
	errno = saved;
	return rc;
}

int CpiTerminate(void *handle)
{
	struct instance *i = handle_end(HANDLE_CPI, handle);

	if (!i)
		return handle_error(handle);
	cpi_drop_begin(i);
	counters_drop(i->want);
	if (i->data_use != DATA_UNUSED)
		cpi_add_data_user(i, -1);
	events_free(i->events);
	free(i->label);
	arguments_free(i->arguments);
	free(i);
	return PU_SUCCESS;
}

int CpiStart(void *handle)
{
	struct instance *i = handle_find_here(HANDLE_CPI, handle);

	if (!i)
		return handle_error(handle);
	if (i->only_ticks && cpi_start_off_again(i))
		return PU_SUCCESS;
	if (__builtin_expect(own_cost_needs_inside(i->own), 0) || !cpi_start_again(i, false))
		return cpi_start_interval(i, true);
	return PU_SUCCESS;
}

/* Clears processors that have figures of an earlier Get, but none of this one. */
static void clear_rest(CPI_DATA *d, int from, int to)
{
	for (int cpu = from; cpu < to; cpu++)
		d->raw_cpi[cpu] = d->scaled_cpi[cpu] = d->cpu_busy[cpu] = NAN;
}

/* Figures that CpiInit did not ask for are NAN, even if their counts were read for another purpose.
 */
static void fill_data(struct instance *i)
{
	const struct counter_interval *counts = i->interval;
	const bool scaled = i->mode & CPI_TYPE_SCALED;
	struct counter_interval_cpu sum;
	CPI_DATA *d = &i->data;

	clear_rest(d, (int)counts->cpus, d->num_cpus);
	d->num_cpus = (int)counts->cpus;
	for (uint32_t cpu = 0; cpu < counts->cpus; cpu++) {
		const struct counter_interval_cpu *c = &counts->cpu[cpu];

		d->raw_cpi[cpu] = figure_ratio(c->cycles, c->instructions);
		d->scaled_cpi[cpu] = scaled ? figure_ratio(c->busy, c->instructions) : NAN;
		d->cpu_busy[cpu] = scaled ? figure_busy(c) : NAN;
	}
	figure_sums(counts, &sum);
	d->raw_sys_cpi = figure_ratio(sum.cycles, sum.instructions);
	d->scaled_sys_cpi = scaled ? figure_ratio(sum.busy, sum.instructions) : NAN;
	d->sys_busy = scaled ? figure_busy(&sum) : NAN;
	d->thread_cpi = i->mode & CPI_TYPE_ONTHREAD
				? figure_ratio(counts->thread_cycles, counts->thread_instructions)
				: NAN;
}

/* Whether nothing but time passed since the start, and the hooks need no further counts. If so,
 * fills i->interval. */
static bool cpi_has_stayed(
	struct instance *i, const struct group_spec *spec, const struct hook_time *at)
{
	if (i->only_ticks || spec->types & CPI_TYPE_TRACE_DETAILED ||
		(spec->types & CPI_TYPE_TRACE_QUALITY && !(i->want & COUNTER_QUALITY_BIT)))
		return false;
	return counters_have_stayed(i->start, i->want, at->ticks, i->interval);
}

/* The end of an interval. *at becomes its time. */
static void cpi_read_end(struct instance *i, bool write, struct hook_time *at)
{
	unsigned want = cpi_select_now(i, write);

	if (i->start->activity_source == INTERVAL_TIME_CLOCK)
		want |= COUNTER_ASK_BIT;
	counters_read(i->now, want, COUNTER_GET);
	counters_difference(i->start, i->now, i->interval);
	at->ticks = i->now->ticks;
}

/* Fills i->more, which the spec refers to. */
static void cpi_find_more(struct instance *i)
{
	i->more.events = i->events && events_are_read(i->events) ? i->events : NULL;
	i->more.args = i->arguments && i->arguments->args.count ? &i->arguments->args : NULL;
	i->more.begin = cpi_begin(i);
}

/* Reads the events of an interval that has stayed. Inlined: see perf_group_read_words. */
static inline __attribute__((always_inline)) void cpi_read_events(struct instance *i)
{
	if (!i->events)
		return;
	events_read_end(i->events);
	cpi_find_more(i);
}

/* Reads the counters and events, and replaces at's ticks, unless the interval has stayed. */
static __attribute__((noinline)) int cpi_get_rest(struct instance *i, const struct group_spec *spec,
	bool data, bool stayed, struct hook_time *at)
{
	int saved = errno, rc = PU_SUCCESS;
	uint64_t elapsed;

	if (i->only_ticks)
		counters_stamp(i->start, i->ticks);
	if (!stayed)
		cpi_read_end(i, spec != NULL, at);
	if (!stayed && spec && i->events && i->start->plain)
		events_read_end(i->events);
	elapsed = at->ticks > i->start->ticks ? at->ticks - i->start->ticks : 0;
	if (spec && spec->more)
		cpi_find_more(i);
	if (spec)
		rc = group_write(spec, i->interval, i->start->ticks, at, &elapsed);
	/* If the group was lost, the next one carries its begin number. */
	if (spec && rc == PU_SUCCESS && i->arguments)
		i->arguments->begin = 0;
	if (data) {
		fill_data(i);
		i->data.elapsed_cycles = elapsed;
	}
	errno = saved;
	return rc;
}

/* Ends an interval whose thread was counted in user mode. *end becomes the time after the counters
 * were read. */
static __attribute__((noinline)) int cpi_get_counted(
	struct instance *i, const struct group_spec *spec, uint64_t *end)
{
	struct hook_time at;
	uint64_t elapsed;
	bool stayed;

	counters_end_thread(i->now);
	at.generation = ring_self.generation;
	at.ticks = *end = clock_read();
	stayed = cpi_has_stayed(i, spec, &at) &&
		 counters_thread_between(i->start, i->now, i->interval);
	if (stayed)
		cpi_read_events(i);
	if (!stayed || i->arguments)
		return cpi_get_rest(i, spec, false, stayed, &at);
	/* The image was made of an interval that counted nothing: make it again. */
	if (!i->image->cpi)
		i->image->key = 0;
	return group_write_stayed(i->image, spec, i->interval, i->start->ticks, &at, &elapsed);
}

static const struct group_more *cpi_more(const struct instance *i)
{
	return i->events || i->arguments ? &i->more : NULL;
}

/* spec: NULL to write nothing. data: whether the caller wants CPI_DATA. */
static inline int cpi_get_interval(struct instance *i, const struct group_spec *spec, bool data)
{
	struct hook_time at;
	uint64_t elapsed, end;
	bool stayed;
	int rc;

	if (spec && !attach_wants(CPI_MAJOR))
		spec = NULL;
	if (data ? i->data_use != DATA_USED : i->data_use == DATA_UNKNOWN)
		cpi_note_data_use(i, data);
	if (!spec && !data)
		return PU_SUCCESS;
	if (!i->only_ticks)
		plain_settle(i->start);
	if (spec && i->events && !i->start->plain)
		events_read_end(i->events);
	if (counters_counted_thread(i->start) && spec && !data && !i->only_ticks) {
		rc = cpi_get_counted(i, spec, &end);
	} else {
		at.generation = ring_self.generation;
		at.ticks = end = clock_read();
		stayed = spec && !data && cpi_has_stayed(i, spec, &at);
		if (stayed)
			cpi_read_events(i);
		if (stayed && !i->arguments)
			rc = group_write_stayed(
				i->image, spec, i->interval, i->start->ticks, &at, &elapsed);
		else
			rc = cpi_get_rest(i, spec, data, stayed, &at);
	}
	if (__builtin_expect(own_cost_needs_rest(i->own), 0) && spec && !data && !spec->more)
		own_cost_add_rest(i->own, clock_read_after() - end);
	return rc;
}

/* Fast path for the end of what cpi_start_again began: writes the last group again. False: not
 * applicable. */
static inline __attribute__((always_inline)) bool cpi_get_again(
	struct instance *i, UINT32 types, UINT32 mm, const char *label, bool has_events, int *rc)
{
	/* Calibration reads no events, so the cost with them is unknown. */
	const uint32_t own_pair = has_events ? 0 : own_cost_pair(i->own);
	const bool all = i->want & COUNTER_QUALITY_BIT;
	struct hook_time at;
	uint64_t elapsed;

	if (i->data_use != DATA_UNUSED || i->only_ticks || i->arguments ||
		!i->events == has_events ||
		!group_image_is_for(i->image, types, mm, own_pair, label))
		return false;
	if (has_events && !ring_self_may_write(CPI_MAJOR))
		return false;
	if (__builtin_expect(i->start->thread_opening != 0 || i->image->cpi != 0, 0) &&
		(i->image->cpi == 0 || !plain_count_thread_again(i->start, i->interval)))
		return false;
	at.generation = ring_self.generation;
	at.ticks = clock_read();
	if (!plain_stayed_again(i->start, all, i->image->cpus, at.ticks, i->interval) ||
		!group_image_knows(i->image, i->interval))
		return false;
	if (has_events) {
		events_read_end(i->events);
		*rc = group_write_events(
			i->image, i->events, i->interval, i->start->ticks, &at, &elapsed);
		return true;
	}
	*rc = group_write_image(i->image, NULL, i->interval, i->start->ticks, &at, &elapsed);
	if (__builtin_expect(own_pair == 0, 0) && own_cost_needs_rest(i->own))
		own_cost_add_rest(i->own, clock_read_after() - at.ticks);
	return true;
}

static UINT32 trace_types(UINT32 flags)
{
	UINT32 types = flags & CPI_TYPE_TRACE_EVERYTHING;

	if (!types)
		types = CPI_TYPE_TRACE_SUMMARY;
	return types | (flags & CPI_TYPE_TRACE_QUALITY);
}

int CpiGet(void *handle, const CPI_DATA **cd)
{
	struct instance *i = handle_find_here(HANDLE_CPI, handle);
	bool only;
	int rc;

	if (!i)
		return handle_error(handle);
	only = (i->mode & CPI_TYPE_TRACE_ONLY_ON_GET) != 0;
	if (!cd && !only)
		return PU_ERR_NULL_PTR;
	if (i->mode & (CPI_TYPE_TRACE_ON_GET | CPI_TYPE_TRACE_ONLY_ON_GET)) {
		const struct group_spec spec = {trace_types(i->mode), i->mode, i->mm, i->start_tid,
			i->label, cpi_more(i), own_cost_known(i->own)};

		rc = cpi_get_interval(i, &spec, !only);
	} else {
		rc = cpi_get_interval(i, NULL, true);
	}
	if (!only)
		*cd = &i->data;
	return rc;
}

static __attribute__((noinline)) int cpi_get_and_trace(
	struct instance *i, UINT32 mm, UINT32 flags, const char *label, const CPI_DATA **cd)
{
	const UINT32 types = trace_types(flags | i->mode);
	int rc;

	if (!cd && cpi_get_again(i, types, mm, label, true, &rc))
		return rc;
	const struct group_spec spec = {
		types, i->mode, mm, i->start_tid, label, cpi_more(i), own_cost_known(i->own)};
	rc = cpi_get_interval(i, &spec, cd != NULL);
	if (cd)
		*cd = &i->data;
	return rc;
}

int CpiGetAndTrace(
	void *handle, int minor_code, UINT32 flags, const char *label, const CPI_DATA **cd)
{
	struct instance *i = handle_find_here(HANDLE_CPI, handle);
	int rc;

	if (!i)
		return handle_error(handle);
	if (minor_code < 0 || minor_code > (int)CPI_MINOR_MM || flags & ~KNOWN_FLAGS)
		return PU_ERROR_INVALID_PARAMETER;

	if (i->only_ticks && !cd && i->data_use == DATA_UNUSED && !attach_wants(CPI_MAJOR))
		return PU_SUCCESS;
	if (!cd && cpi_get_again(
			   i, trace_types(flags | i->mode), (UINT32)minor_code, label, false, &rc))
		return rc;

	return cpi_get_and_trace(i, (UINT32)minor_code, flags, label, cd);
}

int CpiArgs(void *handle, UINT32 nargs, const SWT_ARG *args)
{
	struct instance *i = handle_find_here(HANDLE_CPI, handle);

	if (nargs && !args)
		return PU_ERR_NULL_PTR;
	if (!i)
		return handle_error(handle);
	if (!i->arguments)
		i->arguments = arguments_new();
	return i->arguments ? arguments_add(i->arguments, nargs, args) : PU_ERROR_NOT_ENOUGH_MEMORY;
}

int CpiSetTraceHookId(void *handle, int minor_code, const char *label)
{
	struct instance *i = handle_find_here(HANDLE_CPI, handle);
	char *copy = NULL;

	if (!i)
		return handle_error(handle);
	if (minor_code < 0 || minor_code > (int)CPI_MINOR_MM)
		return PU_ERROR_INVALID_PARAMETER;
	if (label) {
		copy = strdup(label);
		if (!copy)
			return PU_ERROR_NOT_ENOUGH_MEMORY;
	}
	free(i->label);
	i->label = copy;
	i->mm = (UINT32)minor_code;
	return PU_SUCCESS;
}

UINT32 CpiGetCurrentMode(void *handle)
{
	struct instance *i = handle_find_here(HANDLE_CPI, handle);

	return i ? i->mode : 0;
}
