/* The hooks that CpuUtilGet, CpuUtilGetAndTrace and CpuUtilSample write. */
#include <stdlib.h>
#include <string.h>

#include "../../formats/cpuutil_hooks.h"
#include "../../formats/record.h"
#include "../../include/perfutil.h"
#include "../../libtrace/measure/util/group.h"
#include "double.h"
#include "instances.h"
#include "util_suites.h"

#define ALL                                                                                        \
	"cycles 1000\nbusy all 40%\nintr all 10%\nunhalted all 300\nreference all 200\n"           \
	"switches all 3\ninterrupts all 9\n"

/* In a machine of one processor as of many: the words of processor 0. */
static void *util(UINT32 mode)
{
	void *h = NULL;

	ck_assert_int_eq(CpuUtilInit(mode, &h), PU_SUCCESS);
	return h;
}

static uint64_t word64(unsigned at)
{
	const struct record_view *r = group_record(0);

	ck_assert_uint_lt(at + 1, r->nwords);
	return (uint64_t)r->word[at] << 32 | r->word[at + 1];
}

/* The percentage at word `at`, in ten-thousandths. */
static uint64_t percent(unsigned at)
{
	const struct record_view *r = group_record(0);

	ck_assert_uint_lt(at + 1, r->nwords);
	ck_assert_uint_lt(r->word[at + 1], 10000);
	return (uint64_t)r->word[at] * 10000 + r->word[at + 1];
}

START_TEST(a_summary_is_one_hook)
{
	const CPUUTIL_DATA *d;
	unsigned n = (unsigned)GetActiveProcessorCount();

	use_script(ALL);
	ck_assert_int_eq(CpuUtilGetAndTrace(util(0), 0x42, 0, NULL, &d), PU_SUCCESS);
	ck_assert_uint_eq(group_records(), 1);
	ck_assert_uint_eq(group_record(0)->minor, 0x10000042);
	ck_assert_uint_eq(group_record(0)->nwords, CPUUTIL_SUMMARY_WORDS(n));
	ck_assert_uint_eq(group_record(0)->word[0], 7);
	ck_assert_uint_eq(group_record(0)->word[1], AI_METHOD_SCRIPT);
	ck_assert_uint_eq(group_record(0)->word[2], n);
	ck_assert_uint_eq(word64(3), d->elapsed_cycles);
	for (unsigned cpu = 0; cpu <= n; cpu++) { /* and the system */
		ck_assert_uint_eq(percent(5 + 4 * cpu), 300000);
		ck_assert_uint_eq(percent(5 + 4 * cpu + 2), 600000);
		ck_assert_uint_eq(percent(5 + 4 * (n + 1) + 2 * cpu), 100000);
		ck_assert_uint_eq(percent(5 + 6 * (n + 1) + 2 * cpu), 1500000);
	}
}
END_TEST

START_TEST(details_are_one_hook_of_all_processors)
{
	unsigned n = (unsigned)GetActiveProcessorCount();

	use_script(ALL);
	ck_assert_int_eq(
		CpuUtilGetAndTrace(util(0), 0, CPUUTIL_TRACE_DETAILED, NULL, NULL), PU_SUCCESS);
	ck_assert_uint_eq(group_records(), 1);
	ck_assert_uint_eq(group_record(0)->minor, 0x40000000);
	ck_assert_uint_eq(group_record(0)->nwords, CPUUTIL_PER_CPU_WORDS(n));
	ck_assert_uint_eq(group_record(0)->word[0], 31);
	for (unsigned cpu = 0; cpu < n; cpu++) {
		unsigned at = 5 + 14 * cpu;

		ck_assert_uint_eq(word64(at), 1000);
		ck_assert_uint_eq(word64(at + 2), 300);
		ck_assert_uint_eq(word64(at + 4), 600);
		ck_assert_uint_eq(word64(at + 6), 100);
		ck_assert_uint_eq(word64(at + 8), 300);
		ck_assert_uint_eq(word64(at + 10), 200);
		ck_assert_uint_eq(group_record(0)->word[at + 12], 3);
		ck_assert_uint_eq(group_record(0)->word[at + 13], 9);
	}
}
END_TEST

