#include "steps.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../libtrace/ring/rseq.h"
#include "sandbox.h"

typedef struct user_regs_struct registers;

#if defined(__x86_64__)
#define IP(r) ((r)->rip)
#define TRAP_TEXT "int3"
enum { TRAP_SIZE = 1 }; /* how far ip is behind a breakpoint that was hit */
static const uint8_t trap_bytes[] = {0xcc};
#else
#define IP(r) ((r)->pc)
#define TRAP_TEXT "brk #0"
enum { TRAP_SIZE = 0 };
static const uint8_t trap_bytes[] = {0x00, 0x00, 0x20, 0xd4};
#endif

enum { LAST_STEPS = 8 };

/* Descriptors of the restartable sequences (kernel ABI), which the linker places side by side.
 * Weak: a build without sequences has none. */
struct sequence {
	uint32_t version, flags;
	uint64_t start, length, abort;
};
extern const struct sequence __start___rseq_cs[] __attribute__((weak, visibility("hidden")));
extern const struct sequence __stop___rseq_cs[] __attribute__((weak, visibility("hidden")));
enum { AREA_SEQUENCE = 8 }; /* offset in a thread's rseq area of the armed descriptor's address */

static const struct sequence *sequence_at(uintptr_t ip)
{
	for (const struct sequence *s = __start___rseq_cs; s < __stop___rseq_cs; s++) {
		if (ip - s->start < s->length)
			return s;
	}
	return NULL;
}

bool steps_inside(const struct steps_path *path, uint32_t k)
{
	return sequence_at(path->at[k]) != NULL;
}

uint32_t steps_sequences(const struct steps_path *path)
{
	uint32_t n = 0;

	for (uint32_t k = 1; k <= path->n; k++)
		n += steps_inside(path, k) && !steps_inside(path, k - 1);
	return n;
}

/* ------------------------------------------------------------------- a child */

/* The label after the operation. Not inlined, so that it exists once. */
extern const char steps_end_mark[] __attribute__((visibility("hidden")));

__attribute__((noinline)) static void between_marks(void (*operation)(void *), void *arg)
{
	__asm__ volatile(TRAP_TEXT ::: "memory");

	operation(arg);
	__asm__ volatile(".globl steps_end_mark\n"
			 ".hidden steps_end_mark\n"
			 "steps_end_mark: " TRAP_TEXT ::
				 : "memory");
}

/* Whether a trap has stopped the child. */
static bool trapped(pid_t child)
{
	int status;

	while (waitpid(child, &status, __WALL) < 0) {
		if (errno != EINTR)
			return false;
	}
	return WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
}

static uintptr_t get_ip(pid_t child, registers *r)
{
	struct iovec v = {r, sizeof *r};

	if (ptrace(PTRACE_GETREGSET, child, (void *)NT_PRSTATUS, &v) != 0)
		die("registers: %s", strerror(errno));
	return (uintptr_t)IP(r);
}

static void set_ip(pid_t child, registers *r, uintptr_t ip)
{
	struct iovec v = {r, sizeof *r};

	IP(r) = ip;
	if (ptrace(PTRACE_SETREGSET, child, (void *)NT_PRSTATUS, &v) != 0)
		die("registers: %s", strerror(errno));
}

static bool resume(pid_t child, int request)
{
	return ptrace((enum __ptrace_request)request, child, NULL, NULL) == 0 && trapped(child);
}

pid_t steps_fork(void (*prepare)(void *arg), void (*operation)(void *arg), void *arg)
{
	registers r;
	pid_t child = fork();

	if (child == 0) {
		prepare(arg);
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
			_exit(1);
		between_marks(operation, arg);
		_exit(0);
	}
	if (child < 0 || !trapped(child))
		return 0;
	/* If ip still points to the trap, skip it. */
	if (TRAP_SIZE == 0)
		set_ip(child, &r, get_ip(child, &r) + sizeof trap_bytes);
	return child;
}

void steps_kill(pid_t child)
{
	int status = 0;

	kill(child, SIGKILL);
	while (waitpid(child, &status, __WALL) == child && !WIFEXITED(status) &&
		!WIFSIGNALED(status))
		;
}

static void do_nothing(void *arg)
{
	(void)arg;
}

