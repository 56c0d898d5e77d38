#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../../formats/base/time_ns.h"
#include "../../core/lock.h"
#include "../machine/idle.h"
#include "../machine/proc_stat.h"
#include "../script/script.h"

_Thread_local struct thread_self counters_self = {.process = THREAD_UNMET};
struct thread_process_page thread_process __attribute__((aligned(SWTRACE_GATE_SIZE)));
static uint32_t processes = THREAD_UNMET; /* numbers used so far */
static bool may_keep = true;		  /* false in a child that no fork handler saw */
static _Atomic uint64_t last_id;

static pthread_mutex_t thread_lock = PTHREAD_MUTEX_INITIALIZER;
static struct thread_group *groups;
static pthread_once_t thread_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool have_key;

static void thread_before_fork(void)
{
	pthread_mutex_lock(&thread_lock);
	event_sets_lock();
	perf_before_fork();
	script_before_fork();
	idle_before_fork();
	stat_before_fork();
}

static void thread_after_fork(bool child)
{
	stat_after_fork();
	idle_after_fork(child);
	script_after_fork();
	perf_after_fork();
	if (child)
		event_sets_after_fork();
	event_sets_unlock();
	pthread_mutex_unlock(&thread_lock);
}

static void in_parent(void)
{
	thread_after_fork(false);
}

static void close_group(struct thread_group *g, bool forked)
{
	*g->link = g->next;
	if (g->next)
		g->next->link = g->link;
	for (unsigned i = 0; i < g->count; i++)
		perf_close_counters(&g->perf[i], forked);
	perf_group_close(&g->activity, forked);
	switch_page_free(&g->page, forked);
	event_groups_close(g->events, forked);
	free(g->perf);
	free(g->idle);
	free(g);
}

/* All groups count threads of the parent, even the current thread's. */
static void thread_reset_in_child(void)
{
	while (groups)
		close_group(groups, true);
	if (have_key)
		pthread_setspecific(key, NULL);
	counters_self = (struct thread_self){.process = THREAD_UNMET};
	may_keep = true;
	thread_after_fork(true);
	__atomic_store_n(&thread_process.number, ++processes, __ATOMIC_RELEASE);
}

/*
 * In a child of _Fork or clone, where no handler ran: its parent's locks may be held, its lists in
 * the middle of a change, and malloc's lock may be held for ever. So the child frees nothing, and
 * measures only with sources that need no memory.
 */
static void thread_restart_in_child(void)
{
	const uint64_t all = UINT64_MAX;
	uint32_t wiped = THREAD_WIPED;
	uint64_t saved;

	/* A signal handler would wait for the code that it interrupted. */
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &saved, sizeof all);
	if (__atomic_compare_exchange_n(&thread_process.number, &wiped, THREAD_RESETS, false,
		    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		thread_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
		event_sets_forget_lock();
		perf_forget_lock();
		script_forget_lock();
		idle_forget_file();
		stat_forget_lock();
		groups = NULL;
		may_keep = false;
		__atomic_store_n(&thread_process.number, ++processes, __ATOMIC_RELEASE);
	}
	while (__atomic_load_n(&thread_process.number, __ATOMIC_ACQUIRE) == THREAD_RESETS)
		sched_yield();
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &saved, NULL, sizeof saved);
}

static void thread_close_at_exit(void *group)
{
	int cancellation;

	/* The parent's. */
	if (!thread_is_met() || counters_self.group != group)
		return;
	cancellation = lock_hold(&thread_lock);
	close_group(group, false);
	lock_release(&thread_lock, cancellation);
	counters_self = (struct thread_self){.process = THREAD_UNMET};
}

/* Fresh anonymous memory: only such can be wiped. Mapped by the bare system call, because TSan
 * treats mmap as a write, which would race with other threads' reads of the number. */
