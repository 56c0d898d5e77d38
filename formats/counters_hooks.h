/*
 * Hooks of recorded counters: major, minors and how large their parts are. The words of each are
 * described once, in counters.hooks, for every reader; the writer's side is
 * libtrace/perflib/replay/record.c.
 */
#ifndef SWT_FORMATS_COUNTERS_HOOKS_H
#define SWT_FORMATS_COUNTERS_HOOKS_H

#define COUNTERS_MAJOR 0xC9u

#define COUNTERS_MINOR_SET 0x00000000u
#define COUNTERS_MINOR_COUNTERS 0x00000001u
#define COUNTERS_MINOR_INSTANCES 0x00000010u

enum {
	/* Words before the first repeat. */
	COUNTERS_SET_WORDS = 13,
	COUNTERS_COUNTERS_WORDS = 9,
	COUNTERS_INSTANCES_WORDS = 21,
	/* Words of a turn. */
	COUNTERS_COUNTER_WORDS = 8,
	/* A hook's strings, and bytes: one that holds more than a counter or an instance fits
	 * the smallest section there is. */
	COUNTERS_PART_STRINGS = 255,
	COUNTERS_PART_BYTES = 3072,
	/* A counterset is told of again after so many seconds. */
	COUNTERS_AGAIN_SECONDS = 60,
};

#endif
