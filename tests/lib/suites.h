/* Runs suites of Check: the end of each unit-test program. */
#ifndef SWT_TESTS_LIB_SUITES_H
#define SWT_TESTS_LIB_SUITES_H

#include <check.h>
#include <stdarg.h>

/* A test that runs for each _i from `from` to `to`, which is excluded. */
struct suite_loop {
	const TTest *test;
	int from, to;
};

/* A suite of one case. set_up and tear_down run in each test's own process; NULL: none. */
struct suite_plan {
	double timeout; /* in seconds, of a test; 0: Check's own */
	SFun set_up, tear_down;
	const TTest *const *tests;	/* NULL ends them */
	const struct suite_loop *loops; /* one without a test ends them */
};

#define TESTS(...)                                                                                 \
	.tests = (const TTest *const[])                                                            \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}
#define LOOPS(...)                                                                                 \
	.loops = (const struct suite_loop[])                                                       \
	{                                                                                          \
		__VA_ARGS__,                                                                       \
		{                                                                                  \
			NULL, 0, 0                                                                 \
		}                                                                                  \
	}
/* SUITE("name", .set_up = begin, TESTS(one, another), LOOPS({a_third, 0, 3})) */
#define SUITE(name, ...) suite_of(name, &(const struct suite_plan){__VA_ARGS__})

static inline Suite *suite_of(const char *name, const struct suite_plan *plan)
{
	Suite *suite = suite_create(name);
	TCase *tc = tcase_create(name);

	if (plan->timeout > 0)
		tcase_set_timeout(tc, plan->timeout);
	if (plan->set_up || plan->tear_down)
		tcase_add_checked_fixture(tc, plan->set_up, plan->tear_down);
	for (const TTest *const *test = plan->tests; test && *test; test++)
		tcase_add_test(tc, *test);
	for (const struct suite_loop *loop = plan->loops; loop && loop->test; loop++)
		tcase_add_loop_test(tc, loop->test, loop->from, loop->to);
	suite_add_tcase(suite, tc);
	return suite;
}

static inline int suites_finish(SRunner *runner)
{
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}

/* Runs a suite in this process: for hundreds of rows that cannot harm each other, a process for
 * each would cost more than the rows. */
static inline int suites_run_unforked(Suite *suite)
{
	SRunner *runner = srunner_create(suite);

	srunner_set_fork_status(runner, CK_NOFORK);
	return suites_finish(runner);
}

/* Runs the suites, which NULL ends, and frees them. Returns the program's exit status. */
static inline __attribute__((sentinel)) int suites_run(Suite *first, ...)
{
	SRunner *runner = srunner_create(first);
	va_list more;
	Suite *suite;

	va_start(more, first);
	while ((suite = va_arg(more, Suite *)) != NULL)
		srunner_add_suite(runner, suite);
	va_end(more);
	return suites_finish(runner);
}

/* A program of one suite. */
#define SUITE_MAIN(name, ...)                                                                      \
	int main(void)                                                                             \
	{                                                                                          \
		return suites_run(SUITE(name, .timeout = 300, TESTS(__VA_ARGS__)), NULL);          \
	}

#endif