const char *steps_impossible(void)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0)
		_exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0);
	waitpid(child, &status, 0);
	if (status != 0)
		return "no child can be traced here (ptrace)";
	child = steps_fork(do_nothing, do_nothing, NULL);
	if (!child)
		return "a traced child does not stop at a trap";
	if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0) {
		steps_kill(child);
		return "no child can be stepped here (ptrace)";
	}
	trapped(child);
	steps_kill(child);
	return NULL;
}

/* ---------------------------------------------------------------- a recording */

/* Disarms the sequence, which the kernel would abort at the next step. The child is a fork, so its
 * rseq area has the same address as ours. */
static void clear_sequence(pid_t child)
{
	char *area = (char *)rseq_lookup();

	if (ptrace(PTRACE_POKEDATA, child, area + AREA_SEQUENCE, NULL) != 0)
		die("disarm: %s", strerror(errno));
}

static bool first_time(const struct steps_path *path, uint32_t k)
{
	for (uint32_t i = 0; i < k; i++) {
		if (path->at[i] == path->at[k])
			return false;
	}
	return true;
}

bool steps_record(
	pid_t child, struct steps_path *path, void (*after)(void *arg, uint32_t k), void *arg)
{
	registers r;

	path->n = 0;
	path->at = malloc((STEPS_MOST + 1) * sizeof *path->at);
	path->first = malloc((STEPS_MOST + 1) * sizeof *path->first);
	if (!path->at || !path->first)
		die("memory");
	for (uint32_t k = 0;; k++) {
		uintptr_t ip = get_ip(child, &r);

		path->at[k] = ip;
		path->first[k] = first_time(path, k);
		path->n = k;
		after(arg, k);
		if (ip == (uintptr_t)steps_end_mark)
			return true;
		if (k == STEPS_MOST)
			return false;
		if (sequence_at(ip))
			clear_sequence(child);
		if (!resume(child, PTRACE_SINGLESTEP))
			return false;
	}
}

void steps_forget(struct steps_path *path)
{
	free(path->at);
	free(path->first);
	path->at = NULL;
	path->first = NULL;
}

/* ------------------------------------------------------------------- on its way */

/* Runs the child to `to`. If it takes another path, it stops at the mark after the operation. */
static bool run_to(pid_t child, uintptr_t to)
{
	void *where = (void *)to;
	union {
		long word;
		uint8_t bytes[sizeof(long)];
	} text, trap;
	registers r;
	uintptr_t ip;

	errno = 0;
	text.word = ptrace(PTRACE_PEEKTEXT, child, where, NULL);
	trap = text;
	memcpy(trap.bytes, trap_bytes, sizeof trap_bytes);
	if (errno || ptrace(PTRACE_POKETEXT, child, where, (void *)trap.word) != 0)
		die("breakpoint: %s", strerror(errno));
	if (!resume(child, PTRACE_CONT))
		return false;
	ip = get_ip(child, &r);
	if (ip != to + TRAP_SIZE)
		return false;
	if (ptrace(PTRACE_POKETEXT, child, where, (void *)text.word) != 0)
		die("breakpoint: %s", strerror(errno));
	set_ip(child, &r, to);
	return true;
}

/* The last instruction up to k, outside sequences, that one breakpoint reaches unambiguously. */
static uint32_t shortcut(const struct steps_path *path, uint32_t k)
{
	while (k > 0 && (!path->first[k] || steps_inside(path, k)))
		k--;
	return k;
}

/*
 * Reaches the last instructions by single steps and the earlier ones by a breakpoint. Sequences on
 * the way run undisturbed.
 */
enum steps_arrival steps_go(pid_t child, const struct steps_path *path, uint32_t k)
{
	uint32_t i = shortcut(path, k > LAST_STEPS ? k - LAST_STEPS : 0);
	registers r;

	if (i > 0 && !run_to(child, path->at[i]))
		return STEPS_ASTRAY;
	while (i < k) {
		if (!steps_inside(path, i + 1)) {
			if (!resume(child, PTRACE_SINGLESTEP) ||
				get_ip(child, &r) != path->at[i + 1])
				return STEPS_ASTRAY;
			i++;
			continue;
		}
		/* From the store that arms the sequence: to k, or to the sequence's end. */
		for (i++; i < k && steps_inside(path, i); i++)
			;
		if (!run_to(child, path->at[i]))
			return STEPS_ASTRAY;
		if (steps_inside(path, i))
			return STEPS_BY_BREAKPOINT;
	}
	return STEPS_STEPPED;
}
