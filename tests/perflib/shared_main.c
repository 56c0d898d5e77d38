#include "shared.h"

int main(int argc, char **argv)
{
	SRunner *runner = srunner_create(life_suite());
	int failed;

	(void)argc, (void)argv;
	if (geteuid() != 0)
		puts("skipped: other users' rights: this is not root");
	srunner_add_suite(runner, calls_suite());
	srunner_add_suite(runner, values_suite());
	srunner_add_suite(runner, looks_suite());
	srunner_add_suite(runner, processes_suite());
	srunner_add_suite(runner, hostile_suite());
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
