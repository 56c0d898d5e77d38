/*
 * Spells a request's attributes into its event's name, which events/ parses.
 */
#include <stdio.h>
#include <string.h>

#include "cpc.h"

struct wanted {
	const char *name;
	bool found;
};

static int is_wanted(void *user, const char *term)
{
	struct wanted *w = user;

	w->found = strcmp(w->name, term) == 0;
	return w->found;
}

static bool has_term(const char *pmu, const char *name)
{
	struct wanted w = {name, false};

	event_walk_terms(pmu && *pmu ? pmu : NULL, is_wanted, &w);
	return w.found;
}

/* Length of the name without a trailing mode suffix such as `:u`. */
static size_t before_modes(const char *event)
{
	const char *colon = strrchr(event, ':');

	if (colon && colon[1] && strspn(colon + 1, "uk") == strlen(colon + 1))
		return (size_t)(colon - event);
	return strlen(event);
}

static int attrs_append_text(char *name, size_t *at, const char *text, size_t length)
{
	if (*at + length >= EVENT_NAME_MAX)
		return -EINVAL;
	memcpy(name + *at, text, length);
	*at += length;
	name[*at] = 0;
	return 0;
}

static int attrs_append_attr(
	char *name, size_t *at, const cpc_attr_t *a, char before, enum cpc_event_origin kind)
{
	char text[EVENT_NAME_MAX];
	int n = snprintf(text, sizeof text, kind == CPC_EVENT_LIBPFM4 ? "%c%s=%llu" : "%c%s=0x%llx",
		before, a->ca_name, (unsigned long long)a->ca_val);

	return n < (int)sizeof text ? attrs_append_text(name, at, text, (size_t)n) : -EINVAL;
}

static int attrs_refuse(char why[EVENT_WHY_MAX], int *subcode, const char *what, const char *name)
{
	*subcode = CPC_INVALID_ATTRIBUTE;
	snprintf(why, EVENT_WHY_MAX, "attribute %s: %s", name, what);
	return -EINVAL;
}

static int check_names(const struct cpc_event *e, uint_t nattrs, const cpc_attr_t *attrs,
	char why[EVENT_WHY_MAX], int *subcode)
{
	for (uint_t i = 0; i < nattrs; i++) {
		const char *name = attrs[i].ca_name;

		if (!name || !*name)
			return attrs_refuse(why, subcode, "it has no name", "");
		if (strcmp(name, "picnum") == 0)
			return attrs_refuse(why, subcode, "the kernel assigns the counters", name);
		if (e->origin == CPC_EVENT_GENERIC)
			return attrs_refuse(why, subcode,
				"a generic event has no attributes; use the PMU's own name (cpu/event=.../)",
				name);
		if (e->origin != CPC_EVENT_LIBPFM4 && !has_term(e->pmu, name))
			return attrs_refuse(why, subcode, "this PMU has no such term", name);
	}
	return 0;
}

/* Rewrites a raw event as a term of its PMU: r01c2 becomes cpu/config=0x01c2/. */
static int attrs_spell_event(const struct cpc_event *e, const char *event, uint_t nattrs,
	const cpc_attr_t *attrs, char name[EVENT_NAME_MAX])
{
	const size_t whole = strlen(event), end = before_modes(event);
	const char *slash = memrchr(event, '/', end);
	size_t at = 0;
	char before = ',';
	int rc = 0;

	if (e->origin == CPC_EVENT_RAW) {
		at = (size_t)snprintf(name, EVENT_NAME_MAX, "%s/config=0x%llx",
			*e->pmu ? e->pmu : event_pmu_name(), (unsigned long long)e->config);
		slash = "/";
	} else if (e->origin == CPC_EVENT_SYSFS && slash) {
		rc = attrs_append_text(name, &at, event, (size_t)(slash - event));
		if (at && name[at - 1] == '/')
			return -EINVAL;
	} else {
		rc = attrs_append_text(name, &at, event, end);
		slash = NULL;
		before = ':';
	}
	for (uint_t i = 0; i < nattrs && !rc; i++)
		rc = attrs_append_attr(name, &at, &attrs[i], before, e->origin);
	if (!rc && slash)
		rc = attrs_append_text(name, &at, "/", 1);
	return rc ? rc : attrs_append_text(name, &at, event + end, whole - end);
}

int attrs_name(const char *event, uint_t nattrs, const cpc_attr_t *attrs, char name[EVENT_NAME_MAX],
	char why[EVENT_WHY_MAX], int *subcode)
{
	struct cpc_event e;
	int rc;

	*subcode = CPC_INVALID_EVENT;
	if (strlen(event) >= EVENT_NAME_MAX) {
		snprintf(why, EVENT_WHY_MAX, "a name has at most %d bytes", EVENT_NAME_MAX - 1);
		return -EINVAL;
	}
	strcpy(name, event);
	if (nattrs == 0)
		return 0;
	rc = event_find(event, &e, why);
	if (!rc)
		rc = check_names(&e, nattrs, attrs, why, subcode);
	if (!rc) {
		rc = attrs_spell_event(&e, event, nattrs, attrs, name);
		if (rc)
			snprintf(why, EVENT_WHY_MAX, "the name with its attributes is too long");
	}
	return rc;
}
