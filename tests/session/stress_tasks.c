/*
 * The task table under load: many short-lived processes, many at once, a full table with stopped
 * and killed writers, and registrations at every step of a reclaim.
 *
 * stress_tasks [processes in a row [processes at once]]
 *
 * By hand: stress_tasks 100000 20000.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../libtrace/ring/thread.h"
#include "sandbox.h"

enum { SLOW = WITH_ASAN || WITH_TSAN || SLOW_MACHINE > 1 };

static uint32_t in_a_row = SLOW ? 1000 : 3000, at_once = SLOW ? 100 : 500;
static struct session box;

static double now_us(void)
{
	return (double)clock_raw_ns() / 1e3;
}

/* Leaves only so many slots free. */
static void leave_slots(uint32_t n)
{
	uint64_t used = SHM_TASK_SLOTS - n;

	if (pwrite(box.tasks_fd, &used, sizeof used, offsetof(struct shm_task_header, used)) !=
		(ssize_t)sizeof used)
		die("write");
}

static void done(void)
{
	session_remove(&box);
	session_close(&box);
}

/* ------------------------------------------------------------ one after the other */

enum { BATCH = 500 };

struct named {
	const struct session_task *tasks;
	int count;
	uint32_t right, absent, wrong;
};

static int by_number(const void *a, const void *b)
{
	const struct session_task *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* The hook's id is the process's index in the row, and its name says the same. */
static void check_name(void *arg, uint32_t ring, uint64_t position, const uint8_t *record)
{
	struct session_task wanted = {.number = get_le32(record + REC_TID)};
	struct named *n = arg;
	const struct session_task *t =
		bsearch(&wanted, n->tasks, (size_t)n->count, sizeof *t, by_number);
	char name[16];

	(void)ring;
	(void)position;
	snprintf(name, sizeof name, "p%u", checked_id(record));
	if (!t)
		n->absent++;
	else if (strcmp(t->name, name) == 0 && t->pid == checked_sequence(record) && !t->alive)
		n->right++;
	else
		n->wrong++;
}

static void check_batch(struct named *n, uint64_t *sum)
{
	struct session_error error;
	struct session_task *tasks;
	struct account a;

	n->count = session_tasks(&box, &tasks);
	if (n->count < 0)
		die("tasks");
	qsort(tasks, (size_t)n->count, sizeof *tasks, by_number);
	n->tasks = tasks;
	box_account(&box, &a, check_name, n);
	*sum += account_sum(&a);
	free(tasks);
	/* A discard also reclaims, like every command. */
	if (session_discard(&box, &error) != 0)
		die("discard: %s", error.text);
}

/* One process of four is killed; the others exit normally. */
static void trace_and_end(uint32_t i)
{
	char name[16];

	snprintf(name, sizeof name, "p%u", i);
	prctl(PR_SET_NAME, name);
	checked_hook(i, (uint32_t)getpid(), 4);
	if (i % 4 == 0)
		raise(SIGKILL);
	exit(0);
}

static void row(const char *name, bool reused)
{
	struct named n = {.count = 0};
	double from = now_us();
	uint64_t sum = 0;
	int status;

	for (uint32_t i = 0; i < in_a_row; i++) {
		pid_t pid = fork();

		if (pid == 0)
			trace_and_end(i);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			die("fork");
		if ((i + 1) % BATCH == 0)
			check_batch(&n, &sum);
	}
	check_batch(&n, &sum);
	count_result(sum == in_a_row, name, "%llu hooks in the ledger of %u",
		(unsigned long long)sum, in_a_row);
	/* Slots of killed processes are missing until a sweep, so names may be dropped early
	 * then. */
	count_result(n.right + n.absent == in_a_row && (reused || n.absent == 0) && n.wrong == 0,
		name, "%u named right, %u not, %u wrong; %.0f us a process", n.right, n.absent,
		n.wrong, (now_us() - from) / in_a_row);
	done();
}

static void in_a_row_fresh(const void *arg)
{
	box_open(&box, SHM_MODE_NORMAL, 131072, 16384);
	row(arg, false);
}

/* Slots are reused over and over. */
static void in_a_row_reused(const void *arg)
{
	box_open(&box, SHM_MODE_NORMAL, 131072, 16384);
	leave_slots(4 * BATCH);
	row(arg, true);
}

/* -------------------------------------------------------------------- at once */

static void attach_and_wait(int told, int end)
{
	double from = now_us();
	float us;
	char c;

	us = checked_hook(1, 1, 4) == PU_SUCCESS ? (float)(now_us() - from) : -1;
	if (write(told, &us, sizeof us) != (ssize_t)sizeof us || read(end, &c, 1) != 0)
		_exit(1);
	exit(0);
}

static void alive_at_once(const void *arg)
{
	int told[2], end[2], status, n = 0, alive = 0;
	double first = 0, last = 0, looked, reclaimed, ended;
	struct session_task *tasks;
	uint32_t bad = 0;
	struct account a;

	box_open(&box, SHM_MODE_WRAP, 65536, 4096);
	if (pipe(told) != 0 || pipe(end) != 0)
		die("pipe");
	for (uint32_t i = 0; i < at_once; i++) {
		pid_t pid = fork();
		float us;

		if (pid == 0) {
			close(end[1]);
			attach_and_wait(told[1], end[0]);
		}
		if (pid < 0 || read(told[0], &us, sizeof us) != (ssize_t)sizeof us || us < 0)
			die("process %u: %s", i, strerror(errno));
		*(i < at_once / 2 ? &first : &last) += us;
	}
	looked = now_us();
	n = session_tasks(&box, &tasks);
	looked = now_us() - looked;
	for (int i = 0; i < n; i++)
		alive += tasks[i].alive;
	free(tasks);
	reclaimed = now_us();
	session_reclaim(&box);
	reclaimed = now_us() - reclaimed;
	box_account(&box, &a, NULL, NULL);
	ended = now_us();
	close(end[1]);
	for (uint32_t i = 0; i < at_once; i++)
		bad += wait(&status) < 0 || status != 0;
	ended = now_us() - ended;
	count_result((uint32_t)n == at_once && (uint32_t)alive == at_once && bad == 0, arg,
		"%d tasks, %d alive; %u processes failed", n, alive, bad);
	count_result(account_sum(&a) == at_once && account_lost(&a) == 0, arg, "%llu hooks",
		(unsigned long long)a.hooks);
	printf("%u at once: first hook %.0f us in the first half, %.0f in the second; tasks %.2f us each, reclaim %.2f, exit %.0f\n",
		at_once, 2 * first / at_once, 2 * last / at_once, looked / at_once,
		reclaimed / at_once, ended / at_once);
	done();
}

/* ------------------------------------------------------------------ full table */

static pid_t fork_holder(bool full)
{
	struct hook_writer w;
	pid_t pid = fork();
	int status;

	if (pid != 0) {
		waitpid(pid, &status, WUNTRACED);
		if (!WIFSTOPPED(status))
			die("holder: status %#x", (unsigned)status);
		return pid;
	}
	if (hook_begin(&w, CHECKED_MAJOR, rec_size(8, 0), 1) != HOOK_RESERVED)
		_exit(full ? 2 : 1);
	raise(SIGSTOP);
	checked_fill(hook_record(&w, CHECKED_MAJOR, 7, 8, 0, 0), 7, 7, 8);
	hook_commit(&w);
	exit(0);
}

static void short_lived(uint32_t n)
{
	int status;

	for (uint32_t i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0)
			trace_and_end(i);
		waitpid(pid, &status, 0);
		if (i % 16 == 0)
			session_reclaim(&box);
	}
}

