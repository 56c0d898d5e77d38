/* Overflow: the signal, the freeze, the restart. */
#include "suite.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { PERIOD = 1000, HITS = 64 };

static cpc_t *cpc;
static cpc_set_t *set;
static cpc_buf_t *buf;
static volatile int times, wrong, restarts_left;
static uint64_t value[HITS], second[HITS];

static void on_emt(int number, siginfo_t *info, void *context)
{
	const ucontext_t *c = context;
	void *pc = NULL;

#if defined(__x86_64__)
	pc = (void *)c->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	pc = (void *)c->uc_mcontext.pc;
#endif
	wrong |= number != SIGEMT || info->si_code != EMT_CPCOVF || info->si_addr != pc;
	wrong |= cpc_set_sample(cpc, set, buf) != 0;
	cpc_buf_get(cpc, buf, 0, &value[times % HITS]);
	cpc_buf_get(cpc, buf, 1, &second[times % HITS]);
	times++;
	if (restarts_left-- > 0)
		wrong |= cpc_set_restart(cpc, set) != 0;
}

static void begin(void)
{
	struct sigaction act = {.sa_sigaction = on_emt, .sa_flags = SA_SIGINFO | SA_RESTART};

	cpc = open_quietly();
	sigaction(SIGEMT, &act, NULL);
	set = cpc_set_create(cpc);
	times = wrong = 0;
	restarts_left = HITS;
	fault(10);
}

static void end(void)
{
	ck_assert_int_eq(wrong, 0);
	ck_assert_int_eq(cpc_close(cpc), 0);
}

static int request(const char *event, uint64_t preset, uint_t flags)
{
	int index = cpc_set_add_request(cpc, set, event, preset, CPC_COUNT_USER | flags, 0, NULL);

	ck_assert_msg(index >= 0, "%s", told.line);
	return index;
}

static void bind(void)
{
	buf = cpc_buf_create(cpc, set);
	ck_assert_msg(cpc_bind_curlwp(cpc, set, 0) == 0, "%s", told.line);
	ck_assert_int_eq(cpc_set_sample(cpc, set, buf), 0);
	ck_assert_int_eq(cpc_set_restart(cpc, set), 0);
}

START_TEST(it_overflows_after_2_64_less_preset)
{
	request("page-faults", UINT64_MAX - PERIOD + 1, CPC_OVF_NOTIFY_EMT);
	request("page-faults", 0, 0);
	bind();
	fault(PERIOD - 100);
	ck_assert_int_eq(times, 0);
	fault(100 + 9 * PERIOD + PERIOD / 2);
	ck_assert_int_eq(times, 10);
	/* Frozen at the very count. */
	for (int i = 0; i < times; i++) {
		ck_assert_uint_eq(value[i], 0);
		ck_assert_uint_eq(second[i], PERIOD);
	}
}
END_TEST

START_TEST(without_restart_it_stays_frozen)
{
	restarts_left = 0;
	request("page-faults", UINT64_MAX - PERIOD + 1, CPC_OVF_NOTIFY_EMT);
	request("page-faults", 7, 0);
	bind();
	fault(5 * PERIOD);
	ck_assert_int_eq(times, 1);
	ck_assert_uint_eq(sampled(cpc, set, buf, 0), 0);
	ck_assert_uint_eq(sampled(cpc, set, buf, 1), PERIOD + 7);
	/* Enable restarts only counters that disable stopped. */
	ck_assert_int_eq(cpc_enable(cpc), 0);
	fault(100);
	ck_assert_uint_eq(sampled(cpc, set, buf, 1), PERIOD + 7);
	/* Outside of the handler, too. */
	ck_assert_int_eq(cpc_set_restart(cpc, set), 0);
	/* Stops a hundred short: a sanitizer's own pages fault, too. */
	fault(PERIOD - 100);
	ck_assert_int_eq(times, 1);
	fault(120);
	ck_assert_int_eq(times, 2);
	/* Bound again it counts again. */
	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	fault(PERIOD);
	ck_assert_int_eq(times, 3);
}
END_TEST

