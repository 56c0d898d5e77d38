#include "clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/base/time_ns.h"
#include "../../formats/trace_file.h"
#include "clock_trust.h"

/* enum tf_clock; 0: not decided yet. The machine's, and that of this process. */
static _Atomic uint32_t of_machine, of_process;

bool clock_is_instruction;

/*
 * Lock-free, for a hook in a signal handler may come first: the first choice stays, and later ones
 * adopt it.
 */
static uint32_t clock_decide_kind(_Atomic uint32_t *which, uint32_t kind)
{
	uint32_t none = 0;

	return atomic_compare_exchange_strong_explicit(
		       which, &none, kind, memory_order_relaxed, memory_order_relaxed)
		       ? kind
		       : none;
}

static uint32_t machine_kind(void)
{
	uint32_t kind = atomic_load_explicit(&of_machine, memory_order_relaxed);
	struct clock_sources sources;

	if (kind)
		return kind;
	kind = TF_CLOCK_MONOTONIC_RAW;
	if (clock_is_trusted(clock_trust_now(&sources)))
#if defined(__x86_64__)
		kind = TF_CLOCK_TSC;
#else
		kind = TF_CLOCK_ARM_GENERIC;
#endif
	return clock_decide_kind(&of_machine, kind);
}

/* Runs at load time, so that no hook has to read /sys. */
__attribute__((constructor)) static void clock_probe_at_load(void)
{
	machine_kind();
}

static uint32_t process_kind(void)
{
	const char *forced = secure_getenv("SWTRACE_CLOCK");
	bool is_raw = forced && strcmp(forced, "raw") == 0;
	uint32_t kind =
		clock_decide_kind(&of_process, is_raw ? TF_CLOCK_MONOTONIC_RAW : machine_kind());

	__atomic_store_n(&clock_is_instruction, kind != TF_CLOCK_MONOTONIC_RAW, __ATOMIC_RELAXED);
	return kind;
}

uint32_t clock_kind(void)
{
	uint32_t kind = atomic_load_explicit(&of_process, memory_order_relaxed);

	return kind ? kind : process_kind();
}

uint64_t clock_now(void)
{
	return clock_kind() == TF_CLOCK_MONOTONIC_RAW ? clock_raw_ns() : clock_instruction();
}

#if defined(__x86_64__)
static void clock_read_pair(uint64_t *ticks, uint64_t *ns)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		uint64_t before = clock_instruction(), now = clock_raw_ns(),
			 after = clock_instruction();

		if (after - before < best) {
			best = after - before;
			*ticks = before + (after - before) / 2;
			*ns = now;
		}
	}
}

/* Against CLOCK_MONOTONIC_RAW over 20 ms: good to about 10 parts per million. */
static uint64_t rate_measured(void)
{
	const struct timespec wait = {.tv_nsec = 20000000};
	uint64_t t0 = 0, n0 = 0, t1 = 0, n1 = 0;

	clock_read_pair(&t0, &n0);
	nanosleep(&wait, NULL);
	clock_read_pair(&t1, &n1);
	if (n1 <= n0 || t1 <= t0)
		return TIME_SECOND_NS;
	return (uint64_t)((unsigned __int128)(t1 - t0) * TIME_SECOND_NS / (n1 - n0));
}
#endif

static pthread_once_t rate_once = PTHREAD_ONCE_INIT;
static uint64_t rate;
static const char *rate_source;

static void choose_rate(void)
{
	rate = TIME_SECOND_NS;
	rate_source = "CLOCK_MONOTONIC_RAW";
#if defined(__x86_64__)
	if (clock_kind() == TF_CLOCK_TSC) {
		rate = clock_rate_of_kernel();
		rate_source = "TSC (rate of the kernel)";
		if (rate == 0) {
			rate = rate_measured();
			rate_source = "TSC (rate measured against CLOCK_MONOTONIC_RAW)";
		}
	}
#elif defined(__aarch64__)
	if (clock_kind() == TF_CLOCK_ARM_GENERIC) {
		__asm__ volatile("mrs %0, cntfrq_el0" : "=r"(rate));

		rate_source = "generic timer (CNTFRQ_EL0)";
	}
#endif
}

uint64_t clock_ticks_per_second(void)
{
	pthread_once(&rate_once, choose_rate);
	return rate;
}

const char *clock_rate_source(void)
{
	pthread_once(&rate_once, choose_rate);
	return rate_source;
}

void clock_sync(uint64_t sync[3])
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 10; i++) {
		uint64_t before = clock_now();
		uint64_t real = time_ns_now(CLOCK_REALTIME), mono = time_ns_now(CLOCK_MONOTONIC);
		uint64_t after = clock_now();

		if (after - before < best) {
			best = after - before;
			sync[0] = before + (after - before) / 2;
			sync[1] = real;
			sync[2] = mono;
		}
	}
}
