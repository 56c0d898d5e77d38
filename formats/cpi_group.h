/*
 * Groups: the hooks of one interval, of the CPI facility (with those of the interval major behind
 * them), of CPU utilisation, or a light interval, which is one hook. States their kinds in order,
 * and the rule by which a hook joins the previous one (trace-file.md, "Record"). Every reader of
 * groups uses this table.
 */
#ifndef SWT_FORMATS_CPI_GROUP_H
#define SWT_FORMATS_CPI_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "cpi_hooks.h"
#include "cpuutil_hooks.h"
#include "interval_flags.h"
#include "scope_hooks.h"

/* The hooks of a group, in order. */
enum group_part {
	PART_NONE, /* not a hook of a group */
	PART_LABEL_START,
	PART_SUMMARY,
	PART_SYSTEM,
	PART_PER_CPU,
	PART_THREAD,
	PART_QUALITY,
	PART_LABEL_END,
	PART_TIME,
	PART_EVENTS,
	PART_ARGS,
	/* CPU utilisation. */
	PART_UTIL_LABEL_START,
	PART_UTIL_SUMMARY,
	PART_UTIL_PER_CPU,
	PART_UTIL_LABEL_END,
	/* Light intervals. */
	PART_SCOPE,
	PART_SCOPE_ARGS,
	PARTS,
};

struct group_kind {
	uint32_t minor;
	uint8_t major;
	/* For readers without the schema: index of the (first) word. */
	uint8_t elapsed;
	/* The same; 0: none, or at no fixed index. */
	uint8_t cpi;
	uint8_t counts; /* instructions, then cycles */
	uint8_t known;	/* with `first`: lists the figures, which come in the order of their bits */
	uint8_t on_cpu, switches; /* bits of these two, of two words each; 0: none */
	uint8_t first;		  /* of the figures, behind the turns */
	uint8_t turns;		  /* how many, of CPI_QUALITY_WORDS each */
};

static const struct group_kind group_kinds[PARTS] = {
	[PART_LABEL_START] = {CPI_MINOR_LABEL_START, CPI_MAJOR, CPI_LABEL_ELAPSED, .cpi = 0},
	[PART_SUMMARY] = {CPI_MINOR_SUMMARY, CPI_MAJOR, CPI_SUMMARY_ELAPSED, .cpi = 0},
	[PART_SYSTEM] = {CPI_MINOR_SYSTEM, CPI_MAJOR, CPI_SYSTEM_ELAPSED, .cpi = CPI_SYSTEM_CPI,
		.counts = CPI_SYSTEM_INSTRUCTIONS},
	[PART_PER_CPU] = {CPI_MINOR_PER_CPU, CPI_MAJOR, CPI_PER_CPU_ELAPSED, .cpi = 0},
	[PART_THREAD] = {CPI_MINOR_THREAD, CPI_MAJOR, CPI_THREAD_ELAPSED, .cpi = CPI_THREAD_CPI,
		.counts = CPI_THREAD_INSTRUCTIONS},
	[PART_QUALITY] = {CPI_MINOR_QUALITY, CPI_MAJOR, CPI_QUALITY_ELAPSED,
		.known = CPI_QUALITY_KNOWN, .on_cpu = CPI_KNOWN_ON_CPU,
		.switches = CPI_KNOWN_SWITCHES, .first = CPI_QUALITY_FIRST,
		.turns = CPI_QUALITY_QUANTITIES},
	[PART_LABEL_END] = {CPI_MINOR_LABEL_END, CPI_MAJOR, CPI_LABEL_ELAPSED, .cpi = 0},
	[PART_TIME] = {INTERVAL_MINOR_TIME, INTERVAL_MAJOR, INTERVAL_TIME_WORD_ELAPSED,
		.known = INTERVAL_TIME_WORD_KNOWN, .on_cpu = INTERVAL_KNOWN_ON_CPU,
		.switches = INTERVAL_KNOWN_SWITCHES, .first = INTERVAL_TIME_WORD_FIRST},
	[PART_EVENTS] = {INTERVAL_MINOR_EVENTS, INTERVAL_MAJOR, INTERVAL_EVENTS_WORD_ELAPSED,
		.cpi = 0},
	[PART_ARGS] = {INTERVAL_MINOR_ARGS, INTERVAL_MAJOR, INTERVAL_ARGS_WORD_ELAPSED, .cpi = 0},
	[PART_UTIL_LABEL_START] = {CPUUTIL_MINOR_LABEL_START, CPUUTIL_MAJOR, CPUUTIL_LABEL_ELAPSED,
		.cpi = 0},
	[PART_UTIL_SUMMARY] = {CPUUTIL_MINOR_SUMMARY, CPUUTIL_MAJOR, CPUUTIL_DATA_ELAPSED,
		.cpi = 0},
	[PART_UTIL_PER_CPU] = {CPUUTIL_MINOR_PER_CPU, CPUUTIL_MAJOR, CPUUTIL_DATA_ELAPSED,
		.cpi = 0},
	[PART_UTIL_LABEL_END] = {CPUUTIL_MINOR_LABEL_END, CPUUTIL_MAJOR, CPUUTIL_LABEL_ELAPSED,
		.cpi = 0},
	[PART_SCOPE] = {SCOPE_MINOR_PLAIN, SCOPE_MAJOR, SCOPE_WORD_ELAPSED,
		.known = SCOPE_WORD_KNOWN, .on_cpu = SCOPE_KNOWN_ON_CPU,
		.switches = SCOPE_KNOWN_SWITCHES, .first = SCOPE_PLAIN_FIRST},
	[PART_SCOPE_ARGS] = {SCOPE_MINOR_ARGS, SCOPE_MAJOR, SCOPE_WORD_ELAPSED,
		.known = SCOPE_WORD_KNOWN, .on_cpu = SCOPE_KNOWN_ON_CPU,
		.switches = SCOPE_KNOWN_SWITCHES, .first = SCOPE_ARGS_FIRST},
};