START_TEST(a_new_preset_is_the_next_period)
{
	restarts_left = 0;
	request("page-faults", UINT64_MAX - PERIOD + 1, CPC_OVF_NOTIFY_EMT);
	request("page-faults", 0, 0);
	bind();
	fault(PERIOD + 10);
	ck_assert_int_eq(times, 1);
	ck_assert_int_eq(cpc_request_preset(cpc, 0, UINT64_MAX - 4999), 0);
	ck_assert_uint_eq(sampled(cpc, set, buf, 0), UINT64_MAX - 4999);
	ck_assert_uint_eq(sampled(cpc, set, buf, 1), PERIOD);
	ck_assert_int_eq(cpc_set_restart(cpc, set), 0);
	fault(4900);
	ck_assert_int_eq(times, 1);
	fault(150);
	ck_assert_int_eq(times, 2);
	ck_assert_uint_eq(second[1], 5000);
}
END_TEST

/* The one that overflows is not the first, nor the only one that may. */
START_TEST(any_of_several_may_overflow)
{
	restarts_left = 0;
	request("page-faults", 0, 0);
	request("page-faults", UINT64_MAX - 99999, CPC_OVF_NOTIFY_EMT);
	ck_assert_int_eq(request("page-faults", UINT64_MAX - PERIOD + 1, CPC_OVF_NOTIFY_EMT), 2);
	bind();
	fault(PERIOD + 100);
	ck_assert_int_eq(times, 1);
	ck_assert_uint_lt(sampled(cpc, set, buf, 2), 100);
	ck_assert_uint_ge(sampled(cpc, set, buf, 0), PERIOD);
	ck_assert_uint_gt(sampled(cpc, set, buf, 1), UINT64_MAX - 99999);
	ck_assert_int_eq(cpc_set_restart(cpc, set), 0);
	fault(PERIOD + 100);
	ck_assert_int_eq(times, 2);
}
END_TEST

/* Any preset is taken; a small one means: not in this life. */
START_TEST(a_small_preset_does_not_overflow)
{
	request("page-faults", 0, CPC_OVF_NOTIFY_EMT);
	request("page-faults", 5, CPC_OVF_NOTIFY_EMT);
	bind();
	fault(2000);
	ck_assert_int_eq(times, 0);
	ck_assert_uint_ge(sampled(cpc, set, buf, 0), 2000);
}
END_TEST

START_TEST(the_thread_clock_overflows)
{
	const uint64_t ms = 1000000;

	restarts_left = 3;
	request("task-clock", UINT64_MAX - 2 * ms + 1, CPC_OVF_NOTIFY_EMT);
	request("page-faults", 0, 0);
	bind();
	/* In user mode, where alone the kernel tells it. */
	while (times < 4)
		;
	fault(100);
	ck_assert_int_eq(times, 4);
}
END_TEST

