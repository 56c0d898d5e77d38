/*
 * Parses the kernel's per-processor texts. Pure; accepts any bytes.
 *
 * Tables have `room` entries, indexed by processor number; processors missing from a text stay
 * unknown.
 */
#ifndef SWT_PERFLIB_SETS_PROCESSOR_PARSE_H
#define SWT_PERFLIB_SETS_PROCESSOR_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../../../formats/figures.h"

/* From /proc/stat, in ticks of USER_HZ. */
struct processor_ticks {
	uint64_t user, nice, system;
	uint64_t irq, softirq; /* NOT_MEASURED: an old kernel does not report it */
	bool known;
};

/* False if the text names no processor. */
bool processor_parse_stat(
	const char *text, size_t length, struct processor_ticks *cpu, uint32_t room);

struct processor_interrupts {
	uint64_t all, clock; /* modulo 2^32, like each source's count; or NOT_MEASURED */
};

/* Parses /proc/interrupts; false if it is malformed. */
bool processor_parse_interrupts(
	const char *text, size_t length, struct processor_interrupts *cpu, uint32_t room);

/* Parses /proc/softirqs: sums all kinds, modulo 2^32. */
bool processor_parse_softirqs(const char *text, size_t length, uint64_t *cpu, uint32_t room);

/* Parses x86's /proc/cpuinfo: MHz, rounded. False if it has none. */
bool processor_parse_cpuinfo(const char *text, size_t length, uint64_t *mhz, uint32_t room);

/* Parses acpi_cppc's feedback_ctrs: "ref:1 del:2". */
bool processor_parse_feedback(
	const char *text, size_t length, uint64_t *reference, uint64_t *delivered);

/* Maps an idle state's name to its class: 1, 2, 3 (and deeper); 0: polling or unknown depth. */
unsigned processor_idle_class(const char *name, size_t length);

#endif
