/*
 * What the kernel's texts say of each processor. Pure; all take any bytes.
 *
 * Tables have room entries, one a processor number; those of processors that a text does not
 * name are not known.
 */
#ifndef SWT_PERFLIB_SETS_PROCESSOR_PARSE_H
#define SWT_PERFLIB_SETS_PROCESSOR_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT_UNKNOWN UINT64_MAX

/* Of /proc/stat, in ticks of USER_HZ. */
struct processor_ticks {
	uint64_t user, nice, system;
	uint64_t irq, softirq; /* COUNT_UNKNOWN: a kernel that does not tell */
	bool known;
};

/* False if it names no processor. */
bool processor_parse_stat(
	const char *text, size_t length, struct processor_ticks *cpu, uint32_t room);

struct processor_interrupts {
	uint64_t all, clock; /* modulo 2^32, as each source's count is; COUNT_UNKNOWN */
};

/* /proc/interrupts; false if it makes no sense. */
bool processor_parse_interrupts(
	const char *text, size_t length, struct processor_interrupts *cpu, uint32_t room);

/* /proc/softirqs, all kinds together, modulo 2^32. */
bool processor_parse_softirqs(const char *text, size_t length, uint64_t *cpu, uint32_t room);

/* /proc/cpuinfo of x86: MHz, rounded. False if it has none. */
bool processor_parse_cpuinfo(const char *text, size_t length, uint64_t *mhz, uint32_t room);

/* acpi_cppc's feedback_ctrs: "ref:1 del:2". */
bool processor_parse_feedback(
	const char *text, size_t length, uint64_t *reference, uint64_t *delivered);

/* An idle state's class by its name: 1, 2, 3 (and deeper), 0: polling, or a name that says
 * nothing of its depth. */
unsigned processor_idle_class(const char *name, size_t length);

#endif
