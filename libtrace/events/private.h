/* Shared by the sources of events. */
#ifndef SWT_EVENTS_PRIVATE_H
#define SWT_EVENTS_PRIVATE_H

#include "encoding.h"

/* ------------------------------------------------------------------ generic.c */

/* False: not one of the kernel's generic names. Sets type, config and origin. */
bool event_generic_find(const char *name, struct cpc_event *e);
/* The other name of the same event, or NULL. */
const char *event_generic_alias(const char *name);

/* -------------------------------------------------------------------- sysfs.c */

/* A small file of a PMU's directory, without its newline. -1: there is none. */
int event_pmu_file(const struct event_pmu *pmu, const char *path, char *text, size_t size);
int event_pmu_walk_events(
	const struct event_pmu *pmu, int (*visit)(void *user, const char *event), void *user);
/* Names of all PMUs, in order of the alphabet. */
int event_walk_pmus(int (*visit)(void *user, const char *pmu), void *user);

/* ---------------------------------------------------------------------- pfm.c */

/* libpfm4's. -ENOENT: it does not know the name either (or is not there). */
int event_pfm_find(const char *name, struct cpc_event *e, char why[EVENT_WHY_MAX]);
int event_pfm_walk(int (*visit)(void *user, const struct cpc_event_info *info), void *user);

#endif
