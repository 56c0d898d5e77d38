/* Records: single ones, and the hooks of a CPI group. */
#ifndef MK_RECORD_H
#define MK_RECORD_H

#include "mk_text.h"

/* The counts of a section header, summed up as records are added. */
struct tally {
	uint32_t hooks, torn;
	uint64_t first, last;
};

/* Each takes the rest of its line and adds to the section's payload. */
void mk_hook(struct line *l, struct bytes *payload, struct tally *tally);
void mk_pad(struct line *l, struct bytes *payload, struct tally *tally);
void mk_group(struct line *l);
void mk_group_cpu(struct line *l);
void mk_group_thread(struct line *l);
void mk_group_quality(struct line *l);
void mk_group_quantity(struct line *l);
void mk_group_end(struct bytes *payload, struct tally *tally);

#endif
