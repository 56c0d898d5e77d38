/* What every Check program here ends with. */
#ifndef SWT_TESTS_SESSION_SUITE_H
#define SWT_TESTS_SESSION_SUITE_H

#include <check.h>

#include "sandbox.h"

static inline int run_suite(const char *name, const TTest *const *tests)
{
	Suite *suite = suite_create(name);
	TCase *tc = tcase_create(name);
	SRunner *runner;
	int failed;

	tcase_set_timeout(tc, 60);
	for (; *tests; tests++)
		tcase_add_test(tc, *tests);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}

#endif
