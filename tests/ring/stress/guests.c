/*
 * Many more threads than processors write to guest rings without a pause: a writer that is
 * preempted while it holds a ring leaves others usable. Losses are counted, and at most one in a
 * hundred.
 *
 *	stress_guests
 */
#include <pthread.h>

#include "sandbox.h"

enum { HOOKS = 100000 / SLOW_MACHINE, MOST_THREADS = 16 };

static void *thread(void *arg)
{
	uint32_t id = (uint32_t)(uintptr_t)arg;

	for (uint32_t i = 0; i < HOOKS; i++)
		checked_hook(id, i, 5);
	return NULL;
}

static void stress_guests(const void *arg)
{
	uint32_t threads = *(const uint32_t *)arg;
	uint64_t attempted = (uint64_t)threads * HOOKS;
	pthread_t id[MOST_THREADS];
	struct session s;
	struct account a;
	char name[32];

	snprintf(name, sizeof name, "%u threads", threads);
	box_open(&s, SHM_MODE_WRAP, 256 << 10, 64 << 10);
	for (uint32_t i = 0; i < threads; i++) {
		if (pthread_create(&id[i], NULL, thread, (void *)(uintptr_t)i))
			die("no thread");
	}
	for (uint32_t i = 0; i < threads; i++)
		pthread_join(id[i], NULL);
	box_account(&s, &a, NULL, NULL);
	count_result(account_sum(&a) == attempted && account_lost(&a) * 100 <= attempted &&
			     !a.damaged && !a.backwards,
		name, "%llu attempted, %llu accounted, %llu lost, %llu of them for want of a ring",
		(unsigned long long)attempted, (unsigned long long)account_sum(&a),
		(unsigned long long)account_lost(&a),
		(unsigned long long)a.loss[SHM_LOST_NO_GUEST]);
	session_remove(&s);
	session_close(&s);
}

static int sandboxed_main(int argc, char **argv)
{
	static const uint32_t threads[] = {4, 8, MOST_THREADS};

	(void)argc;
	box_without_rseq(argv);
	for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
		scenario(stress_guests, &threads[i]);
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 100);
}
