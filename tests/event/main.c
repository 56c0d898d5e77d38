#include "../lib/suites.h"
#include "test_event.h"

int main(void)
{
	Suite *suite = suite_create("event");

	add_find(suite);
	add_format(suite);
	add_list(suite);
	add_walk(suite);
	add_registers(suite);
	return suites_run_unforked(suite);
}
