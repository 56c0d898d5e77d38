#include "thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "idle.h"
#include "script.h"
#include "source.h"

static _Thread_local struct thread_self self_;
static _Atomic uint64_t last_id;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct thread_group *groups;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool have_key;

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
	perf_before_fork();
	script_before_fork();
	idle_before_fork();
}

static void after_fork(bool child)
{
	idle_after_fork(child);
	script_after_fork();
	perf_after_fork();
	pthread_mutex_unlock(&lock);
}

static void in_parent(void)
{
	after_fork(false);
}

static void close_group(struct thread_group *g)
{
	*g->link = g->next;
	if (g->next)
		g->next->link = g->link;
	perf_close_group(&g->perf);
	free(g);
}

/* The groups count threads of the parent, this one's too. */
static void in_child(void)
{
	while (groups)
		close_group(groups);
	if (have_key)
		pthread_setspecific(key, NULL);
	self_ = (struct thread_self){0};
	after_fork(true);
}

static void thread_ends(void *group)
{
	pthread_mutex_lock(&lock);
	close_group(group);
	pthread_mutex_unlock(&lock);
	self_ = (struct thread_self){0};
}

static void set_up(void)
{
	pthread_atfork(before_fork, in_parent, in_child);
	have_key = pthread_key_create(&key, thread_ends) == 0;
}

struct thread_self *thread_self(void)
{
	if (self_.id == 0) {
		pthread_once(&once, set_up);
		self_.tid = (uint32_t)gettid();
		self_.id = ++last_id;
	}
	return &self_;
}

uint64_t counters_thread(void)
{
	return thread_self()->id;
}

uint32_t counters_tid(void)
{
	return thread_self()->tid;
}

uint64_t thread_time_ns(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0)
		return CPI_NONE;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Registers it, so that somebody closes it. */
static struct thread_group *new_group(const struct perf_group *perf)
{
	struct thread_group *g = malloc(sizeof *g);

	if (!g || !have_key || pthread_setspecific(key, g) != 0) {
		free(g);
		return NULL;
	}
	g->perf = *perf;
	pthread_mutex_lock(&lock);
	g->next = groups;
	if (groups)
		groups->link = &g->next;
	g->link = &groups;
	groups = g;
	pthread_mutex_unlock(&lock);
	return g;
}

int thread_open_group(struct thread_self *self)
{
	struct perf_group perf;
	int rc;

	if (self->group_tried)
		return self->group ? PERF_OPEN : PERF_UNAVAILABLE;
	rc = perf_open_thread(&perf);
	if (rc == PERF_NO_DESCRIPTORS) /* may go better next time */
		return rc;
	self->group_tried = true;
	if (rc != PERF_OPEN)
		return rc;
	self->group = new_group(&perf);
	if (self->group)
		return PERF_OPEN;
	perf_close_group(&perf);
	return PERF_UNAVAILABLE;
}
