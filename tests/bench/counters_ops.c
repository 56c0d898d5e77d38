/*
 * The ops: bare loops, and loops over this library.
 */
#include "counters.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "../../libtrace/counters/events/count.h"
#include "../../libtrace/counters/machine/idle.h"
#include "../../libtrace/counters/thread/activity.h"
#include "../../libtrace/counters/perf/perf.h"
#include "../../libtrace/counters/source.h"
#include "../../libtrace/counters/thread/thread.h"
#include "bench.h"
#include "perfutil.h"

uint64_t reading_failures, readings_traced;

/* ----------------------------------------------------------------- open counters */

enum { CPUS_MAX = 1024, FILE_BYTES = 256 * 1024 };

static const uint64_t software[] = {
	PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_CPU_MIGRATIONS};
static const uint64_t hardware[] = {
	PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_REF_CPU_CYCLES};

static struct bare sw_bare, thread_bare, cpu_bare[CPUS_MAX];
static struct perf_group sw_group;
static struct perf_counters thread_group, cpu_group[CPUS_MAX];
static unsigned cpus; /* number open in cpu_bare or cpu_group */
static struct counter_sample *sample;
static int file = -1;
static char *bytes;
static void *instance;
static uint64_t word[BARE_MAX + 3];
static struct perf_group_reading group_reading;
static const struct event_set *events;
static struct event_reading events_reading;

/* ------------------------------------------------------------------------- loops */

/* BODY makes one reading and is true if it worked. */
#define LOOP(name, body)                                                                           \
	static __attribute__((noinline, aligned(64))) void loop_##name(uint64_t turns)             \
	{                                                                                          \
		for (uint64_t i = 0; i < turns; i++) {                                             \
			reading_failures += !(body);                                               \
			__asm__ volatile("" ::: "memory");                                         \
		}                                                                                  \
	}

static bool read_all_bare(void)
{
	bool good = true;

	for (unsigned i = 0; i < cpus; i++)
		good &= bare_read(&cpu_bare[i], word);
	return good;
}

static bool counters(unsigned want, enum counter_end end)
{
	counters_read(sample, want, end);
	return true;
}

static bool read_events(void)
{
	event_count_read(events, &events_reading, EVENT_AT_END);
	return events_reading.opening != 0;
}

static bool cpu_seconds(void)
{
	struct timespec t;

	return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0;
}

/* Read to the end, as a parser must. */
static bool whole_file(size_t piece)
{
	off_t at = 0;
	ssize_t n;

	while ((n = pread(file, bytes, piece, at)) > 0)
		at += n;
	return n == 0 && at > 0;
}

static bool idle(void)
{
	static struct idle_cpu cpu[CPUS_MAX];
	uint64_t at;

	return idle_read(cpu, CPUS_MAX, &at);
}

static bool usage(void)
{
	struct rusage u;

	return getrusage(RUSAGE_THREAD, &u) == 0;
}

static bool activity(void)
{
	struct counter_activity now;

	activity_read(thread_self(), &now);
	return true;
}

static bool cpi(void)
{
	const CPI_DATA *data;

	return CpiGet(instance, &data) == PU_SUCCESS;
}

static bool cpi_trace(void)
{
	readings_traced++;
	return CpiGetAndTrace(instance, 1, CPI_TYPE_TRACE_SUMMARY, "bench", NULL) == PU_SUCCESS;
}

