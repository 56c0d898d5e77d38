/* libpfm4's tables of all processors. */
#include <errno.h>

#include "private.h"

#ifdef SWTRACE_LIBPFM4
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "pfm.h"

void event_pfm_want_all(void)
{
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
}

static bool pfm_fill_pmu(pfm_pmu_t id, struct event_pfm_pmu *pmu, pfm_pmu_info_t *info)
{
	if (!event_pfm_info(id, info))
		return false;
	*pmu = (struct event_pfm_pmu){.name = info->name,
		.description = info->desc,
		.counters = (unsigned)info->num_cntrs,
		.fixed = (unsigned)info->num_fixed_cntrs,
		.core = info->type == PFM_PMU_TYPE_CORE,
		.here = info->is_present};
	return true;
}

static bool pfm_find_pmu(const char *name, struct event_pfm_pmu *pmu, pfm_pmu_info_t *info)
{
	int id;

	if (!event_pfm_usable())
		return false;
	pfm_for_all_pmus(id)
	{
		if (pfm_fill_pmu(id, pmu, info) && strcasecmp(name, pmu->name) == 0)
			return true;
	}
	return false;
}

int event_pfm_open(const char *name, struct event_pfm_pmu *pmu)
{
	pfm_pmu_info_t info;

	return pfm_find_pmu(name, pmu, &info) ? 0 : -ENOENT;
}

/* ------------------------------------------------------------------------------ events */

static bool event_info(int i, pfm_event_info_t *info)
{
	memset(info, 0, sizeof *info);
	info->size = sizeof *info;
	return pfm_calls.get_event_info(i, PFM_OS_NONE, info) == PFM_SUCCESS;
}

static bool pfm_get_attribute(int event, int i, pfm_event_attr_info_t *info)
{
	memset(info, 0, sizeof *info);
	info->size = sizeof *info;
	return pfm_calls.get_event_attr_info(event, i, PFM_OS_NONE, info) == PFM_SUCCESS;
}

static int visit_masks(const struct event_pfm_pmu *pmu, int i, const pfm_event_info_t *event,
	int (*visit)(void *user, const struct cpc_event_info *info), void *user)
{
	struct cpc_event_info said = {
		.pmu = pmu->name, .description = event->desc, .origin = CPC_EVENT_LIBPFM4};
	pfm_event_attr_info_t mask;
	char name[EVENT_NAME_MAX * 2];
	int masks = 0, rc = 0;

	said.name = name;
	for (int k = 0; k < event->nattrs && rc == 0; k++) {
		if (!pfm_get_attribute(i, k, &mask) || mask.type != PFM_ATTR_UMASK)
			continue;
		masks++;
		snprintf(name, sizeof name, "%s::%s:%s", pmu->name, event->name, mask.name);
		said.description = mask.desc;
		rc = visit(user, &said);
	}
	if (masks)
		return rc;
	snprintf(name, sizeof name, "%s::%s", pmu->name, event->name);
	return visit(user, &said);
}

int event_pfm_walk_of(
	const char *name, int (*visit)(void *user, const struct cpc_event_info *info), void *user)
{
	struct event_pfm_pmu pmu;
	pfm_event_info_t event;
	pfm_pmu_info_t info;
	int rc = 0;

	if (!pfm_find_pmu(name, &pmu, &info))
		return -ENOENT;
	for (int i = info.first_event; i >= 0 && rc == 0; i = pfm_calls.get_event_next(i))
		if (event_info(i, &event))
			rc = visit_masks(&pmu, i, &event, visit, user);
	return rc;
}

int event_pfm_describe(const char *name, struct cpc_event_info *info, uint64_t *code,
	int (*visit)(void *user, const struct event_pfm_attribute *a), void *user)
{
	int i = event_pfm_usable() ? pfm_calls.find_event(name) : -1, rc = 0;
	pfm_event_attr_info_t attr;
	pfm_pmu_info_t pmu;
	pfm_event_info_t event;

	if (i < 0 || !event_info(i, &event) || !event_pfm_info(event.pmu, &pmu))
		return -ENOENT;
	*info = (struct cpc_event_info){.name = event.name,
		.pmu = pmu.name,
		.description = event.desc,
		.origin = CPC_EVENT_LIBPFM4};
	*code = event.code;
	for (int k = 0; k < event.nattrs && rc == 0; k++) {
		if (!pfm_get_attribute(i, k, &attr))
			continue;
		rc = visit(user, &(struct event_pfm_attribute){.name = attr.name,
					 .description = attr.desc,
					 .mask = attr.type == PFM_ATTR_UMASK,
					 .flag = attr.type == PFM_ATTR_MOD_BOOL,
					 .preset = attr.type == PFM_ATTR_UMASK && attr.is_dfl,
					 .code = attr.code});
	}
	return rc;
}

#else

void event_pfm_want_all(void)
{
}

int event_pfm_open(const char *name, struct event_pfm_pmu *pmu)
{
	(void)name, (void)pmu;
	return -ENOENT;
}

int event_pfm_walk_of(
	const char *name, int (*visit)(void *user, const struct cpc_event_info *info), void *user)
{
	(void)name, (void)visit, (void)user;
	return -ENOENT;
}

int event_pfm_describe(const char *name, struct cpc_event_info *info, uint64_t *code,
	int (*visit)(void *user, const struct event_pfm_attribute *a), void *user)
{
	(void)name, (void)info, (void)code, (void)visit, (void)user;
	return -ENOENT;
}

#endif
