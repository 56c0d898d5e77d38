/*
 * counters: the origin of values, and reasons why they are unreliable.
 */
#include <string.h>
#include <unistd.h>

#include "../../../formats/trace_file.h"
#include "../../../include/cpidecode.h"
#include "../../counters/source.h"
#include "counters.h"

static void tell_scripted(const struct counters_run *r, const char *origin)
{
	if (r->scripted)
		cmd_note(r->verb,
			"%s: scripted counters: counts and values derived from them were not measured",
			origin);
}

/* Only CPI's counts come from the sources that SWTRACE_COUNTERS selects. */
static bool machine_is_scripted(const struct counters_query *q)
{
	uint32_t flags;

	for (unsigned i = 0; i < q->paths; i++)
		if (strcmp(q->path[i].set->name, "CPI") == 0)
			return counters_tell_source(&flags) == SHM_SOURCE_SCRIPTED;
	return false;
}

void counters_name_machine(struct counters_run *r)
{
	char *host = r->catalogue.host;
	const size_t room = sizeof r->catalogue.host;

	snprintf(host, room, "unknown");
	if (gethostname(host, room) == 0)
		host[room - 1] = 0;
}

void counters_ask_machine(struct counters_run *r)
{
	r->scripted = machine_is_scripted(&r->query);
	tell_scripted(r, "this machine");
}

/* ---------------------------------------------------------------------------- a trace */

static void origin_read_host(struct counters_run *r, const cpidecode_trace *t)
{
	const char *key, *value;
	size_t key_length, value_length;

	for (size_t i = 0; cpidecode_meta(t, 0, i, &key, &key_length, &value, &value_length) == 0;
		i++)
		if (key_length == 4 && memcmp(key, "host", 4) == 0)
			snprintf(r->catalogue.host, sizeof r->catalogue.host, "%.*s",
				(int)value_length, value);
}

static uint64_t lost_hooks(const cpidecode_trace *t)
{
	cpidecode_loss_info l;
	cpidecode_causes_info c;
	uint64_t lost = 0;

	for (size_t i = 0; cpidecode_loss(t, 0, i, &l) == 0; i++)
		lost += l.full + l.too_big + l.held + l.no_guest + l.torn;
	for (size_t i = 0; cpidecode_causes(t, 0, i, &c) == 0; i++)
		lost += c.no_slot + c.no_memory + c.unattached;
	return lost;
}

void counters_ask_trace(struct counters_run *r)
{
	const char *path = r->catalogue.where;
	cpidecode_file_info info = {0};
	cpidecode_trace *t;
	uint64_t lost;

	snprintf(r->catalogue.host, sizeof r->catalogue.host, "unknown");
	if (cpidecode_open(path, &t))
		return;
	origin_read_host(r, t);
	lost = lost_hooks(t);
	cpidecode_file(t, 0, &info);
	cpidecode_close(t);
	r->scripted = info.flags & TF_FLAG_SCRIPTED;
	tell_scripted(r, path);
	if (info.damaged_bytes || info.header_damaged || info.cut_off)
		cmd_note(r->verb,
			"%s: damaged or cut off: samples may be missing; see cpidecode --report info",
			path);
	if (lost)
		cmd_note(r->verb,
			"%s: %llu hooks were lost while it was written: samples may be missing",
			path, (unsigned long long)lost);
}
