/*
 * CPI hooks: major and minor codes. The words of each hook are described once
 * for decoders in cpi.hooks; the writer's side is libtrace/cpi/. The low byte of
 * every minor (mm) is the program's own code. Source: the CPI facility's document.
 */
#ifndef SWT_FORMATS_CPI_HOOKS_H
#define SWT_FORMATS_CPI_HOOKS_H

#define CPI_MAJOR 0xC0u
#define CPI_MINOR_KIND 0xFFFFFF00u
#define CPI_MINOR_MM 0x000000FFu

#define CPI_MINOR_LABEL_START 0x00000000u
#define CPI_MINOR_SUMMARY 0x10000000u
#define CPI_MINOR_THREAD 0x20000000u
#define CPI_MINOR_PER_CPU 0x40000000u
#define CPI_MINOR_SYSTEM 0x80000000u
#define CPI_MINOR_LABEL_END 0xF0000000u

/* The "types" word: what the group's fields hold. */
#define CPI_HOOK_RAW 1u
#define CPI_HOOK_BUSY 2u
#define CPI_HOOK_THREAD 4u /* in the summary only */

/* Where words stand that a reader without the schema needs: index of the (first) word. */
enum cpi_word {
	CPI_LABEL_ELAPSED = 0,
	CPI_SUMMARY_TYPES = 0,
	CPI_SUMMARY_CPUS = 1,
	CPI_SUMMARY_ELAPSED = 2,
	CPI_SUMMARY_RAW = 4, /* 2 words a processor; then the system's 2 */
	CPI_SUMMARY_SCALED_WORDS =
		4, /* with CPI_HOOK_BUSY: so many a processor, and the system's */
	CPI_SYSTEM_ELAPSED = 1,
	CPI_SYSTEM_CPI = 7,
	CPI_PER_CPU_ELAPSED = 2,
	CPI_THREAD_ELAPSED = 1,
	CPI_THREAD_CPI = 7,
};

/* The fraction of a CPI or a percentage is in units of 1/10000. */
#define CPI_FRACTION 10000u

#endif
