/*
 * The calls of cpc_event.h as a program makes them: from the shared library, by its header alone.
 */
#include <check.h>
#include <cpc_event.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include "../lib/suites.h"

START_TEST(a_name_is_encoded)
{
	struct cpc_event e;
	struct perf_event_attr attr;
	char why[CPC_EVENT_WHY_MAX] = "x";

	ck_assert_int_eq(cpc_event_find("page-faults:u", &e, why), 0);
	ck_assert_str_eq(why, "");
	ck_assert_str_eq(e.name, "page-faults:u");
	ck_assert_int_eq(e.origin, CPC_EVENT_GENERIC);
	ck_assert(e.software && e.user && !e.kernel && e.modes_given);
	memset(&attr, 0xff, sizeof attr);
	ck_assert_int_eq(cpc_event_attr(&e, &attr, sizeof attr), 0);
	ck_assert_uint_eq(attr.size, sizeof attr);
	ck_assert_uint_eq(attr.type, PERF_TYPE_SOFTWARE);
	ck_assert_uint_eq(attr.config, PERF_COUNT_SW_PAGE_FAULTS);
	ck_assert(attr.exclude_kernel && !attr.exclude_user && !attr.disabled);
	ck_assert_uint_eq(attr.sample_period, 0);
	ck_assert_int_eq(cpc_event_find("r01c2", &e, NULL), 0);
	ck_assert_uint_eq(e.config, 0x1c2);
	ck_assert_int_eq(e.origin, CPC_EVENT_RAW);
}
END_TEST

/* A caller of an older kernel's header has a smaller structure: nothing is written beyond it. */
START_TEST(attributes_of_other_sizes)
{
	unsigned char bytes[sizeof(struct perf_event_attr) + 8];
	struct perf_event_attr *attr = (struct perf_event_attr *)(void *)malloc(sizeof bytes);
	struct cpc_event e;

	ck_assert_int_eq(cpc_event_find("cycles", &e, NULL), 0);
	memset(attr, 0xff, sizeof bytes);
	ck_assert_int_eq(cpc_event_attr(&e, attr, 72), 0);
	ck_assert_uint_eq(attr->size, 72);
	ck_assert_uint_eq(((unsigned char *)attr)[71], 0);
	ck_assert_uint_eq(((unsigned char *)attr)[72], 0xff);
	ck_assert_int_eq(cpc_event_attr(&e, attr, 71), -EINVAL);
	ck_assert_int_eq(cpc_event_attr(&e, attr, sizeof bytes), 0);
	ck_assert_uint_eq(attr->size, sizeof bytes);
	free(attr);
}
END_TEST

static int count(void *user, const struct cpc_event_info *info)
{
	struct cpc_event e;

	ck_assert_int_eq(cpc_event_find(info->name, &e, NULL), 0);
	ck_assert_int_eq(e.origin, info->origin);
	return ++*(int *)user == 20 ? 77 : 0;
}

static int any_term(void *user, const char *term)
{
	(void)user;
	ck_assert_str_ne(term, "");
	return 0;
}

START_TEST(names_are_listed)
{
	int events = 0;

	ck_assert_int_eq(cpc_event_walk(count, &events), 77);
	ck_assert_int_eq(events, 20);
	ck_assert_int_eq(cpc_event_walk_terms("nonesuch", any_term, NULL), -ENOENT);
	ck_assert_int_eq(
		cpc_event_walk_terms(NULL, any_term, NULL), *cpc_event_pmu_name() ? 0 : -ENOENT);
}
END_TEST

START_TEST(errors_have_a_reason)
{
	struct cpc_event e;
	char why[CPC_EVENT_WHY_MAX];

	ck_assert_int_eq(cpc_event_find("nonesuch", &e, why), -EINVAL);
	ck_assert_str_eq(why, "there is no event \"nonesuch\"");
	ck_assert_int_eq(cpc_event_find("nonesuch/a=1/", &e, why), -ENOTSUP);
	ck_assert_ptr_nonnull(strstr(why, "no PMU \"nonesuch\""));
	ck_assert_int_eq(cpc_event_find("nonesuch", &e, NULL), -EINVAL);
	ck_assert_int_eq(cpc_event_find(NULL, &e, why), -EINVAL);
	ck_assert_str_eq(why, "no name");
	ck_assert_int_eq(cpc_event_find("cycles", NULL, NULL), -EINVAL);
	ck_assert_int_eq(cpc_event_attr(NULL, NULL, 72), -EINVAL);
	ck_assert_int_eq(cpc_event_try(NULL), -EINVAL);
	ck_assert_int_eq(cpc_event_walk(NULL, NULL), -EINVAL);
	ck_assert_int_eq(cpc_event_walk_terms(NULL, NULL, NULL), -EINVAL);
}
END_TEST

int main(void)
{
	return suites_run(
		SUITE("events of the library", TESTS(a_name_is_encoded, attributes_of_other_sizes,
						       names_are_listed, errors_have_a_reason)),
		NULL);
}
