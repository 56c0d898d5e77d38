/*
 * A provider's countersets: their names, and how they are written to its file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../../formats/base/compare.h"
#include "../../../../formats/base/utf8.h"
#include "../../guid.h"
#include "offer.h"

/* ------------------------------------------------------------------------- names */

static struct offered_name *find_name(struct offered_provider *p, const GUID *set, uint32_t counter)
{
	for (struct offered_name *n = p->names; n; n = n->next)
		if (n->counter == counter && guid_equal(&n->set, set))
			return n;
	return NULL;
}

static uint32_t offer_set_store_name(struct offered_provider *p, const struct offered_name *wanted)
{
	struct offered_name *n = find_name(p, &wanted->set, wanted->counter);
	char *name = strdup(wanted->name), *help = strdup(wanted->help);

	if (name && help && !n) {
		n = calloc(1, sizeof *n);
		if (n) {
			n->next = p->names;
			p->names = n;
		}
	}
	if (!name || !help || !n) {
		free(name);
		free(help);
		return ERROR_NOT_ENOUGH_MEMORY;
	}
	free(n->name);
	free(n->help);
	n->set = wanted->set;
	n->counter = wanted->counter;
	n->base = wanted->base;
	n->name = name;
	n->help = help;
	return ERROR_SUCCESS;
}

ULONG PerfSetCounterName(
	HANDLE provider, LPCGUID set, ULONG counter, ULONG base, LPCSTR name, LPCSTR help)
{
	struct offered_name wanted = {
		.counter = counter, .base = base, .name = (char *)name, .help = (char *)help};
	struct offered_provider *p;
	sigset_t saved;
	uint32_t rc;

	if (!help)
		wanted.help = "";
	if (!set || !name || !*name || !utf8_is_plain(name, PROV_NAME_MAX) ||
		!utf8_is_plain(wanted.help, PROV_HELP_MAX) ||
		(base == counter && base != PERF_NO_COUNTER))
		return ERROR_INVALID_PARAMETER;
	wanted.set = *set;
	offer_enter(&saved);
	p = offer_find(provider);
	rc = !p			      ? ERROR_INVALID_HANDLE
	     : offer_find_set(p, set) ? ERROR_ALREADY_EXISTS
				      : offer_set_store_name(p, &wanted);
	offer_leave(&saved);
	return rc;
}

ULONG PerfSetCounterSetName(HANDLE provider, LPCGUID set, LPCSTR name, LPCSTR help)
{
	return PerfSetCounterName(
		provider, set, PERF_WILDCARD_COUNTER, PERF_NO_COUNTER, name, help);
}

/* ------------------------------------------------------------------------ a block */

/* A template's counter, as written to the file. */
struct offer_entry {
	struct prov_counter counter;
	const char *name, *help; /* NULL: a generated name */
	char made_up[24];
};

struct plan {
	const PERF_COUNTERSET_INFO *info;
	struct offer_entry *entry; /* info->NumCounters entries, by id */
	const char *name, *help;
	char made_up[GUID_TEXT];
	uint32_t bytes;
};

static const char *offer_set_entry_name(const struct offer_entry *e)
{
	return e->name ? e->name : e->made_up;
}

static int offer_set_compare_ids(const void *a, const void *b)
{
	uint32_t x = ((const struct offer_entry *)a)->counter.id,
		 y = ((const struct offer_entry *)b)->counter.id;

	return compare_u64(x, y);
}

static bool info_is_valid(const PERF_COUNTER_INFO *c)
{
	return c->Size == sizeof *c && c->CounterId != PERF_WILDCARD_COUNTER &&
	       ((c->Type & PERF_SIZE_MASK) == PERF_SIZE_DWORD ||
		       (c->Type & PERF_SIZE_MASK) == PERF_SIZE_LARGE) &&
	       c->Scale >= PROV_SCALE_MIN && c->Scale <= PROV_SCALE_MAX;
}

static void plan_counter(struct offered_provider *p, struct plan *plan, struct offer_entry *e,
	const PERF_COUNTER_INFO *c)
{
	struct offered_name *n = find_name(p, &plan->info->CounterSetGuid, c->CounterId);

	e->counter = (struct prov_counter){.id = c->CounterId,
		.type = c->Type,
		.attrib = c->Attrib,
		.detail = c->DetailLevel,
		.scale = c->Scale,
		.base = n ? n->base : PERF_NO_COUNTER,
		.aggregate = PERF_AGGREGATE_UNDEFINED};
	snprintf(e->made_up, sizeof e->made_up, "counter %u", (unsigned)c->CounterId);
	e->name = n ? n->name : NULL;
	e->help = n ? n->help : "";
	plan->bytes +=
		(uint32_t)(sizeof e->counter + strlen(offer_set_entry_name(e)) + strlen(e->help));
}

/* Whether ids are unique and every base exists. */
static bool ids_are_valid(const struct plan *plan)
{
	const uint32_t n = plan->info->NumCounters;

	for (uint32_t i = 1; i < n; i++)
		if (plan->entry[i].counter.id == plan->entry[i - 1].counter.id)
			return false;
	for (uint32_t i = 0; i < n; i++) {
		struct offer_entry key = {.counter.id = plan->entry[i].counter.base};

		if (key.counter.id != PERF_NO_COUNTER &&
			!bsearch(&key, plan->entry, n, sizeof key, offer_set_compare_ids))
			return false;
	}
	return true;
}

