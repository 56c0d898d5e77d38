/* The contents of a section of hooks, compared with its header. */
#ifndef SWT_DECODER_MODEL_TRACE_SECTION_FACTS_H
#define SWT_DECODER_MODEL_TRACE_SECTION_FACTS_H

#include "../../io/input.h"

struct section_facts {
	uint32_t hooks, torn;
	uint32_t odd;			  /* records that a writer may have counted as hooks */
	uint64_t min, max;		  /* stamps of the hooks */
	uint64_t first, last;		  /* of the first and the last hook */
	uint64_t outer_first, outer_last; /* of torn records too: their stamps hold */
	bool broken;			  /* a record's size is invalid: the rest is unknown */
	bool has_stamp, has_outer;	  /* private: first, outer_first are set */
};

/* Adds a torn record. */
static inline void section_facts_add_torn(struct section_facts *f, uint64_t stamp)
{
	if (!f->has_outer)
		f->outer_first = stamp;
	f->outer_last = stamp;
	f->has_outer = true;
}

/* Adds a hook's stamp, without counting the hook. Of successive hooks with one stamp only the first
 * needs it. */
static inline void section_facts_add_stamp(struct section_facts *f, uint64_t stamp)
{
	if (!f->has_stamp)
		f->first = f->min = f->max = stamp;
	f->has_stamp = true;
	f->min = stamp < f->min ? stamp : f->min;
	f->max = stamp > f->max ? stamp : f->max;
	f->last = stamp;
	section_facts_add_torn(f, stamp);
}

struct section_facts section_facts_of(const uint8_t *payload, uint32_t raw);
/* NULL, or how the header contradicts the contents: a constant string. */
const char *section_contradiction(const struct io_section *s, const struct section_facts *facts);
/* Corrects *s by the contents. */
void section_correct(struct io_section *s, const struct section_facts *facts);

#endif
