/*
 * Sample code to obtain CPI and CPU utilization.
 *
 * The CPI facility's own example, with the operating system's calls replaced. With tracing on
 * (swtrace run -- ./cpi_example) the interval can be traced as well: set
 * CPI_TYPE_TRACE_ON_GET in the mode, or call CpiGetAndTrace.
 *
 * A figure that this machine cannot measure is NAN and is printed as "nan".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfutil.h"

int main(void)
{
	int i;
	int rc;
	void *cpi_handle = NULL;
	const CPI_DATA *cd;
	int num_cpus;

	/* For the measurement scenario. You wouldn't need this. */
	int j, k;
	char EnvVarBuffer[1024], DirBuffer[256];
	const char *path;

	/* Initialize CPI facility */
	rc = CpiInit((CPI_TYPE_RAW | CPI_TYPE_SCALED), &cpi_handle);
	if (rc != 0) {
		printf("CpiInit() failed. rc = %d (%s). Quitting.\n", rc, RcToString(rc));
		return (1);
	}

	printf("***** Starting measurement interval *****\n\n");

	/* Prime CPI and latch initial set of counters */
	CpiStart(cpi_handle);

	/*
	 * *********************************************************************
	 * SCENARIO TO BE MEASURED
	 * (Just some busy loop in this example)
	 * *********************************************************************
	 */
	for (j = 0; j < 500; j++) {
		for (k = 0; k < 10000; k++) {
			path = getenv("PATH");
			strncpy(EnvVarBuffer, path ? path : "", sizeof(EnvVarBuffer) - 1);
			EnvVarBuffer[sizeof(EnvVarBuffer) - 1] = '\0';
			if (getcwd(DirBuffer, sizeof(DirBuffer)) == NULL)
				DirBuffer[0] = '\0';
		}
		if (j % 10 == 0) {
			printf("*");
			fflush(stdout);
		}
		usleep(10 * 1000); /* 10 milliseconds to get some idle time */
	}
	printf("\n");
	/*
	 * *********************************************************************
	 * SCENARIO TO BE MEASURED
	 * *********************************************************************
	 */

	/* Read CPI counters for the interval since the CpiStart() */
	rc = CpiGet(cpi_handle, &cd);
	if (rc != 0) {
		printf("CpiGet() failed. rc = %d (%s). Quitting.\n", rc, RcToString(rc));
		CpiTerminate(cpi_handle);
		return (1);
	}

	printf("\n***** Ending measurement interval *****\n\n");

	num_cpus = GetActiveProcessorCount();

	/* Display systemwide CPI */
	printf("cpi: %5.2f cpi_wb: %5.2f idle: %5.2f%% busy: %5.2f%%\n\n", cd->raw_sys_cpi,
		cd->scaled_sys_cpi, (100.0 - cd->sys_busy), cd->sys_busy);

	/* Display systemwide and per-processor CPI */
	printf("        System");
	for (i = 0; i < num_cpus; i++) {
		printf("    CPU%d", i);
	}
	printf("\ncpi     %6.2f", cd->raw_sys_cpi);
	for (i = 0; i < num_cpus; i++) {
		printf("  %6.2f", cd->raw_cpi[i]);
	}
	printf("\ncpi_wb  %6.2f", cd->scaled_sys_cpi);
	for (i = 0; i < num_cpus; i++) {
		printf("  %6.2f", cd->scaled_cpi[i]);
	}
	printf("\nidle%%   %6.2f", (100.0 - cd->sys_busy));
	for (i = 0; i < num_cpus; i++) {
		printf("  %6.2f", (100.0 - cd->cpu_busy[i]));
	}
	printf("\nbusy%%   %6.2f", cd->sys_busy);
	for (i = 0; i < num_cpus; i++) {
		printf("  %6.2f", cd->cpu_busy[i]);
	}
	printf("\n");

	/* Done. */
	fflush(stdout);
	CpiTerminate(cpi_handle);
	return (0);
}
