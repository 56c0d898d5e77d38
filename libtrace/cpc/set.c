/*
 * Sets of requests.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpc.h"

static void free_request(struct request *r)
{
	for (uint_t i = 0; i < r->nattrs; i++)
		free((char *)(uintptr_t)r->attrs[i].ca_name);
	free(r->attrs);
	free(r->event);
}

void requests_drop(struct requests *r)
{
	if (atomic_fetch_sub(&r->users, 1) != 1)
		return;
	for (unsigned i = 0; i < r->count; i++)
		free_request(&r->request[i]);
	free(r);
}

cpc_set_t *cpc_set_create(cpc_t *cpc)
{
	static atomic_ullong ids;
	cpc_set_t *set;

	if (!cpc_is(cpc, __func__))
		return NULL;
	set = calloc(1, sizeof *set);
	if (set)
		set->requests = calloc(1, sizeof *set->requests);
	if (!set || !set->requests) {
		free(set);
		cpc_fail(cpc, ENOMEM, 0, "out of memory");
		return NULL;
	}
	atomic_init(&set->requests->users, 1);
	set->magic = SET_MAGIC;
	set->cpc = cpc;
	set->id = atomic_fetch_add(&ids, 1) + 1;
	cpc_lock();
	set->next = cpc->sets;
	cpc->sets = set;
	cpc_unlock();
	return set;
}

int cpc_set_destroy(cpc_t *cpc, cpc_set_t *set)
{
	struct binding *b;

	if (!cpc_has_set(cpc, set, __func__))
		return -1;
	cpc_lock();
	b = atomic_load(&set->bound);
	if (b)
		binding_leave(b);
	for (cpc_set_t **link = &cpc->sets; *link; link = &(*link)->next)
		if (*link == set) {
			*link = set->next;
			break;
		}
	cpc_unlock();
	requests_drop(set->requests);
	set->magic = 0;
	free(set);
	return 0;
}

/* ----------------------------------------------------------------------- requests */

static bool copy_request(
	struct request *r, const char *event, uint_t nattrs, const cpc_attr_t *attrs)
{
	r->event = strdup(event);
	r->attrs = calloc(nattrs ? nattrs : 1, sizeof *r->attrs);
	if (r->event && r->attrs)
		for (; r->nattrs < nattrs; r->nattrs++) {
			cpc_attr_t *a = &r->attrs[r->nattrs];

			a->ca_val = attrs[r->nattrs].ca_val;
			a->ca_name = strdup(attrs[r->nattrs].ca_name);
			if (!a->ca_name)
				break;
		}
	if (r->event && r->attrs && r->nattrs == nattrs)
		return true;
	free_request(r);
	return false;
}

/* Events that the kernel raises itself, always in kernel mode. */
static bool only_in_kernel(const struct cpc_event *e)
{
	return e->type == PERF_TYPE_SOFTWARE && (e->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
							e->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

static const char *wrong_flags(const struct cpc_event *e, uint_t *flags)
{
	const uint_t modes = CPC_COUNT_USER | CPC_COUNT_SYSTEM;
	uint_t of_name = (e->user ? CPC_COUNT_USER : 0) | (e->kernel ? CPC_COUNT_SYSTEM : 0);

	if (*flags & ~(modes | CPC_OVF_NOTIFY_EMT))
		return "there is no such flag";
	if (e->modes_given && (*flags & modes) && (*flags & modes) != of_name)
		return "the flags and the event's name disagree on user and kernel mode";
	if (e->modes_given)
		*flags |= of_name;
	if (!(*flags & modes))
		return "neither CPC_COUNT_USER nor CPC_COUNT_SYSTEM: nothing would be counted";
	if ((*flags & CPC_OVF_NOTIFY_EMT) && (*flags & CPC_COUNT_SYSTEM))
		return "CPC_OVF_NOTIFY_EMT requires counting in user mode only";
	if (only_in_kernel(e) && !(*flags & CPC_COUNT_SYSTEM))
		return "it happens only in the kernel: set CPC_COUNT_SYSTEM";
	return NULL;
}

static int set_find_event(const cpc_t *cpc, const char *event, uint_t nattrs,
	const cpc_attr_t *attrs, const char *fn, struct cpc_event *e)
{
	char name[EVENT_NAME_MAX], why[EVENT_WHY_MAX] = "";
	int subcode = 0, rc = attrs_name(event, nattrs, attrs, name, why, &subcode);

	if (rc)
		return cpc_tell(
			cpc_handler(cpc), fn, -rc, subcode, "%.*s: %s", EVENT_NAME_MAX, event, why);
	rc = event_find(name, e, why);
	if (rc)
		return cpc_tell(cpc_handler(cpc), fn, -rc,
			nattrs ? CPC_ATTRIBUTE_OUT_OF_RANGE : CPC_INVALID_EVENT, "%s", why);
	return 0;
}

static bool may_grow(const cpc_t *cpc, const cpc_set_t *set, const char *fn)
{
	if (atomic_load(&set->bound))
		cpc_tell(cpc_handler(cpc), fn, EINVAL, 0, "the set is bound");
	else if (set->requests->count == PERF_GROUP_MAX)
		cpc_tell(cpc_handler(cpc), fn, EINVAL, CPC_RESOURCE_UNAVAIL,
			"the set already has %d requests, the maximum", PERF_GROUP_MAX);
	else
		return true;
	return false;
}

int cpc_set_add_request(cpc_t *cpc, cpc_set_t *set, const char *event, uint64_t preset,
	uint_t flags, uint_t nattrs, const cpc_attr_t *attrs)
{
	struct request r = {.preset = preset};
	const char *why;

	if (!cpc_has_set(cpc, set, __func__) || !may_grow(cpc, set, __func__))
		return -1;
	if (!event || (nattrs && !attrs))
		return cpc_fail(cpc, EINVAL, event ? CPC_INVALID_ATTRIBUTE : CPC_INVALID_EVENT,
			"no %s", event ? "attributes" : "event");
	if (set_find_event(cpc, event, nattrs, attrs, __func__, &r.what))
		return -1;
	why = wrong_flags(&r.what, &flags);
	if (why)
		return cpc_fail(cpc, EINVAL, CPC_REQ_INVALID_FLAGS, "%s: %s", event, why);
	r.flags = flags;
	if (!copy_request(&r, event, nattrs, attrs))
		return cpc_fail(cpc, ENOMEM, 0, "out of memory");
	set->requests->request[set->requests->count] = r;
	return (int)set->requests->count++;
}

void cpc_walk_requests(cpc_t *cpc, cpc_set_t *set, void *arg,
	void (*action)(void *arg, int index, const char *event, uint64_t preset, uint_t flags,
		int nattrs, const cpc_attr_t *attrs))
{
	if (!cpc_has_set(cpc, set, __func__))
		return;
	for (unsigned i = 0; i < set->requests->count; i++) {
		const struct request *r = &set->requests->request[i];

		action(arg, (int)i, r->event, r->preset, r->flags, (int)r->nattrs, r->attrs);
	}
}
