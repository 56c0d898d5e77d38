/* The known name that an unknown one may have meant. */
#include <string.h>

#include "../../formats/base/nearest.h"
#include "../lib/suites.h"

static const char *find_nearest(const char *name, const char *const *known)
{
	unsigned least = NEAREST_NONE;
	const char *best = NULL;

	for (; *known; known++)
		if (nearest_improves(name, strlen(name), *known, strlen(*known), &least))
			best = *known;
	return best;
}

START_TEST(the_fewest_edits_win)
{
	static const char *const known[] = {"type", "size", "key", NULL};

	ck_assert_str_eq(find_nearest("typo", known), "type");
	ck_assert_str_eq(find_nearest("SIZE", known), "size");
	ck_assert_str_eq(find_nearest("keys", known), "key");
	/* The first of equally near ones. */
	ck_assert_str_eq(find_nearest("ad", (const char *const[]){"ab", "ac", NULL}), "ab");
}
END_TEST

START_TEST(a_name_that_mostly_differs_is_not_near)
{
	static const char *const known[] = {"size", "", NULL};

	ck_assert_ptr_null(find_nearest("request", known));
	ck_assert_ptr_null(find_nearest("q", known));
}
END_TEST

START_TEST(long_names_are_compared_in_part)
{
	char a[1000], b[1000];
	unsigned least = NEAREST_NONE;

	memset(a, 'a', sizeof a);
	memset(b, 'a', sizeof b);
	b[999] = 'b';
	ck_assert(nearest_improves(a, sizeof a, b, sizeof b, &least));
	ck_assert_uint_eq(least, 0);
}
END_TEST

int main(void)
{
	return suites_run(
		SUITE("nearest", .timeout = 60,
			TESTS(the_fewest_edits_win, a_name_that_mostly_differs_is_not_near,
				long_names_are_compared_in_part)),
		NULL);
}
