/*
 * Continuous mode from outside: runs this program under the swtrace command, and measures the
 * drain meanwhile. Prints lines for report.awk, see writer.c.
 *
 *	continuous sustained SWTRACE FILE ID HOOKS-A-SECOND SECONDS
 *	continuous stream SWTRACE FILE ID HOOKS-A-SECOND SECONDS THREADS
 *	continuous alone SWTRACE FILE ID MIB HOOKS THREADS
 *	continuous cost SWTRACE FILE WRAP-FILE REPETITIONS MILLISECONDS
 *	continuous idle SWTRACE FILE SECONDS
 *	continuous traced ...		see continuous_writer.c
 */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../formats/bytes.h"
#include "../../formats/trace_file.h"
#include "continuous.h"

enum { LONGEST_S = 120 };

/* A swtrace command that runs this program. They exchange lines over pipes. */
struct traced {
	pid_t pid; /* of swtrace */
	FILE *to, *from;
};

static void exec_drain(char **words, int in, int out, const cpu_set_t *where, bool urgent)
{
	if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
		die("%s", strerror(errno));
	if (where && sched_setaffinity(0, sizeof *where, where) != 0)
		die("cannot keep the drain off a processor: %s", strerror(errno));
	if (urgent)
		realtime();
	execv(words[0], words);
	die("cannot execute %s: %s", words[0], strerror(errno));
}

/* where: the drain's processors; NULL: all. urgent: drain and writer have real-time priority, if it
 * is permitted, so that other programs do not decide what is lost. */
static struct traced start(char **words, const cpu_set_t *where, bool urgent)
{
	struct traced t = {0};
	int down[2], up[2];

	/* Close on exec: otherwise the second traced program would keep the first one's pipe
	 * open. */
	if (pipe2(down, O_CLOEXEC) != 0 || pipe2(up, O_CLOEXEC) != 0)
		die("pipe: %s", strerror(errno));
	t.to = fdopen(down[1], "w");
	t.from = fdopen(up[0], "r");
	if (!t.to || !t.from)
		die("%s", strerror(errno));
	fflush(stdout);
	t.pid = fork();
	if (t.pid < 0)
		die("fork: %s", strerror(errno));
	if (t.pid == 0)
		exec_drain(words, down[0], up[1], where, urgent);
	close(down[0]);
	close(up[1]);
	return t;
}

static void read_reply(struct traced *t, char *line, int size)
{
	if (!fgets(line, size, t->from))
		die("the traced program is gone");
}

static void request_reply(struct traced *t, char *line, int size)
{
	if (fputs("go\n", t->to) == EOF || fflush(t->to) != 0)
		die("the traced program does not listen");
	read_reply(t, line, size);
}

static void wait_ready(struct traced *t)
{
	char line[64];

	read_reply(t, line, sizeof line);
	if (strcmp(line, "ready\n") != 0)
		die("the traced program says %s", line);
}

static void end(struct traced *t)
{
	int status;

	fclose(t->to);
	fclose(t->from);
	if (waitpid(t->pid, &status, 0) != t->pid || status != 0)
		die("swtrace failed (status 0x%x)", (unsigned)status);
}

/* ------------------------------------------------- a process's usage so far */