/* clang-format off */
LOOP(sw_bare, bare_read(&sw_bare, word))
LOOP(sw_group, perf_group_read(&sw_group, &group_reading) == 0)
LOOP(sw_here, perf_group_read_here(&sw_group, &group_reading) == 0)
LOOP(sw_events, read_events())
LOOP(thread_bare, bare_read(&thread_bare, word))
LOOP(thread_group, perf_group_read(&thread_group.group, &group_reading) == 0)
LOOP(thread_here, perf_group_read_here(&thread_group.group, &group_reading) == 0)
LOOP(thread_start, counters(COUNTER_THREAD_BITS, COUNTER_START))
LOOP(thread_get, counters(COUNTER_THREAD_BITS, COUNTER_GET))
LOOP(cpu_bare, bare_read(&cpu_bare[0], word))
LOOP(cpu_group, perf_group_read(&cpu_group[0].group, &group_reading) == 0)
LOOP(all_bare, read_all_bare())
LOOP(all_start, counters(COUNTER_CPU_BITS, COUNTER_START))
LOOP(all_get, counters(COUNTER_CPU_BITS, COUNTER_GET))
LOOP(both_bare, bare_read(&thread_bare, word) && read_all_bare())
LOOP(cpi, cpi())
LOOP(cpi_trace, cpi_trace())
LOOP(clock, cpu_seconds())
LOOP(timer_list, whole_file(16 * 1024))
LOOP(stat, whole_file(FILE_BYTES))
LOOP(idle, idle())
LOOP(usage, usage())
LOOP(activity, activity())
/* clang-format on */

/* -------------------------------------------------- opening and closing, a slice each */

static bool open_software_group(bool user_only)
{
	struct perf_event_attr attr[3];

	memset(attr, 0, sizeof attr);
	for (int i = 0; i < 3; i++) {
		attr[i].type = PERF_TYPE_SOFTWARE;
		attr[i].config = software[i];
		attr[i].exclude_kernel = attr[i].exclude_hv = user_only;
	}
	return perf_group_open(&sw_group, attr, 3, 0, -1, NULL) == 0;
}

static const char no_software[] = "perf_event_open of software events fails";

static const char *open_sw_bare(void)
{
	sw_bare = bare_open(PERF_TYPE_SOFTWARE, software, 3, 0, -1);
	return sw_bare.count == 3 ? NULL : no_software;
}

static void close_sw_bare(void)
{
	bare_close(&sw_bare);
}

static const char *open_sw_group(void)
{
	if (!open_software_group(false) && !open_software_group(true))
		return no_software;
	perf_group_map(&sw_group);
	return NULL;
}

static void close_sw_group(void)
{
	perf_group_close(&sw_group, false);
}

static const char *open_sw_events(void)
{
	static const char list[] = "page-faults,context-switches,cpu-migrations";
	char why[EVENT_WHY_MAX];

	event_sets_lock();
	events = event_set_of(list, why);
	event_sets_unlock();
	for (unsigned i = 0; events && i < events->count; i++)
		if (events->event[i].way != EVENT_BY_PERF)
			return no_software;
	return events && read_events() ? NULL : no_software;
}

static void close_sw_events(void)
{
	event_count_rest();
}

static const char no_thread[] = "instructions and cycles of a thread cannot be opened";

static const char *open_thread_bare(void)
{
	thread_bare = bare_open(PERF_TYPE_HARDWARE, hardware, 2, 0, -1);
	return thread_bare.count == 2 ? NULL : no_thread;
}

static void close_thread_bare(void)
{
	bare_close(&thread_bare);
}

static const char *open_thread_group(void)
{
	if (perf_open_thread(&thread_group, 0) != PERF_OPEN)
		return no_thread;
	perf_group_map(&thread_group.group);
	return NULL;
}

static void close_thread_group(void)
{
	perf_close_counters(&thread_group, false);
}

/* Opens the group for one of the two ways to read; returns `why` if the kernel offers only the
 * other. */
static const char *open_thread_way(bool user_mode, const char *why)
{
	const char *fails = open_thread_group();

	if (fails)
		return fails;
	if (perf_group_read_here(&thread_group.group, &group_reading) == 0 &&
		group_reading.in_user_mode == user_mode)
		return NULL;
	close_thread_group();
	return why;
}

static const char *open_thread_here(void)
{
	return open_thread_way(false, "it reads in user mode here");
}

static const char *open_thread_user(void)
{
	return open_thread_way(true, "the kernel does not let a thread read these counters");
}

/* The library's groups on these processors, in order. */
static void close_cpu_groups(void)
{
	while (cpus)
		perf_close_counters(&cpu_group[--cpus], false);
}

