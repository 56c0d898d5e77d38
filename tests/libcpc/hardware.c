/*
 * libcpc on a processor whose counters are there: loops of a known length, counted, and
 * overflows of instructions. `cpc_hardware -hardware` fails where the counters are missing;
 * without the argument it exits 77 there. Prints one line a check.
 */
#include <errno.h>
#include <inttypes.h>
#include <libcpc.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { TURNS = 1000000, PERIOD = 200000, SLACK = 20000 };

static cpc_t *cpc;
static cpc_set_t *set;
static cpc_buf_t *buf;
static int checks, failures;
static volatile int signals, wrong;
static volatile uint64_t least = UINT64_MAX, most;

static void check(bool right, const char *what)
{
	checks++;
	failures += !right;
	printf("%s: %s\n", right ? "ok" : "FAILED", what);
}

/* Two instructions a turn. */
__attribute__((noinline)) static void loop(uint64_t turns)
{
#if defined(__x86_64__)
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(turns)::"cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(turns)::"cc");
#else
	while (turns--)
		__asm__ volatile("" ::: "memory");
#endif
}

static uint64_t value(int index)
{
	uint64_t v = 0;

	cpc_buf_get(cpc, buf, index, &v);
	return v;
}

static bool is_near(uint64_t counted, uint64_t expected)
{
	return counted >= expected && counted < expected + SLACK;
}

static int add(const char *event, uint64_t preset, uint_t flags)
{
	return cpc_set_add_request(cpc, set, event, preset, CPC_COUNT_USER | flags, 0, NULL);
}

static void begin_set(void)
{
	if (set)
		cpc_set_destroy(cpc, set);
	set = cpc_set_create(cpc);
}

/* -------------------------------------------------------------------------- counting */

static bool has_counters(void)
{
	begin_set();
	if (add("instructions", 0, 0) == 0 && add("cycles", 0, 0) == 1 &&
		cpc_bind_curlwp(cpc, set, 0) == 0)
		return true;
	printf("instructions and cycles are not counted here: %s\n", strerror(errno));
	return false;
}

static void counted(void)
{
	uint64_t before[2], instructions, cycles;

	buf = cpc_buf_create(cpc, set);
	cpc_set_sample(cpc, set, buf);
	before[0] = value(0);
	before[1] = value(1);
	loop(TURNS);
	check(cpc_set_sample(cpc, set, buf) == 0, "a sample");
	instructions = value(0) - before[0];
	cycles = value(1) - before[1];
	printf("%d turns of 2: %" PRIu64 " instructions, %" PRIu64 " cycles\n", TURNS, instructions,
		cycles);
	check(is_near(instructions, 2 * (uint64_t)TURNS), "instructions of a known loop");
	check(cycles > 0, "cycles of a known loop");
	check(cpc_buf_tick(cpc, buf) > 0, "ticks");
	printf("%u counters: %s\n", cpc_npic(cpc), cpc_cciname(cpc));
	cpc_buf_destroy(cpc, buf);
}

static void preset(void)
{
	const uint64_t start = UINT64_MAX - TURNS;

	begin_set();
	add("instructions", start, 0);
	buf = cpc_buf_create(cpc, set);
	check(cpc_bind_curlwp(cpc, set, 0) == 0, "a set of one");
	loop(TURNS);
	check(cpc_set_sample(cpc, set, buf) == 0 && is_near(value(0), TURNS - 1),
		"a counter wraps at 2^64");
	cpc_buf_destroy(cpc, buf);
}

static void too_many(void)
{
	int n = 0;

	begin_set();
	while (n < 32 && add("instructions", 0, 0) == n)
		n++;
	errno = 0;
	check(n == 32 && cpc_bind_curlwp(cpc, set, 0) == -1 && errno == EINVAL,
		"32 hardware events do not fit: EINVAL");
}

/* -------------------------------------------------------------------------- overflow */

static void on_emt(int number, siginfo_t *info, void *context)
{
	uint64_t past;

	(void)context;
	wrong |= number != SIGEMT || info->si_code != EMT_CPCOVF || !info->si_addr;
	wrong |= cpc_set_sample(cpc, set, buf) != 0;
	past = value(0);
	if (past < least)
		least = past;
	if (past > most)
		most = past;
	signals++;
	wrong |= cpc_set_restart(cpc, set) != 0;
}

/* How late the interrupt comes is the machine's; that it comes, and begins anew, is not. */
static void overflows(void)
{
	struct sigaction act = {.sa_sigaction = on_emt, .sa_flags = SA_SIGINFO | SA_RESTART};

	sigaction(SIGEMT, &act, NULL);
	begin_set();
	check(add("instructions", UINT64_MAX - PERIOD + 1, CPC_OVF_NOTIFY_EMT) == 0, "a request");
	add("cycles", 0, 0);
	buf = cpc_buf_create(cpc, set);
	check(cpc_bind_curlwp(cpc, set, 0) == 0, "bound with overflow");
	for (int i = 0; i < 1000 && signals < 5; i++)
		loop(TURNS);
	printf("%d overflows, %" PRIu64 " to %" PRIu64 " instructions late\n", signals, least,
		most);
	check(signals >= 5, "instructions overflow");
	check(!wrong, "sampled and restarted in the handler");
	check(cpc_unbind(cpc, set) == 0, "unbound");
	cpc_buf_destroy(cpc, buf);
}

/* ------------------------------------------------------------------------- inherited */

static void *inherits(void *result)
{
	cpc_buf_t *mine = cpc_buf_create(cpc, set);
	uint64_t before = 0, after = 0;

	if (cpc_set_sample(cpc, set, mine) == 0 && cpc_buf_get(cpc, mine, 0, &before) == 0) {
		loop(TURNS);
		cpc_set_sample(cpc, set, mine);
		cpc_buf_get(cpc, mine, 0, &after);
	}
	*(uint64_t *)result = after - before;
	return NULL;
}

static void inherited(void)
{
	uint64_t instructions = 0;
	pthread_t thread;

	begin_set();
	add("instructions", 0, 0);
	check(cpc_bind_curlwp(cpc, set, CPC_BIND_LWP_INHERIT) == 0, "bound to inherit");
	if (pthread_create(&thread, NULL, inherits, &instructions) == 0)
		pthread_join(thread, NULL);
	check(is_near(instructions, 2 * (uint64_t)TURNS), "a new thread's own instructions");
}

int main(int argc, char **argv)
{
	const bool required = argc > 1 && strcmp(argv[1], "-hardware") == 0;

	cpc = cpc_open(CPC_VER_CURRENT);
	if (!cpc)
		return 1;
	if (!has_counters()) {
		if (!required)
			puts("skipped: hardware counters: this machine has none");
		return required ? 1 : 77;
	}
	counted();
	preset();
	too_many();
	overflows();
	inherited();
	cpc_close(cpc);
	printf("%d checks, %d failed\n", checks, failures);
	return failures != 0;
}
