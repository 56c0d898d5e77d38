/*
 * The process's list of bindings, and the calling thread's own.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../core/clock.h"
#include "cpc.h"
#include "pin.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_exit;
static struct binding *all;

static _Thread_local struct binding *mine;

/* ----------------------------------------------------------- threads' ends, and fork */

static void bindings_end_at_exit(void *unused)
{
	(void)unused;
	cpc_lock();
	if (mine)
		binding_end(mine);
	pin_thread_ends();
	cpc_unlock();
}

static pid_t forking;

static void bindings_before_fork(void)
{
	cpc_lock();
	forking = (pid_t)syscall(SYS_gettid);
}

/* Inherited descriptors count the parent: close them all. */
static void bindings_reset_in_child(void)
{
	while (all) {
		struct binding *b = all;

		perf_group_close(&b->group, true);
		b->to = TO_OTHER; /* only the parent releases the CPU */
		binding_end(b);
	}
	pin_after_fork(forking);
	registry_after_fork();
	pthread_mutex_unlock(&lock);
}

static void bindings_register_hooks(void)
{
	pthread_key_create(&at_exit, bindings_end_at_exit);
	pthread_atfork(bindings_before_fork, cpc_unlock, bindings_reset_in_child);
}

void cpc_lock(void)
{
	pthread_once(&once, bindings_register_hooks);
	pthread_mutex_lock(&lock);
}

void cpc_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

struct binding *binding_mine(void)
{
	return mine;
}

void binding_set_mine(struct binding *b)
{
	pthread_once(&once, bindings_register_hooks);
	pthread_setspecific(at_exit, &mine);
	mine = b;
}

/* ------------------------------------------------------------------------ bindings */

struct binding *binding_copy(struct requests *r, uint64_t set, unsigned count)
{
	struct binding *b = calloc(1, sizeof *b);

	if (!b)
		return NULL;
	atomic_fetch_add(&r->users, 1);
	b->requests = r;
	b->set = set;
	b->count = count;
	b->tid = (pid_t)syscall(SYS_gettid);
	b->cpu = -1;
	b->ticks_per_second = clock_ticks_per_second();
	for (unsigned i = 0; i < count; i++)
		b->preset[i] = b->start[i] = r->request[i].preset;
	return b;
}

struct binding *binding_new(struct cpc_set *set, enum bound_to to)
{
	struct binding *b = binding_copy(set->requests, set->id, set->requests->count);

	if (!b)
		return NULL;
	b->to = to;
	b->owner = set;
	b->handler = cpc_handler(set->cpc);
	return b;
}

void binding_list(struct binding *b)
{
	b->next = all;
	b->link = &all;
	if (all)
		all->link = &b->next;
	all = b;
	if (b->owner) {
		atomic_store(&b->owner->where, b->to);
		atomic_store(&b->owner->whom, b->to == TO_CPU ? b->cpu : b->tid);
		atomic_store(&b->owner->bound, b);
	}
}

void binding_leave(struct binding *b)
{
	if (b->to != TO_THREAD || b == mine) {
		binding_end(b);
		return;
	}
	counting_stop(b);
	atomic_store(&b->invalid, true);
	b->owner = NULL;
}

void binding_end(struct binding *b)
{
	if (b == mine)
		mine = NULL; /* clear first: an overflow signal that arrives now finds no binding */
	if (b->link) {
		*b->link = b->next;
		if (b->next)
			b->next->link = b->link;
		if (b->owner)
			atomic_store(&b->owner->bound, NULL);
	}
	if (b->to == TO_CPU && b->link) {
		registry_drop_cpu((unsigned)b->cpu);
		pin_drop(b->tid);
	}
	perf_group_close(&b->group, false);
	requests_drop(b->requests);
	free(b);
}
