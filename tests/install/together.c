/* All libraries in one process, and in a child after fork. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cpidecode.h>
#include <libcpc.h>
#include <perflib.h>
#include <perfutil.h>

static int uses_all(void)
{
	PERF_DATA_HEADER header;
	HANDLE query;
	DWORD bytes;
	const CPI_DATA *cd;
	void *handle;
	cpc_t *cpc;

	if (CpiInit(CPI_TYPE_RAW, &handle) != PU_SUCCESS || CpiStart(handle) != PU_SUCCESS ||
		CpiGet(handle, &cd) != PU_SUCCESS)
		return 1;
	cpc = cpc_open(CPC_VER_CURRENT);
	if (!cpc || cpc_close(cpc) != 0)
		return 2;
	/* Handles of two libraries stand in one table: each takes its own alone. */
	if (PerfOpenQueryHandle(NULL, &query) != ERROR_SUCCESS ||
		PerfCloseQueryHandle((HANDLE)handle) != ERROR_INVALID_HANDLE ||
		PerfQueryCounterData(query, &header, sizeof header, &bytes) != ERROR_SUCCESS ||
		PerfCloseQueryHandle(query) != ERROR_SUCCESS)
		return 3;
	CpiTerminate(handle);
	return strcmp(cpidecode_version(), "") != 0 ? 0 : 4;
}

int main(void)
{
	int failed = uses_all(), status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0)
		_exit(uses_all());
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 10;
	return failed ? failed : WIFEXITED(status) ? WEXITSTATUS(status) : 11;
}
