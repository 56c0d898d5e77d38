/*
 * Hooks of the scope major: light intervals, one hook each. scope.hooks describes the words for
 * decoders; the writer's side is libtrace/measure/scope/.
 */
#ifndef SWT_FORMATS_SCOPE_HOOKS_H
#define SWT_FORMATS_SCOPE_HOOKS_H

#include <stdint.h>

#include "figures.h"
#include "interval_hooks.h"

#define SCOPE_MAJOR 0xC2u
#define SCOPE_MINOR_KIND 0xFFFFFF00u

#define SCOPE_MINOR_PLAIN 0x10000000u /* a label by number, no arguments */
#define SCOPE_MINOR_ARGS 0x20000000u  /* arguments, or a label as text */

/* The "known" word. */
#define SCOPE_KNOWN_NO_SWITCH 1u  /* the thread did not leave its processor */
#define SCOPE_KNOWN_SWITCHES 2u	  /* the number of context switches follows */
#define SCOPE_KNOWN_ON_CPU 4u	  /* the time on a processor follows */
#define SCOPE_KNOWN_TEXT 8u	  /* the label is the first string */
#define SCOPE_KNOWN_ARGS_CUT 16u  /* an argument, or the end of its text, is missing */
#define SCOPE_KNOWN_START_CPU 32u /* the processor where it began follows */

/* The library's own cost, in ticks, in the rest of that word: of an empty interval, and of a pair
 * of begin and end. Both 0: not known. */
#define SCOPE_OWN_INSIDE_SHIFT 7
#define SCOPE_OWN_INSIDE_MAX 0xFFFu
#define SCOPE_OWN_PAIR_SHIFT 19
#define SCOPE_OWN_PAIR_MAX 0x1FFFu

/* In ticks, out of the "known" word: of an empty interval. */
static inline uint32_t scope_own_inside(uint32_t known)
{
	return known >> SCOPE_OWN_INSIDE_SHIFT & SCOPE_OWN_INSIDE_MAX;
}

static inline enum interval_time_source scope_time_source(uint64_t switches, uint64_t on_cpu_ns)
{
	return switches != NOT_MEASURED || on_cpu_ns != NOT_MEASURED ? INTERVAL_TIME_PAGE
								     : INTERVAL_TIME_NONE;
}

/* For readers without the schema: index of the (first) word. */
enum scope_word {
	SCOPE_WORD_KNOWN = 0,
	SCOPE_WORD_LABEL = 1,
	SCOPE_WORD_ELAPSED = 2,
	SCOPE_PLAIN_FIRST = 4, /* two words of each figure that is known, in order of its bit, and
				  one of the processor */
	SCOPE_WORD_ARGUMENTS = 4,
	SCOPE_WORD_TEXTS = 5,
	SCOPE_ARGS_FIRST = 6, /* as SCOPE_PLAIN_FIRST; then the arguments, as in interval_hooks.h */
};

/* Words of the figures that are known, and of the processor. */
static inline uint32_t scope_known_words(uint32_t known)
{
	return (known & SCOPE_KNOWN_SWITCHES ? 2 : 0) + (known & SCOPE_KNOWN_ON_CPU ? 2 : 0) +
	       (known & SCOPE_KNOWN_START_CPU ? 1 : 0);
}

#endif
