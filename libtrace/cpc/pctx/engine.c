/*
 * The engine's thread, its jobs, and the ticks of the thread that waits for it.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../../formats/base/time_ns.h"
#include "../cpc.h"
#include "pctx.h"

static void *pctx_engine_serve(void *user)
{
	struct engine *e = user;

	pthread_mutex_lock(&e->lock);
	while (!e->quit) {
		if (e->job) {
			e->result = e->job(e->subject, e->argument);
			e->job = NULL;
			e->done = true;
			pthread_cond_broadcast(&e->changed);
		} else {
			pthread_cond_wait(&e->changed, &e->lock);
		}
	}
	pthread_mutex_unlock(&e->lock);
	return NULL;
}

/* Without a copy of the caller's set, which the engine would count for nothing. */
static int begin_thread(struct engine *e)
{
	struct binding *mine = binding_mine();
	bool inherit = mine && mine->inherit;
	sigset_t all;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &e->signals);
	if (mine)
		mine->inherit = false;
	rc = pthread_create(&e->thread, NULL, pctx_engine_serve, e);
	if (mine)
		mine->inherit = inherit;
	pthread_sigmask(SIG_SETMASK, &e->signals, NULL);
	return rc;
}

struct engine *engine_begin(void)
{
	struct engine *e = calloc(1, sizeof *e);
	pthread_condattr_t monotonic;
	int rc;

	if (!e)
		return NULL;
	pthread_mutex_init(&e->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&e->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	rc = begin_thread(e);
	if (rc == 0)
		return e;
	free(e);
	errno = rc;
	return NULL;
}

void engine_end(struct engine *e)
{
	pthread_mutex_lock(&e->lock);
	e->quit = true;
	pthread_cond_broadcast(&e->changed);
	pthread_mutex_unlock(&e->lock);
	pthread_join(e->thread, NULL);
	while (e->strays) {
		struct lwp *l = e->strays;

		e->strays = l->next;
		free(l);
	}
	pthread_cond_destroy(&e->changed);
	pthread_mutex_destroy(&e->lock);
	free(e);
}

bool engine_is_self(const struct engine *e)
{
	return pthread_equal(pthread_self(), e->thread);
}

void engine_list(struct engine *e, struct process *p)
{
	p->engine = e;
	p->next = e->all;
	e->all = p;
}

void engine_unlist(struct process *p)
{
	for (struct process **link = &p->engine->all; *link; link = &(*link)->next)
		if (*link == p) {
			*link = p->next;
			return;
		}
}

/* SIGSTOP, as no process can block it: the tracer sees it before it is delivered, knows it by its
 * value, and drops it. */
void pctx_wake(struct process *p)
{
	int saved = errno, pid, tid;
	siginfo_t info;

	memset(&info, 0, sizeof info);
	info.si_signo = SIGSTOP;
	info.si_code = SI_QUEUE;
	info.si_pid = getpid();
	info.si_value.sival_ptr = p->engine;
	atomic_fetch_add(&p->waking, 1);
	pid = atomic_load(&p->running_pid);
	tid = atomic_load(&p->running_lwp);
	if (pid > 0 && tid > 0) {
		syscall(SYS_rt_tgsigqueueinfo, pid, tid, SIGSTOP, &info);
		atomic_store(&p->woken, true);
	}
	atomic_fetch_sub(&p->waking, 1);
	errno = saved;
}

/* ----------------------------------------------------------------------------- ticks */

static bool is_earlier(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static bool pctx_has_tick(const struct process *p)
{
	return p->running && !p->halting && p->tick;
}

static void pctx_engine_tick(struct process *p, const struct timespec *now)
{
	/* Counted from now: missed ticks are dropped. */
	p->next_tick = time_of_ns(time_ns(*now) + (uint64_t)p->msec * 1000000u);
	for (struct lwp *l = p->lwps; l && !p->halting; l = l->next)
		if (!l->fresh && !l->ended)
			pctx_result(
				p, "tick", l->tid, p->tick(&p->pid, p->pid, (id_t)l->tid, p->arg));
	if (!p->halting && p->ticks_left > 0 && --p->ticks_left == 0)
		p->halting = true;
	if (p->halting)
		pctx_wake(p);
}

static void wait_and_tick(struct engine *e)
{
	const struct timespec *first = NULL;
	struct timespec now;

	for (struct process *p = e->all; p; p = p->next)
		if (pctx_has_tick(p) && (!first || is_earlier(&p->next_tick, first)))
			first = &p->next_tick;
	if (!first) {
		pthread_cond_wait(&e->changed, &e->lock);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (is_earlier(&now, first)) {
		struct timespec until = *first; /* may go while the lock is free */

		pthread_cond_timedwait(&e->changed, &e->lock, &until);
		return;
	}
	for (struct process *p = e->all; p; p = p->next)
		if (pctx_has_tick(p) && !is_earlier(&now, &p->next_tick))
			pctx_engine_tick(p, &now);
}

int engine_do(
	struct engine *e, int (*job)(struct process *, void *), struct process *p, void *argument)
{
	int rc;

	if (engine_is_self(e))
		return job(p, argument);
	pthread_mutex_lock(&e->lock);
	e->job = job;
	e->subject = p;
	e->argument = argument;
	e->done = false;
	pthread_cond_broadcast(&e->changed);
	while (!e->done)
		wait_and_tick(e);
	rc = e->result;
	pthread_mutex_unlock(&e->lock);
	return rc;
}