static const char *open_cpu_groups(unsigned from, unsigned to)
{
	unsigned n;
	const int *cpu = processors(&n);

	if (from >= n || to > n)
		return "there is one processor only";
	for (unsigned i = from; i < to; i++) {
		if (perf_open_cpu(&cpu_group[cpus], (uint32_t)cpu[i]) != PERF_OPEN) {
			close_cpu_groups();
			return "counters of processors need root or perf_event_paranoid 0";
		}
		cpus++;
	}
	return NULL;
}

static void close_cpu_bare(void)
{
	while (cpus)
		bare_close(&cpu_bare[--cpus]);
}

/* Opens the events that the library's group has there, except mperf. */
static const char *open_cpu_bare(unsigned from, unsigned to)
{
	static const enum perf_kind kind[] = {PERF_INSTRUCTIONS, PERF_CYCLES, PERF_REF_CYCLES};
	const char *why = open_cpu_groups(from, to);
	const int *cpu = processors(&(unsigned){0});
	uint64_t config[3];
	unsigned count = 0;

	if (why)
		return why;
	for (int i = 0; i < 3; i++)
		if (perf_has(&cpu_group[0], kind[i]))
			config[count++] = hardware[i];
	close_cpu_groups();
	for (unsigned i = from; i < to; i++, cpus++)
		cpu_bare[cpus] = bare_open(PERF_TYPE_HARDWARE, config, count, -1, cpu[i]);
	return NULL;
}

static unsigned last(void)
{
	unsigned n;

	processors(&n);
	return n;
}

/* The loops run on the last processor. */
static const char *open_own_bare(void)
{
	return open_cpu_bare(last() - 1, last());
}

static const char *open_own_group(void)
{
	return open_cpu_groups(last() - 1, last());
}

static const char *open_other_bare(void)
{
	return last() == 1 ? "there is one processor only" : open_cpu_bare(0, 1);
}

static const char *open_other_group(void)
{
	return last() == 1 ? "there is one processor only" : open_cpu_groups(0, 1);
}

static const char *open_all_bare(void)
{
	return open_cpu_bare(0, last());
}

static const char *open_both_bare(void)
{
	const char *why = open_thread_bare();

	if (why)
		return why;
	why = open_all_bare();
	if (why)
		close_thread_bare();
	return why;
}

static void close_both_bare(void)
{
	close_thread_bare();
	close_cpu_bare();
}

static unsigned held;

static const char *hold(unsigned want)
{
	held = want;
	return counters_hold(want) == 0 ? NULL : "out of file descriptors";
}

static void drop(void)
{
	counters_drop(held);
}

static bool is_measured(enum counter_quantity q)
{
	uint32_t flags;

	counters_tell_source(&flags);
	return flags & COUNTER_BIT(q);
}

static const char *open_thread(void)
{
	return hold(COUNTER_THREAD_BITS);
}

static const char *open_perf_thread(void)
{
	return is_measured(COUNTER_THREAD_INSTRUCTIONS) ? hold(COUNTER_THREAD_BITS) : no_thread;
}

static const char *open_cpus(void)
{
	return hold(COUNTER_CPU_BITS);
}

static const char *open_perf_cpus(void)
{
	if (!is_measured(COUNTER_INSTRUCTIONS))
		return "counters of processors need root or perf_event_paranoid 0";
	return hold(COUNTER_CPU_BITS);
}

static const char *open_cpi(UINT32 mode)
{
	return CpiInit(mode, &instance) == PU_SUCCESS ? NULL : "CpiInit fails";
}

static const char *open_raw(void)
{
	return open_cpi(CPI_TYPE_RAW);
}

static const char *open_scaled(void)
{
	return open_cpi(CPI_TYPE_RAW | CPI_TYPE_SCALED);
}

static const char *open_on_thread(void)
{
	return open_cpi(CPI_TYPE_RAW | CPI_TYPE_ONTHREAD);
}

static void close_cpi(void)
{
	CpiTerminate(instance);
}

static const char *open_file(const char *path)
{
	file = open(path, O_RDONLY | O_CLOEXEC);
	return file < 0 ? "only root may read it" : NULL;
}

static const char *open_timer_list(void)
{
	return open_file("/proc/timer_list");
}