START_TEST(a_notice_of_an_unbound_set_is_ignored)
{
	sigset_t block, before;

	request("page-faults", UINT64_MAX - PERIOD + 1, CPC_OVF_NOTIFY_EMT);
	request("page-faults", 0, 0);
	bind();
	sigemptyset(&block);
	sigaddset(&block, CPC_SIGNAL);
	pthread_sigmask(SIG_BLOCK, &block, &before);
	fault(PERIOD + 5);
	ck_assert_int_eq(times, 0);
	ck_assert_int_eq(cpc_unbind(cpc, set), 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	ck_assert_int_eq(times, 0);
}
END_TEST

static volatile int foreign;

static void on_foreign(int number)
{
	foreign += number == CPC_SIGNAL;
}

START_TEST(an_earlier_handler_gets_foreign_signals)
{
	struct sigaction act = {.sa_handler = on_foreign};

	foreign = 0;
	sigaction(CPC_SIGNAL, &act, NULL);
	request("page-faults", UINT64_MAX - PERIOD + 1, CPC_OVF_NOTIFY_EMT);
	request("page-faults", 0, 0);
	bind();
	raise(CPC_SIGNAL);
	ck_assert_int_eq(foreign, 1);
	fault(PERIOD);
	ck_assert_int_eq(times, 1);
	ck_assert_int_eq(foreign, 1);
}
END_TEST

static int raises(void *unused)
{
	(void)unused;
	request("page-faults", UINT64_MAX - PERIOD + 1, CPC_OVF_NOTIFY_EMT);
	bind();
	raise(CPC_SIGNAL);
	return 0;
}

static int ignores_nothing(void *unused)
{
	(void)unused;
	signal(SIGEMT, SIG_DFL);
	request("page-faults", UINT64_MAX - PERIOD + 1, CPC_OVF_NOTIFY_EMT);
	bind();
	fault(2 * PERIOD);
	return 0;
}

/* As an unhandled SIGEMT does. */
START_TEST(unhandled_signals_end_the_process)
{
	struct child c = begin_child(ignores_nothing, NULL);

	ck_assert_int_eq(end_child(&c), 128 + SIGEMT);
	c = begin_child(raises, NULL);
	ck_assert_int_eq(end_child(&c), 128 + CPC_SIGNAL);
}
END_TEST

START_TEST(overflow_is_for_the_own_thread)
{
	pctx_t self = getpid();

	request("page-faults", UINT64_MAX - 9, CPC_OVF_NOTIFY_EMT);
	ck_fails(cpc_bind_pctx(cpc, &self, 0, set, 0), EINVAL, "cpc_bind_curlwp only");
	ck_fails(cpc_bind_cpu(cpc, 0, set, 0), EINVAL, "cpc_bind_curlwp only");
}
END_TEST

/* --------------------------------------------------------------------- many threads */

enum { THREADS = 4, TURNS = 3 };

static struct {
	cpc_set_t *set;
	cpc_buf_t *buf;
	volatile int times;
} per_thread[THREADS];
static _Thread_local int own;

static void on_threads_emt(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info, (void)context;
	wrong |= cpc_set_sample(cpc, per_thread[own].set, per_thread[own].buf) != 0;
	per_thread[own].times++;
	wrong |= cpc_set_restart(cpc, per_thread[own].set) != 0;
}

static void *overflows(void *number)
{
	own = (int)(intptr_t)number;
	for (int turn = 0; turn < TURNS; turn++) {
		wrong |= cpc_bind_curlwp(cpc, per_thread[own].set, 0) != 0;
		cpc_set_restart(cpc, per_thread[own].set);
		fault(5 * PERIOD + PERIOD / 2);
		wrong |= cpc_unbind(cpc, per_thread[own].set) != 0;
	}
	return NULL;
}

/* Each thread has its own signals. */
START_TEST(threads_overflow_for_themselves)
{
	struct sigaction act = {.sa_sigaction = on_threads_emt, .sa_flags = SA_SIGINFO};
	pthread_t t[THREADS];

	sigaction(SIGEMT, &act, NULL);
	for (int i = 0; i < THREADS; i++) {
		per_thread[i].times = 0;
		per_thread[i].set =
			set_of(cpc, "page-faults", UINT64_MAX - PERIOD + 1, CPC_OVF_NOTIFY_EMT);
		per_thread[i].buf = cpc_buf_create(cpc, per_thread[i].set);
	}
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&t[i], NULL, overflows, (void *)(intptr_t)i), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(per_thread[i].times, 5 * TURNS);
}
END_TEST

Suite *overflow_suite(void)
{
	Suite *s = suite_create("overflow");
	TCase *t = tcase_create("overflow");

	tcase_add_checked_fixture(t, begin, end);
	tcase_add_test(t, a_small_preset_does_not_overflow);
	tcase_add_test(t, a_notice_of_an_unbound_set_is_ignored);
	tcase_add_test(t, overflow_is_for_the_own_thread);
	suite_add_tcase(s, t);
	if (WITH_TSAN) {
		puts("skipped: overflow's signals: ThreadSanitizer keeps signals back");
		return s;
	}
	tcase_add_test(t, threads_overflow_for_themselves);
	tcase_add_test(t, it_overflows_after_2_64_less_preset);
	tcase_add_test(t, without_restart_it_stays_frozen);
	tcase_add_test(t, a_new_preset_is_the_next_period);
	tcase_add_test(t, any_of_several_may_overflow);
	tcase_add_test(t, the_thread_clock_overflows);
	tcase_add_test(t, an_earlier_handler_gets_foreign_signals);
	tcase_add_test(t, unhandled_signals_end_the_process);
	return s;
}