static void thread_number_process(void)
{
	const long p = syscall(SYS_mmap, &thread_process, sizeof thread_process,
		PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (p != -1)
		madvise(&thread_process, sizeof thread_process, MADV_WIPEONFORK);
	__atomic_store_n(&thread_process.number, ++processes, __ATOMIC_RELEASE);
}

static void thread_register_fork(void)
{
	thread_number_process();
	pthread_atfork(thread_before_fork, in_parent, thread_reset_in_child);
	have_key = pthread_key_create(&key, thread_close_at_exit) == 0;
}

struct thread_self *thread_meet(void)
{
	pthread_once(&thread_once, thread_register_fork);
	if (__atomic_load_n(&thread_process.number, __ATOMIC_ACQUIRE) <= THREAD_RESETS)
		thread_restart_in_child();
	counters_self = (struct thread_self){
		.process = __atomic_load_n(&thread_process.number, __ATOMIC_ACQUIRE),
		.id = ++last_id,
		.tid = (uint32_t)gettid()};
	return &counters_self;
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
		return NOT_MEASURED;
	return time_ns(t);
}

/* Registers the group to be closed when its thread ends. */
struct thread_group *thread_keep(struct thread_self *self)
{
	struct thread_group *g;

	if (self->group)
		return self->group;
	g = may_keep ? calloc(1, sizeof *g) : NULL;
	if (!g || !have_key || pthread_setspecific(key, g) != 0) {
		free(g);
		return NULL;
	}
	pthread_mutex_lock(&thread_lock);
	g->next = groups;
	if (groups)
		groups->link = &g->next;
	g->link = &groups;
	groups = g;
	pthread_mutex_unlock(&thread_lock);
	self->group = g;
	return g;
}

struct idle_reading *thread_idle(struct thread_self *self)
{
	struct thread_group *g = thread_keep(self);

	if (g && !g->idle)
		g->idle = calloc(1, idle_reading_size());
	return g ? g->idle : NULL;
}

/* Read in sequence: times include the cost of opening, differences do not. */
static int open_types(struct perf_counters perf[CORE_TYPES_MAX], unsigned *count)
{
	unsigned types = core_types()->count > 1 ? core_types()->count : 1;

	*count = 0;
	for (unsigned type = 0; type < types; type++) {
		struct perf_counters *c = &perf[*count];
		int rc = perf_open_thread(c, type);

		if (rc == PERF_NO_DESCRIPTORS) {
			while (*count > 0)
				perf_close_counters(&perf[--*count], false);
			return rc;
		}
		if (rc == PERF_OPEN)
			++*count;
	}
	return *count > 0 ? PERF_OPEN : PERF_UNAVAILABLE;
}

/* Signal handlers may rest and wake the groups between any two steps. One that rests them in here
 * finds them awake, and leaves them to be woken once more. */
static void thread_wake_group(struct thread_self *self)
{
	struct thread_group *g = self->group;

	self->group_rests = false;
	atomic_signal_fence(memory_order_acq_rel);
	g->opening++;
	for (unsigned i = 0; i < g->count; i++)
		perf_group_enable(&g->perf[i].group);
}

void thread_rest_group(struct thread_self *self)
{
	const struct thread_group *g = self->group;
	int saved = errno;

	self->group_rests = true;
	atomic_signal_fence(memory_order_acq_rel);
	for (unsigned i = 0; i < g->count; i++)
		perf_group_disable(&g->perf[i].group);
	if (!self->group_rests) /* a signal handler's interval began */
		thread_wake_group(self);
	errno = saved;
}

int thread_open_group(struct thread_self *self)
{
	struct perf_counters *perf;
	struct thread_group *g;
	unsigned count = 0;
	int rc = PERF_UNAVAILABLE;

	if (self->group_rests)
		thread_wake_group(self);
	if (self->group_tried)
		return self->group && self->group->count ? PERF_OPEN : PERF_UNAVAILABLE;
	g = thread_keep(self);
	perf = g ? malloc(CORE_TYPES_MAX * sizeof *perf) : NULL;
	if (perf)
		rc = open_types(perf, &count);
	if (rc != PERF_NO_DESCRIPTORS) /* may succeed next time */
		self->group_tried = true;
	if (rc != PERF_OPEN) {
		free(perf);
		return rc;
	}
	pthread_mutex_lock(&thread_lock);
	g->perf = perf;
	g->count = count;
	g->opening++;
	pthread_mutex_unlock(&thread_lock);
	return PERF_OPEN;
}

static void thread_add_count(uint64_t *sum, const struct perf_counters *c, enum perf_kind kind,
	const struct perf_group_reading *now)
{
	if (*sum == NOT_MEASURED || c->at[kind] < 0)
		*sum = NOT_MEASURED;
	else
		*sum += now->count[c->at[kind]];
}

/* The enabled time is that of the group read last: by then all have run that were going to. */
bool thread_read_group(const struct thread_self *self, struct thread_reading *r)
{
	const struct thread_group *g = self->group;

	*r = (struct thread_reading){.in_user_mode = true};
	if (!thread_group_counts(self))
		return false;
	r->opening = g->opening;
	for (unsigned i = 0; i < g->count; i++) {
		const struct perf_counters *c = &g->perf[i];
		struct perf_group_reading now;

		if (perf_group_read_here(&c->group, &now) != 0)
			return false;
		thread_add_count(&r->instructions, c, PERF_INSTRUCTIONS, &now);
		thread_add_count(&r->cycles, c, PERF_CYCLES, &now);
		r->enabled = now.enabled;
		r->running += now.running;
		r->running_on[c->core_type] = now.running;
		r->in_user_mode &= now.in_user_mode;
		r->user_only |= c->user_only;
	}
	return true;
}
