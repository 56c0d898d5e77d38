/*
 * Lists, the processor's own PMU, attributes, and strings that are no names.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../libtrace/counters/perf/try_event.h"
#include "../../libtrace/events/encoding.h"
#include "test_event.h"
#include "tree.h"

enum { SEEN_MAX = 4000 };

struct seen {
	char *name[SEEN_MAX];
	int count, stop_at;
};

static int collect_event(void *user, const struct cpc_event_info *info)
{
	struct seen *s = user;
	struct cpc_event e;
	char why[EVENT_WHY_MAX];

	ck_assert_int_lt(s->count, SEEN_MAX);
	ck_assert_msg(event_find(info->name, &e, why) == 0, "%s: %s", info->name, why);
	ck_assert_msg(e.origin == info->origin, "%s", info->name);
	if (info->origin != CPC_EVENT_LIBPFM4)
		ck_assert_str_eq(e.pmu, info->pmu);
	s->name[s->count++] = strdup(info->name);
	return s->count == s->stop_at ? 77 : 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool has(const struct seen *s, const char *name)
{
	for (int i = 0; i < s->count; i++)
		if (strcmp(s->name[i], name) == 0)
			return true;
	return false;
}

static void free_seen(struct seen *s)
{
	while (s->count)
		free(s->name[--s->count]);
}

START_TEST(every_listed_name_is_found_and_listed_once)
{
	struct seen s = {.count = 0};

	tree_use(_i);
	ck_assert_int_eq(event_walk(collect_event, &s), 0);
	ck_assert_int_gt(s.count, 50);
	qsort(s.name, (size_t)s.count, sizeof *s.name, by_name);
	for (int i = 1; i < s.count; i++)
		ck_assert_str_ne(s.name[i - 1], s.name[i]);
	free_seen(&s);
}
END_TEST

START_TEST(lists_hold_the_events_of_sysfs)
{
	struct seen s = {.count = 0};

	tree_use(TREE_INTEL);
	ck_assert_int_eq(event_walk(collect_event, &s), 0);
	ck_assert(has(&s, "cycles") && has(&s, "cs") && has(&s, "LLC-loads"));
	ck_assert(has(&s, "cpu/cache-misses/") && has(&s, "msr/tsc/") && has(&s, "cpu/slots/"));
	ck_assert(!has(&s, "cpu/slots.scale/") && !has(&s, "cpu/slots.unit/"));
	ck_assert(!has(&s, "uncore_imc/reads/"));
	free_seen(&s);
}
END_TEST

START_TEST(a_visitor_stops_a_walk)
{
	struct seen s = {.count = 0};

	tree_use(TREE_INTEL);
	for (s.stop_at = 1; s.stop_at < 60; s.stop_at += 4) {
		ck_assert_int_eq(event_walk(collect_event, &s), 77);
		ck_assert_int_eq(s.count, s.stop_at);
		free_seen(&s);
	}
}
END_TEST

/* ------------------------------------------------------------------------------- terms */

static int join(void *user, const char *term)
{
	strcat(strcat(user, term), " ");
	return strcmp(term, "last") == 0;
}

