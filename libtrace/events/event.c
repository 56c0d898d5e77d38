/* Resolves events by name: the kind of name, the processors it counts on, the attributes. */
#include "event.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../../formats/base/number.h"
#include "private.h"

/* ------------------------------------------------------------------------- modifiers */

static bool event_parse_modes(const char *text, struct cpc_event *e)
{
	bool user = strcmp(text, "u") == 0, kernel = strcmp(text, "k") == 0;

	if (strcmp(text, "uk") == 0 || strcmp(text, "ku") == 0)
		user = kernel = true;
	if (!user && !kernel)
		return false;
	e->user = user;
	e->kernel = kernel;
	e->modes_given = true;
	return true;
}

/* Strips modifiers such as `:u` from the end of the name. */
static void cut_modes(char *name, struct cpc_event *e)
{
	char *colon = strrchr(name, ':');

	e->user = e->kernel = true;
	if (colon && event_parse_modes(colon + 1, e))
		*colon = 0;
}

/* --------------------------------------------------------------------- kinds of names */

/* "r01c2", but not "ref-cycles". 1: not of that kind. */
static int find_raw(
	const struct event_pmu *pmu, const char *name, struct cpc_event *e, char why[EVENT_WHY_MAX])
{
	char hex[EVENT_NAME_MAX + 2];
	size_t digits = number_count_digits(name + 1, 16);

	if (name[0] != 'r' || digits == 0 || name[1 + digits])
		return 1;
	snprintf(hex, sizeof hex, "0x%s", name + 1);
	if (!event_number(hex, &e->config))
		return event_refuse(
			why, -EINVAL, "\"%.80s\" has more than 64 bits after the r", name);
	e->origin = CPC_EVENT_RAW;
	e->type = pmu ? pmu->type : (uint32_t)PERF_TYPE_RAW;
	snprintf(e->pmu, sizeof e->pmu, "%s", pmu ? pmu->name : event_pmu_name());
	return 0;
}

/* "cpu/terms/", "cpu/terms/u". 1: not of that kind. */
static int find_terms(
	const struct event_pmu *only, char *name, struct cpc_event *e, char why[EVENT_WHY_MAX])
{
	char *first = strchr(name, '/'), *last = strrchr(name, '/');
	struct event_pmu pmu;

	if (!first)
		return 1;
	if (first == last)
		return event_refuse(why, -EINVAL, "\"%.80s\": the second / is missing", name);
	if (last[1] && (e->modes_given || !event_parse_modes(last + 1, e)))
		return event_refuse(why, -EINVAL,
			"unknown modifier \"%.40s\" after the last /: expected u, k or uk",
			last + 1);
	*first = *last = 0;
	if (strchr(first + 1, '/'))
		return event_refuse(why, -EINVAL, "a / among the terms \"%.80s\"", first + 1);
	if (only && (strcmp(name, only->name) == 0 || strcmp(name, "cpu") == 0))
		return event_terms(only, first + 1, e, why);
	int rc = only ? -ENOENT : event_pmu_open(name, &pmu);
	if (rc == -EINVAL)
		return event_refuse(why, rc, "invalid PMU name \"%.80s\"", name);
	if (rc)
		return event_refuse(why, -ENOTSUP, "there is no PMU \"%.60s\" here", name);
	return event_terms(&pmu, first + 1, e, why);
}

static int event_begin_parse(
	const char *name, struct cpc_event *e, char *base, char why[EVENT_WHY_MAX])
{
	size_t n = strlen(name);

	memset(e, 0, sizeof *e);
	why[0] = 0;
	if (n == 0)
		return event_refuse(why, -EINVAL, "the event's name is empty");
	if (n >= EVENT_NAME_MAX)
		return event_refuse(why, -EINVAL,
			"the event's name \"%.40s...\" is longer than %d bytes", name,
			EVENT_NAME_MAX - 1);
	memcpy(e->name, name, n);
	memcpy(base, name, n + 1);
	cut_modes(base, e);
	if (!*base)
		return event_refuse(why, -EINVAL, "\"%s\" has a modifier and no event", name);
	return 0;
}

