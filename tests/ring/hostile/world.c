#include "world.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The writers' own slots are below this. */
enum { OTHERS_SLOTS = 64 };

int hostile_world_play(struct hostile_world *w, int argc, char **argv, const char *readers,
	void (*scribbled)(const void *), void (*sizes)(const void *))
{
	w->guest = box_guest_or_told(argc, argv);
	if (SEES_ONE_PROCESS) {
		count_skipped(readers, "the sanitizer sees one process");
		return results();
	}
	scenario(scribbled, "scribbled on");
	scenario(sizes, "truncated and extended");
	return results();
}

const char *hostile_world_none(bool guest)
{
	uint32_t cpu[2];

	return guest || storm_cpus(cpu, 2) == 2 ? NULL : "one CPU is allowed";
}

uint64_t hostile_world_done(const struct hostile_world *w)
{
	uint64_t sum = 0;

	for (int i = 0; i < INTACT_WRITERS; i++)
		sum += __atomic_load_n(&w->shared->done[i], __ATOMIC_ACQUIRE);
	return sum;
}

static bool running(const struct hostile_world *w)
{
	return __atomic_load_n(&w->shared->running, __ATOMIC_RELAXED);
}

/* Writes to an intact ring, selected by CPU or, with guest rings, by thread id. */
static void intact_writer(struct hostile_world *w, uint32_t n, uint32_t cpu)
{
	const struct timespec pause = {.tv_nsec = w->pause * 1000l};
	uint32_t i = 0;

	if (!w->guest)
		box_pin(cpu);
	for (; i % 64 || running(w); i++) {
		while (__atomic_load_n(&w->shared->rest, __ATOMIC_RELAXED) && running(w))
			usleep(100);
		checked_hook(n, i, i % 211 == 0 ? 700 : i % 40);
		__atomic_store_n(&w->shared->done[n], i + 1, __ATOMIC_RELEASE);
		if (w->pause && i % 64 == 0)
			nanosleep(&pause, NULL);
	}
	_exit(0);
}

/* Writes to rings that are scribbled on. */
static void write_among_scribbles(struct hostile_world *w, uint32_t n, uint32_t cpu)
{
	const struct timespec pause = {.tv_nsec = w->pause * 1000l};

	box_pin(cpu);
	for (uint32_t i = 0; running(w); i++) {
		checked_hook(n, i, i % 200);
		if (w->pause && i % 64 == 0)
			nanosleep(&pause, NULL);
	}
	_exit(0);
}

/* Forks until a thread id maps to the wanted guest ring. */
static pid_t fork_for(uint32_t guests, uint32_t guest_ring)
{
	for (;;) {
		pid_t pid = fork();

		if (pid == 0 && (uint32_t)getpid() % guests != guest_ring)
			_exit(0);
		if (pid == 0 || (uint32_t)pid % guests == guest_ring)
			return pid;
		waitpid(pid, NULL, 0);
	}
}

static void start_writers(struct hostile_world *w)
{
	const struct shm_geometry *g = &w->box.geometry;
	uint32_t cpu[2] = {0, 0}, first = g->guests - INTACT_WRITERS;

	storm_cpus(cpu, 2);
	w->intact = w->guest ? 3ull << (g->cpus + first) : 1ull << cpu[1];
	for (uint32_t i = 0; i < INTACT_WRITERS; i++) {
		pid_t pid = w->guest ? fork_for(g->guests, first + i) : fork();

		if (pid == 0)
			intact_writer(w, i, cpu[1]);
	}
	/* With guest rings, others' hooks would spill to the intact ones when their own are
	 * locked. */
	for (uint32_t i = 0; i < INTACT_WRITERS && !w->guest; i++) {
		if (fork() == 0)
			write_among_scribbles(w, 10 + i, cpu[0]);
	}
}

void hostile_world_start(struct hostile_world *w, uint32_t mode)
{
	w->shared = box_shared(sizeof *w->shared);
	w->shared->running = 1;
	box_open(&w->box, mode, 64 << 10, 4096);
	start_writers(w);
	/* The scribbler spares only slots claimed before it starts. In a later one it could forge
	 * the owner's death, and a reclaim would release a live writer's records. */
	for (int i = 0; i < INTACT_WRITERS; i++) {
		while (__atomic_load_n(&w->shared->done[i], __ATOMIC_ACQUIRE) < 500)
			usleep(1000);
	}
	w->scribbler = scribble_start(&w->box, ~w->intact, OTHERS_SLOTS, 7 + w->guest);
}

int hostile_world_stop(struct hostile_world *w)
{
	int bad = 0;

	__atomic_store_n(&w->shared->running, 0, __ATOMIC_RELAXED);
	scribble_stop(w->scribbler);
	for (int status; wait(&status) > 0;)
		bad += status != 0;
	return bad;
}

void hostile_see(void *arg, uint32_t ring, const cpidecode_hook *hook)
{
	struct hostile_seen *s = arg;
	uint8_t record[TRACED_RECORD];

	if (!(s->world->intact >> ring & 1))
		return;
	s->hooks++;
	if (traced_record(hook, record))
		follow_record(&s->follow, ring, hook->position, record);
	else
		s->follow.foreign++;
}

void hostile_other_readers(struct session *s)
{
	struct session_task *tasks;
	char *text;

	if (session_tasks(s, &tasks) >= 0)
		free(tasks);
	if (session_schemas(s, &text, NULL) >= 0)
		free(text);
	session_sticky(s);
	session_reclaim(s);
}

pid_t hostile_mortal_writers(const uint32_t *run)
{
	pid_t keeper = fork();

	if (keeper != 0)
		return keeper;
	while (__atomic_load_n(run, __ATOMIC_RELAXED)) {
		pid_t pid = fork();

		if (pid == 0) {
			signal(SIGBUS, SIG_DFL); /* suppress the sanitizer's report */
			for (uint32_t i = 0; __atomic_load_n(run, __ATOMIC_RELAXED); i++)
				checked_hook(1, i, i % 60);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	_exit(0);
}
