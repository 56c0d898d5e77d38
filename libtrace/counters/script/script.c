#include "script.h"

#include <pthread.h>

#include "../../core/online.h"
#include "../machine/rate.h"
#include "parse.h"

static pthread_mutex_t script_lock = PTHREAD_MUTEX_INITIALIZER;

/* The calling thread's counts so far. */
static _Thread_local uint64_t thread_count[2];

static uint64_t script_add_saturating(uint64_t a, uint64_t b)
{
	return a + b < a || a + b == NOT_MEASURED ? NOT_MEASURED - 1 : a + b;
}

static uint64_t script_action_amount(const struct script_action *a, uint64_t cycles)
{
	switch (a->how) {
	case SCRIPT_COUNT:
		return a->value;
	case SCRIPT_PERCENT:
		return rate_scale(cycles, a->value, 100 * SCRIPT_ONE);
	case SCRIPT_CPI:
		return rate_scale(cycles, SCRIPT_ONE, a->value);
	default:
		return 0;
	}
}

static void act_on_cpus(struct script *script, const struct script_action *a, uint64_t cycles)
{
	uint64_t more = script_action_amount(a, cycles);
	uint64_t *count = script->count[a->what];

	for (uint32_t cpu = a->from; cpu <= a->to && cpu < ONLINE_MAX; cpu++)
		count[cpu] = script_add_saturating(count[cpu], more);
}

/* Cycles before instructions: those may be given by their ratio. */
static void act_on_thread(
	const struct script *script, const struct script_step *step, uint64_t cycles, bool none[2])
{
	uint64_t ran = 0;

	for (unsigned pass = 0; pass < 2; pass++) {
		enum script_what what = pass ? SCRIPT_THREAD_INSTRUCTIONS : SCRIPT_THREAD_CYCLES;

		for (size_t i = step->first; i < step->first + step->actions; i++) {
			const struct script_action *a = &script->action[i];
			uint64_t more;

			if (a->what != what)
				continue;
			more = script_action_amount(a, pass ? ran : cycles);
			if (!pass)
				ran = more;
			thread_count[pass] = script_add_saturating(thread_count[pass], more);
			none[pass] |= a->how == SCRIPT_NONE;
		}
	}
}

static bool is_of_cpus(enum script_what what)
{
	return what != SCRIPT_THREAD_INSTRUCTIONS && what != SCRIPT_THREAD_CYCLES;
}

/* The script states it for this step. */
static bool is_hidden(const struct script *script, const struct script_step *step,
	enum script_what what, uint32_t cpu)
{
	for (size_t i = step->first; i < step->first + step->actions; i++) {
		const struct script_action *a = &script->action[i];

		if (a->how == SCRIPT_NONE && a->what == what && cpu >= a->from && cpu <= a->to)
			return true;
	}
	return false;
}

static uint64_t count_of(const struct script *script, const struct script_step *step,
	enum script_what what, uint32_t cpu)
{
	if (!cpu_set_has(&script->mentioned[what], cpu) || is_hidden(script, step, what, cpu))
		return NOT_MEASURED;
	return script->count[what][cpu];
}

static void copy_counts(
	const struct script *script, const struct script_step *step, struct counter_sample *s)
{
	s->cycles = script->cycles;
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
		struct counter_cpu *c = &s->cpu[cpu];

		c->ticks = script->cycles;
		c->instructions = c->busy = c->idle_ns = NOT_MEASURED;
		c->enabled = c->running = 0;
		if (!c->online)
			continue;
		c->instructions = count_of(script, step, SCRIPT_INSTRUCTIONS, cpu);
		c->busy = count_of(script, step, SCRIPT_BUSY, cpu);
		c->intr = count_of(script, step, SCRIPT_INTR, cpu);
		c->core = count_of(script, step, SCRIPT_CORE, cpu);
		c->reference = count_of(script, step, SCRIPT_REFERENCE, cpu);
		c->switches = count_of(script, step, SCRIPT_SWITCHES, cpu);
		c->interrupts = count_of(script, step, SCRIPT_INTERRUPTS, cpu);
	}
}

/* The step of this read; the last one repeats for ever. */
static const struct script_step *next_step(struct script *script)
{
	const struct script_step *step = &script->step[script->at];

	if (++script->done >= step->reads && script->at + 1 < script->steps) {
		script->at++;
		script->done = 0;
	}
	return step;
}

static uint64_t step_cycles(struct script *script, const struct script_step *step, uint64_t ticks)
{
	uint64_t passed = 0;

	if (script->started && ticks > script->last_ticks)
		passed = rate_cycles_of_ticks(ticks - script->last_ticks);
	if (passed == NOT_MEASURED) /* nothing here is measured anyway */
		passed = ticks - script->last_ticks;
	if (!script->started || ticks > script->last_ticks)
		script->last_ticks = ticks;
	script->started = true;
	return step->cycles == NOT_MEASURED ? passed : step->cycles;
}

/* Call with the lock held. */
static const struct script_step *script_advance_step(
	struct script *script, uint64_t ticks, uint64_t *cycles)
{
	const struct script_step *step = next_step(script);

	*cycles = step_cycles(script, step, ticks);
	script->cycles = script_add_saturating(script->cycles, *cycles);
	for (size_t i = step->first; i < step->first + step->actions; i++)
		if (is_of_cpus(script->action[i].what))
			act_on_cpus(script, &script->action[i], *cycles);
	return step;
}

void script_read(struct script *script, struct counter_sample *s)
{
	unsigned quantities = script_quantities(script);
	const struct script_step *step;
	bool none[2] = {false, false};
	uint64_t cycles;

	pthread_mutex_lock(&script_lock);
	step = script_advance_step(script, s->ticks, &cycles);
	if (s->thread)
		act_on_thread(script, step, cycles, none);
	copy_counts(script, step, s);
	pthread_mutex_unlock(&script_lock);

	s->thread_enabled = s->thread_running = 0;
	s->thread_cycles = s->thread_instructions = NOT_MEASURED;
	if (!s->thread)
		return;
	if (quantities & COUNTER_BIT(COUNTER_THREAD_CYCLES) && !none[0])
		s->thread_cycles = thread_count[0];
	if (quantities & COUNTER_BIT(COUNTER_THREAD_INSTRUCTIONS) && !none[1])
		s->thread_instructions = thread_count[1];
}

void script_before_fork(void)
{
	pthread_mutex_lock(&script_lock);
}

void script_after_fork(void)
{
	pthread_mutex_unlock(&script_lock);
}

void script_forget_lock(void)
{
	script_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}
