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
 * Continues with hooks of these keys, one range for each file, within the range of time that was
 * set. Counts, damage and progress accumulate. Adjacent parts yield the same hooks, in the same
 * order, as one part over both.
 */
void hook_iter_part(struct hook_iter *it, const struct tick_range *keys);
/* Continues with these sections of one ring. */
void hook_iter_sections(struct hook_iter *it, size_t file, size_t ring, size_t begin, size_t end);
/*
 * After hook_iter_sections: the ring's cursor; a caller that can predict the next hooks may read
 * them from it directly, as long as each has the stamp and thread of the last hook returned.
 * NULL: hooks are merged.
 */
struct ring_cursor *hook_iter_lone(struct hook_iter *it);

#endif
