#include "storm.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "../../libtrace/ring/reserve.h"

timer_t storm_timer(int signal_number, long ns)
{
	const struct itimerspec every = {{0, ns}, {0, ns}};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal_number};
	timer_t timer;

	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &every, NULL))
		die("no timer");
	return timer;
}

/* ------------------------------------------------------------------- aborts */

#if RING_HAS_RSEQ
extern const char __executable_start[], etext[];

bool storm_aborted(const void *context)
{
	const ucontext_t *u = context;
	uint32_t before;
#if defined(__x86_64__)
	uintptr_t pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
#else
	uintptr_t pc = (uintptr_t)u->uc_mcontext.pc;
#endif

	if (pc < (uintptr_t)__executable_start + 4 || pc >= (uintptr_t)etext)
		return false;
	memcpy(&before, (const void *)(pc - 4), 4);
	return before == RSEQ_SIG;
}
#else
bool storm_aborted(const void *context)
{
	(void)context;
	return false;
}
#endif

#if defined(__x86_64__)
enum { TRAP_FLAG = 0x100 };

const char *storm_no_steps(void)
{
	return NULL;
}

void storm_steps_begin(void)
{
	__builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | TRAP_FLAG);
}

void storm_steps_end(void)
{
	__builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~(uint64_t)TRAP_FLAG);
}

void storm_steps_end_after(void *context)
{
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}
#else
const char *storm_no_steps(void)
{
	return "only x86-64 lets a program step itself";
}

void storm_steps_begin(void)
{
}

void storm_steps_end(void)
{
}

void storm_steps_end_after(void *context)
{
	(void)context;
}
#endif

static int membarrier(int command)
{
	return (int)syscall(SYS_membarrier, command, 0, 0);
}

const char *storm_no_barriers(void)
{
	int commands = membarrier(MEMBARRIER_CMD_QUERY);

	if (commands < 0 || !(commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ))
		return "this kernel's membarrier has no command for sequences";
	if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ) != 0)
		return "membarrier: not registered";
	return NULL;
}

void storm_barrier(void)
{
	if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ) != 0)
		die("membarrier");
}

/* ------------------------------------------------------------- counted hooks */

enum { COUNTED_WORDS = 3 };

static uint32_t counted_sum(uint32_t id, uint32_t sequence)
{
	return (id * 0x9e3779b9u) ^ ~sequence;
}

int storm_reserve_counted(struct hook_writer *w)
{
	return hook_begin(w, COUNTED_MAJOR, rec_size(COUNTED_WORDS, 0), 1);
}

void storm_fill_counted(struct hook_writer *w, uint32_t id, uint32_t sequence)
{
	uint8_t *p = hook_record(w, COUNTED_MAJOR, id, COUNTED_WORDS, 0, 0);

	put_le32(p, id);
	put_le32(p + 4, sequence);
	put_le32(p + 8, counted_sum(id, sequence));
	hook_commit(w);
}

bool storm_counted_hook(uint32_t id, uint32_t sequence, uint64_t *aborts)
{
	uint32_t size = rec_size(COUNTED_WORDS, 0);
	struct hook_writer w = {.number = ring_self.number};

#if RING_HAS_RSEQ
	enum rseq_result r;

	while ((r = rseq_reserve(ring_self.rseq, ring_self.map, size, &ring_self, rseq_clock(),
			&w.stamp, &w.first)) == RSEQ_ABORTED)
		++*aborts;
	if (r == RSEQ_DONE) {
		w.at = w.first;
		hook_raise_busy();
	} else
#endif
		if (hook_begin_slow(&w, COUNTED_MAJOR, size, 1, NULL) != HOOK_RESERVED)
		return false;
	storm_fill_counted(&w, id, sequence);
	return true;
}

void storm_follow(void *follow, uint32_t ring, uint64_t position, const uint8_t *record)
{
	struct follow *f = follow;
	uint32_t *last;

	if (record[4] == HELD_MAJOR)
		return;
	if (record[4] != COUNTED_MAJOR) {
		follow_record(f, ring, position, record);
		return;
	}
	if (get_le16(record + 6) != COUNTED_WORDS || get_le32(record + 8) != checked_id(record) ||
		get_le32(record + 32) != counted_sum(checked_id(record), checked_sequence(record)))
		f->not_whole++;
	last = &f->last[(size_t)ring * FOLLOW_IDS + checked_id(record) % FOLLOW_IDS];
	if (*last != UINT32_MAX && checked_sequence(record) <= *last)
		f->out_of_order++;
	*last = checked_sequence(record);
}

void storm_ledger(
	const char *name, const struct account *a, const struct follow *f, uint64_t attempted)
{
	count_result(account_sum(a) == attempted && a->torn + a->gone_torn == 0 && !a->damaged &&
			     !a->backwards && !f->not_whole && !f->out_of_order && !f->foreign,
		name,
		"%llu attempted, %llu accounted (%llu in the rings, %llu overwritten, full %llu big %llu held %llu no guest %llu, torn %llu), damaged %u, stamps back %u, incomplete %u, out of order %u, foreign %u",
		(unsigned long long)attempted, (unsigned long long)account_sum(a),
		(unsigned long long)a->hooks, (unsigned long long)a->overwritten,
		(unsigned long long)a->loss[SHM_LOST_FULL],
		(unsigned long long)a->loss[SHM_LOST_BIG],
		(unsigned long long)a->loss[SHM_LOST_HELD],
		(unsigned long long)a->loss[SHM_LOST_NO_GUEST],
		(unsigned long long)(a->torn + a->gone_torn), a->damaged, a->backwards,
		f->not_whole, f->out_of_order, f->foreign);
}

/* ------------------------------------------------------------------- others */

uint32_t storm_cpus(uint32_t *cpu, uint32_t n)
{
	cpu_set_t set;
	uint32_t found = 0;

	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof set, &set);
	for (uint32_t i = 0; i < CPU_SETSIZE && found < n; i++) {
		if (CPU_ISSET(i, &set))
			cpu[found++] = i;
	}
	return found;
}
