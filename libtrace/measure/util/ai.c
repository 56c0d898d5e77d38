/* "Above idle": running counts of every processor, shared by the process. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/lock.h"
#include "../../../include/perfutil.h"
#include "../../counters/source.h"
#include "../../counters/thread/thread.h"
#include "../../counters/usage/usage.h"
#include "../cpi/announce.h"
#include "figures.h"

_Static_assert(AI_NOT_MEASURED == NOT_MEASURED, "counts are copied as they are");

/* A processor's counts so far. */
struct total {
	uint64_t cur, idle, busy, intr; /* ticks */
	uint64_t switches, interrupts;
	bool has_intr, has_switches, has_interrupts;
};

/* One allocation: the arrays that these pointers refer to follow the structure. */
struct counting {
	struct counter_sample *from, *now;
	struct counter_interval *interval;
	struct usage_carry *carry;
	struct total *total;
};

/* Protects the following members. */
static pthread_mutex_t ai_mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned inits;
static struct counting *counting;
static int ai_cancellation; /* of lock_hold */
static uint32_t processors; /* of an array of AI_COUNTERS; 0: not yet known */

static pthread_once_t ai_once = PTHREAD_ONCE_INIT;

static void ai_before_fork(void)
{
	pthread_mutex_lock(&ai_mutex);
}

static void ai_after_fork(void)
{
	pthread_mutex_unlock(&ai_mutex);
}

/* The counters' locks are taken within this one, and so before a fork after it. */
static void ai_register_fork(void)
{
	counters_thread();
	pthread_atfork(ai_before_fork, ai_after_fork, ai_after_fork);
}

static void ai_lock(void)
{
	pthread_once(&ai_once, ai_register_fork);
	ai_cancellation = lock_hold(&ai_mutex);
	if (processors == 0)
		processors = (uint32_t)GetActiveProcessorCount();
}

static void ai_unlock(void)
{
	lock_release(&ai_mutex, ai_cancellation);
}

/* ---------------------------------------------------------------------------- counting */

static struct counting *new_counting(void)
{
	const uint32_t room = counters_room();
	const size_t own = counters_align_size(sizeof(struct counting));
	const size_t sample = counters_sample_size(room);
	const size_t interval = counters_interval_size(room);
	const size_t carry = counters_align_size(room * sizeof(struct usage_carry));
	char *p = calloc(1, own + 2 * sample + interval + carry + room * sizeof(struct total));
	struct counting *c = (struct counting *)(void *)p;

	if (!c)
		return NULL;
	p += own;
	c->from = (struct counter_sample *)(void *)p;
	c->now = (struct counter_sample *)(void *)(p + sample);
	c->interval = (struct counter_interval *)(void *)(p + 2 * sample);
	c->carry = (struct usage_carry *)(void *)(p + 2 * sample + interval);
	c->total = (struct total *)(void *)(p + 2 * sample + interval + carry);
	c->from->room = c->now->room = room;
	return c;
}

/* Begins the processor's counts, or begins them again after it was offline. */
static void ai_begin_total(struct counting *c, uint32_t cpu)
{
	c->total[cpu].cur = c->now->cpu[cpu].ticks;
}

static void ai_add_measured(uint64_t *total, bool *has, uint64_t more)
{
	*has = more != NOT_MEASURED;
	if (*has)
		*total += more;
}

/*
 * Counts that cannot be read now are added by the next reading, which then covers both intervals. A
 * processor that was offline continues from its old counts.
 */
static void ai_add_cpu(struct counting *c, uint32_t cpu)
{
	const struct counter_usage *i = &c->interval->cpu[cpu].usage;
	struct total *t = &c->total[cpu];

	if (!i->stayed) {
		if (c->interval->cpu[cpu].online)
			ai_begin_total(c, cpu);
		return;
	}
	if (i->busy == NOT_MEASURED) {
		c->now->cpu[cpu] = c->from->cpu[cpu];
		return;
	}
	t->cur += i->elapsed;
	t->idle += i->idle;
	t->busy += i->busy;
	ai_add_measured(&t->intr, &t->has_intr, i->intr);
	ai_add_measured(&t->switches, &t->has_switches, i->switches);
	ai_add_measured(&t->interrupts, &t->has_interrupts, i->interrupts);
}

