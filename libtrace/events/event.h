/*
 * Events by name: the public calls of cpc_event.h, and what other rooms need beyond them.
 */
#ifndef SWT_EVENTS_EVENT_H
#define SWT_EVENTS_EVENT_H

#include <linux/perf_event.h>

#include "../../include/cpc_event.h"

enum { EVENT_NAME_MAX = CPC_EVENT_NAME_MAX, EVENT_WHY_MAX = CPC_EVENT_WHY_MAX };

/* How many programmable and fixed counters this processor has as far as the kernel or the
 * processor says (0: unknown, as always on AArch64). */
unsigned event_pmu_counters(void);

/* 1 if libpfm4 was there to build with. */
bool event_has_libpfm4(void);

#endif
