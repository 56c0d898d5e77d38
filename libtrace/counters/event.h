/*
 * Events by name. A name is, tried in this order:
 *
 *	instructions, cycles, ref-cycles, page-faults, ...	the kernel's generic events, with
 *						perf's aliases and cache events (L1-dcache-loads)
 *	cpu/event=0x3c,umask=0,cmask=1,inv,edge/	a PMU of sysfs with its format's terms, or
 *	cpu/cache-misses/			an event that sysfs names there
 *	r01c2					raw, as the PMU wants it
 *	inst_retired:any_p:c=1:i:e		libpfm4's, where the library was there to build with
 *
 * and after any of them `:u`, `:k` or `:uk` (perf's modifiers): user mode, the kernel.
 *
 * libpfm4's names of what the kernel names itself need its own prefix, perf::NAME, so that a
 * name means the same in builds without it.
 *
 * Errors: 0 or a negative errno, with a line that says what and why. Threads: any; what
 * libpfm4 needs at the start is done once.
 */
#ifndef SWT_COUNTERS_EVENT_H
#define SWT_COUNTERS_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EVENT_NAME_MAX = 128, EVENT_WHY_MAX = 256 };

enum event_origin { EVENT_GENERIC, EVENT_SYSFS, EVENT_RAW, EVENT_LIBPFM4 };

struct counter_event {
	char name[EVENT_NAME_MAX]; /* as it was asked for */
	char pmu[64];		   /* "cpu", "software", "armv8_pmuv3_0", ...; "" none here */
	enum event_origin origin;
	uint32_t type;
	uint64_t config, config1, config2;
	bool software;	   /* counted by the kernel, not by hardware */
	bool user, kernel; /* counted in; both: no modifier, or :uk */
	bool modes_given;  /* the name says where, by a modifier */
};

/* Parses a name. -EINVAL (no such name or term, or out of range; why names it), -ENOTSUP (this
 * machine has no such PMU, or libpfm4 knows the name of another processor only). Opens no
 * event: whether one counts here, event_try says. why is "" where nothing is wrong. */
int event_find(const char *name, struct counter_event *e, char why[EVENT_WHY_MAX]);

/* The attributes that count it; enabled from the start, no sampling. */
void event_attr(const struct counter_event *e, struct perf_event_attr *attr);

/* Opens it once for the calling thread to see whether it counts here: 0 or the errno of
 * perf_event_open, negative. */
int event_try(const struct counter_event *e);

struct event_info {
	const char *name;	 /* what event_find takes */
	const char *pmu;	 /* as in struct counter_event */
	const char *description; /* one line; NULL: none known */
	enum event_origin origin;
};

/* Every name that is known here, each once; the strings live during the call. Stops where
 * visit returns non-zero and returns that. */
int event_walk(int (*visit)(void *user, const struct event_info *info), void *user);

/* The terms that a PMU's events take ("event", "umask", "inv", ...), from its format in sysfs.
 * pmu NULL: the processor's own. -ENOENT: no such PMU. */
int event_walk_terms(const char *pmu, int (*visit)(void *user, const char *term), void *user);

/* For this processor's PMU: its name ("armv8_pmuv3_0", "cpu"; "" none), how many
 * programmable and fixed counters it has as far as the kernel or the processor says (0:
 * unknown, as always on AArch64). The name lives until the thread asks again. */
const char *event_pmu_name(void);
unsigned event_pmu_counters(void);

/* 1 if libpfm4 was there to build with. */
bool event_has_libpfm4(void);

#endif