/* The kinds of hooks of a major differ only in these bits, which are the same for all majors. */
#define GROUP_KIND_SHIFT 28
#define GROUP_KIND(minor) ((minor) >> GROUP_KIND_SHIFT)
_Static_assert(((CPI_MINOR_LABEL_START | CPI_MINOR_SUMMARY | CPI_MINOR_THREAD | CPI_MINOR_PER_CPU |
			CPI_MINOR_SYSTEM | CPI_MINOR_QUALITY | CPI_MINOR_LABEL_END |
			CPUUTIL_MINOR_LABEL_START | CPUUTIL_MINOR_SUMMARY | CPUUTIL_MINOR_PER_CPU |
			CPUUTIL_MINOR_LABEL_END) &
		       ((1u << GROUP_KIND_SHIFT) - 1)) == 0,
	"the table of kinds");
_Static_assert(CPUUTIL_MINOR_KIND == CPI_MINOR_KIND && CPUUTIL_MINOR_MM == CPI_MINOR_MM &&
		       INTERVAL_MINOR_KIND == CPI_MINOR_KIND &&
		       SCOPE_MINOR_KIND == CPI_MINOR_KIND &&
		       ((INTERVAL_MINOR_TIME | INTERVAL_MINOR_EVENTS | INTERVAL_MINOR_ARGS |
				SCOPE_MINOR_PLAIN | SCOPE_MINOR_ARGS) &
			       ((1u << GROUP_KIND_SHIFT) - 1)) == 0,
	"the table of kinds");

static inline enum group_part group_part(uint8_t major, uint32_t minor)
{
	static const uint8_t rows[256] = {
		[CPI_MAJOR] = 1, [CPUUTIL_MAJOR] = 2, [INTERVAL_MAJOR] = 3, [SCOPE_MAJOR] = 4};
	static const uint8_t parts[5][16] = {
		[1] = {[GROUP_KIND(CPI_MINOR_LABEL_START)] = PART_LABEL_START,
			[GROUP_KIND(CPI_MINOR_SUMMARY)] = PART_SUMMARY,
			[GROUP_KIND(CPI_MINOR_SYSTEM)] = PART_SYSTEM,
			[GROUP_KIND(CPI_MINOR_PER_CPU)] = PART_PER_CPU,
			[GROUP_KIND(CPI_MINOR_THREAD)] = PART_THREAD,
			[GROUP_KIND(CPI_MINOR_QUALITY)] = PART_QUALITY,
			[GROUP_KIND(CPI_MINOR_LABEL_END)] = PART_LABEL_END},
		[2] = {[GROUP_KIND(CPUUTIL_MINOR_LABEL_START)] = PART_UTIL_LABEL_START,
			[GROUP_KIND(CPUUTIL_MINOR_SUMMARY)] = PART_UTIL_SUMMARY,
			[GROUP_KIND(CPUUTIL_MINOR_PER_CPU)] = PART_UTIL_PER_CPU,
			[GROUP_KIND(CPUUTIL_MINOR_LABEL_END)] = PART_UTIL_LABEL_END},
		[3] = {[GROUP_KIND(INTERVAL_MINOR_TIME)] = PART_TIME,
			[GROUP_KIND(INTERVAL_MINOR_EVENTS)] = PART_EVENTS,
			[GROUP_KIND(INTERVAL_MINOR_ARGS)] = PART_ARGS},
		[4] = {[GROUP_KIND(SCOPE_MINOR_PLAIN)] = PART_SCOPE,
			[GROUP_KIND(SCOPE_MINOR_ARGS)] = PART_SCOPE_ARGS},
	};

	if (minor & CPI_MINOR_KIND & ~(0xFu << GROUP_KIND_SHIFT))
		return PART_NONE;
	return (enum group_part)parts[rows[major]][GROUP_KIND(minor)];
}

