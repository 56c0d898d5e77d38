/* What nesting needs of a record. */
#ifndef SWT_DECODER_MODEL_INTERVALS_RECORD_KEY_H
#define SWT_DECODER_MODEL_INTERVALS_RECORD_KEY_H

#include "nesting.h"
#include "record.h"

/* The key of a record sorted by ticks. place: its index among those handed out, or -1. */
static inline struct nest_key interval_record_nest_key(
	const struct interval_record *r, int64_t place)
{
	const struct interval_record_wide wide = interval_record_widen(r);

	return (struct nest_key){.era = r->sort.group,
		.tid = r->tid,
		.start = r->sort.key,
		.end = r->sort.key + wide.elapsed,
		.pair = r->own_pair == RECORD_NO_PAIR ? NOT_MEASURED : r->own_pair,
		.place = place,
		.hook = {r->sort.group / 2, r->ring, wide.position}};
}

#endif
