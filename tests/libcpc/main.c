#include "suite.h"

#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lib/folder.h"

struct told told;
static char folder[] = "/tmp/libcpc.XXXXXX";

const char *registry_path(void)
{
	return getenv("SWTRACE_CPC_REGISTRY");
}

static void keep_error(const char *fn, int subcode, const char *format, va_list ap)
{
	told.times++;
	told.subcode = subcode;
	snprintf(told.fn, sizeof told.fn, "%s", fn);
	vsnprintf(told.line, sizeof told.line, format, ap);
}

cpc_t *open_quietly(void)
{
	cpc_t *cpc = cpc_open(CPC_VER_CURRENT);

	ck_assert_ptr_nonnull(cpc);
	ck_assert_int_eq(cpc_seterrhndlr(cpc, keep_error), 0);
	memset(&told, 0, sizeof told);
	return cpc;
}

/* Sanitizers have pages of their own for these. */
__attribute__((no_sanitize("address", "thread"), noinline)) static void touch(
	volatile char *page, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		page[(size_t)i * 4096] = 1;
}

/* By system calls, which sanitizers do not add to. */
void fault(unsigned n)
{
	const size_t size = (size_t)n * 4096;
	long at = syscall(
		SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == -1)
		abort();
	syscall(SYS_madvise, at, size, MADV_NOHUGEPAGE);
	touch((volatile char *)at, n);
	syscall(SYS_munmap, at, size);
}

cpc_set_t *set_of(cpc_t *cpc, const char *event, uint64_t preset, uint_t flags)
{
	cpc_set_t *set = cpc_set_create(cpc);

	ck_assert_ptr_nonnull(set);
	ck_assert_msg(
		cpc_set_add_request(cpc, set, event, preset, CPC_COUNT_USER | flags, 0, NULL) == 0,
		"%s", told.line);
	return set;
}

uint64_t sampled(cpc_t *cpc, cpc_set_t *set, cpc_buf_t *buf, int index)
{
	uint64_t value;

	ck_assert_msg(cpc_set_sample(cpc, set, buf) == 0, "%s", told.line);
	ck_assert_int_eq(cpc_buf_get(cpc, buf, index, &value), 0);
	return value;
}

/* ------------------------------------------------------------------------ children */

static int child_from, child_to;

struct child begin_child(int (*work)(void *), void *user)
{
	struct child c;
	int up[2], down[2];

	ck_assert_int_eq(pipe(up), 0);
	ck_assert_int_eq(pipe(down), 0);
	fflush(NULL);
	c.pid = fork();
	ck_assert_int_ge(c.pid, 0);
	if (c.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(up[0]);
		close(down[1]);
		child_from = down[0];
		child_to = up[1];
		_exit(work(user));
	}
	close(up[1]);
	close(down[0]);
	c.from = up[0];
	c.to = down[1];
	return c;
}

int receive_byte(const struct child *c)
{
	char byte;

	return read(c->from, &byte, 1) == 1 ? byte : -1;
}

void say(const struct child *c, char byte)
{
	ck_assert_int_eq(write(c->to, &byte, 1), 1);
}

int end_child(struct child *c)
{
	int status;

	close(c->to);
	ck_assert_int_eq(waitpid(c->pid, &status, 0), c->pid);
	close(c->from);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void child_says(char byte)
{
	if (write(child_to, &byte, 1) != 1)
		_exit(99);
}

void child_waits(void)
{
	char byte;

	if (read(child_from, &byte, 1) < 0)
		_exit(98);
}

void become_nobody(void)
{
	if (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0)
		_exit(97);
}

/* ----------------------------------------------------------------------------- main */

int main(int argc, char **argv)
{
	char path[64];
	int failed;

	(void)argc, (void)argv;
	if (!mkdtemp(folder) || chmod(folder, 01777) != 0)
		return 1;
	snprintf(path, sizeof path, "%s/registry", folder);
	setenv("SWTRACE_CPC_REGISTRY", path, 1);
	if (geteuid() != 0)
		puts("skipped: bindings of CPUs and other users' rights: this is not root");
	failed = suites_run(sets_suite(), buffers_suite(), bind_suite(), threads_suite(),
		overflow_suite(), cpu_suite(), registry_suite(), pctx_suite(), pctx_capture_suite(),
		NULL);
	folder_remove(folder);
	return failed;
}