/* A kind of hook that accompanies a group and came after this reader: it ends no group. */
static inline bool group_is_companion(uint8_t major, enum group_part part)
{
	return major == INTERVAL_MAJOR && part == PART_NONE;
}

/* Whose hooks a group has. */
enum group_class { GROUP_CPI, GROUP_UTIL, GROUP_SCOPE };

static inline enum group_class group_class(enum group_part part)
{
	return part >= PART_SCOPE	       ? GROUP_SCOPE
	       : part >= PART_UTIL_LABEL_START ? GROUP_UTIL
					       : GROUP_CPI;
}

/* The identity of a group by its hooks so far. */
struct group_identity {
	uint64_t elapsed;
	uint8_t part; /* enum group_part of the last hook */
	uint8_t mm;
	bool has_elapsed;
};

/* The identity by one hook. */
static inline struct group_identity group_identify(
	enum group_part part, uint32_t minor, bool has_elapsed, uint64_t elapsed)
{
	return (struct group_identity){has_elapsed ? elapsed : 0, (uint8_t)part,
		(uint8_t)(minor & CPI_MINOR_MM), has_elapsed};
}

/* True if a hook of that part may follow one of the group's: same class, in order. */
static inline bool group_part_follows(enum group_part group, enum group_part next)
{
	/* The last part of each class of several hooks. */
	static const uint8_t last[PARTS] = {
		[PART_LABEL_START] = PART_ARGS,
		[PART_SUMMARY] = PART_ARGS,
		[PART_SYSTEM] = PART_ARGS,
		[PART_PER_CPU] = PART_ARGS,
		[PART_THREAD] = PART_ARGS,
		[PART_QUALITY] = PART_ARGS,
		[PART_LABEL_END] = PART_ARGS,
		[PART_TIME] = PART_ARGS,
		[PART_EVENTS] = PART_ARGS,
		[PART_UTIL_LABEL_START] = PART_UTIL_LABEL_END,
		[PART_UTIL_SUMMARY] = PART_UTIL_LABEL_END,
		[PART_UTIL_PER_CPU] = PART_UTIL_LABEL_END,
	};

	return next > group && next <= (enum group_part)last[group];
}

/*
 * Whether the next hook, of the same thread and stamp, continues the group. A hook too short for
 * its elapsed time joins its neighbours.
 */
static inline bool group_goes_on(
	const struct group_identity *group, const struct group_identity *next)
{
	return group_part_follows((enum group_part)group->part, (enum group_part)next->part) &&
	       next->mm == group->mm &&
	       (!next->has_elapsed || !group->has_elapsed || next->elapsed == group->elapsed);
}

static inline void group_go_on(struct group_identity *group, const struct group_identity *next)
{
	group->part = next->part;
	if (next->has_elapsed && !group->has_elapsed) {
		group->elapsed = next->elapsed;
		group->has_elapsed = true;
	}
}

/* Raises what a hook of that part tells, after those before it. */
static inline void group_raise_flags(enum group_part part, uint32_t *flags, uint8_t *types)
{
	static const uint8_t raises[PARTS] = {
		[PART_LABEL_START] = IV_NO_END, /* until the end comes */
		[PART_LABEL_END] = IV_NO_START, /* unless the start came */
		[PART_SUMMARY] = IV_SUMMARY,
		[PART_SYSTEM] = IV_DETAILED,
		[PART_PER_CPU] = IV_DETAILED,
		[PART_THREAD] = IV_DETAILED,
		[PART_QUALITY] = IV_QUALITY,
		[PART_UTIL_LABEL_START] = IV_NO_END,
		[PART_UTIL_LABEL_END] = IV_NO_START,
		[PART_UTIL_SUMMARY] = IV_SUMMARY,
		[PART_UTIL_PER_CPU] = IV_DETAILED,
	};
	uint32_t raised = raises[part];

	if (raised == IV_NO_START && *flags & IV_NO_END)
		*flags &= ~(uint32_t)IV_NO_END;
	else
		*flags |= raised;
	if (part == PART_THREAD)
		*types |= CPI_HOOK_THREAD;
}

/* The flags of the quality hook's word. Ignores bits that are not defined yet. */
static inline uint32_t interval_quality_flags(uint32_t word)
{
	return (word & CPI_QUALITY_MULTIPLEXED ? IV_MULTIPLEXED : 0) |
	       (word & CPI_QUALITY_CPUS_CHANGED ? IV_CPUS_CHANGED : 0) |
	       (word & CPI_QUALITY_CORE_TYPES ? IV_CORE_TYPES : 0) |
	       (word & CPI_QUALITY_USER_ONLY ? IV_USER_ONLY : 0);
}

#endif
