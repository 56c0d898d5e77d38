/*
 * The calls of p4counters.h as a program makes them: from the shared library, by its header alone.
 */
#include <check.h>
#include <p4counters.h>
#include <stdlib.h>
#include <string.h>
#include "../lib/suites.h"

static struct p4_request parsed(const char *text)
{
	struct p4_request r;
	char why[P4_WHY_MAX];

	ck_assert_msg(P4Parse(text, P4_ANY_MODEL, &r, why) == PU_SUCCESS, "%s", why);
	ck_assert_str_eq(why, "");
	return r;
}

/* The six steps of the manual, from a name to the writes. */
START_TEST(from_a_name_to_the_registers)
{
	struct p4_request r = parsed("branch_retired:MMTP:MMTM:u");
	struct p4_program p;
	struct p4_step steps[P4_STEPS_MAX];
	const char *lacking = "";
	size_t n;

	ck_assert_int_eq(P4Assign(&r, 1, &p, NULL), PU_SUCCESS);
	ck_assert_ptr_eq(p.request, &r);
	n = P4Steps(&p, steps);
	ck_assert_uint_eq(n, 6);
	for (size_t i = 0; i < n; i++)
		ck_assert_uint_eq(steps[i].number, i + 1);
	ck_assert(!steps[3].write && steps[4].write && steps[5].write);
	ck_assert_uint_eq(steps[4].msr, P4EscrAt(p.escr)->msr);
	ck_assert_uint_eq(steps[4].value, p.escr_value);
	ck_assert_uint_eq(steps[5].msr, P4CounterAt(p.counter)->cccr_msr);
	ck_assert_uint_eq(steps[5].value, p.cccr_value);
	ck_assert_uint_eq(p.escr_value >> 25, r.event->select);
	ck_assert_uint_eq(P4PerfConfig(&r, &lacking), P4PerfConfig(&r, NULL));
	ck_assert_ptr_null(lacking);
	r = parsed("replay_event:SP_LD_RET");
	P4PerfConfig(&r, &lacking);
	ck_assert_ptr_nonnull(lacking);
}
END_TEST

START_TEST(one_event_on_two_counters)
{
	struct p4_request r[2] = {
		parsed("branch_retired:MMTP:ctr=12"), parsed("branch_retired:MMTP:ctr=14")};
	struct p4_program p[2];
	char why[P4_WHY_MAX];

	ck_assert_msg(P4Assign(r, 2, p, why) == PU_SUCCESS, "%s", why);
	ck_assert_uint_eq(p[0].counter, 12);
	ck_assert_uint_eq(p[1].counter, 14);
	r[1].counter = -1;
	ck_assert_int_eq(P4Assign(r, 2, p, why), PU_ERROR_DUPLICATE_METRICS);
	ck_assert_ptr_nonnull(strstr(why, "one counter would do"));
	ck_assert_int_eq(P4Assign(r, 2, p, NULL), PU_ERROR_DUPLICATE_METRICS);
}
END_TEST

/* All that there is, by number and by name, and nothing beyond. */
START_TEST(tables_are_complete_by_number_and_name)
{
	const struct p4_event *e;
	size_t events = 0, models_0_to_2 = 0;

	for (; (e = P4EventAt(events)); events++) {
		ck_assert_ptr_eq(P4FindEvent(e->name), e);
		ck_assert_ptr_eq(P4FindMask(e, e->masks[0].name), &e->masks[0]);
		ck_assert_ptr_nonnull(P4EscrAt(e->escr[0]));
		ck_assert(P4HasEvent(P4_ANY_MODEL, e) && P4HasEvent(P4_MODELS_3_TO_6, e));
		models_0_to_2 += P4HasEvent(P4_MODELS_0_TO_2, e);
	}
	ck_assert_uint_eq(events, P4_EVENTS);
	ck_assert_uint_lt(models_0_to_2, events);
	ck_assert_ptr_nonnull(P4MetricAt(P4_METRICS - 1));
	ck_assert_ptr_nonnull(P4CounterAt(P4_COUNTERS - 1));
	ck_assert_ptr_null(P4MetricAt(P4_METRICS));
	ck_assert_ptr_null(P4CounterAt(P4_COUNTERS));
	ck_assert_ptr_null(P4EscrAt(P4_ESCRS));
	ck_assert_ptr_null(P4EventAt((size_t)-1));
	ck_assert_ptr_eq(P4FindMetric(P4FindEvent("FRONT_END_EVENT"), "tagloads"),
		P4FindMetric(P4FindEvent("front_end_event"), "TAGLOADS"));
	ck_assert_ptr_null(P4FindMetric(P4FindEvent("branch_retired"), "TAGLOADS"));
	ck_assert_ptr_null(P4FindMask(P4FindEvent("branch_retired"), "TAGLOADS"));
	ck_assert_ptr_null(P4FindEvent("branch"));
}
END_TEST

