/* Running one suite of tests. */
#ifndef SWT_TESTS_DECODER_RUN_H
#define SWT_TESTS_DECODER_RUN_H

#include <check.h>
#include <stddef.h>

static inline int run_tests(const char *name, const TTest *const *tests, size_t n)
{
	Suite *suite = suite_create(name);
	TCase *c = tcase_create(name);
	tcase_set_timeout(c, 300);
	for (size_t i = 0; i < n; i++)
		tcase_add_test(c, tests[i]);
	suite_add_tcase(suite, c);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}

#define RUN_TESTS(name, ...)                                                                       \
	int main(void)                                                                             \
	{                                                                                          \
		const TTest *const tests[] = {__VA_ARGS__};                                        \
		return run_tests(name, tests, sizeof tests / sizeof *tests);                       \
	}

#endif
