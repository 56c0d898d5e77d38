/* Internals of the iterator for passes, which read a trace in parts. */
#ifndef SWT_DECODER_MODEL_HOOKS_HOOK_ITER_H
#define SWT_DECODER_MODEL_HOOKS_HOOK_ITER_H

#include "ring_cursor.h"

void hook_iter_spare(struct hook_iter *it, unsigned spared);

/* Ticks of a file's clock of which the time is from <= time <= to. */
struct tick_range ticks_between(const struct clock *c, int64_t from_ns, int64_t to_ns);

/*
 * Of these hooks only, too: those with keys of that time. Other than by their stamps, of which
 * some may lie outside of what a section's header says, each hook is in one slice of several.
 */
void hook_iter_slice(struct hook_iter *it, const struct tick_range *slices);

/*
 * Goes on with hooks of these keys, one range for each file, of the range of time that was
 * set. Counts, damage and progress go on from where they are. What several parts without
 * a gap or an overlap find together is what one part does, in the same order.
 */
void hook_iter_part(struct hook_iter *it, const struct tick_range *keys);
/* Continues with these sections of one ring. */
void hook_iter_sections(struct hook_iter *it, size_t file, size_t ring, size_t begin, size_t end);
/*
 * Then: the ring's cursor, from which whoever knows better what comes may take hooks itself, as
 * long as each has the stamp and the thread of the one that was handed out last. Else NULL:
 * hooks are merged.
 */
struct ring_cursor *hook_iter_lone(struct hook_iter *it);
/* Finds the time and task of the hook that the caller has taken from it. */
void hook_iter_complete_lone(struct hook_iter *it);

#endif
