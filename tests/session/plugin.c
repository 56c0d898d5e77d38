/* A plugin that traces, with the static library linked in. */
#include <perfutil.h>

int plugin_trace(void);

__attribute__((visibility("default"))) int plugin_trace(void)
{
	for (UINT32 i = 0; i < 100; i++) {
		int rc = TraceHookWords(1, 1, 1, &i);

		if (rc != PU_SUCCESS)
			return rc;
	}
	return PU_SUCCESS;
}
