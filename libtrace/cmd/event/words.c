/*
 * event: words that describe events.
 */
#include "verb.h"

const char *event_origin_name(enum cpc_event_origin origin)
{
	static const char *const names[] = {"generic", "sysfs", "raw", "libpfm4"};

	return names[origin];
}

const char *event_modes_name(const struct cpc_event *e)
{
	if (e->user && e->kernel)
		return "user mode and the kernel";
	return e->user ? "user mode" : "the kernel";
}