START_TEST(nothing_where_something_is_needed)
{
	struct p4_request r = parsed("branch_retired:MMTP");
	struct p4_program p;
	char why[P4_WHY_MAX];

	ck_assert_ptr_null(P4FindEvent(NULL));
	ck_assert_ptr_null(P4FindMask(NULL, "MMTP"));
	ck_assert_ptr_null(P4FindMask(r.event, NULL));
	ck_assert_ptr_null(P4FindMetric(NULL, NULL));
	ck_assert(!P4HasEvent(P4_ANY_MODEL, NULL));
	ck_assert_int_eq(P4Parse(NULL, P4_ANY_MODEL, &r, why), PU_ERR_NULL_PTR);
	ck_assert_str_eq(why, "no text to parse");
	ck_assert_int_eq(P4Parse("x", P4_ANY_MODEL, NULL, NULL), PU_ERR_NULL_PTR);
	ck_assert_int_eq(P4Check(NULL, P4_ANY_MODEL, why), PU_ERR_NULL_PTR);
	ck_assert_int_eq(P4Assign(NULL, 1, &p, why), PU_ERR_NULL_PTR);
	ck_assert_int_eq(P4Assign(&r, 1, NULL, why), PU_ERR_NULL_PTR);
	ck_assert_int_eq(P4Assign(NULL, 0, NULL, NULL), PU_SUCCESS);
	ck_assert_int_eq(P4Parse("nonesuch", P4_ANY_MODEL, &r, NULL), PU_ERROR_INVALID_EVENT);
}
END_TEST

/* Fields that a program fills in itself are checked against the tables. */
START_TEST(requests_of_a_program)
{
	struct p4_request good = parsed("front_end_event:TAGLOADS"), r = good;
	struct p4_event own = *good.event;
	struct p4_metric metric = *good.metric;
	struct p4_program p[P4_COUNTERS + 1];
	char why[P4_WHY_MAX];

	ck_assert_int_eq(P4Check(&good, P4_ANY_MODEL, why), PU_SUCCESS);
	r.event = &own;
	ck_assert_int_eq(P4Check(&r, P4_ANY_MODEL, why), PU_ERROR_INVALID_EVENT);
	ck_assert_int_eq(P4Assign(&r, 1, p, why), PU_ERROR_INVALID_EVENT);
	r = good;
	r.metric = &metric;
	ck_assert_int_eq(P4Check(&r, P4_ANY_MODEL, why), PU_ERROR_INVALID_EVENT);
	r = good;
	memset(r.name, 'x', sizeof r.name);
	ck_assert_int_eq(P4Check(&r, P4_ANY_MODEL, why), PU_ERROR_INVALID_EVENT);
	r = good;
	r.user = r.kernel = false;
	ck_assert_int_eq(P4Assign(&r, 1, p, why), PU_ERROR_INVALID_PRIVILEGE_LEVEL);
	ck_assert_int_eq(P4Assign(&r, P4_COUNTERS + 1, p, why), PU_ERROR_EVENT_MAXIMUM_EXCEEDED);
}
END_TEST

int main(void)
{
	return suites_run(
		SUITE("p4 library",
			TESTS(from_a_name_to_the_registers, one_event_on_two_counters,
				tables_are_complete_by_number_and_name,
				nothing_where_something_is_needed, requests_of_a_program)),
		NULL);
}
