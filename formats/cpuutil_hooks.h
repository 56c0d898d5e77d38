/*
 * CPU utilisation hooks: major and minor codes. cpuutil.hooks describes the words of each hook for
 * decoders; the writer's side is libtrace/measure/util/. The low byte of every minor (mm) is the
 * program's own code. The major is the original toolkit's, which did not define the words.
 */
#ifndef SWT_FORMATS_CPUUTIL_HOOKS_H
#define SWT_FORMATS_CPUUTIL_HOOKS_H

#define CPUUTIL_MAJOR 0xC8u
#define CPUUTIL_MINOR_KIND 0xFFFFFF00u
#define CPUUTIL_MINOR_MM 0x000000FFu

#define CPUUTIL_MINOR_LABEL_START 0x00000000u
#define CPUUTIL_MINOR_SUMMARY 0x10000000u
#define CPUUTIL_MINOR_PER_CPU 0x40000000u
#define CPUUTIL_MINOR_LABEL_END 0xF0000000u

/* The "types" word: what the hook's fields hold. */
#define CPUUTIL_HOOK_BUSY 1u	   /* busy and idle */
#define CPUUTIL_HOOK_INTR 2u	   /* time in interrupts */
#define CPUUTIL_HOOK_PERF 4u	   /* actual performance; its counts */
#define CPUUTIL_HOOK_DISPATCHES 8u /* per processor only */
#define CPUUTIL_HOOK_INTERRUPTS 16u

/* The "method" word: AI_METHOD_ of perfutil.h. Numbers never change. */
enum cpuutil_method {
	CPUUTIL_METHOD_NONE,
	CPUUTIL_METHOD_REFERENCE,
	CPUUTIL_METHOD_MPERF,
	CPUUTIL_METHOD_CYCLES,
	CPUUTIL_METHOD_IDLE_FINE,
	CPUUTIL_METHOD_IDLE_TICK,
	CPUUTIL_METHOD_SCRIPT,
	CPUUTIL_METHODS,
};

/* In reports. The last one is of numbers that came after this reader. */
static const char *const cpuutil_method_words[] = {[CPUUTIL_METHOD_NONE] = "none",
	[CPUUTIL_METHOD_REFERENCE] = "reference",
	[CPUUTIL_METHOD_MPERF] = "mperf",
	[CPUUTIL_METHOD_CYCLES] = "cycles",
	[CPUUTIL_METHOD_IDLE_FINE] = "idle_fine",
	[CPUUTIL_METHOD_IDLE_TICK] = "idle_tick",
	[CPUUTIL_METHOD_SCRIPT] = "script",
	[CPUUTIL_METHODS] = "unknown"};

/* For readers without the schema: index of the (first) word. */
enum cpuutil_word {
	CPUUTIL_LABEL_ELAPSED = 0,
	CPUUTIL_DATA_TYPES = 0,
	CPUUTIL_DATA_METHOD = 1,
	CPUUTIL_DATA_CPUS = 2,
	CPUUTIL_DATA_ELAPSED = 3,
	CPUUTIL_DATA_FIRST = 5,
};

/* The most words of a group's data hooks, on a machine of n processors: summary (three
 * percentages and the actual performance, each of the processors and of the system) and per
 * processor. */
#define CPUUTIL_SUMMARY_WORDS(n) (CPUUTIL_DATA_FIRST + 8 * ((n) + 1))
#define CPUUTIL_PER_CPU_WORDS(n) (CPUUTIL_DATA_FIRST + 14 * (n))

/* The most words of both together. Two label hooks may surround them. */
#define CPUUTIL_GROUP_DATA_HOOKS 2
#define CPUUTIL_GROUP_DATA_WORDS(n) (CPUUTIL_SUMMARY_WORDS(n) + CPUUTIL_PER_CPU_WORDS(n))

#endif
