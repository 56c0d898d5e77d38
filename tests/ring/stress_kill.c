/*
 * Writers killed at any instant: what they leave is never damaged, costs one uncommitted
 * record at most, and holds its section and guest ring until the owner proves them dead.
 *
 *	stress_kill [guest]
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sandbox.h"

enum { WRITERS = 3, KILLS = SANITIZED ? 300 : 1000 };

static uint64_t *done; /* hooks completed, per writer's incarnation */
static struct session box;

static pid_t start(uint32_t incarnation)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	for (uint32_t i = 0;; i++) {
		checked_hook(incarnation % 4000, i, i * 7 % 60);
		/* Only stores: what is between the hook and this is the one that may be missing. */
		__atomic_store_n(&done[incarnation], i + 1, __ATOMIC_RELEASE);
	}
}

static void look(struct follow *f, struct account *a)
{
	follow_reset(f, box.geometry.cpus + box.geometry.guests);
	box_account(&box, a, follow_record, f);
}

/* The ledger of a quiet moment: all writers are dead or have not begun. */
static void settle(const char *name, uint64_t kills, uint32_t incarnations, struct follow *f)
{
	struct account a;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < incarnations; i++)
		sum += done[i];
	look(f, &a);
	tell(account_sum(&a) >= sum && account_sum(&a) <= sum + kills, name,
		"%llu completed, %llu kills, %llu accounted (%llu torn, %llu held, %llu no guest)",
		(unsigned long long)sum, (unsigned long long)kills,
		(unsigned long long)account_sum(&a), (unsigned long long)(a.torn + a.gone_torn),
		(unsigned long long)a.loss[SHM_LOST_HELD],
		(unsigned long long)a.loss[SHM_LOST_NO_GUEST]);
	tell(!a.damaged && !a.backwards && !f->not_whole && !f->out_of_order && !f->foreign, name,
		"damaged %u, stamps back %u, not whole %u, out of order %u", a.damaged, a.backwards,
		f->not_whole, f->out_of_order);
	tell(a.torn + a.gone_torn <= kills, name, "at most one record torn by each");
}

static uint32_t locks_taken(void)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < box.geometry.guests; i++)
		n += box_ring(&box, box.geometry.cpus + i).lock != 0;
	return n;
}

static void run(const void *arg)
{
	uint32_t sections = *(const uint32_t *)arg;
	const char *name = sections == 2 ? "kill -9, 2 sections" : "kill -9, 8 sections";
	struct timespec pause = {0, 0};
	pid_t pid[WRITERS];
	uint32_t incarnation = 0, damaged = 0;
	uint64_t reclaimed = 0;
	struct follow f;
	struct account a;

	memset(done, 0, (KILLS + WRITERS) * sizeof *done);
	box_open(&box, SHM_MODE_WRAP, (uint64_t)sections * 4096, 4096);
	follow_open(&f, box.geometry.cpus + box.geometry.guests);
	for (int i = 0; i < WRITERS; i++)
		pid[i] = start(incarnation++);
	srand(7);
	for (uint32_t k = 0; k < KILLS; k++) {
		int w = rand() % WRITERS;

		pause.tv_nsec = rand() % 300000;
		nanosleep(&pause, NULL);
		kill(pid[w], SIGKILL);
		waitpid(pid[w], NULL, 0);
		pid[w] = start(incarnation++);
		if (k % 20 == 0)
			reclaimed += (uint64_t)session_reclaim(&box);
		if (k % 50 == 0) {
			look(&f, &a); /* while they run */
			damaged += a.damaged + a.backwards + f.not_whole + f.out_of_order;
		}
	}
	for (int i = 0; i < WRITERS; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	tell(damaged == 0, name, "nothing damaged while they ran (%u)", damaged);
	settle(name, incarnation, incarnation, &f);
	reclaimed += (uint64_t)session_reclaim(&box);
	tell(session_reclaim(&box) == 0 && locks_taken() == 0, name,
		"%llu records and locks given back in all", (unsigned long long)reclaimed);
	/* Now nothing is held: laps go over everything that was torn. */
	box_account(&box, &a, NULL, NULL);
	uint64_t held = a.loss[SHM_LOST_HELD], before = account_sum(&a), hooks = 0;
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		box_pin(cpu);
		for (uint32_t i = 0; i < sections * 200; i++, hooks++)
			checked_hook(4001, (uint32_t)hooks, 10);
	}
	box_account(&box, &a, NULL, NULL);
	tell(a.loss[SHM_LOST_HELD] == held && account_sum(&a) == before + hooks, name,
		"and then nothing is held");
	follow_close(&f);
	session_remove(&box);
	session_close(&box);
}

