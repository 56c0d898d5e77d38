/* The report of a comparison: what changed and its gates, or the noise. */
#include "diff.h"

int report_diff(
	struct report *r, const struct diff_runs *before, const struct diff_runs *after, bool noise)
{
	struct diff d;
	int rc = diff_make(&d, before, after);
	if (rc)
		return rc;
	if (noise) {
		diff_print_noise(r, &d);
	} else {
		diff_print(r, &d);
		rc = diff_gates(r, &d);
	}
	diff_free(&d);
	return rc;
}
