/* A program outside the tree uses libperflib: its header, with the others', and the library. */
#include <stdio.h>
#include <string.h>

#include <libcpc.h>
#include <perflib.h>
#include <perfutil.h>

int main(void)
{
	PERF_SAMPLE first = {1, 0, 0, 0, 1000}, second = {11, 0, 5000, 0, 1000};
	PERF_DATA_HEADER header;
	HANDLE query;
	DWORD sets, bytes;
	double rate;
	ULONG status = PerfEnumerateCounterSet(NULL, NULL, 0, &sets);

	if (status != ERROR_SUCCESS && status != ERROR_NOT_ENOUGH_MEMORY)
		return 1;
	if (PerfOpenQueryHandle(NULL, &query) != ERROR_SUCCESS)
		return 2;
	if (PerfQueryCounterData(query, &header, sizeof header, &bytes) != ERROR_SUCCESS ||
		bytes != sizeof header || header.dwTotalSize != bytes)
		return 3;
	if (PerfCloseQueryHandle(query) != ERROR_SUCCESS ||
		PerfCloseQueryHandle(query) != ERROR_INVALID_HANDLE)
		return 4;
	if (PerfFormatCounterValue(PERF_COUNTER_COUNTER, &first, &second, &rate) != ERROR_SUCCESS ||
		rate < 1.99 || rate > 2.01)
		return 5;
	if (strcmp(PerfStatusName(ERROR_WMI_GUID_NOT_FOUND), "ERROR_WMI_GUID_NOT_FOUND") != 0)
		return 6;
	printf("%u countersets\n", (unsigned)sets);
	return 0;
}
