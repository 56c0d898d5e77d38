/* Flags of an interval's figures, and their words in reports. */
#ifndef SWT_FORMATS_INTERVAL_FLAGS_H
#define SWT_FORMATS_INTERVAL_FLAGS_H

#include <stdint.h>
#include <string.h>

enum interval_flag {
	IV_SUMMARY = 1u << 0,  /* the group holds a summary hook: "summary" */
	IV_DETAILED = 1u << 1, /* system-wide, per-processor (and thread) hooks: "detailed" */
	IV_NO_START = 1u << 2, /* label end without label start: "no-start" */
	/* Label start without label end; with IV_OPEN: its end may have been overwritten: "no-end"
	 */
	IV_NO_END = 1u << 3,
	IV_INCONSISTENT = 1u << 4, /* hooks of one group contradict each other: "inconsistent" */
	IV_SCRIPTED = 1u << 5,	   /* from a trace with scripted counters: "scripted" */
	IV_MALFORMED = 1u << 6,	   /* a hook shorter than its schema: "malformed" */
	IV_QUALITY =
		1u << 7, /* it holds a quality hook, which sets the following flags: "quality" */
	/* counts were scaled up, of the quality hook or of events: "multiplexed" */
	IV_MULTIPLEXED = 1u << 8,
	IV_CPUS_CHANGED = 1u << 9, /* a processor came or went: "cpus-changed" */
	IV_CORE_TYPES = 1u << 10,  /* ratios add counts of several types of core: "core-types" */
	IV_USER_ONLY = 1u << 11,   /* the thread's counts are of user mode only: "user-only" */
	/* Intervals nested in it may have been overwritten (overwritten.h): "children-lost" */
	IV_CHILDREN_LOST = 1u << 12,
	IV_ARGS_CUT = 1u << 13, /* no room for an argument or all of its text: "args-cut" */
	/* The library's own cost in it is above 5 % of elapsed: "own-cost" */
	IV_OWN_COST = 1u << 14,
	/* It has begun, and not ended up to the trace's last stamp, its end (begins.h): "open" */
	IV_OPEN = 1u << 15,
};

/* The flags that a quality hook sets. */
#define IV_FLAGGED (IV_MULTIPLEXED | IV_CPUS_CHANGED | IV_CORE_TYPES | IV_USER_ONLY)

/* An interval in which the library's own cost is above this share of elapsed is flagged: one in so
 * many. */
enum { OWN_COST_MUCH = 20 };

static const char *const interval_flag_words[] = {"summary", "detailed", "no-start", "no-end",
	"inconsistent", "scripted", "malformed", "quality", "multiplexed", "cpus-changed",
	"core-types", "user-only", "children-lost", "args-cut", "own-cost", "open"};

enum {
	INTERVAL_FLAGS = sizeof interval_flag_words / sizeof *interval_flag_words,
	INTERVAL_FLAGS_BYTES = 192
};

_Static_assert(IV_OPEN == 1u << (INTERVAL_FLAGS - 1), "a word for each flag");

/* Writes their words with + between, without an end. Returns how many bytes. */
static inline size_t interval_flags_spell(uint32_t flags, char text[INTERVAL_FLAGS_BYTES])
{
	size_t n = 0;

	for (flags &= (1u << INTERVAL_FLAGS) - 1; flags; flags &= flags - 1) {
		const char *word = interval_flag_words[__builtin_ctz(flags)];

		if (n)
			text[n++] = '+';
		memcpy(text + n, word, strlen(word));
		n += strlen(word);
	}
	return n;
}

#endif
