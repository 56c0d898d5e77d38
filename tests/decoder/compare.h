/* For tests that read intervals in two ways: made of random hooks, and compared. */
#ifndef SWT_TESTS_DECODER_COMPARE_H
#define SWT_TESTS_DECODER_COMPARE_H

#include <check.h>
#include <math.h>
#include <string.h>

#include "../../decoder/model/intervals/intervals.h"
#include "../../formats/interval_hooks.h"
#include "../lib/random.h"

static inline bool same_double(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static inline void same_cpus(const struct interval *a, const struct interval *b)
{
	ck_assert_uint_eq(a->num_cpus, b->num_cpus);
	ck_assert((a->cpus != NULL) == (b->cpus != NULL));
	for (uint32_t i = 0; a->cpus && i < a->num_cpus; i++) {
		const struct interval_cpu *x = &a->cpus[i], *y = &b->cpus[i];

		ck_assert(same_double(x->raw_cpi, y->raw_cpi) &&
			  same_double(x->scaled_cpi, y->scaled_cpi) &&
			  same_double(x->busy_pct, y->busy_pct));
		ck_assert(x->instructions == y->instructions && x->cycles == y->cycles &&
			  x->busy_cycles == y->busy_cycles);
	}
}

static inline void same_utils(const struct interval *a, const struct interval *b)
{
	ck_assert((a->utils != NULL) == (b->utils != NULL));
	for (uint32_t i = 0; a->utils && i < a->num_cpus; i++) {
		const struct interval_util *x = &a->utils[i], *y = &b->utils[i];

		ck_assert(same_double(x->idle_pct, y->idle_pct) &&
			  same_double(x->intr_pct, y->intr_pct) &&
			  same_double(x->actual_perf_pct, y->actual_perf_pct));
		ck_assert(x->elapsed == y->elapsed && x->busy_time == y->busy_time &&
			  x->idle_time == y->idle_time && x->intr_time == y->intr_time &&
			  x->unhalted_cycles == y->unhalted_cycles &&
			  x->reference_cycles == y->reference_cycles);
	}
}

/* b may have more values. */
static inline void same_values(const struct interval *a, const struct interval *b, unsigned wants)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < b->num_values; i++) {
		const struct interval_value *y = &b->values[i];

		if (!(wants & WANT_VALUES) && !(wants & WANT_EVENTS && y->kind == VALUE_EVENT))
			continue;
		ck_assert_uint_lt(n, a->num_values);
		const struct interval_value *x = &a->values[n++];
		ck_assert(x->name == y->name && x->kind == y->kind && x->type == y->type &&
			  x->length == y->length);
		if (x->type == INTERVAL_ARG_TEXT)
			ck_assert(memcmp(a->value_texts + x->at, b->value_texts + y->at,
					  x->length) == 0);
		else
			ck_assert_uint_eq(x->u, y->u);
	}
	ck_assert_uint_eq(n, a->num_values);
}

/* As far as requested. b has the values that are wanted, or more. */
static inline void same(const struct interval *a, const struct interval *b, unsigned wants)
{
	const uint32_t all = wants & WANT_FLAGS ? 0 : IV_INCONSISTENT | IV_MALFORMED;
	const uint32_t quality = wants & (WANT_QUALITY | WANT_FLAGS) ? 0 : IV_FLAGGED | IV_ARGS_CUT;
	const uint32_t own = wants & (WANT_OWN_COST | WANT_FLAGS) ? 0 : IV_OWN_COST;
	const uint32_t events =
		wants & (WANT_EVENTS | WANT_VALUES | WANT_FLAGS) ? 0 : IV_MULTIPLEXED;
	const uint32_t unknown = all | quality | own | events;

	ck_assert_uint_eq(a->flags | unknown, b->flags | unknown);
	ck_assert(a->start_ticks == b->start_ticks && a->end_ticks == b->end_ticks);
	ck_assert(a->end_ns == b->end_ns && a->elapsed == b->elapsed);
	ck_assert(a->elapsed_ns == b->elapsed_ns && a->position == b->position);
	ck_assert(a->tid == b->tid && a->major == b->major && a->mm == b->mm &&
		  a->has_label == b->has_label);
	ck_assert_uint_eq(a->label_len, b->label_len);
	ck_assert(!a->has_label || memcmp(a->label, b->label, a->label_len) == 0);
	if (wants & WANT_START)
		ck_assert_int_eq(a->start_ns, b->start_ns);
	if (wants & WANT_SYSTEM)
		ck_assert(same_double(a->raw_cpi, b->raw_cpi) &&
			  same_double(a->scaled_cpi, b->scaled_cpi) &&
			  same_double(a->busy_pct, b->busy_pct) &&
			  a->instructions == b->instructions && a->cycles == b->cycles &&
			  a->busy_cycles == b->busy_cycles &&
			  same_double(a->idle_pct, b->idle_pct) &&
			  same_double(a->intr_pct, b->intr_pct) &&
			  same_double(a->actual_perf_pct, b->actual_perf_pct) &&
			  a->method == b->method);
	if (wants & WANT_THREAD)
		ck_assert(same_double(a->thread_cpi, b->thread_cpi) &&
			  a->thread_instructions == b->thread_instructions &&
			  a->thread_cycles == b->thread_cycles);
	if (wants & WANT_QUALITY)
		ck_assert(a->on_cpu_ns == b->on_cpu_ns && a->off_cpu_ns == b->off_cpu_ns &&
			  a->ctx_switches == b->ctx_switches && a->migrations == b->migrations &&
			  a->faults == b->faults && a->time_source == b->time_source &&
			  a->start_cpu == b->start_cpu);
	same_values(a, b, wants);
	if (wants & WANT_CPUS) {
		same_cpus(a, b);
		same_utils(a, b);
	}
	if (wants & WANT_FLAGS)
		ck_assert(a->types == b->types && a->num_cpus == b->num_cpus);
}

#endif
