/* event_list_parse: lists of an interval's events. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "../../libtrace/events/encoding.h"
#include "test_event.h"
#include "tree.h"

enum { MAX = 4 };

static const struct {
	const char *list;
	int count;
	const char *last;
	bool foreign, on_cpus; /* the last one */
} good[] = {
	{"cycles", 1, "cycles", false, false},
	{"instructions,cycles:u", 2, "cycles:u", false, false},
	{"cpu/event=0x3c,umask=0/,page-faults,r01c2", 3, "r01c2", false, false},
	{"cycles,cycles:u,cpu/event=0x3c/u", 3, "cpu/event=0x3c/u", false, false},
	{"page-faults,nosuchpmu/event=1,umask=2/", 2, "nosuchpmu/event=1,umask=2/", true, false},
	{"cycles,instructions,branches,faults", MAX, "faults", false, false},
	/* On all processors it is another event than on the thread. */
	{"cycles,cycles:a", 2, "cycles:a", false, true},
	{"cycles:ua,cycles:uka", 2, "cycles:uka", false, true},
	{"cpu/event=0x3c/a,cpu/event=0x3c/ak", 2, "cpu/event=0x3c/ak", false, true},
	{"page-faults:a,nosuchpmu/event=1/a", 2, "nosuchpmu/event=1/a", true, true},
};

START_TEST(lists_are_parsed)
{
	struct event_listed listed[MAX];
	char why[EVENT_WHY_MAX];
	int count;

	tree_use(TREE_INTEL);
	count = event_list_parse(good[_i].list, listed, MAX, why);
	ck_assert_msg(count == good[_i].count, "%s: %d %s", good[_i].list, count, why);
	ck_assert_str_eq(listed[count - 1].event.name, good[_i].last);
	ck_assert(listed[count - 1].is_foreign == good[_i].foreign);
	ck_assert(listed[count - 1].on_cpus == good[_i].on_cpus);
	ck_assert_str_eq(why, "");
}
END_TEST

static const char *const bad[][2] = {
	{"", "the event's name is empty"},
	{",cycles", "an event's name is missing before \",cycles\""},
	{"cycles,,faults", "an event's name is missing before \",faults\""},
	{"cycles,", "an event's name is missing behind the last comma"},
	{"cycles,no-such", "there is no event \"no-such\""},
	{"cycles,page-faults:x", "there is no event \"page-faults:x\""},
	{"{cycles,faults}", "a list of an interval's events has no groups"},
	{"cycles}", "a list of an interval's events has no groups"},
	{"cycles,faults,cycles", "\"cycles\" comes twice"},
	{"cycles,faults,branches,instructions,task-clock", "more than 4 events"},
	{"cycles,faults,branches,instructions,no-such", "more than 4 events"},
	{"cpu/event=1,cycles", "the second / is missing"},
	{"cycles faults", "there is no event \"cycles faults\""},
	{"cycles:aa", "there is no event \"cycles:aa\""},
	{"cycles:a,cycles:a", "\"cycles:a\" comes twice"},
	{"cycles:ax", "there is no event \"cycles:ax\""},
	{":a", "there is no event \":a\""},
	{"a", "there is no event \"a\""},
};

START_TEST(wrong_lists_say_why)
{
	struct event_listed listed[MAX];
	char why[EVENT_WHY_MAX];

	tree_use(TREE_INTEL);
	ck_assert_int_eq(event_list_parse(bad[_i][0], listed, MAX, why), -EINVAL);
	ck_assert_msg(strstr(why, bad[_i][1]) != NULL, "%s: %s", bad[_i][0], why);
	ck_assert_ptr_null(strchr(why, '\n'));
}
END_TEST

START_TEST(names_are_not_longer_than_an_event_s)
{
	struct event_listed listed[MAX];
	char list[4 * EVENT_NAME_MAX] = "cycles,", why[EVENT_WHY_MAX];

	memset(list + strlen(list), 'a', 2 * EVENT_NAME_MAX);
	ck_assert_int_eq(event_list_parse(list, listed, MAX, why), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why, "is longer than 127 bytes"));
}
END_TEST

void add_list(Suite *suite)
{
	TCase *c = tcase_create("list");

	tcase_add_unchecked_fixture(c, trees_make, trees_remove);
	tcase_add_loop_test(c, lists_are_parsed, 0, (int)(sizeof good / sizeof *good));
	tcase_add_loop_test(c, wrong_lists_say_why, 0, (int)(sizeof bad / sizeof *bad));
	tcase_add_test(c, names_are_not_longer_than_an_event_s);
	suite_add_tcase(suite, c);
}
