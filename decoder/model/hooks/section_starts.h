/*
 * The least start of the intervals that end in each section of hooks, once a pass has read it. An
 * interval that overlaps a span of time may end in any section after it: this shows which of these
 * need not be read.
 *
 * Processes that are forked later share the memory, and see what any of them notes.
 */
#ifndef SWT_DECODER_MODEL_HOOKS_SECTION_STARTS_H
#define SWT_DECODER_MODEL_HOOKS_SECTION_STARTS_H

#include "../trace/trace.h"

struct section_starts;

/* Nothing is known. NULL: no memory. The trace must outlive it. */
struct section_starts *section_starts_new(const struct trace *t);
void section_starts_free(struct section_starts *s); /* NULL is fine */

/*
 * Notes that of the intervals that end in sections begin to end - 1 of a ring (index in rings) none
 * began before that tick; UINT64_MAX: none ends there, 0: always read them. Several threads may
 * call this.
 */
void section_starts_note(struct section_starts *s, size_t file, size_t ring, size_t begin,
	size_t end, uint64_t ticks);
/*
 * Whether all intervals that end in that section of a ring began after to_ns. False if that is
 * unknown, and where CLOCK_REALTIME was set back: ticks do not give the order of times there.
 */
bool section_starts_after(
	const struct section_starts *s, size_t file, size_t ring, size_t section, int64_t to_ns);

#endif
