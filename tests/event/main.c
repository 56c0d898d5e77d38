#include <check.h>
#include <stdlib.h>

#include "test_event.h"

int main(void)
{
	Suite *suite = suite_create("event");
	SRunner *runner = srunner_create(suite);

	/* Hundreds of rows, none of which can hurt the next: a process for each would cost more
	 * than the rows do. */
	srunner_set_fork_status(runner, CK_NOFORK);
	add_find(suite);
	add_format(suite);
	add_list(suite);
	add_walk(suite);
	add_registers(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
