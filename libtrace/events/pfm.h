/*
 * What the two files about libpfm4 share. Only in builds that have it.
 */
#ifndef SWT_EVENTS_PFM_H
#define SWT_EVENTS_PFM_H

#include <perfmon/pfmlib.h>
#include <stdbool.h>

/* Initialises it, once. */
bool event_pfm_usable(void);
/* False: there is no PMU of this number. */
bool event_pfm_info(pfm_pmu_t id, pfm_pmu_info_t *info);

#endif
