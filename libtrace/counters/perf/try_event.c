#include "try_event.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

int perf_try_event(const struct cpc_event *e)
{
	struct perf_event_attr attr;
	int rc = event_attr(e, &attr, sizeof attr);

	if (rc)
		return rc;
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	close((int)fd);
	return 0;
}