static void count_broken(void *arg, uint32_t ring, uint64_t position, const uint8_t *record)
{
	(void)ring;
	(void)position;
	*(uint32_t *)arg += !checked_is_whole(record);
}

/* A live writer keeps its slot however often all slots around it are reused. */
static void living_writer(const void *arg)
{
	enum { SHORT = 200, LAPS = 4000 };
	uint32_t broken = 0;
	struct account a;
	int status;
	pid_t pid;

	box_pin(0);
	box_open(&box, SHM_MODE_WRAP, 3 * 4096, 4096);
	leave_slots(16);
	pid = fork_holder(true);
	short_lived(SHORT);
	for (uint32_t i = 0; i < LAPS; i++)
		checked_hook(1, i, 8);
	count_result(session_reclaim(&box) == 0, arg, "nothing of it is reclaimed");
	kill(pid, SIGCONT);
	waitpid(pid, &status, 0);
	box_account(&box, &a, count_broken, &broken);
	count_result(status == 0 && a.torn == 0 && a.gone_torn == 0 && broken == 0, arg,
		"it ended with %d; %llu torn, %u broken", status,
		(unsigned long long)(a.torn + a.gone_torn), broken);
	count_result(account_sum(&a) == SHORT + LAPS + 1, arg, "%llu in the ledger of %u",
		(unsigned long long)account_sum(&a), SHORT + LAPS + 1);
	done();
}

/* Writers killed while the table was exhausted hold nothing permanently. */
static void killed_writers(const void *arg)
{
	enum { KILLED = 20, HOOKS = 1000 };
	struct account a;
	int back = 0;

	box_pin(0);
	box_open(&box, SHM_MODE_WRAP, 3 * 4096, 4096);
	leave_slots(16);
	short_lived(50);
	for (int i = 0; i < KILLED; i++) {
		pid_t pid = fork_holder(true);

		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		back += session_reclaim(&box);
		/* The next process finds a slot, wherever the last sweep left the queue. */
		short_lived(1);
	}
	for (uint32_t i = 0; i < HOOKS; i++)
		checked_hook(1, i, 8);
	box_account(&box, &a, NULL, NULL);
	count_result(back == KILLED && account_lost(&a) == 0, arg,
		"%d of %d given back, %llu hooks lost", back, KILLED,
		(unsigned long long)account_lost(&a));
	done();
}

