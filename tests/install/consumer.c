/* A program outside the tree uses both libraries: their headers, and links. */
#include <stdio.h>
#include <string.h>

#include <cpidecode.h>
#include <perfutil.h>

int main(void)
{
	const CPI_DATA *cd;
	void *handle;

	if (strcmp(RcToString(PU_SUCCESS), "PU_SUCCESS") != 0)
		return 1;
	if (CpiInit(CPI_TYPE_RAW, &handle) != PU_SUCCESS || CpiStart(handle) != PU_SUCCESS ||
		CpiGet(handle, &cd) != PU_SUCCESS || cd->num_cpus != GetActiveProcessorCount())
		return 2;
	TraceHook(0x42, 1, 2, 1, 1, 2, "consumer");
	TraceHookWords(0x42, 2, 0, NULL);
	CpiTerminate(handle);
	printf("libcpidecode %s\n", cpidecode_version());
	return 0;
}
