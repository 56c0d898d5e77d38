/*
 * A made-up /sys: files in a directory of its own, which the process's end removes.
 */
#ifndef TEST_MADE_UP_SYSFS_H
#define TEST_MADE_UP_SYSFS_H

/* Makes the file, and the directories that lead to it: "cpu_core/cpus" below
 * bus/event_source/devices. */
void sysfs_put(const char *name, const char *text);

/* core_types_read of it. */
void sysfs_use(void);

/* Its path; and the same for a file of any other directory of it. */
const char *sysfs_root(void);
void sysfs_put_below_root(const char *name, const char *text);

/* Types 40 (cpu_core) and 41 (cpu_atom) with these processors, and mperf of PMU 60. */
void sysfs_put_hybrid(const char *core, const char *atom);
void sysfs_put_msr(void);

#endif