static void swap_samples(struct counting *c)
{
	struct counter_sample *now = c->now;

	c->now = c->from;
	c->from = now;
}

static bool ai_update_totals(struct counting *c)
{
	if (!usage_read(c->now))
		return false;
	usage_difference(c->from, c->now, c->interval, c->carry);
	for (uint32_t cpu = 0; cpu < c->now->cpus; cpu++)
		ai_add_cpu(c, cpu);
	swap_samples(c);
	return true;
}

static int ai_start_counting(void)
{
	struct counting *c;
	int rc = usage_hold();

	if (rc)
		return rc;
	c = new_counting();
	if (!c) {
		usage_drop();
		return PU_ERROR_NOT_ENOUGH_MEMORY;
	}
	usage_read(c->now);
	for (uint32_t cpu = 0; cpu < c->now->cpus; cpu++)
		ai_begin_total(c, cpu);
	swap_samples(c);
	counting = c;
	return PU_SUCCESS;
}

int AiInit(void)
{
	int saved = errno, rc = counters_choose();

	if (rc == PU_SUCCESS && usage_choice()->method == AI_METHOD_NONE)
		rc = PU_ERROR_NOT_SUPPORTED;
	if (rc == PU_SUCCESS) {
		instance_announce_source();
		ai_lock();
		if (inits == 0)
			rc = ai_start_counting();
		if (rc == PU_SUCCESS)
			inits++;
		ai_unlock();
	}
	errno = saved;
	return rc;
}

void AiTerminate(void)
{
	int saved = errno;

	ai_lock();
	if (inits > 0 && --inits == 0) {
		usage_drop();
		free(counting);
		counting = NULL;
	}
	ai_unlock();
	errno = saved;
}

/* ----------------------------------------------------------------------------- counters */

AI_COUNTERS *AiAllocCounters(int *size)
{
	AI_COUNTERS *counters;

	ai_lock();
	counters = calloc(processors, sizeof *counters);
	if (size)
		*size = counters ? (int)(processors * sizeof *counters) : 0;
	ai_unlock();
	return counters;
}

void AiFreeCounters(AI_COUNTERS *counters)
{
	free(counters);
}

void AiZeroCounters(AI_COUNTERS *counters)
{
	ai_lock();
	if (counters)
		memset(counters, 0, processors * sizeof *counters);
	ai_unlock();
}

static void ai_report_cpu(const struct counting *c, uint32_t cpu, AI_COUNTERS *out)
{
	/* The samples were swapped. */
	const struct counter_sample *s = c->from;

	*out = (AI_COUNTERS){AI_NOT_MEASURED, AI_NOT_MEASURED, AI_NOT_MEASURED, AI_NOT_MEASURED,
		AI_COUNT_NOT_MEASURED, AI_COUNT_NOT_MEASURED};
	if (cpu < s->cpus && s->cpu[cpu].online) {
		const struct total *t = &c->total[cpu];

		out->CurTime = t->cur;
		out->IdleTime = t->idle;
		out->BusyTime = t->busy;
		if (t->has_intr)
			out->IntrTime = t->intr;
		if (t->has_switches)
			out->DispCnt = util_count_wrapped(t->switches);
		if (t->has_interrupts)
			out->IntrCnt = util_count_wrapped(t->interrupts);
	}
}

int AiGetCounters(AI_COUNTERS *counters)
{
	int saved = errno, rc = PU_SUCCESS;

	if (!counters)
		return PU_ERR_NULL_PTR;
	ai_lock();
	if (!counting)
		rc = PU_ERR_NOT_INITIALIZED;
	else if (!ai_update_totals(counting))
		rc = PU_ERROR_READING_PERFORMANCE_DATA;
	for (uint32_t cpu = 0; rc == PU_SUCCESS && cpu < processors; cpu++)
		ai_report_cpu(counting, cpu, &counters[cpu]);
	ai_unlock();
	errno = saved;
	return rc;
}

/* ------------------------------------------------------------------------------- method */

int AiMethod(void)
{
	return usage_choice()->method;
}

const char *AiMethodName(int method)
{
	return usage_method_name(method);
}

const char *AiWhy(void)
{
	return usage_choice()->why;
}
