/*
 * Hooks in short form: one-byte statements with few and small operands, so that a mutation makes
 * another group or interval rather than a broken record. Stamps, threads and labels often coincide,
 * which makes intervals nest, overlap and contradict.
 */
#ifndef SWT_TESTS_FUZZ_SHORT_FORM_H
#define SWT_TESTS_FUZZ_SHORT_FORM_H

#include "fuzz.h"

/*
 * Replaces the statements by the records they stand for, and sets the section header's
 * number of hooks, stamps and torn records unless they are to lie (recipe.h).
 */
void short_form_expand(struct bytes *payload, uint8_t *section_header);

#endif