int event_find_for(
	const struct event_pmu *pmu, const char *name, struct cpc_event *e, char why[EVENT_WHY_MAX])
{
	char base[EVENT_NAME_MAX];
	int rc = event_begin_parse(name, e, base, why);

	if (rc == 0)
		rc = find_raw(pmu, base, e, why);
	if (rc > 0)
		rc = find_terms(pmu, base, e, why);
	if (rc > 0)
		rc = event_refuse(why, -EINVAL, "there is no event \"%s\" of %s", name, pmu->name);
	return rc;
}

int event_find(const char *name, struct cpc_event *e, char *why)
{
	char base[EVENT_NAME_MAX], unwanted[EVENT_WHY_MAX];
	int rc;

	why = why ? why : unwanted;
	if (!name || !e)
		return event_refuse(why, -EINVAL, name ? "no event to fill in" : "no name");
	rc = event_begin_parse(name, e, base, why);
	if (rc || event_generic_find(base, e))
		return rc;
	rc = find_raw(NULL, base, e, why);
	if (rc > 0)
		rc = find_terms(NULL, base, e, why);
	if (rc <= 0)
		return rc;
	/* libpfm4 has u and k among its own modifiers, but not both in one. */
	const char *both = strrchr(name, ':');
	rc = event_pfm_find(both && strlen(both) == 3 ? base : name, e, why);
	return rc == -ENOENT ? event_refuse(why, -EINVAL, "there is no event \"%s\"", name) : rc;
}

/* ------------------------------------------------------------------------- attributes */

int event_attr(const struct cpc_event *e, struct perf_event_attr *attr, size_t size)
{
	if (!e || !attr || size < PERF_ATTR_SIZE_VER1)
		return -EINVAL;
	memset(attr, 0, size);
	attr->size = (uint32_t)size;
	attr->type = e->type;
	attr->config = e->config;
	attr->config1 = e->config1;
	attr->config2 = e->config2;
	attr->exclude_user = !e->user;
	attr->exclude_kernel = !e->kernel;
	/* With a modifier, counts exactly the named modes. */
	attr->exclude_hv = e->modes_given;
	return 0;
}

bool event_is_in_kernel_only(const struct cpc_event *e)
{
	return e->type == PERF_TYPE_SOFTWARE && (e->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
							e->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
							e->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

/* ----------------------------------------------------------------------- all of them */

struct walk {
	int (*visit)(void *user, const struct cpc_event_info *info);
	void *user;
	struct event_pmu pmu;
};

static int event_visit_sysfs(void *user, const char *name)
{
	struct walk *w = user;
	char whole[EVENT_NAME_MAX * 2], why[EVENT_WHY_MAX], path[80], text[256];
	struct cpc_event e;

	snprintf(whole, sizeof whole, "%s/%s/", w->pmu.name, name);
	if (event_find(whole, &e, why))
		return 0; /* needs values, say */
	snprintf(path, sizeof path, "events/%s", name);
	bool have = event_pmu_file(&w->pmu, path, text, sizeof text) == 0;
	return w->visit(w->user, &(struct cpc_event_info){.name = whole,
					 .pmu = w->pmu.name,
					 .description = have ? text : NULL,
					 .origin = CPC_EVENT_SYSFS});
}

static int visit_pmu(void *user, const char *name)
{
	struct walk *w = user;

	return event_pmu_open(name, &w->pmu) ? 0
					     : event_pmu_walk_events(&w->pmu, event_visit_sysfs, w);
}

int event_walk(int (*visit)(void *user, const struct cpc_event_info *info), void *user)
{
	struct walk w = {.visit = visit, .user = user};
	int rc = visit ? event_generic_walk(visit, user) : -EINVAL;

	if (rc == 0)
		rc = event_walk_pmus(visit_pmu, &w);
	return rc ? rc : event_pfm_walk(visit, user);
}

int event_walk_terms(const char *pmu, int (*visit)(void *user, const char *term), void *user)
{
	struct event_pmu p;

	if (!visit)
		return -EINVAL;
	if (event_pmu_open(pmu ? pmu : event_pmu_name(), &p))
		return -ENOENT;
	return event_pmu_walk_terms(&p, visit, user);
}
