/* Finds the known name that an unknown one may have meant. */
#ifndef SWT_FORMATS_BASE_NEAREST_H
#define SWT_FORMATS_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Before the first candidate. */
#define NEAREST_NONE UINT32_MAX

/*
 * Whether the candidate is nearer to the name than all before it, whose edits *least counts, and
 * sets *least. A name of which most bytes would change is not near. Letters' case does not matter.
 */
bool nearest_improves(const char *name, size_t length, const char *candidate,
	size_t candidate_length, unsigned *least);

#endif
