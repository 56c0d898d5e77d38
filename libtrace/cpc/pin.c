#include "pin.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct pinned {
	pid_t tid;
	unsigned bindings;
	cpu_set_t before;
	struct pinned *next;
};

static struct pinned *threads;

static struct pinned **pin_find_thread(pid_t tid)
{
	struct pinned **at = &threads;

	while (*at && (*at)->tid != tid)
		at = &(*at)->next;
	return at;
}

static void pin_forget_thread(struct pinned **at)
{
	struct pinned *p = *at;

	*at = p->next;
	free(p);
}

int pin_acquire(unsigned cpu)
{
	const pid_t tid = (pid_t)syscall(SYS_gettid);
	struct pinned **at = pin_find_thread(tid), *p = *at;
	cpu_set_t one;

	if (!p) {
		p = calloc(1, sizeof *p);
		if (!p)
			return -ENOMEM;
		p->tid = tid;
		*at = p;
		if (sched_getaffinity(0, sizeof p->before, &p->before) != 0) {
			int error = errno;

			pin_forget_thread(at);
			return -error;
		}
	}
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof one, &one) != 0) {
		int error = errno;

		if (p->bindings == 0)
			pin_forget_thread(pin_find_thread(tid));
		return -error;
	}
	p->bindings++;
	return 0;
}

void pin_drop(pid_t tid)
{
	struct pinned **at = pin_find_thread(tid);

	if (!*at || --(*at)->bindings > 0)
		return;
	sched_setaffinity(tid, sizeof(*at)->before, &(*at)->before);
	pin_forget_thread(at);
}

/* The kernel may soon reuse the thread id. */
void pin_thread_ends(void)
{
	struct pinned **at = pin_find_thread((pid_t)syscall(SYS_gettid));

	if (*at)
		pin_forget_thread(at);
}

/* The child runs the forking thread under a new thread id. */
void pin_after_fork(pid_t forked)
{
	while (threads) {
		if (threads->tid == forked)
			sched_setaffinity(0, sizeof threads->before, &threads->before);
		pin_forget_thread(&threads);
	}
}
