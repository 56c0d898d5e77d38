/* What a section of hooks holds, against what its header says of it. */
#ifndef SWT_DECODER_MODEL_TRACE_SECTION_FACTS_H
#define SWT_DECODER_MODEL_TRACE_SECTION_FACTS_H

#include "../../io/input.h"

struct section_facts {
	uint32_t hooks, torn;
	uint32_t odd;			  /* records that a writer may have counted as hooks */
	uint64_t min, max;		  /* stamps of the hooks */
	uint64_t first, last;		  /* of the first and the last hook */
	uint64_t outer_first, outer_last; /* of torn records too: their stamps hold */
	bool broken;			  /* a record's size leads nowhere: the rest is not known */
};

struct section_facts section_facts_of(const uint8_t *payload, uint32_t raw);
/* NULL, or how the header contradicts them: a constant string. */
const char *section_contradiction(const struct io_section *s, const struct section_facts *facts);
/* Makes *s say what is so. */
void section_correct(struct io_section *s, const struct section_facts *facts);

#endif