/* ------------------------------------------------------------------ full tmpfs */

/* A file that uses up all free memory. */
static void fill_up(const char *path)
{
	static const char page[SHM_PAGE];
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	while (write(fd, page, sizeof page) == (ssize_t)sizeof page)
		;
	close(fd);
}

/* Without memory for another slot, hooks are lost and counted; no process dies of SIGBUS. */
static void full_tmpfs(const void *arg)
{
	const struct timespec retry = {.tv_nsec = 110000000};
	char path[128], file[160];
	struct account a;
	int lost;

	snprintf(path, sizeof path, "%s/small", sandbox_dir());
	snprintf(file, sizeof file, "%s/file", path);
	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		mkdir(path, 0755) != 0 || mount("none", path, "tmpfs", 0, "size=8m") != 0) {
		count_skipped(arg, "no tmpfs can be mounted here");
		return;
	}
	snprintf(file, sizeof file, "%s/session", path);
	setenv("SWTRACE_SESSION", file, 1);
	snprintf(file, sizeof file, "%s/file", path);
	box_open(&box, SHM_MODE_NORMAL, 65536, 4096);
	leave_slots(SHM_TASK_SLOTS - SHM_TASK_FIRST_SLOTS);
	fill_up(file);
	lost = checked_hook(1, 0, 4);
	unlink(file);
	nanosleep(&retry, NULL);
	count_result(lost == PU_ERROR_INSUFFICIENT_RESOURCES && checked_hook(1, 1, 4) == PU_SUCCESS,
		arg, "a hook returned %d, the next, with room, PU_SUCCESS", lost);
	box_account(&box, &a, NULL, NULL);
	count_result(a.hooks == 1 && a.loss[SHM_LOST_NO_SLOT] == 1, arg,
		"%llu hooks, %llu without a slot", (unsigned long long)a.hooks,
		(unsigned long long)a.loss[SHM_LOST_NO_SLOT]);
	done();
}

/* ------------------------------------------------------- a reclaim's every step */

static bool run_to_next_call(pid_t pid, int *status)
{
	return ptrace(PTRACE_SYSCALL, pid, NULL, NULL) == 0 && waitpid(pid, status, 0) == pid &&
	       WIFSTOPPED(*status);
}

/*
 * Stops a reclaim at its system call number `call`. A writer then registers with slots of a task
 * that just ended, and stops in its record. Returns what the reclaim released; -1: it has fewer
 * calls.
 */
static int register_at(uint32_t call)
{
	pid_t reclaimer = fork(), writer;
	int status, back;

	if (reclaimer == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(session_reclaim(&box));
	}
	waitpid(reclaimer, &status, 0);
	for (uint32_t i = 0; i < call; i++) {
		if (!run_to_next_call(reclaimer, &status))
			return -1;
	}
	writer = fork_holder(true);
	ptrace(PTRACE_CONT, reclaimer, NULL, NULL);
	waitpid(reclaimer, &status, 0);
	back = WIFEXITED(status) ? WEXITSTATUS(status) : 255;
	kill(writer, SIGCONT);
	waitpid(writer, &status, 0);
	return status == 0 ? back : 254;
}

static void registration_at_every_step(const void *arg)
{
	uint32_t calls = 0, wrong = 0, step = SLOW ? 9 : 1;
	struct account a;
	int back;

	box_pin(0);
	box_open(&box, SHM_MODE_WRAP, 2 * 4096, 4096);
	leave_slots(2);
	short_lived(2);
	while ((back = register_at(calls)) >= 0) {
		wrong += back != 0;
		calls += step;
	}
	box_account(&box, &a, NULL, NULL);
	count_result(calls > 20 && wrong == 0 && a.torn + a.gone_torn == 0, arg,
		"%u of %u reclaims gave back a living writer's record", wrong, calls / step);
	done();
}

static int sandboxed_main(int argc, char **argv)
{
	if (argc > 1)
		in_a_row = (uint32_t)strtoul(argv[1], NULL, 10);
	if (argc > 2)
		at_once = (uint32_t)strtoul(argv[2], NULL, 10);
	scenario(in_a_row_fresh, "in a row");
	scenario(in_a_row_reused, "in a row, slots reused");
	scenario(alive_at_once, "at once");
	scenario(living_writer, "a living writer");
	scenario(killed_writers, "killed writers");
	scenario(full_tmpfs, "a full tmpfs");
	scenario(registration_at_every_step, "registration at every step");
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, argc > 1 ? 3600 : 110);
}
