#include "host.h"

#include <string.h>
#include <sys/stat.h>

#include "guid.h"

uint32_t host_open(const char *where, struct host **host, bool *recorded)
{
	struct stat st;

	*recorded = where && *where;
	if (!*recorded)
		return host_live(host);
	if (!strchr(where, '/') && stat(where, &st) != 0)
		return ERROR_NOT_SUPPORTED; /* a machine name */
	return host_trace(where, host);
}

void host_close(struct host *host)
{
	host->operations->close(host);
}

uint32_t host_find(struct host *host, const GUID *id, const struct counterset **set)
{
	const struct counterset *const *sets;
	uint32_t n, status = host->operations->refresh(host, &sets, &n);

	if (status)
		return status;
	for (uint32_t i = 0; i < n; i++)
		if (guid_equal(&sets[i]->definition->guid, id)) {
			*set = sets[i];
			return ERROR_SUCCESS;
		}
	return ERROR_WMI_GUID_NOT_FOUND;
}

uint32_t host_enumerate(struct host *host, GUID *ids, uint32_t room, uint32_t *actual)
{
	const struct counterset *const *sets;
	uint32_t n, status = host->operations->refresh(host, &sets, &n);

	if (status)
		return status;
	*actual = n;
	if (n > room)
		return ERROR_NOT_ENOUGH_MEMORY;
	for (uint32_t i = 0; i < n; i++)
		memcpy((uint8_t *)ids + i * sizeof *ids, &sets[i]->definition->guid, sizeof *ids);
	return ERROR_SUCCESS;
}

ULONG PerfEnumerateCounterSet(LPCSTR where, GUID *ids, DWORD room, LPDWORD actual)
{
	struct host *host;
	uint32_t status;
	bool recorded;

	if (!actual || (!ids && room))
		return ERROR_INVALID_PARAMETER;
	status = host_open(where, &host, &recorded);
	if (status)
		return status;
	status = host_enumerate(host, ids, room, actual);
	host_close(host);
	return status;
}
