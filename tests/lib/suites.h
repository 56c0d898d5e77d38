/* Runs suites of Check: the end of each unit-test program. */
#ifndef SWT_TESTS_LIB_SUITES_H
#define SWT_TESTS_LIB_SUITES_H

#include <check.h>
#include <stdarg.h>

/* A suite of one case, whose tests NULL ends. timeout: in seconds, of a test. */
static inline Suite *suite_of(const char *name, double timeout, const TTest *const *tests)
{
	Suite *suite = suite_create(name);
	TCase *tc = tcase_create(name);

	tcase_set_timeout(tc, timeout);
	for (; *tests; tests++)
		tcase_add_test(tc, *tests);
	suite_add_tcase(suite, tc);
	return suite;
}

/* Runs the suites, which NULL ends, and frees them. Returns the program's exit status. */
static inline __attribute__((sentinel)) int suites_run(Suite *first, ...)
{
	SRunner *runner = srunner_create(first);
	va_list more;
	Suite *suite;
	int failed;

	va_start(more, first);
	while ((suite = va_arg(more, Suite *)) != NULL)
		srunner_add_suite(runner, suite);
	va_end(more);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}

/* A program of one suite. */
#define SUITE_MAIN(name, ...)                                                                      \
	int main(void)                                                                             \
	{                                                                                          \
		const TTest *const tests[] = {__VA_ARGS__, NULL};                                  \
		return suites_run(suite_of(name, 300, tests), NULL);                               \
	}

#endif
