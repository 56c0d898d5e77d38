/*
 * Shared by the files on libpfm4. Only in builds that have its headers.
 *
 * libpfm4 is loaded when an event's name is first searched for in it: 2 MB and 4 ms that a program
 * which only measures does without. A program that is linked statically may lack it.
 */
#ifndef SWT_EVENTS_PFM_H
#define SWT_EVENTS_PFM_H

#include <perfmon/pfmlib_perf_event.h>
#include <stdbool.h>

/* X(name): its functions that this room calls, as pfm_calls.name for pfm_name. */
#define PFM_CALLS(X)                                                                               \
	X(initialize)                                                                              \
	X(get_pmu_info)                                                                            \
	X(get_event_next)                                                                          \
	X(get_event_info)                                                                          \
	X(get_event_attr_info)                                                                     \
	X(get_os_event_encoding)                                                                   \
	X(find_event)                                                                              \
	X(strerror)

struct event_pfm_calls {
#define PFM_MEMBER(name) __typeof__(pfm_##name) *name;
	PFM_CALLS(PFM_MEMBER)
#undef PFM_MEMBER
};

extern struct event_pfm_calls pfm_calls;

/* Loads and initialises it, once. Nothing else here may be called before it returned true. */
bool event_pfm_usable(void);
/* False: there is no PMU of this number. */
bool event_pfm_info(pfm_pmu_t id, pfm_pmu_info_t *info);

#endif