/* An unmeasured value has neither its bit set nor words. */
static const struct {
	const char *script;
	unsigned summary_types, detailed_types, summary_words, detailed_words;
} partly[] = {
	{"cycles 1000\nbusy all 40%\n", 1, 1, 4, 6},
	{"cycles 1000\nbusy all 40%\nintr all 1\n", 3, 3, 6, 8},
	{"cycles 1000\nbusy all 40%\nswitches all 1\n", 1, 9, 4, 7},
	{"cycles 1000\nbusy all 40%\ninterrupts all 1\n", 1, 17, 4, 7},
	{"cycles 1000\nbusy all 40%\nunhalted all 1\n", 1, 1, 4, 6},
	{"cycles 1000\nbusy all 40%\nunhalted all 1\nreference all 1\n", 5, 5, 6, 10},
	{"cycles 0\nbusy all 0\n", 0, 0, 0, 2},
};

START_TEST(not_measured)
{
	unsigned n = (unsigned)GetActiveProcessorCount();
	void *h;

	use_script(partly[_i].script);
	h = util(0);
	ck_assert_int_eq(
		CpuUtilGetAndTrace(h, 0, CPUUTIL_TRACE_EVERYTHING, NULL, NULL), PU_SUCCESS);
	ck_assert_uint_eq(group_records(), 2);
	ck_assert_uint_eq(group_record(0)->word[0], partly[_i].summary_types);
	ck_assert_uint_eq(group_record(0)->nwords, 5 + partly[_i].summary_words * (n + 1));
	ck_assert_uint_eq(group_record(1)->word[0], partly[_i].detailed_types);
	ck_assert_uint_eq(group_record(1)->nwords, 5 + partly[_i].detailed_words * n);
}
END_TEST

static const struct {
	UINT32 mode;
	unsigned hooks;
} modes[] = {{CPUUTIL_TRACE_NONE, 0}, {CPUUTIL_TRACE_SUMMARY, 1}, {CPUUTIL_TRACE_DETAILED, 1},
	{CPUUTIL_TRACE_EVERYTHING, 2}};

START_TEST(get_writes_the_hooks_that_init_chose)
{
	const CPUUTIL_DATA *d;
	void *h;

	use_script(ALL);
	h = util(modes[_i].mode);
	ck_assert_int_eq(CpuUtilGet(h, &d), PU_SUCCESS);
	ck_assert_uint_eq(group_records(), modes[_i].hooks);
	if (modes[_i].hooks)
		ck_assert_uint_eq(group_record(0)->minor & 0xFF, CPUUTIL_TRACE_MINOR_CODE);
	/* The call's own, whatever Init said. */
	ck_assert_int_eq(CpuUtilGetAndTrace(h, 1, 0, NULL, NULL), PU_SUCCESS);
	ck_assert_uint_eq(group_records(), 1);
	ck_assert_uint_eq(group_record(0)->minor, 0x10000001);
}
END_TEST

START_TEST(labels_are_copied)
{
	char label[] = "mine";
	const CPUUTIL_DATA *d;
	void *h;

	use_script(ALL);
	h = util(CPUUTIL_TRACE_SUMMARY);
	ck_assert_int_eq(CpuUtilSetTraceHookId(h, 7, label), PU_SUCCESS);
	label[0] = 'x';
	ck_assert_int_eq(CpuUtilGet(h, &d), PU_SUCCESS);
	ck_assert_uint_eq(group_records(), 3);
	ck_assert_uint_eq(group_record(0)->minor, 7);
	ck_assert(memcmp(group_record(0)->string, "mine", 4) == 0);
	ck_assert_uint_eq(word64(CPUUTIL_LABEL_ELAPSED), d->elapsed_cycles);
	ck_assert_uint_eq(group_record(1)->minor, 0x10000007);
	ck_assert_uint_eq(group_record(2)->minor, 0xF0000007);
	ck_assert(memcmp(group_record(2)->string, "mine", 4) == 0);
	ck_assert_int_eq(CpuUtilSetTraceHookId(h, 8, NULL), PU_SUCCESS);
	ck_assert_int_eq(CpuUtilGet(h, &d), PU_SUCCESS);
	ck_assert_uint_eq(group_records(), 1);
	ck_assert_int_eq(CpuUtilGetAndTrace(h, 9, 0, "", NULL), PU_SUCCESS);
	ck_assert_uint_eq(group_records(), 3);
	ck_assert_uint_eq(group_record(0)->length, 0);
}
END_TEST

