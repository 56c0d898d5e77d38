/* AiInit and its kin, on scripted counts and on this machine. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../include/perfutil.h"
#include "double.h"
#include "instances.h"
#include "util_suites.h"

#define SCRIPT                                                                                     \
	"cycles 1000\nbusy all 40%\nintr all 10%\nunhalted all 300\nreference all 200\n"           \
	"switches all 3\ninterrupts all 9\n"

/* Kept until the test's process ends. */
static AI_COUNTERS *array(void)
{
	static AI_COUNTERS *kept[8];
	static unsigned count;

	ck_assert_uint_lt(count, 8);
	kept[count] = AiAllocCounters(NULL);
	ck_assert_ptr_nonnull(kept[count]);
	return kept[count++];
}

static AI_COUNTERS *get_counters(void)
{
	AI_COUNTERS *c = array();

	ck_assert_int_eq(AiGetCounters(c), PU_SUCCESS);
	return c;
}

START_TEST(scripted_counts_are_returned)
{
	AI_COUNTERS *a, *b;

	use_script(SCRIPT);
	ck_assert_int_eq(AiInit(), PU_SUCCESS);
	ck_assert_int_eq(AiMethod(), AI_METHOD_SCRIPT);
	a = get_counters();
	get_counters();
	b = get_counters();
	for (int cpu = 0; cpu < GetActiveProcessorCount(); cpu++) {
		ck_assert_uint_eq(b[cpu].CurTime - a[cpu].CurTime, 2000);
		ck_assert_uint_eq(b[cpu].BusyTime - a[cpu].BusyTime, 600);
		ck_assert_uint_eq(b[cpu].IntrTime - a[cpu].IntrTime, 200);
		ck_assert_uint_eq(b[cpu].IdleTime - a[cpu].IdleTime, 1200);
		ck_assert_uint_eq(b[cpu].DispCnt - a[cpu].DispCnt, 6);
		ck_assert_uint_eq(b[cpu].IntrCnt - a[cpu].IntrCnt, 18);
	}
	/* So the trace says. */
	ck_assert_int_eq(ring_double.source, SHM_SOURCE_SCRIPTED);
}
END_TEST

/* 32 bits go round, and never through "not measured". */
START_TEST(counts_wrap)
{
	AI_COUNTERS *a, *b;

	use_script("cycles 10\nbusy all 1\nswitches all 4294967295\ninterrupts all 4294967294\n");
	ck_assert_int_eq(AiInit(), PU_SUCCESS);
	a = get_counters();
	b = get_counters();
	ck_assert_uint_eq(a->DispCnt, 0);
	ck_assert_uint_eq(b->DispCnt, 0);
	ck_assert_uint_eq(a->IntrCnt, 4294967294);
	ck_assert_uint_eq(b->IntrCnt, 4294967293);
}
END_TEST

START_TEST(values_missing_in_the_script)
{
	AI_COUNTERS *a, *b;

	use_script("cycles 1000\nbusy all 40%\n");
	ck_assert_int_eq(AiInit(), PU_SUCCESS);
	a = get_counters();
	b = get_counters();
	ck_assert_uint_eq(b->BusyTime - a->BusyTime, 400);
	ck_assert_uint_eq(b->IdleTime - a->IdleTime, 600);
	ck_assert_uint_eq(b->IntrTime, AI_NOT_MEASURED);
	ck_assert_uint_eq(b->DispCnt, AI_COUNT_NOT_MEASURED);
	ck_assert_uint_eq(b->IntrCnt, AI_COUNT_NOT_MEASURED);
}
END_TEST

/* Unmeasured for a while: the next reading includes the missed time. */
START_TEST(a_gap)
{
	AI_COUNTERS *a, *b, *c;

	use_script("step 2\ncycles 1000\nbusy all 40%\nstep\ncycles 1000\nbusy all none\n"
		   "step\ncycles 1000\nbusy all 40%\n");
	ck_assert_int_eq(AiInit(), PU_SUCCESS);
	a = get_counters();
	b = get_counters();
	ck_assert_uint_eq(b->CurTime, a->CurTime);
	ck_assert_uint_eq(b->BusyTime, a->BusyTime);
	c = get_counters();
	ck_assert_uint_ge(c->BusyTime, b->BusyTime + 400);
	ck_assert_uint_eq(c->CurTime, a->CurTime + 2000);
	ck_assert_uint_eq(
		c->BusyTime - a->BusyTime + (c->IdleTime - a->IdleTime), c->CurTime - a->CurTime);
}
END_TEST

START_TEST(inits_nest)
{
	AI_COUNTERS *a, *b;

	use_script(SCRIPT);
	a = array();
	AiTerminate();
	ck_assert_int_eq(AiGetCounters(a), PU_ERR_NOT_INITIALIZED);
	ck_assert_int_eq(AiInit(), PU_SUCCESS);
	ck_assert_int_eq(AiGetCounters(a), PU_SUCCESS);
	ck_assert_int_eq(AiInit(), PU_SUCCESS);
	b = get_counters();
	/* The second did not begin anew. */
	ck_assert_uint_ge(b->BusyTime, a->BusyTime + 300);
	AiTerminate();
	ck_assert_int_eq(AiGetCounters(b), PU_SUCCESS);
	AiTerminate();
	ck_assert_int_eq(AiGetCounters(b), PU_ERR_NOT_INITIALIZED);
	AiTerminate();
	ck_assert_int_eq(AiInit(), PU_SUCCESS);
	ck_assert_int_eq(AiGetCounters(b), PU_SUCCESS);
	ck_assert_uint_le(b->BusyTime, 300);
	AiTerminate();
}
END_TEST

