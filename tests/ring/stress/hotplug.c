/*
 * Takes a CPU offline and online repeatedly while bound threads trace: the ledger is exact.
 *
 *	stress_hotplug
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "storm.h"

/* Keep the offline times short: other programs use the machine too. */
enum { ROUNDS = 8, AWAY_MS = 20, BACK_MS = 60, WRITERS = 5 };

struct shared {
	uint64_t attempts;
	uint32_t running, away;
};

static struct shared *all;
static char online[64];
static uint32_t cpu;

static int switch_cpu(bool on)
{
	int fd = open(online, O_WRONLY | O_CLOEXEC), rc = 0;

	if (fd < 0 || write(fd, on ? "1" : "0", 1) != 1)
		rc = errno;
	if (fd >= 0)
		close(fd);
	return rc;
}

static void milliseconds(long ms)
{
	const struct timespec pause = {0, ms * 1000000};

	nanosleep(&pause, NULL);
}

/*
 * Brings the CPU back online however this program ends: a process in its own group, which neither
 * the sandbox nor a terminal signal reaches, waits for the pipe to close.
 */
static pid_t guard(int *until)
{
	int pipes[2];
	pid_t pid;
	char byte;

	if (pipe2(pipes, O_CLOEXEC) != 0)
		die("no pipe");
	pid = fork();
	if (pid != 0) {
		close(pipes[0]);
		*until = pipes[1];
		return pid;
	}
	setsid();
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_IGN);
	close(pipes[1]);
	while (read(pipes[0], &byte, 1) < 0 && errno == EINTR)
		;
	for (int i = 0; switch_cpu(true) != 0 && i < 1000; i++)
		milliseconds(10);
	_exit(0);
}

static void writer(uint32_t id)
{
	uint32_t i = 0;

	/* The kernel moves threads off an offline CPU and does not move them back. */
	for (; i % 64 || __atomic_load_n(&all->running, __ATOMIC_RELAXED); i++) {
		if (i % 4096 == 0)
			box_pin(id % 2 ? cpu : 0);
		checked_hook(id, i, i % 60);
	}
	__atomic_fetch_add(&all->attempts, i, __ATOMIC_RELAXED);
	_exit(0);
}

/* Returns how often the CPU went offline; 0: not possible, with *why. */
static int rounds(const char **why)
{
	int gone = 0;

	for (int i = 0; i < ROUNDS; i++) {
		int rc = switch_cpu(false);

		if (rc) {
			*why = strerror(rc);
			milliseconds(BACK_MS);
			continue;
		}
		gone++;
		milliseconds(AWAY_MS);
		for (int k = 0; switch_cpu(true) != 0 && k < 100; k++)
			milliseconds(10);
		milliseconds(BACK_MS);
	}
	return gone;
}

struct mode {
	const char *name;
	uint32_t mode;
	uint64_t bytes;
};

static void stress_hotplug(const void *arg)
{
	const struct mode *m = arg;
	const char *why = "";
	struct session s;
	struct account a;
	struct follow f;
	int until, gone, bad = 0;
	pid_t guardian = guard(&until);

	memset(all, 0, sizeof *all);
	all->running = 1;
	box_open(&s, m->mode, m->bytes, 4096);
	follow_open(&f, s.geometry.cpus + s.geometry.guests);
	for (uint32_t i = 0; i < WRITERS; i++) {
		if (fork() == 0) {
			close(until);
			writer(i);
		}
	}
	milliseconds(BACK_MS);
	gone = rounds(&why);
	__atomic_store_n(&all->running, 0, __ATOMIC_RELAXED);
	close(until);
	waitpid(guardian, NULL, 0);
	for (int status; wait(&status) > 0;)
		bad += status != 0;
	if (gone == 0)
		count_skipped(m->name, why);
	else
		count_result(bad == 0, m->name, "CPU %u was away %d times, %d writers failed", cpu,
			gone, bad);
	box_account(&s, &a, storm_follow, &f);
	storm_ledger(m->name, &a, &f, all->attempts);
	follow_close(&f);
	session_remove(&s);
	session_close(&s);
}

/* Finds the last CPU that can go offline; NULL, or why none can. */
static const char *find_cpu(void)
{
	uint32_t cpus[64], n = storm_cpus(cpus, 64);
	const char *allowed = getenv("SWTRACE_TEST_HOTPLUG");

	/* Other programs bound to that CPU lose their binding. */
	if (!allowed || strcmp(allowed, "1") != 0)
		return "it takes a CPU away from everybody; SWTRACE_TEST_HOTPLUG=1 allows it";
	const char *why = "this machine has one CPU that we may use";

	for (; n > 1; n--) {
		cpu = cpus[n - 1];
		snprintf(online, sizeof online, "/sys/devices/system/cpu/cpu%u/online", cpu);
		if (access(online, W_OK) == 0)
			return NULL;
		why = errno == ENOENT ? "no CPU can be taken away here"
				      : "one may not take a CPU away";
	}
	return why;
}

static int sandboxed_main(int argc, char **argv)
{
	static const struct mode modes[] = {
		{"wrap mode", SHM_MODE_WRAP, 16 * 4096}, {"normal mode", SHM_MODE_NORMAL, 8 << 20}};
	const char *why = find_cpu();

	(void)argc;
	(void)argv;
	if (why || SEES_ONE_PROCESS) {
		count_skipped("hotplug", why ? why : "the sanitizer sees one process");
		return results();
	}
	if (!box_has_rseq())
		count_skipped("restartable sequences", "this libc or clock has none");
	all = box_shared(sizeof *all);
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		scenario(stress_hotplug, &modes[i]);
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 100);
}
