/*
 * Hooks of recorded counters: major, minors and the sizes of their parts. counters.hooks describes
 * the words of each for every reader; the writer's side is libtrace/perflib/replay/record.c.
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
	/* Limits of a hook's strings and bytes: a hook with more than one counter or instance fits
	 * the smallest section. */
	COUNTERS_PART_STRINGS = 255,
	COUNTERS_PART_BYTES = 3072,
	/* A counterset's definition is written again after this many seconds. */
	COUNTERS_AGAIN_SECONDS = 60,
};

#endif
