/*
 * event --cpu p4: the Pentium 4's events and how its counters are programmed for them. An
 * encoder: it runs on any machine and touches no register.
 *
 * operands follow the sub-verb. Output goes to stdout; returns an exit code. An
 * event that makes no sense or a set that does not fit is one line on stderr and EXIT_FAILED
 * (with --json, the line is an object's "error" too); a wrong number of operands ends the
 * process with EXIT_USAGE.
 */
#ifndef SWT_CMD_EVENT_P4_H
#define SWT_CMD_EVENT_P4_H

#include <stdbool.h>

struct verb;

/* Whether --cpu names a Pentium 4: "p4" (any model), "netburst" (models 0 to 2) or "netburst_p"
 * (models 3, 4 and 6). */
bool event_p4_is(const char *cpu);

/* Every event, or those whose names match one of the operands: a pattern, or a part of the name. */
int event_p4_list(
	const struct verb *verb, const char *cpu, bool json, int operands, char **operand);
/* One event or more: what it counts, its unit masks, ESCRs, counters. */
int event_p4_show(
	const struct verb *verb, const char *cpu, bool json, int operands, char **operand);
/* All operands (NAME[:MASK...][:c=N][:i][:e][:u][:k]...) at once, in one assignment. */
int event_p4_encode(
	const struct verb *verb, const char *cpu, bool json, int operands, char **operand);

/* The lines of --help about it. */
#define EVENT_P4_HELP                                                                              \
	"  --cpu p4    the Pentium 4's events, not this machine's: ESCR, counter, CCCR, "          \
	"registers;\n"                                                                             \
	"              several events are assigned together (netburst: models 0 to 2 only,\n"      \
	"              netburst_p: models 3, 4 and 6)\n"

#endif
