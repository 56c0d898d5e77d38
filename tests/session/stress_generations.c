/*
 * Repeatedly makes new rings under running writers: threads notice them, old hooks finish
 * harmlessly, and neither mappings nor descriptors accumulate.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox.h"

enum { GENERATIONS = 200, THREADS = 2, PATIENCE = 20000 /* polls */ };

struct shared {
	int stop;
	uint64_t done[THREADS];
	int bad_code;
	long maps[2], fds[2];
};

static struct shared *all;

static void *thread(void *arg)
{
	uint32_t me = (uint32_t)(uintptr_t)arg, i;

	for (i = 0; !__atomic_load_n(&all->stop, __ATOMIC_RELAXED); i++) {
		if (checked_hook(me, i, i % 40) != PU_SUCCESS)
			all->bad_code = 1; /* in wrap mode no ring is ever full */
		__atomic_store_n(&all->done[me], i, __ATOMIC_RELAXED);
		if (i % 64 == 0)
			sched_yield();
	}
	return NULL;
}

static long lines(const char *path)
{
	FILE *f = fopen(path, "r");
	long n = 0;

	for (int c; f && (c = getc(f)) != EOF;)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

static long descriptors(void)
{
	long n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void writers(void)
{
	pthread_t threads[THREADS];

	for (uint32_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread, (void *)(uintptr_t)i);
	while (!__atomic_load_n(&all->done[0], __ATOMIC_RELAXED))
		sched_yield();
	all->maps[0] = lines("/proc/self/maps");
	all->fds[0] = descriptors();
	for (uint32_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	all->maps[1] = lines("/proc/self/maps");
	all->fds[1] = descriptors();
	_exit(0);
}

struct seen {
	struct follow follow;
	uint32_t of[THREADS];
};

static void collect_record(void *arg, uint32_t ring, uint64_t position, const uint8_t *record)
{
	struct seen *s = arg;

	if (checked_id(record) < THREADS)
		s->of[checked_id(record)]++;
	follow_record(&s->follow, ring, position, record);
}

/* Waits until both threads have written to these rings. */
static bool both_are_here(struct session *s, struct seen *seen, uint32_t *damaged)
{
	for (int i = 0; i < PATIENCE; i++) {
		struct account a;

		memset(seen->of, 0, sizeof seen->of);
		follow_reset(&seen->follow, s->geometry.cpus + s->geometry.guests);
		box_account(s, &a, collect_record, seen);
		*damaged += a.damaged + a.backwards + seen->follow.not_whole +
			    seen->follow.foreign + seen->follow.out_of_order;
		if (seen->of[0] && seen->of[1])
			return true;
		usleep(100);
	}
	return false;
}

static void stress_generations(const void *arg)
{
	struct session_config config = {.ring_bytes = 65536,
		.section_bytes = 4096,
		.mode = SHM_MODE_WRAP,
		.group = (gid_t)-1};
	const char *name = "generations";
	uint32_t damaged = 0, missed = 0, errors = 0;
	struct session s;
	struct seen seen;
	int status;
	pid_t pid;

	(void)arg;
	memset(all, 0, sizeof *all);
	box_open(&s, SHM_MODE_WRAP, 65536, 4096);
	follow_open(&seen.follow, s.geometry.cpus + s.geometry.guests);
	pid = fork();
	if (pid == 0)
		writers();
	for (int i = 0; i < GENERATIONS; i++) {
		missed += !both_are_here(&s, &seen, &damaged);
		config.ring_bytes = (uint64_t)(8 + i % 3 * 8) * 4096;
		errors += session_off(&s, NULL) != 0;
		if (i % 3 == 0)
			errors += session_free(&s, NULL) != 0;
		errors += session_init(&s, &config, NULL) != 0;
		if (i % 5 == 0) /* make rings twice: no thread sees the first ones */
			errors += session_init(&s, &config, NULL) != 0;
		errors += session_on(&s, NULL) != 0;
	}
	missed += !both_are_here(&s, &seen, &damaged);
	__atomic_store_n(&all->stop, 1, __ATOMIC_RELAXED);
	waitpid(pid, &status, 0);
	count_result(status == 0 && !missed && !errors && !all->bad_code, name,
		"%d rings: %u missed by a thread, %u errors, status %d", GENERATIONS, missed,
		errors, status);
	count_result(damaged == 0, name, "damaged or out of order: %u", damaged);
	/* An interrupted hook may use old rings, so their addresses stay reserved, as empty
	 * mappings; most of these merge. */
	count_result(SANITIZED || all->maps[1] <= all->maps[0] + GENERATIONS / 2, name,
		"mappings: %ld, then %ld", all->maps[0], all->maps[1]);
	count_result(all->fds[1] <= all->fds[0], name, "descriptors: %ld, then %ld", all->fds[0],
		all->fds[1]);
	follow_close(&seen.follow);
	session_remove(&s);
	session_close(&s);
}

/* Signal handlers trace while rings change: an interrupted hook may find new ones. */
static void on_signal(int number)
{
	(void)number;
	checked_hook(9, 0, 5);
}

static void handlers(const void *arg)
{
	struct session_config config = {.ring_bytes = 65536,
		.section_bytes = 4096,
		.mode = SHM_MODE_WRAP,
		.group = (gid_t)-1};
	struct session s;
	struct account a;
	struct follow f;
	uint32_t damaged = 0, errors = 0;
	int status;
	pid_t pid;

	(void)arg;
	memset(all, 0, sizeof *all);
	box_open(&s, SHM_MODE_WRAP, 65536, 4096);
	follow_open(&f, s.geometry.cpus + s.geometry.guests);
	pid = fork();
	if (pid == 0) {
		signal(SIGUSR1, on_signal);
		thread((void *)(uintptr_t)1);
		_exit(0);
	}
	while (!__atomic_load_n(&all->done[1], __ATOMIC_RELAXED))
		sched_yield();
	for (int i = 0; i < GENERATIONS; i++) {
		errors += session_off(&s, NULL) != 0;
		kill(pid, SIGUSR1);
		errors += session_init(&s, &config, NULL) != 0;
		kill(pid, SIGUSR1);
		errors += session_on(&s, NULL) != 0;
		for (int k = 0; k < 10; k++) {
			kill(pid, SIGUSR1);
			usleep(20);
		}
		follow_reset(&f, s.geometry.cpus + s.geometry.guests);
		box_account(&s, &a, follow_record, &f);
		damaged += a.damaged + a.backwards + f.not_whole + f.foreign;
	}
	__atomic_store_n(&all->stop, 1, __ATOMIC_RELAXED);
	waitpid(pid, &status, 0);
	count_result(status == 0 && !errors && !damaged, "handlers",
		"status %d, %u errors, damaged or incomplete: %u", status, errors, damaged);
	follow_close(&f);
	session_remove(&s);
	session_close(&s);
}

static int sandboxed_main(int argc, char **argv)
{
	if (SEES_ONE_PROCESS)
		box_without_rseq(argv); /* see stress_many */
	(void)argc;
	all = box_shared(sizeof *all);
	scenario(stress_generations, NULL);
	scenario(handlers, NULL);
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 100);
}
