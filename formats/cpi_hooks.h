/*
 * CPI hooks: major and minor codes. cpi.hooks describes the words of each hook for decoders; the
 * writer's side is libtrace/measure/cpi/. The low byte of every minor (mm) is the program's own
 * code. Source: the CPI facility's document.
 */
#ifndef SWT_FORMATS_CPI_HOOKS_H
#define SWT_FORMATS_CPI_HOOKS_H

#include <stdint.h>

#include "interval_hooks.h"

#define CPI_MAJOR 0xC0u
#define CPI_MINOR_KIND 0xFFFFFF00u
#define CPI_MINOR_MM 0x000000FFu

#define CPI_MINOR_LABEL_START 0x00000000u
#define CPI_MINOR_SUMMARY 0x10000000u
#define CPI_MINOR_THREAD 0x20000000u
#define CPI_MINOR_PER_CPU 0x40000000u
#define CPI_MINOR_SYSTEM 0x80000000u
#define CPI_MINOR_QUALITY 0xA0000000u /* only if CPI_TYPE_TRACE_QUALITY requested it */
#define CPI_MINOR_LABEL_END 0xF0000000u

/* The "types" word: what the group's fields hold. */
#define CPI_HOOK_RAW 1u
#define CPI_HOOK_BUSY 2u
#define CPI_HOOK_THREAD 4u /* in the summary only */

/* The quality hook's "flags" word: limits of the group's figures. */
#define CPI_QUALITY_MULTIPLEXED 1u  /* a count ran for part of the time and was scaled up */
#define CPI_QUALITY_CPUS_CHANGED 2u /* a processor went on- or offline in the interval */
#define CPI_QUALITY_CORE_TYPES 4u   /* a ratio adds counts of different types of core */
#define CPI_QUALITY_USER_ONLY 8u    /* the thread's counts are of user mode only */

/* The quality hook's "known" word: which of the thread's figures follow. */
#define CPI_KNOWN_ON_CPU 1u
#define CPI_KNOWN_SWITCHES 2u
#define CPI_KNOWN_MIGRATIONS 4u
#define CPI_KNOWN_FAULTS 8u

/* The quantities of a quality hook, in this order. More may come after them. */
enum cpi_quantity {
	CPI_QUANTITY_INSTRUCTIONS,	  /* of the processors */
	CPI_QUANTITY_BUSY,		  /* cycles in which the processors were not idle */
	CPI_QUANTITY_THREAD_INSTRUCTIONS, /* of the thread */
	CPI_QUANTITY_THREAD_CYCLES,
	CPI_QUANTITIES,
};

/* The quality hook's "source" of a quantity: how it was counted. Numbers never change. */
enum cpi_source {
	CPI_SOURCE_NONE = 0,	     /* not measured */
	CPI_SOURCE_COUNTER = 1,	     /* a hardware counter, read by a system call */
	CPI_SOURCE_COUNTER_USER = 2, /* the same, read in user mode (rdpmc) */
	CPI_SOURCE_REF_CYCLES = 3,   /* unhalted reference cycles */
	CPI_SOURCE_MPERF = 4,	     /* the mperf register, through the msr PMU */
	CPI_SOURCE_CYCLES = 5,	     /* unhalted cycles, at the core's own changing rate */
	CPI_SOURCE_TIMER_LIST = 6,   /* idle time in /proc/timer_list */
	CPI_SOURCE_PROC_STAT = 7,    /* idle time in /proc/stat */
	CPI_SOURCE_THREAD_CLOCK = 8, /* CLOCK_THREAD_CPUTIME_ID */
	CPI_SOURCE_SCRIPT = 9,	     /* scripted, not measured */
};

/* For readers without the schema: index of the (first) word. */
enum cpi_word {
	CPI_LABEL_ELAPSED = 0,
	CPI_SUMMARY_TYPES = 0,
	CPI_SUMMARY_CPUS = 1,
	CPI_SUMMARY_ELAPSED = 2,
	CPI_SUMMARY_RAW = 4, /* 2 words per processor; then the system's 2 */
	CPI_SUMMARY_SCALED_WORDS =
		4, /* with CPI_HOOK_BUSY: words per processor, and of the system */
	CPI_SYSTEM_ELAPSED = 1,
	CPI_SYSTEM_INSTRUCTIONS = 3, /* two words; then the cycles' */
	CPI_SYSTEM_CPI = 7,
	CPI_PER_CPU_ELAPSED = 2,
	CPI_THREAD_ELAPSED = 1,
	CPI_THREAD_INSTRUCTIONS = 3, /* two words; then the cycles' */
	CPI_THREAD_CPI = 7,
	CPI_QUALITY_FLAGS = 0,
	CPI_QUALITY_KNOWN = 1,
	CPI_QUALITY_ELAPSED = 2,
	CPI_QUALITY_QUANTITIES = 4, /* how many follow; CPI_QUALITY_WORDS each */
	CPI_QUALITY_FIRST = 5,
	CPI_QUALITY_WORDS = 5,	    /* source; enabled ns H L; running ns H L */
	CPI_QUALITY_LIFE_WORDS = 2, /* of each figure of the thread that is known */
	CPI_QUALITY_LIFE = 4,	    /* number of figures */
};

/* The summary's words from CPI_SUMMARY_RAW on: of its processors and the system. The thread's CPI
 * is behind them. */
static inline uint64_t cpi_summary_ratio_words(uint32_t types, uint64_t cpus)
{
	return (cpus + 1) * (types & CPI_HOOK_BUSY ? 2 + CPI_SUMMARY_SCALED_WORDS : 2);
}

/* The most words of a group's data hooks, on a machine of n processors: summary, system-wide,
 * per processor, thread, quality, and the time of the interval major. Two label hooks may come
 * with them. */
#define CPI_GROUP_DATA_HOOKS 6
#define CPI_GROUP_DATA_WORDS(n)                                                                    \
	((12 + 6 * (n)) + 15 + (4 + 12 * (n)) + 9 +                                                \
		(CPI_QUALITY_FIRST + CPI_QUALITY_WORDS * CPI_QUANTITIES +                          \
			CPI_QUALITY_LIFE * CPI_QUALITY_LIFE_WORDS) +                               \
		INTERVAL_TIME_WORDS)

/* The fraction of a CPI or a percentage is in units of 1/10000. */
#define CPI_FRACTION 10000u

#endif