static const int losses[] = {PU_ERROR_BUFFER_FULL, PU_ERROR_NO_BUFFER, PU_ERROR_HOOK_TOO_LONG};

START_TEST(lost_hooks)
{
	const CPUUTIL_DATA *d = NULL;
	void *h;

	use_script(ALL);
	h = util(CPUUTIL_TRACE_SUMMARY);
	ring_double.rc = losses[_i];
	ck_assert_int_eq(CpuUtilGet(h, &d), losses[_i]);
	ck_assert_ptr_nonnull(d);
	ck_assert_double_eq_tol(d->sys_busy, 30, 1e-9);
	ck_assert_int_eq(CpuUtilGetAndTrace(h, 1, 0, "x", NULL), losses[_i]);
}
END_TEST

START_TEST(tracing_off)
{
	const CPUUTIL_DATA *d = NULL;
	void *h;

	use_script(ALL);
	ring_double.on = false;
	h = util(CPUUTIL_TRACE_EVERYTHING);
	ck_assert_int_eq(CpuUtilGet(h, &d), PU_SUCCESS);
	ck_assert_double_eq_tol(d->sys_busy, 30, 1e-9);
	/* Not even read. */
	ck_assert_int_eq(CpuUtilGetAndTrace(h, 1, 0, "x", NULL), PU_SUCCESS);
	ck_assert_int_eq(CpuUtilGet(h, &d), PU_SUCCESS);
	ck_assert_uint_eq(d->cpu_disp_cnt[0], 6);
	ck_assert_uint_eq(ring_double.reservations, 0);
}
END_TEST

/* The space that init reserves for a group suffices, and its hooks fit a record. */
START_TEST(as_many_processors_as_there_can_be)
{
	static const struct util_spec spec = {.summary = true, .detailed = true, .mm = 1};
	struct counter_interval *i = calloc(1, counters_interval_size(MAX_CPUS));
	uint64_t elapsed;

	i->cpus = MAX_CPUS;
	for (int cpu = 0; cpu < MAX_CPUS; cpu++)
		i->cpu[cpu].usage = (struct counter_usage){.elapsed = UINT64_C(1) << 50,
			.busy = UINT64_C(1) << 49,
			.idle = UINT64_C(1) << 48,
			.intr = UINT64_C(1) << 48,
			.core = 3,
			.reference = 2,
			.switches = UINT64_MAX - 1,
			.interrupts = UINT64_MAX - 1,
			.stayed = true};
	ck_assert_int_eq(util_group_write(&spec, i, &elapsed), PU_SUCCESS);
	ck_assert_uint_eq(group_records(), 2);
	ck_assert_uint_eq(group_record(0)->nwords, CPUUTIL_SUMMARY_WORDS(MAX_CPUS));
	/* The system's, behind the processors'. */
	ck_assert_uint_eq(group_record(0)->word[5 + 4 * MAX_CPUS], 50);
	ck_assert_uint_eq(group_record(0)->word[5 + 4 * MAX_CPUS + 2], 25);
	ck_assert_uint_eq(group_record(1)->nwords, CPUUTIL_PER_CPU_WORDS(MAX_CPUS));
	/* The last words: counts that no 32 bits hold are the most that there is. */
	ck_assert_uint_eq(group_record(1)->word[CPUUTIL_PER_CPU_WORDS(MAX_CPUS) - 1],
		AI_COUNT_NOT_MEASURED - 1);
	free(i);
}
END_TEST

Suite *trace_suite(void)
{
	return SUITE("trace",
		TESTS(a_summary_is_one_hook, details_are_one_hook_of_all_processors,
			labels_are_copied, tracing_off, as_many_processors_as_there_can_be),
		LOOPS({not_measured, 0, sizeof partly / sizeof *partly},
			{get_writes_the_hooks_that_init_chose, 0, sizeof modes / sizeof *modes},
			{lost_hooks, 0, 3}));
}