static uint64_t cpu_ns(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
		die("cannot read the processor time of process %d", (int)pid);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Peak resident size so far. */
static double memory_mib(pid_t pid)
{
	char path[64], line[256];
	unsigned long kib = 0;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	FILE *f = fopen(path, "r");
	if (!f)
		die("%s: %s", path, strerror(errno));
	while (fgets(line, sizeof line, f))
		if (sscanf(line, "VmHWM: %lu", &kib) == 1)
			break;
	fclose(f);
	if (!kib)
		die("%s has no VmHWM", path);
	return (double)kib / 1024;
}

/* ---------------------------------------------------------------------- sustained */

static void sustained(char **a)
{
	char *words[] = {a[0], "record", "--compress", "lz4", "-o", a[1], "--", "/proc/self/exe",
		"traced", "paced", a[3], a[4], NULL};
	double seconds;
	char line[128];
	unsigned long long hooks;

	words[7] = own_path();
	struct traced t = start(words, NULL, false);
	wait_ready(&t);
	uint64_t before = cpu_ns(t.pid);
	request_reply(&t, line, sizeof line);
	uint64_t used = cpu_ns(t.pid) - before;
	double memory = memory_mib(t.pid);
	end(&t);
	if (sscanf(line, "%llu %lf", &hooks, &seconds) != 2)
		die("the writers say %s", line);
	printf("sample\t%s.rate\t%.6g\n", a[2], (double)hooks / seconds / 1e6);
	printf("sample\t%s.drain_cpu\t%.4g\n", a[2], (double)used / 1e7 / seconds);
	printf("sample\t%s.memory\t%.6g\n", a[2], memory);
	printf("attempted\t%s\t%llu\n", a[2], hooks);
}

/* ------------------------------------------------------------------------- stream */

/* All processors but the last one, where the writer runs; false if it is the only one. */
static bool other_processors(cpu_set_t *others)
{
	unsigned n;
	const int *cpu = processors(&n);

	CPU_ZERO(others);
	for (unsigned i = 0; i + 1 < n; i++)
		CPU_SET(cpu[i], others);
	return n > 1;
}

/* Waits until it has ended, and ends it. Returns the processor time that it used in all. */
static uint64_t await_end(struct traced *t)
{
	siginfo_t info;

	fclose(t->to);
	if (waitid(P_PID, (id_t)t->pid, &info, WEXITED | WNOWAIT) != 0)
		die("waitid: %s", strerror(errno));
	uint64_t used = cpu_ns(t->pid);
	int status;

	fclose(t->from);
	if (waitpid(t->pid, &status, 0) != t->pid || status != 0)
		die("swtrace failed (status 0x%x)", (unsigned)status);
	return used;
}

/* One writer on the last processor, the drain on all others. */
static void stream(char **a)
{
	char number[16], line[128];
	char *words[] = {a[0], "record", "-s", "64", "--compress", "lz4", "--drain-threads", a[5],
		"-o", a[1], "--", own_path(), "traced", "stream", number, a[3], a[4], NULL};
	unsigned long long hooks;
	cpu_set_t others;
	double seconds;
	unsigned n;
	const int *cpu = processors(&n);

	if (!other_processors(&others)) {
		printf("absent\t%s\tthere is one processor only\n", a[2]);
		return;
	}
	snprintf(number, sizeof number, "%d", cpu[n - 1]);
	struct traced t = start(words, &others, true);
	wait_ready(&t);
	uint64_t before = cpu_ns(t.pid);
	request_reply(&t, line, sizeof line);
	if (sscanf(line, "%llu %lf", &hooks, &seconds) != 2)
		die("the writer says %s", line);
	uint64_t used = await_end(&t) - before;
	printf("sample\t%s.rate\t%.6g\n", a[2], (double)hooks / seconds / 1e6);
	printf("used\t%s\t%llu\n", a[2], (unsigned long long)used);
	printf("attempted\t%s\t%llu\n", a[2], hooks);
}

/* Waits until a file that grows has these hooks, but for a section that is not finished. */
static void await_hooks(const char *path, uint64_t hooks)
{
	uint8_t header[TF_SECTION_SIZE];
	uint64_t there = 0, most = 0;
	off_t at = TF_HEADER_SIZE;
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	while (there + most < hooks) {
		if (pread(fd, header, sizeof header, at) != (ssize_t)sizeof header) {
			sleep_ns(500000);
			continue;
		}
		uint64_t stored = get_le32(header + TF_S_STORED), here = 0;

		if (get_le16(header + TF_S_TYPE) == TF_TYPE_HOOKS)
			here = get_le32(header + TF_S_HOOKS);
		there += here;
		most = here > most ? here : most;
		at += TF_SECTION_SIZE + (off_t)((stored + TF_ALIGN - 1) / TF_ALIGN * TF_ALIGN);
	}
	close(fd);
}

/* The drain is stopped while a ring is filled, and then has the machine for itself. */
static void alone(char **a)
{
	char *words[] = {a[0], "record", "-s", a[3], "--compress", "lz4", "--drain-threads", a[5],
		"-o", a[1], "--", own_path(), "traced", "fill", a[4], NULL};
	uint64_t hooks = strtoull(a[4], NULL, 10);
	char line[128];
	struct traced t = start(words, NULL, true);

	wait_ready(&t);
	if (kill(t.pid, SIGSTOP) != 0)
		die("cannot stop the drain: %s", strerror(errno));
	request_reply(&t, line, sizeof line);
	uint64_t before = cpu_ns(t.pid), start_ns = now_ns();
	kill(t.pid, SIGCONT);
	await_hooks(a[1], hooks);
	uint64_t used = cpu_ns(t.pid) - before, passed = now_ns() - start_ns;
	printf("sample\t%s.rate\t%.6g\n", a[2], (double)hooks * 1e3 / (double)passed);
	printf("used\t%s\t%llu\n", a[2], (unsigned long long)used);
	printf("attempted\t%s\t%llu\n", a[2], (unsigned long long)hooks);
	end(&t);
}

/* --------------------------------------------------------------------------- cost */

/* The writer runs on the last processor, the drain on all others. */
static void cost(char **a)
{
	unsigned n, repetitions = (unsigned)atoi(a[3]);
	const int *cpu = processors(&n);
	char number[16], line[128];
	cpu_set_t others;
	double value;

	if (!other_processors(&others)) {
		puts("absent\tcost\tthere is one processor only");
		return;
	}
	snprintf(number, sizeof number, "%d", cpu[n - 1]);
	char *self = own_path();
	char *wrap[] = {a[0], "run", "-s", "8", "-t", "wrap", "-o", a[2], "--", self, "traced",
		"bursts", number, a[4], NULL};
	char *continuous[] = {a[0], "record", "-s", "8", "--compress", "lz4", "-o", a[1], "--",
		self, "traced", "bursts", number, a[4], NULL};
	struct traced t[2] = {start(wrap, &others, false), start(continuous, &others, false)};
	static const char *const id[] = {"cost.wrap", "cost.continuous"};

	wait_ready(&t[0]);
	wait_ready(&t[1]);
	for (unsigned r = 0; r < 2 * repetitions; r++) {
		unsigned which = (r + r / 2) % 2; /* each goes first equally often */

		request_reply(&t[which], line, sizeof line);
		if (sscanf(line, "%lf", &value) != 1)
			die("the writer says %s", line);
		printf("sample\t%s\t%.6g\n", id[which], value);
	}
	/* Ask how many hooks there were. */
	for (int i = 0; i < 2; i++) {
		fputs("hooks\n", t[i].to);
		fflush(t[i].to);
		read_reply(&t[i], line, sizeof line);
		printf("attempted\t%s\t%s", id[i], line);
		end(&t[i]);
	}
}

/* --------------------------------------------------------------------------- idle */

static void idle(char **a)
{
	char *words[] = {
		a[0], "record", "-o", a[1], "--", own_path(), "traced", "paced", "0", "0", NULL};
	double seconds = atof(a[2]);
	struct traced t = start(words, NULL, false);

	wait_ready(&t);
	sleep_ns(300000000); /* let the drain finish starting */
	uint64_t before = cpu_ns(t.pid), start_ns = now_ns();
	sleep_ns((uint64_t)(seconds * 1e9));
	uint64_t used = cpu_ns(t.pid) - before, passed = now_ns() - start_ns;
	printf("sample\tidle.drain_cpu\t%.4g\n", 100.0 * (double)used / (double)passed);
	end(&t);
}

char *own_path(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

	if (n <= 0)
		die("/proc/self/exe: %s", strerror(errno));
	path[n] = 0;
	return path;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	/* On a hang, end this process: the others see their pipes close. */
	alarm(LONGEST_S);
	if (strcmp(what, "sustained") == 0 && argc == 7)
		sustained(argv + 2);
	else if (strcmp(what, "stream") == 0 && argc == 8)
		stream(argv + 2);
	else if (strcmp(what, "alone") == 0 && argc == 8)
		alone(argv + 2);
	else if (strcmp(what, "cost") == 0 && argc == 7)
		cost(argv + 2);
	else if (strcmp(what, "idle") == 0 && argc == 5)
		idle(argv + 2);
	else if (strcmp(what, "traced") == 0 && argc >= 4)
		return traced(argv + 2);
	else
		die("see the first lines of continuous.c");
	return fflush(stdout) ? 1 : 0;
}
