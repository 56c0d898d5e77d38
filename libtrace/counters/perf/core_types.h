/*
 * The processors' PMUs as sysfs shows them: which types of core there are, each with a PMU of
 * its own on a hybrid machine, and the msr PMU's mperf and aperf.
 */
#ifndef SWT_COUNTERS_PERF_CORE_TYPES_H
#define SWT_COUNTERS_PERF_CORE_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "../../core/online.h"
#include "../sample.h"

enum { CORE_TYPES_MAX = COUNTER_CORE_TYPES };

struct core_type {
	char name[32]; /* "cpu_core", "armv8_cortex_a53", ... */
	uint32_t pmu;  /* perf_event_attr.type */
	struct cpu_set cpus;
};

struct core_types {
	unsigned count; /* 0 or 1: all processors are alike */
	struct core_type type[CORE_TYPES_MAX];
	bool has_mperf, has_aperf; /* of the same PMU */
	uint32_t mperf_pmu;
	uint64_t mperf_config, aperf_config;
};

/* Found once a process. */
const struct core_types *core_types(void);

/* Reads below this directory instead ("/sys"). Not while others read. */
void core_types_read(const char *sysfs);

/* Index of the processor's type; 0 where all are alike or none is known. */
unsigned core_type_of(uint32_t cpu);

#endif
