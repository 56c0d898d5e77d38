/* Idle and busy time of each processor, by the kernel's switches, for the info report. */
#ifndef SWT_DECODER_REPORT_INFO_SWITCHES_H
#define SWT_DECODER_REPORT_INFO_SWITCHES_H

#include "../../model/hooks/switches.h"
#include "../../sink/document.h"
#include "../report.h"

/* Reads the switches of all files: group is the file. *cpus starts zeroed; empty without switches.
 * Reads all hooks if there are any. 0 or a CPIDECODE_E code. */
int info_switches_read(struct switch_cpus *cpus, const struct report *r);

/* A table, or a member; nothing for files without switches. */
void info_write_switches(
	struct document *d, const struct switch_cpus *cpus, const struct trace_file *f);

#endif
