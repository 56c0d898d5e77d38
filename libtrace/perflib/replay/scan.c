/*
 * Finds the countersets of a trace: reads all hooks once.
 */
#include <errno.h>
#include <stdlib.h>

#include "../../../formats/counters_hooks.h"
#include "../../../formats/cpi_group.h"
#include "../columns.h"
#include "../guid.h"
#include "definition.h"
#include "fields.h"

uint32_t replay_status(int code)
{
	switch (code) {
	case CPIDECODE_OK:
		return ERROR_SUCCESS;
	case CPIDECODE_ENOMEM:
		return ERROR_OUTOFMEMORY;
	case CPIDECODE_EOPEN:
		if (errno == ENOENT || errno == ENOTDIR)
			return ERROR_FILE_NOT_FOUND;
		return errno == EACCES || errno == EPERM ? ERROR_ACCESS_DENIED : ERROR_READ_FAULT;
	case CPIDECODE_EREAD:
	case CPIDECODE_ESPOOL:
		return ERROR_READ_FAULT;
	default:
		return ERROR_INVALID_DATA;
	}
}

/* The other hooks of the trace. */
struct found {
	bool cpi, utilisation;		     /* intervals */
	bool sampled_cpi, sampled_processor; /* their countersets were recorded, too */
};

static void note_sample(struct replay_reader *f, struct found *found)
{
	struct replay_value v;
	uint64_t high = 0;

	while (replay_field_next(f, &v)) {
		if (v.field == FIELD_SET_HIGH)
			high = v.u;
		if (v.field == FIELD_SET_LOW) {
			GUID id = guid_of(high, v.u);

			found->sampled_cpi |= guid_equal(&id, &cpi_definition.guid);
			found->sampled_processor |= guid_equal(&id, &processor_definition.guid);
			return;
		}
	}
}

static void replay_scan_hook(
	struct replay *r, const cpidecode_hook *h, cpidecode_hooks *it, struct found *found)
{
	struct replay_reader f = {.it = it};
	enum group_part part = group_part(h->major, h->minor);

	if (h->major == COUNTERS_MAJOR && h->minor == COUNTERS_MINOR_SET)
		replay_read_set(r, &f);
	else if (h->major == COUNTERS_MAJOR && h->minor == COUNTERS_MINOR_COUNTERS)
		replay_read_counters(r, &f);
	else if (h->major == COUNTERS_MAJOR && h->minor == COUNTERS_MINOR_INSTANCES)
		note_sample(&f, found);
	found->cpi |= part == PART_SYSTEM || part == PART_PER_CPU;
	found->utilisation |= part == PART_UTIL_PER_CPU;
}

static uint32_t scan_list_instances(struct replay *r)
{
	r->listed = calloc(r->sets + 1, sizeof(struct counterset *));
	if (!r->listed)
		return ERROR_OUTOFMEMORY;
	for (uint32_t i = 0; i < r->sets; i++)
		if (r->set[i]->whole)
			r->listed[r->nlisted++] = &r->set[i]->set;
	return ERROR_SUCCESS;
}

uint32_t replay_scan(struct replay *r)
{
	struct found found = {0};
	cpidecode_hooks *it;
	const cpidecode_hook *h;
	int rc = cpidecode_hooks_open(r->trace, &it);
	uint32_t status;

	if (rc)
		return replay_status(rc);
	while ((rc = cpidecode_hooks_next(it, &h)) > 0)
		replay_scan_hook(r, h, it, &found);
	cpidecode_hooks_close(it);
	status = replay_status(rc);
	if (!status)
		status = replay_add_derived(r, found.cpi && !found.sampled_cpi,
			found.utilisation && !found.sampled_processor);
	return status ? status : scan_list_instances(r);
}
