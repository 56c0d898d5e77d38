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
	return suites_run(tables_suite(), encode_suite(), reject_suite(), assign_suite(),
		complete_suite(), NULL);
}