START_TEST(an_array_has_all_processors)
{
	int size = -1;
	AI_COUNTERS *a;

	use_script(SCRIPT);
	a = AiAllocCounters(&size);
	ck_assert_int_eq(size, GetActiveProcessorCount() * (int)sizeof *a);
	ck_assert_uint_eq(a->CurTime, 0);
	ck_assert_int_eq(AiInit(), PU_SUCCESS);
	ck_assert_int_eq(AiGetCounters(a), PU_SUCCESS);
	ck_assert_uint_ne(a->CurTime, 0);
	AiZeroCounters(a);
	for (int i = 0; i < size; i++)
		ck_assert_int_eq(((char *)a)[i], 0);
	AiZeroCounters(NULL);
	AiFreeCounters(NULL);
	AiFreeCounters(a);
	ck_assert_int_eq(AiGetCounters(NULL), PU_ERR_NULL_PTR);
}
END_TEST

static const struct {
	const char *counters;
	int rc;
} refused[] = {
	{"none", PU_ERROR_NOT_SUPPORTED},
	{"nothing", PU_ERROR_INVALID_PARAMETER},
	{"scripted:", PU_ERR_FILE_ERROR},
	{"scripted:/no/such/file", PU_ERR_FILE_ERROR},
	{"scripted:/dev/null", PU_ERROR_INVALID_PARAMETER},
};

START_TEST(no_source)
{
	AI_COUNTERS *a;
	void *h = NULL;

	use_counters(refused[_i].counters);
	ck_assert_int_eq(AiInit(), refused[_i].rc);
	ck_assert_int_eq(CpuUtilInit(0, &h), refused[_i].rc);
	ck_assert_ptr_null(h);
	ck_assert_int_eq(AiMethod(), AI_METHOD_NONE);
	ck_assert_str_ne(AiWhy(), "");
	a = array();
	ck_assert_int_eq(AiGetCounters(a), PU_ERR_NOT_INITIALIZED);
}
END_TEST

static const char *const no_words[] = {"intr 0\n", "intr 0 101%\n", "intr all -1\n",
	"unhalted all 5%\n", "reference 0 5%\n", "switches 0\n", "switches 0 5%\n",
	"interrupts 0 1 2\n", "interrupts x 1\n", "thread intr 5\n", "busy_time all 5\n"};

START_TEST(bad_scripts)
{
	use_script(no_words[_i]);
	ck_assert_int_eq(AiInit(), PU_ERROR_INVALID_PARAMETER);
	ck_assert_ptr_nonnull(strstr(AiWhy(), "line 1"));
}
END_TEST

static bool measures(void)
{
	if (AiMethod() != AI_METHOD_NONE)
		return true;
	printf("skipped: this machine: %s\n", AiWhy());
	return false;
}

/* Whatever the method: parts of a whole that never go back. */
START_TEST(this_machine)
{
	AI_COUNTERS *a = array(), *b = array();
	int cpus = GetActiveProcessorCount();

	use_counters("auto");
	if (!measures())
		return;
	errno = 77;
	ck_assert_int_eq(AiInit(), PU_SUCCESS);
	ck_assert_int_eq(AiGetCounters(a), PU_SUCCESS);
	for (int i = 0; i < 300; i++) {
		if (i % 100 == 50)
			sleep_ms(15);
		ck_assert_int_eq(AiGetCounters(b), PU_SUCCESS);
		for (int cpu = 0; cpu < cpus; cpu++) {
			if (a[cpu].CurTime == AI_NOT_MEASURED || b[cpu].CurTime == AI_NOT_MEASURED)
				continue;
			ck_assert_uint_ge(b[cpu].CurTime, a[cpu].CurTime);
			ck_assert_uint_ge(b[cpu].IdleTime, a[cpu].IdleTime);
			ck_assert_uint_ge(b[cpu].BusyTime, a[cpu].BusyTime);
			ck_assert_uint_le(b[cpu].IdleTime + b[cpu].BusyTime, b[cpu].CurTime);
		}
		memcpy(a, b, (size_t)cpus * sizeof *a);
	}
	ck_assert_int_eq(errno, 77);
	AiTerminate();
}
END_TEST

START_TEST(a_child_counts_too)
{
	AI_COUNTERS *a;
	int status;
	pid_t pid;

	use_counters("auto");
	if (!measures())
		return;
	ck_assert_int_eq(AiInit(), PU_SUCCESS);
	a = get_counters();
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		UINT64 before = a->CurTime;
		bool good = AiGetCounters(a) == PU_SUCCESS && a->CurTime >= before;

		AiTerminate();
		_exit(good && AiGetCounters(a) == PU_ERR_NOT_INITIALIZED ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(AiGetCounters(a), PU_SUCCESS);
	AiTerminate();
}
END_TEST

Suite *ai_suite(void)
{
	return SUITE("ai", .timeout = 60,
		TESTS(scripted_counts_are_returned, counts_wrap, values_missing_in_the_script,
			a_gap, inits_nest, an_array_has_all_processors, this_machine,
			a_child_counts_too),
		LOOPS({no_source, 0, sizeof refused / sizeof *refused},
			{bad_scripts, 0, sizeof no_words / sizeof *no_words}));
}
