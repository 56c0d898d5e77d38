/*
 * Processor Information: reading the machine, and a query's state. Private to processor*.c.
 */
#ifndef SWT_PERFLIB_SETS_PROCESSOR_H
#define SWT_PERFLIB_SETS_PROCESSOR_H

#include "../../counters/idle.h"
#include "../../core/online.h"
#include "processor_columns.h"
#include "processor_parse.h"
#include "scan.h"

/* Where the kernel's files are; tests make them up. The counterset's context. */
struct processor_machine {
	const char *proc, *sys;
	/* Idle time, finer than /proc/stat's; NULL, or false: there is no such. */
	bool (*idle)(struct idle_cpu *cpu, uint32_t room, uint64_t *at);
	bool hardware; /* counters, where there are any */
};

/* -------------------------------------------------------------------------- topology */

/* Which node each processor is of. */
struct topology {
	uint32_t nodes;		   /* that have processors */
	uint32_t node[ONLINE_MAX]; /* their numbers, ascending */
	struct {
		uint32_t node;	/* its number; NODE_NONE: no such processor */
		uint32_t index; /* in its node: how many of lower numbers it has, online or not */
	} cpu[ONLINE_MAX];
};

#define NODE_NONE UINT32_MAX

/* Those of these that no node has are of node 0. */
void topology_read(struct topology *t, const char *sys, const struct cpu_set *online);

/* --------------------------------------------------------------------------- reading */

enum { IDLE_STATES = 10 }; /* the kernel's most */

struct processor {
	bool online;
	bool states_known;	       /* which idle states it has */
	uint8_t states;		       /* how many */
	uint8_t class_of[IDLE_STATES]; /* processor_idle_class */
	uint64_t known;		       /* a PROCESSOR_BIT a value */
	uint64_t value[PROCESSOR_COLUMNS];
	uint64_t known_before; /* the sample before, for what follows from it */
	uint64_t before[PROCESSOR_COLUMNS];
	uint64_t opening; /* of its hardware counters, where they were read */
};

static inline void processor_set_value(
	struct processor *p, enum processor_column column, uint64_t value)
{
	p->value[column] = value;
	p->known |= PROCESSOR_BIT(column);
}

/* Of a group: a node, or all. */
struct processor_total {
	uint64_t known;
	uint64_t value[PROCESSOR_COLUMNS];
};

struct processors {
	const struct processor_machine *machine;
	struct topology topology;
	struct cpu_set online;
	uint32_t end; /* above all that ever were online */
	struct file_text text;
	uint64_t user_hz;
	uint64_t slack; /* how far times may be wrong, 100 ns */
	int64_t time;	/* of the sample before, 100 ns; 0: none */
	bool counting;	/* the hardware's counters are held */
	struct idle_cpu idle[ONLINE_MAX];
	struct processor_ticks ticks[ONLINE_MAX];
	struct processor_interrupts interrupts[ONLINE_MAX];
	uint64_t counts[ONLINE_MAX];
	struct processor cpu[ONLINE_MAX];
	struct processor_total total[1 + ONLINE_MAX]; /* all; then by node */
};

/* Who is online, and the topology where somebody came. */
void processors_look(struct processors *p);
/* The values of these columns, of those that are online. */
void processors_read(struct processors *p, uint64_t columns);
/* processor_sysfs.c: what is read a processor at a time. */
void processors_read_states(struct processors *p);
void processors_read_frequencies(struct processors *p, uint64_t columns);
/* processor_counters.c: what the hardware counts. */
void processors_read_counters(struct processors *p);
void processors_drop_counters(struct processors *p);
/* processor_total.c: times, none running faster than time; then the totals. */
void processors_smooth(struct processors *p, int64_t time);
void processors_add_up(struct processors *p);

extern const struct counterset_operations processor_operations;

/* Columns that this one's reading supplies. */
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
