/* Whether an event by name counts on this machine, for this user. */
#ifndef SWT_COUNTERS_PERF_TRY_EVENT_H
#define SWT_COUNTERS_PERF_TRY_EVENT_H

#include "../../events/event.h"

/* Opens the event for the calling thread and closes it. 0 or a negative errno. */
int perf_try_event(const struct cpc_event *e) PRIVATE_ABI(perf_try_event);

#endif