static const char *open_stat(void)
{
	return open_file("/proc/stat");
}

static void close_file(void)
{
	close(file);
}

static const char *open_idle(void)
{
	return idle_kind() == IDLE_NOTHING ? "the kernel tells no idle time" : NULL;
}

static const char *open_nothing(void)
{
	return NULL;
}

static void close_nothing(void)
{
}

void readings_begin(void)
{
	uint32_t room = counters_room();

	sample = malloc(counters_sample_size(room));
	bytes = malloc(FILE_BYTES);
	if (!sample || !bytes)
		die("no memory");
	sample->room = room;
	if (counters_choose() != 0)
		die("there is no such source of counts");
}

/* clang-format off */
#define PERF SOURCE_PERF, false
#define SOFTWARE SOURCE_SOFTWARE, false
const struct reading readings[] = {
	{"sw.bare", open_sw_bare, loop_sw_bare, close_sw_bare, PERF},
	{"sw.group", open_sw_group, loop_sw_group, close_sw_group, PERF},
	{"sw.here", open_sw_group, loop_sw_here, close_sw_group, PERF},
	{"sw.events", open_sw_events, loop_sw_events, close_sw_events, PERF},
	{"sw.papi", papi_open, papi_loop, close_nothing, SOURCE_PERF, true},
	{"thread.bare", open_thread_bare, loop_thread_bare, close_thread_bare, PERF},
	{"thread.group", open_thread_group, loop_thread_group, close_thread_group, PERF},
	{"thread.here", open_thread_here, loop_thread_here, close_thread_group, PERF},
	{"thread.user", open_thread_user, loop_thread_here, close_thread_group, PERF},
	{"thread.start", open_perf_thread, loop_thread_start, drop, PERF},
	{"thread.get", open_perf_thread, loop_thread_get, drop, PERF},
	{"own.bare", open_own_bare, loop_cpu_bare, close_cpu_bare, PERF},
	{"own.group", open_own_group, loop_cpu_group, close_cpu_groups, PERF},
	{"other.bare", open_other_bare, loop_cpu_bare, close_cpu_bare, PERF},
	{"other.group", open_other_group, loop_cpu_group, close_cpu_groups, PERF},
	{"all.bare", open_all_bare, loop_all_bare, close_cpu_bare, PERF},
	{"all.start", open_perf_cpus, loop_all_start, drop, PERF},
	{"all.get", open_perf_cpus, loop_all_get, drop, PERF},
	{"both.bare", open_both_bare, loop_both_bare, close_both_bare, PERF},
	{"cpi.raw", open_raw, loop_cpi, close_cpi, PERF},
	{"cpi.scaled", open_scaled, loop_cpi, close_cpi, PERF},
	{"cpi.thread", open_on_thread, loop_cpi, close_cpi, PERF},
	{"cpi.trace", open_on_thread, loop_cpi_trace, close_cpi, PERF},
	{"soft.clock", open_nothing, loop_clock, close_nothing, SOFTWARE},
	{"soft.thread", open_thread, loop_thread_get, drop, SOFTWARE},
	{"soft.cpus", open_cpus, loop_all_get, drop, SOFTWARE},
	{"soft.cpi", open_on_thread, loop_cpi, close_cpi, SOFTWARE},
	{"idle.timer_list", open_timer_list, loop_timer_list, close_file, SOFTWARE},
	{"idle.stat", open_stat, loop_stat, close_file, SOFTWARE},
	{"idle.read", open_idle, loop_idle, close_nothing, SOFTWARE},
	{"life.usage", open_nothing, loop_usage, close_nothing, SOFTWARE},
	{"ai.perf", ai_open, ai_loop, ai_close, PERF, true},
	{"util.perf", util_open, util_loop, util_close, PERF, true},
	{"ai.soft", ai_open, ai_loop, ai_close, SOFTWARE, true},
	{"util.soft", util_open, util_loop, util_close, SOFTWARE, true},
	{"life.read", open_nothing, loop_activity, close_nothing, SOFTWARE},
};
/* clang-format on */
const unsigned reading_count = sizeof readings / sizeof *readings;
