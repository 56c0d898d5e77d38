/*
 * Nested intervals: measures three instances at the same time, each inside the one before, as in
 * the CPI facility's description. Every CpiGet also writes a labelled hook group, so that `swtrace
 * run -- ./nested_intervals` and `cpidecode swtrace.bin` show the nesting.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "perfutil.h"

static volatile uint64_t sink;

static void application_code(unsigned turns)
{
	uint64_t x = 88172645463325252u;

	for (unsigned i = 0; i < turns; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	sink = x;
}

static void show(const char *name, const CPI_DATA *data)
{
	printf("%-9s  %8.3f ms", name, CyclesToMilliseconds(0.0, (double)data->elapsed_cycles));
	if (isnan(data->sys_busy))
		printf(", busy not measured");
	else
		printf(", busy %.1f%%", data->sys_busy);
	if (isnan(data->scaled_sys_cpi))
		printf(", CPI not measured\n");
	else
		printf(", CPI %.2f\n", data->scaled_sys_cpi);
}

static void *make_interval(const char *label)
{
	const UINT32 flags = CPI_TYPE_RAW | CPI_TYPE_SCALED | CPI_TYPE_ONTHREAD |
			     CPI_TYPE_TRACE_ON_GET | CPI_TYPE_TRACE_DETAILED;
	void *interval = NULL;
	int rc = CpiInit(flags, &interval);

	if (rc == PU_SUCCESS)
		rc = CpiSetTraceHookId(interval, CPI_TRACE_DEFAULT_MINOR, label);
	if (rc != PU_SUCCESS)
		fprintf(stderr, "nested_intervals: %s: %s\n", label, RcToString(rc));
	return rc == PU_SUCCESS ? interval : NULL;
}

int main(void)
{
	void *interval1 = make_interval("outermost");
	void *interval2 = make_interval("middle");
	void *interval3 = make_interval("innermost");
	const CPI_DATA *data1, *data2, *data3;

	if (!interval1 || !interval2 || !interval3)
		return 1;

	CpiStart(interval1);	    /* <-+     */
	application_code(4000000);  /*   1     */
	CpiStart(interval2);	    /* <-+-+   */
	application_code(8000000);  /*   1 2   */
	CpiStart(interval3);	    /* <-+-+-+ */
	application_code(16000000); /*   1 2 3 */
	CpiGet(interval3, &data3);  /* <-+-+-+ */
	application_code(8000000);  /*   1 2   */
	CpiGet(interval2, &data2);  /* <-+-+   */
	application_code(4000000);  /*   1     */
	CpiGet(interval1, &data1);  /* <-+     */

	show("outermost", data1);
	show("middle", data2);
	show("innermost", data3);

	CpiTerminate(interval1);
	CpiTerminate(interval2);
	CpiTerminate(interval3);
	return 0;
}
