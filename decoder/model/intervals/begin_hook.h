/* Begin and over hooks, and the interval that is open. */
#ifndef SWT_DECODER_MODEL_INTERVALS_BEGIN_HOOK_H
#define SWT_DECODER_MODEL_INTERVALS_BEGIN_HOOK_H

#include "../../../formats/cpi_group.h"
#include "../trace/begins.h"
#include "../trace/overwritten.h"

static inline bool begin_is_hook(uint8_t major, uint32_t minor)
{
	return (major == INTERVAL_MAJOR || major == SCOPE_MAJOR) &&
	       ((minor & INTERVAL_MINOR_KIND) == INTERVAL_MINOR_BEGIN ||
		       (minor & INTERVAL_MINOR_KIND) == INTERVAL_MINOR_OVER);
}

/* Reads a begin hook. 0 or CPIDECODE_ENOMEM. */
int begin_decode(struct begins *b, const struct trace *t, const struct hook *h);
/* Whether the interval may have ended in a ring that overwrote this hook. */
static inline bool begin_may_have_ended(const struct begun *begun, const struct overwritten *o)
{
	return overwritten_after(o, begun->machine, begun->ring, false, begun->ticks);
}

/* Threads that writers of files found alive: `alive` lines. Starts zeroed. */
struct living {
	struct living_thread {
		uint32_t machine, tid;
		uint64_t ticks; /* the last ones */
	} * at;
	size_t count, room;
};

/* 0 or CPIDECODE_ENOMEM; free it either way. */
int living_find(struct living *l, const struct trace *t);
void living_free(struct living *l);

/* The open interval: up to the last stamp of its machine's files, or to a later tick at which its
 * thread lived. Its label is the begun one's. */
void begin_interval(const struct begun *begun, const struct trace *t,
	const struct overwritten *overwritten, const struct living *living, struct interval *iv);

#endif
