/*
 * libpfm4's names, in builds that have it.
 */
#include <errno.h>

#include "private.h"

#ifdef SWTRACE_LIBPFM4
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "pfm.h"

bool event_pfm_info(pfm_pmu_t id, pfm_pmu_info_t *info)
{
	memset(info, 0, sizeof *info);
	info->size = sizeof *info;
	return pfm_calls.get_pmu_info(id, info) == PFM_SUCCESS;
}

/* ------------------------------------------------------------------------------- names */

/* The kernel's name of the PMU that an event counts on. */
struct by_type {
	uint32_t type;
	char *name;
	size_t size;
};

static int has_type(void *user, const char *name)
{
	struct by_type *b = user;
	struct event_pmu pmu;

	if (event_pmu_open(name, &pmu) || pmu.type != b->type)
		return 0;
	snprintf(b->name, b->size, "%s", name);
	return 1;
}

static void name_pmu(struct cpc_event *e)
{
	struct by_type b = {e->type, e->pmu, sizeof e->pmu};

	if (e->type == PERF_TYPE_HARDWARE || e->type == PERF_TYPE_HW_CACHE ||
		e->type == PERF_TYPE_RAW)
		snprintf(e->pmu, sizeof e->pmu, "%s", event_pmu_name());
	else
		event_walk_pmus(has_type, &b);
}

/* Whether the name begins with this event's name. */
static bool pfm_name_begins_with(const char *name, const char *event)
{
	size_t n = strlen(event);

	return strncasecmp(name, event, n) == 0 && (name[n] == 0 || name[n] == ':');
}

/* Finds another processor with an event of that name. */
static bool pfm_find_other_pmu(const char *name, pfm_pmu_info_t *pmu)
{
	const char *scope = strstr(name, "::"), *event = scope ? scope + 2 : name;
	pfm_event_info_t info;
	int id;

	/* Filters first: thousands of names are compared. */
	if (event[strcspn(event, ",/ ?%")])
		return false;
	pfm_for_all_pmus(id)
	{
		if (!event_pfm_info(id, pmu) || pmu->is_present ||
			(scope && !pfm_name_begins_with(name, pmu->name)))
			continue;
		for (int i = pmu->first_event; i >= 0; i = pfm_calls.get_event_next(i)) {
			memset(&info, 0, sizeof info);
			info.size = sizeof info;
			if (pfm_calls.get_event_info(i, PFM_OS_NONE, &info) == PFM_SUCCESS &&
				pfm_name_begins_with(event, info.name))
				return true;
		}
	}
	return false;
}

static int pfm_explain_unknown(const char *name, char why[EVENT_WHY_MAX])
{
	pfm_pmu_info_t pmu;

	if (!pfm_find_other_pmu(name, &pmu))
		return -ENOENT;
	return event_refuse(why, -ENOTSUP,
		"\"%s\" is an event of %s (%s), which this processor is not", name, pmu.name,
		pmu.desc);
}

/* The kernel's own events, which have their names here, with libpfm4 or without; as
 * perf::NAME they are libpfm4's. */
static bool is_the_kernels(const char *name, int event)
{
	pfm_event_info_t info = {.size = sizeof info};
	pfm_pmu_info_t pmu;

	return !strstr(name, "::") &&
	       pfm_calls.get_event_info(event, PFM_OS_NONE, &info) == PFM_SUCCESS &&
	       event_pfm_info(info.pmu, &pmu) && pmu.type == PFM_PMU_TYPE_OS_GENERIC;
}

static bool has_modifier(const char *name, const char *modifier)
{
	size_t n = strlen(modifier);

	for (const char *p = strchr(name, ':'); p; p = strchr(p + 1, ':'))
		if (strncmp(p + 1, modifier, n) == 0 && strchr(":=", p[n + 1]))
			return true;
	return false;
}

int event_pfm_find(const char *name, struct cpc_event *e, char why[EVENT_WHY_MAX])
{
	struct perf_event_attr attr = {.size = 0};
	char *whole = NULL;
	pfm_perf_encode_arg_t arg = {.attr = &attr, .fstr = &whole, .size = sizeof arg};

	if (!event_pfm_usable())
		return -ENOENT;
	int rc =
		pfm_calls.get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
	free(whole);
	if (rc == PFM_ERR_NOTFOUND)
		return pfm_explain_unknown(name, why);
	if (rc != PFM_SUCCESS)
		return event_refuse(why, rc == PFM_ERR_NOTSUPP ? -ENOTSUP : -EINVAL,
			"\"%s\": libpfm4 says: %s", name, pfm_calls.strerror(rc));
	if (is_the_kernels(name, arg.idx))
		return -ENOENT;
	e->origin = CPC_EVENT_LIBPFM4;
	e->type = attr.type;
	e->config = attr.config;
	e->config1 = attr.config1;
	e->config2 = attr.config2;
	e->software = attr.type == PERF_TYPE_SOFTWARE || attr.type == PERF_TYPE_TRACEPOINT;
	if (has_modifier(name, "u") || has_modifier(name, "k")) {
		e->user = !attr.exclude_user;
		e->kernel = !attr.exclude_kernel;
		e->modes_given = true;
	}
	name_pmu(e);
	return 0;
}

int event_pfm_walk(int (*visit)(void *user, const struct cpc_event_info *info), void *user)
{
	pfm_pmu_info_t pmu;
	int id, rc = 0;

	if (!event_pfm_usable())
		return 0;
	pfm_for_all_pmus(id)
	{
		/* Events that the kernel names are listed already. */
		if (rc == 0 && event_pfm_info(id, &pmu) && pmu.is_present &&
			pmu.type != PFM_PMU_TYPE_OS_GENERIC)
			rc = event_pfm_walk_of(pmu.name, visit, user);
	}
	return rc;
}

#else

int event_pfm_find(const char *name, struct cpc_event *e, char why[EVENT_WHY_MAX])
{
	(void)name, (void)e, (void)why;
	return -ENOENT;
}

int event_pfm_walk(int (*visit)(void *user, const struct cpc_event_info *info), void *user)
{
	(void)visit, (void)user;
	return 0;
}

#endif
