/*
 * Processor Information: reads the machine and keeps a query's state. Private to this folder.
 *
 * libtrace/perflib/sets/processor owns the counterset Processor Information. It includes perflib,
 * core, counters and sets. Errors as in counterset.h.
 */
#ifndef SWT_PERFLIB_SETS_PROCESSOR_PROCESSOR_H
#define SWT_PERFLIB_SETS_PROCESSOR_PROCESSOR_H

#include "../../../counters/machine/idle.h"
#include "../../../core/online.h"
#include "columns.h"
#include "parse.h"
#include "../scan.h"

/* The counterset's context: where the kernel's files are. Tests use files of their own. */
struct processor_machine {
	const char *proc, *sys;
	/* Reads idle times finer than /proc/stat's. NULL or false: not available. */
	bool (*idle)(struct idle_cpu *cpu, uint32_t room, uint64_t *at);
	bool hardware; /* use the hardware's counters if there are any */
};

/* -------------------------------------------------------------------------- topology */

/* The NUMA node of each processor. */
struct topology {
	uint32_t nodes;		   /* nodes that have processors */
	uint32_t node[ONLINE_MAX]; /* node numbers, ascending */
	struct {
		uint32_t node;	/* node number; NODE_NONE: there is no such processor */
		uint32_t index; /* rank among the node's processors, online or not */
	} cpu[ONLINE_MAX];
};

#define NODE_NONE UINT32_MAX

/* Processors that no node lists belong to node 0. */
void topology_read(struct topology *t, const char *sys, const struct cpu_set *online);

/* --------------------------------------------------------------------------- reading */

enum { IDLE_STATES = 10 }; /* the kernel's maximum */

struct processor {
	bool online;
	bool states_known;	       /* the idle states were read */
	uint8_t states;		       /* number of idle states */
	uint8_t class_of[IDLE_STATES]; /* processor_idle_class */
	uint64_t known;		       /* a PROCESSOR_BIT per value */
	uint64_t value[PROCESSOR_COLUMNS];
	uint64_t known_before; /* in the previous sample, for rates */
	uint64_t before[PROCESSOR_COLUMNS];
	uint64_t opening; /* of the hardware counters when they were read */
};

static inline void processor_set_value(
	struct processor *p, enum processor_column column, uint64_t value)
{
	p->value[column] = value;
	p->known |= PROCESSOR_BIT(column);
}

/* The total of a group: a node, or all processors. */
struct processor_total {
	uint64_t known;
	uint64_t value[PROCESSOR_COLUMNS];
};

struct processors {
	const struct processor_machine *machine;
	struct topology topology;
	struct cpu_set online;
	uint32_t end; /* highest processor number ever online, plus 1 */
	struct file_text text;
	uint64_t user_hz;
	uint64_t slack; /* maximum error of times, in 100 ns */
	int64_t time;	/* of the previous sample, in 100 ns; 0: none */
	bool counting;	/* holds the hardware counters */
	struct idle_cpu idle[ONLINE_MAX];
	struct processor_ticks ticks[ONLINE_MAX];
	struct processor_interrupts interrupts[ONLINE_MAX];
	uint64_t counts[ONLINE_MAX];
	struct processor cpu[ONLINE_MAX];
	struct processor_total total[1 + ONLINE_MAX]; /* all processors, then by node */
};

/* Reads which processors are online; reads the topology again if one came online. */
void processors_refresh(struct processors *p);
/* Reads these columns of the online processors. */
void processors_read(struct processors *p, uint64_t columns);
/* sysfs.c: files that sysfs has per processor. */
void processors_read_states(struct processors *p);
void processors_read_frequencies(struct processors *p, uint64_t columns);
/* counters.c: hardware counters. */
void processors_read_counters(struct processors *p);
void processors_drop_counters(struct processors *p);
/* total.c: limits times to the time that passed, then computes the totals. */
void processors_smooth(struct processors *p, int64_t time);
void processors_add_up(struct processors *p);

extern const struct counterset_operations processor_operations;

/* Columns by their source. */
#define PROCESSOR_STATE_BITS                                                                       \
	(PROCESSOR_BIT(PROCESSOR_C1_TIME) | PROCESSOR_BIT(PROCESSOR_C2_TIME) |                     \
		PROCESSOR_BIT(PROCESSOR_C3_TIME) | PROCESSOR_BIT(PROCESSOR_C1) |                   \
		PROCESSOR_BIT(PROCESSOR_C2) | PROCESSOR_BIT(PROCESSOR_C3) |                        \
		PROCESSOR_BIT(PROCESSOR_IDLE_BREAKS))
#define PROCESSOR_FREQUENCY_BITS                                                                   \
	(PROCESSOR_BIT(PROCESSOR_FREQUENCY) | PROCESSOR_BIT(PROCESSOR_OF_MAXIMUM) |                \
		PROCESSOR_BIT(PROCESSOR_LIMIT))
#define PROCESSOR_COUNTER_BITS                                                                     \
	(PROCESSOR_BIT(PROCESSOR_PERFORMANCE) | PROCESSOR_BIT(PROCESSOR_PERFORMANCE_BASE) |        \
		PROCESSOR_BIT(PROCESSOR_UTILITY) | PROCESSOR_BIT(PROCESSOR_UTILITY_BASE))

#endif
