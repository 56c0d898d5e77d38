#include <stdlib.h>

#include "../../include/perfutil.h"
#include "suites.h"

struct p4_request request_of(const char *text)
{
	struct p4_request r;
	char why[P4_WHY_MAX] = "";
	int rc = P4Parse(text, P4_ANY_MODEL, &r, why);

	ck_assert_msg(rc == PU_SUCCESS, "%s: %s", text, why);
	return r;
}

int main(void)
{
	SRunner *runner = srunner_create(tables_suite());
	int failed;

	srunner_add_suite(runner, encode_suite());
	srunner_add_suite(runner, reject_suite());
	srunner_add_suite(runner, assign_suite());
	srunner_add_suite(runner, complete_suite());
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
