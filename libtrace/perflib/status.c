#include "../../include/perflib.h"

const char *PerfStatusName(ULONG status)
{
	static const struct {
		ULONG status;
		const char *name;
	} names[] = {
#define NAME(x) {x, #x}
		NAME(ERROR_SUCCESS),
		NAME(ERROR_FILE_NOT_FOUND),
		NAME(ERROR_ACCESS_DENIED),
		NAME(ERROR_INVALID_HANDLE),
		NAME(ERROR_NOT_ENOUGH_MEMORY),
		NAME(ERROR_INVALID_DATA),
		NAME(ERROR_OUTOFMEMORY),
		NAME(ERROR_NOT_READY),
		NAME(ERROR_READ_FAULT),
		NAME(ERROR_NOT_SUPPORTED),
		NAME(ERROR_INVALID_PARAMETER),
		NAME(ERROR_INSUFFICIENT_BUFFER),
		NAME(ERROR_ALREADY_EXISTS),
		NAME(ERROR_MORE_DATA),
		NAME(ERROR_NO_MORE_ITEMS),
		NAME(ERROR_NOT_FOUND),
		NAME(ERROR_WMI_GUID_NOT_FOUND),
		NAME(ERROR_WMI_INSTANCE_NOT_FOUND),
		NAME(ERROR_WMI_ITEMID_NOT_FOUND),
#undef NAME
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].status == status)
			return names[i].name;
	return "ERROR_UNKNOWN";
}