START_TEST(terms_are_those_of_the_format)
{
	char text[512] = "";

	tree_use(TREE_AMD);
	ck_assert_int_eq(event_walk_terms("cpu", join, text), 0);
	ck_assert_str_eq(text, "cmask edge event inv umask ");
	text[0] = 0;
	ck_assert_int_eq(event_walk_terms(NULL, join, text), 0);
	ck_assert_str_eq(text, "cmask edge event inv umask ");
	text[0] = 0;
	ck_assert_int_eq(event_walk_terms("software", join, text), 0);
	ck_assert_str_eq(text, "");
	ck_assert_int_eq(event_walk_terms("nosuch", join, text), -ENOENT);
	ck_assert_int_eq(event_walk_terms("", join, text), -ENOENT);
	ck_assert_int_eq(event_walk_terms("../devices/cpu", join, text), -ENOENT);
	tree_use(TREE_NONE);
	ck_assert_int_eq(event_walk_terms(NULL, join, text), -ENOENT);
	ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(the_processors_pmu_is_found)
{
	static const char *const names[TREES] = {[TREE_NONE] = "",
		[TREE_INTEL] = "cpu",
		[TREE_AMD] = "cpu",
		[TREE_ARM] = "armv8_pmuv3_0",
		[TREE_HYBRID] = "cpu_core",
		[TREE_ODD] = "cpu"};

	tree_use(_i);
	ck_assert_str_eq(event_pmu_name(), names[_i]);
	/* How many counters another machine has is not for this one's processor to say. */
	ck_assert_uint_eq(event_pmu_counters(), 0);
}
END_TEST

START_TEST(a_tree_that_is_not_there_has_generic_names_only)
{
	struct cpc_event e;
	char why[EVENT_WHY_MAX];

	event_sysfs_set("/nonexistent");
	ck_assert_str_eq(event_pmu_name(), "");
	ck_assert_int_eq(event_find("cpu/event=1/", &e, why), -ENOTSUP);
	ck_assert_int_eq(event_find("cycles", &e, why), 0);
	event_sysfs_set(NULL);
	ck_assert(event_sysfs_is_ours());
	ck_assert_uint_le(event_pmu_counters(), 64);
}
END_TEST

/* -------------------------------------------------------------------------- attributes */

START_TEST(attributes_match_the_event)
{
	struct perf_event_attr attr;
	struct cpc_event e;
	char why[EVENT_WHY_MAX];

	tree_use(TREE_INTEL);
	ck_assert_int_eq(event_find("cpu/mem-loads,config2=9/u", &e, why), 0);
	memset(&attr, 0xff, sizeof attr);
	event_attr(&e, &attr, sizeof attr);
	ck_assert_uint_eq(attr.size, sizeof attr);
	ck_assert_uint_eq(attr.type, 4);
	ck_assert_uint_eq(attr.config, 0x1cd);
	ck_assert_uint_eq(attr.config1, 3);
	ck_assert_uint_eq(attr.config2, 9);
	ck_assert(!attr.exclude_user && attr.exclude_kernel && attr.exclude_hv);
	ck_assert(!attr.disabled && !attr.inherit && !attr.sample_period && !attr.read_format);
	ck_assert_int_eq(event_find("cycles:k", &e, why), 0);
	event_attr(&e, &attr, sizeof attr);
	ck_assert(attr.exclude_user && !attr.exclude_kernel && attr.exclude_hv);
	ck_assert_int_eq(event_find("cycles", &e, why), 0);
	event_attr(&e, &attr, sizeof attr);
	ck_assert(!attr.exclude_user && !attr.exclude_kernel && !attr.exclude_hv);
}
END_TEST

START_TEST(trying_shows_events_that_do_not_count_here)
{
	struct cpc_event e = {.type = PERF_TYPE_MAX + 100000, .user = true};

	ck_assert_int_lt(perf_try_event(&e), 0);
	e = (struct cpc_event){.type = PERF_TYPE_SOFTWARE, .config = 1u << 30, .user = true};
	ck_assert_int_lt(perf_try_event(&e), 0);
}
END_TEST

/* ------------------------------------------------------------------------ any old text */

START_TEST(no_text_is_too_strange)
{
	static const char pieces[][12] = {"cpu", "/", "=", ",", ":", "::", "event", "umask", "0x",
		"u", "k", "r", "f", "0", "9", "cycles", "config1", "..", "\n", "%s", "\x80\xff",
		"cmask", "inv", "edge", "armv8", "L1-dcache", "-", "loads", "?", " "};
	enum { PIECES = sizeof pieces / sizeof *pieces };
	uint64_t seed = 88172645463325252u + (uint64_t)_i;
	int found = 0;

	tree_use(TREE_INTEL + _i % 5);
	for (int i = 0; i < 5000; i++) {
		struct cpc_event e;
		char name[400] = "", why[EVENT_WHY_MAX];

		for (unsigned k = 0; k < 1 + seed % 17; k++) {
			seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
			if (seed >> 60 == 0)
				strcat(name, (char[]){(char)(seed >> 20 | 1), 0});
			else
				strcat(name, pieces[(seed >> 32) % PIECES]);
		}
		int rc = event_find(name, &e, why);
		ck_assert(rc == 0 || rc == -EINVAL || rc == -ENOTSUP);
		ck_assert(memchr(why, 0, sizeof why) != NULL);
		ck_assert((rc != 0) == (why[0] != 0));
		if (rc == 0)
			ck_assert_str_eq(e.name, name);
		found += rc == 0;
	}
	ck_assert_int_gt(found, 0);
}
END_TEST

void add_walk(Suite *suite)
{
	TCase *c = tcase_create("walk");

	tcase_add_unchecked_fixture(c, trees_make, trees_remove);
	tcase_add_loop_test(c, every_listed_name_is_found_and_listed_once, 0, TREES);
	tcase_add_test(c, lists_hold_the_events_of_sysfs);
	tcase_add_test(c, a_visitor_stops_a_walk);
	tcase_add_test(c, terms_are_those_of_the_format);
	tcase_add_loop_test(c, the_processors_pmu_is_found, 0, TREES);
	tcase_add_test(c, a_tree_that_is_not_there_has_generic_names_only);
	tcase_add_test(c, attributes_match_the_event);
	tcase_add_test(c, trying_shows_events_that_do_not_count_here);
	tcase_add_loop_test(c, no_text_is_too_strange, 0, 10);
	suite_add_tcase(suite, c);
}