/* A stopped writer keeps what is its own, for as long as it lives. */
static void stopped_writer(const void *arg)
{
	const char *name = "a stopped writer";
	struct hook_writer w;
	struct account a;
	uint32_t hooks = 0;
	int status;
	pid_t pid;

	(void)arg;
	box_pin(0);
	box_open(&box, SHM_MODE_WRAP, 3 * 4096, 4096);
	pid = fork();
	if (pid == 0) {
		if (hook_begin(&w, 1, 512, 1) != HOOK_RESERVED)
			_exit(1);
		raise(SIGSTOP);
		_exit(2);
	}
	waitpid(pid, &status, WUNTRACED);
	tell(WIFSTOPPED(status), name, "stopped with a reservation");
	for (uint32_t i = 0; i < 2000; i++)
		checked_hook(1, hooks++, 20);
	tell(session_reclaim(&box) == 0, name, "not given back while it lives");
	for (uint32_t i = 0; i < 2000; i++)
		checked_hook(1, hooks++, 20);
	box_account(&box, &a, NULL, NULL);
	tell(a.torn == 1 && a.gone_torn == 0 && account_sum(&a) == hooks + 1, name,
		"its record is still there after many laps");
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	tell(session_reclaim(&box) == 1, name, "given back once it is dead");
	tell(session_reclaim(&box) == 0, name, "once");
	for (uint32_t i = 0; i < 2000; i++)
		checked_hook(1, hooks++, 20);
	box_account(&box, &a, NULL, NULL);
	/* Without rseq it may hold another guest ring than ours: then it stays. */
	tell(a.torn + a.gone_torn == 1 && account_sum(&a) == hooks + 1, name,
		"and counted as torn when overwritten");
	session_remove(&box);
	session_close(&box);
}

/* A guest ring whose holder was killed inside its lock. */
static void dead_lock_holder(const void *arg)
{
	const char *name = "a guest ring's lock";
	struct session_task *tasks;
	uint32_t lock;
	pid_t pid;
	int n;

	(void)arg;
	box_open(&box, SHM_MODE_WRAP, 3 * 4096, 4096);
	pid = fork();
	if (pid == 0) {
		checked_hook(1, 1, 1);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(pid, &n, WUNTRACED);
	/* Its slot is the second that was claimed: the process's own came first. */
	n = session_tasks(&box, &tasks);
	tell(n == 1 && tasks[0].tid == (uint32_t)pid && tasks[0].alive, name, "one task, alive");
	free(tasks);
	struct shm_task slot;
	for (lock = 0; lock < SHM_TASK_SLOTS; lock++) {
		if (pread(box.tasks_fd, &slot, sizeof slot,
			    (off_t)(offsetof(struct shm_task_file, slot) + lock * sizeof slot)) ==
				(ssize_t)sizeof slot &&
			slot.tid == (uint32_t)pid)
			break;
	}
	lock++;
	for (uint32_t i = 0; i < box.geometry.guests; i++) {
		if (pwrite(box.rings_fd, &lock, 4,
			    (off_t)(ring_offset(&box.geometry, box.geometry.cpus + i) +
				    offsetof(struct shm_ring, lock))) != 4)
			die("write");
	}
	tell(session_reclaim(&box) == 0 && locks_taken() == box.geometry.guests, name,
		"kept while the holder lives");
	kill(pid, SIGKILL);
	waitpid(pid, &n, 0);
	tell(session_reclaim(&box) == (int)box.geometry.guests && locks_taken() == 0, name,
		"given back once it is dead");
	session_remove(&box);
	session_close(&box);
}

static int body(int argc, char **argv)
{
	static const uint32_t eight = 8, two = 2;
	bool guest = argc > 1 && strcmp(argv[1], "guest") == 0;

	if (guest)
		box_without_rseq(argv);
	done = mmap(NULL, (KILLS + WRITERS) * sizeof *done, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	scenario(run, &eight);
	scenario(run, &two);
	if (!guest)
		scenario(stopped_writer, NULL);
	scenario(dead_lock_holder, NULL);
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(body, argc, argv, 100);
}