static uint32_t make_plan(struct offered_provider *p, struct plan *plan)
{
	const PERF_COUNTERSET_INFO *info = plan->info;
	const PERF_COUNTER_INFO *c = (const PERF_COUNTER_INFO *)(info + 1);
	struct offered_name *n = find_name(p, &info->CounterSetGuid, PERF_WILDCARD_COUNTER);

	guid_format(&info->CounterSetGuid, plan->made_up);
	plan->name = n ? n->name : plan->made_up;
	plan->help = n ? n->help : "";
	plan->bytes = (uint32_t)(sizeof(struct prov_set) + strlen(plan->name) + strlen(plan->help));
	for (uint32_t i = 0; i < info->NumCounters; i++) {
		if (c[i].Attrib & PERF_ATTRIB_BY_REFERENCE)
			return ERROR_NOT_SUPPORTED;
		if (!info_is_valid(&c[i]))
			return ERROR_INVALID_PARAMETER;
		plan_counter(p, plan, &plan->entry[i], &c[i]);
	}
	qsort(plan->entry, info->NumCounters, sizeof *plan->entry, offer_set_compare_ids);
	return ids_are_valid(plan) ? ERROR_SUCCESS : ERROR_INVALID_PARAMETER;
}

static struct prov_text put_text(uint8_t *block, uint32_t *at, const char *text)
{
	struct prov_text t = {.offset = *at, .bytes = (uint32_t)strlen(text)};

	memcpy(block + *at, text, t.bytes);
	*at += t.bytes;
	return t;
}

static void offer_set_write_block(void *block, const struct plan *plan)
{
	const PERF_COUNTERSET_INFO *info = plan->info;
	struct prov_set *set = block;
	uint32_t at = (uint32_t)(sizeof *set + info->NumCounters * sizeof *set->counter);

	memcpy(set->guid, &info->CounterSetGuid, sizeof set->guid);
	set->type = info->InstanceType;
	set->detail = PERF_DETAIL_NOVICE;
	set->counters = info->NumCounters;
	set->name = put_text(block, &at, plan->name);
	set->help = put_text(block, &at, plan->help);
	for (uint32_t i = 0; i < info->NumCounters; i++) {
		set->counter[i] = plan->entry[i].counter;
		set->counter[i].name = put_text(block, &at, offer_set_entry_name(&plan->entry[i]));
		set->counter[i].help = put_text(block, &at, plan->entry[i].help);
	}
}

/* -------------------------------------------------------------------------- a set */

static uint32_t offer_set_add_plan(struct offered_provider *p, const struct plan *plan)
{
	const PERF_COUNTERSET_INFO *info = plan->info;
	struct prov_block block = {.kind = PROV_SET, .set = p->nsets, .bytes = plan->bytes};
	uint32_t id[PROV_COUNTERS], size[PROV_COUNTERS], status;
	struct offered_set *set;
	void *at;

	for (uint32_t i = 0; i < info->NumCounters; i++) {
		id[i] = plan->entry[i].counter.id;
		size[i] = plan->entry[i].counter.type & PERF_SIZE_MASK;
	}
	set = offer_obtain_set(info->NumCounters, id, size);
	if (!set)
		return ERROR_NOT_ENOUGH_MEMORY;
	at = offer_block(p, &block, &status);
	if (!at) {
		offer_give_set(set);
		return status;
	}
	offer_set_write_block(at, plan);
	set->guid = info->CounterSetGuid;
	set->number = p->nsets;
	set->type = info->InstanceType;
	p->set[p->nsets++] = set;
	offer_publish(p);
	return ERROR_SUCCESS;
}

static uint32_t set_info(struct offered_provider *p, const PERF_COUNTERSET_INFO *info)
{
	struct plan plan = {.info = info};
	uint32_t rc;

	if (!guid_equal(&p->guid, &info->ProviderGuid))
		return ERROR_INVALID_PARAMETER;
	if (offer_find_set(p, &info->CounterSetGuid))
		return ERROR_ALREADY_EXISTS;
	if (p->nsets == PROV_SETS)
		return ERROR_NOT_ENOUGH_MEMORY;
	plan.entry = calloc(info->NumCounters, sizeof *plan.entry);
	if (!plan.entry)
		return ERROR_NOT_ENOUGH_MEMORY;
	rc = make_plan(p, &plan);
	if (!rc)
		rc = offer_set_add_plan(p, &plan);
	free(plan.entry);
	return rc;
}

ULONG PerfSetCounterSetInfo(HANDLE provider, PPERF_COUNTERSET_INFO info, ULONG bytes)
{
	struct offered_provider *p;
	sigset_t saved;
	uint32_t rc;

	if (!info || bytes < sizeof *info || info->NumCounters == 0 ||
		info->NumCounters > PROV_COUNTERS ||
		bytes < sizeof *info + info->NumCounters * sizeof(PERF_COUNTER_INFO) ||
		(info->InstanceType != PERF_COUNTERSET_SINGLE_INSTANCE &&
			info->InstanceType != PERF_COUNTERSET_MULTI_INSTANCES))
		return ERROR_INVALID_PARAMETER;
	offer_enter(&saved);
	p = offer_find(provider);
	rc = p ? set_info(p, info) : ERROR_INVALID_HANDLE;
	offer_leave(&saved);
	return rc;
}
