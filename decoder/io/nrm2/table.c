/* An NRM2 file's hooks about itself: the clock, the names of tasks. */
#include <string.h>

#include "../../../formats/base/time_ns.h"
#include "../../../include/cpidecode.h"
#include "table.h"

enum {
	/* A rate that is no clock's. As for trace.bin. */
	MAX_GHZ = 1000,
	/* A speed above this is in Hz: no processor runs at that many MHz, or that few Hz. */
	MAX_MHZ = 1000000,
};

/* The hooks of our own table sections represent sections of trace.bin. */
int nrm2_own_table(struct nrm2_scan *s, const struct nrm2_hook *h)
{
	uint32_t length;
	const char *string = nrm2_hook_string(h, &length);
	uint64_t id = nrm2_hook_integer(h, 0);

	if (h->major == NRM2_MODULE_TABLE && h->minor == NRM2_PID_NAME && string)
		return nrm2_spool_task(&s->spool, (uint32_t)id,
			(uint32_t)nrm2_hook_integer(h, h->nintegers > 1), h->stamp, string, length);
	if (h->major == NRM2_SYSINFO && h->minor == NRM2_SYNC)
		return nrm2_spool_sync(&s->spool, h->stamp, id, nrm2_hook_integer(h, 1));
	if (h->major == NRM2_SYSINFO && h->minor == NRM2_META && string)
		return nrm2_spool_meta(&s->spool, string, length);
	if (h->major == NRM2_SYSINFO && h->minor == NRM2_SCHEMA && string)
		return nrm2_spool_schema(&s->spool, id != 0, string, length);
	if (h->major == NRM2_SYSINFO && h->minor == NRM2_LABEL && string && id <= UINT32_MAX)
		return nrm2_spool_label(&s->spool, (uint32_t)id, string, length);
	return 0;
}

/*
 * A name holds from its hook on; one of the table at the start, from the start; one of the
 * table at the end, which may have been another's before, only if there is no other.
 */
static int learn_name(struct nrm2_scan *s, const struct nrm2_part *part, const struct nrm2_hook *h)
{
	uint32_t length;
	const char *name = nrm2_hook_string(h, &length);
	uint64_t id = nrm2_hook_integer(h, 0), first = h->stamp;

	/* Hooks whose thread is not known have id 0: they are not the idle task's. */
	if (!name || !id || id > UINT32_MAX)
		return 0;
	if (part->type == NRM2_TYPE_TABLE)
		first = 1;
	if (part->type == NRM2_TYPE_FINAL_TABLE)
		first = 0;
	return nrm2_spool_task(
		&s->spool, (uint32_t)id, (uint32_t)id, first, name, strnlen(name, length));
}

static void learn_clock(struct nrm2_scan *s, const struct nrm2_hook *h)
{
	uint64_t value = nrm2_hook_integer(h, 0), seconds = nrm2_hook_integer(h, 3);

	if (h->minor == NRM2_TIME_BASE && !s->base && value && value <= MAX_GHZ * TIME_SECOND_NS)
		s->base = value;
	if (h->minor != NRM2_CPU_SPEED)
		return;
	if (!s->mhz && value && value <= MAX_GHZ * TIME_SECOND_NS)
		s->mhz = value <= MAX_MHZ ? value * 1000000 : value;
	if (!s->has_time && seconds && seconds < INT64_MAX / TIME_SECOND_NS) {
		s->has_time = true;
		s->head.sync[0] = h->stamp;
		s->head.sync[1] = seconds * TIME_SECOND_NS;
	}
}

int nrm2_learn(struct nrm2_scan *s, const struct nrm2_part *part, const struct nrm2_hook *h)
{
	if (part->own)
		return 0;
	if (h->major == NRM2_SYSINFO)
		learn_clock(s, h);
	if (h->major == NRM2_MODULE_TABLE && h->minor == NRM2_PID_NAME)
		return learn_name(s, part, h);
	return 0;
}
