/*
 * cpc_event.h - events by name, as cpc_set_add_request and `swtrace event` take them: which kernel
 * event a name is, how perf_event_open(2) is told, and which names there are. Link with libcpc.
 * The manual page cpc_event(3) explains it; this header is the contract. A name is, tried in this
 * order:
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
 * Ownership: the caller owns events and attributes; nothing has to be freed.
 *
 * Errors: 0 or a negative errno; -EINVAL also where a pointer is missing. `why` gets a line that
 * says what and why: CPC_EVENT_WHY_MAX bytes, "" on success; NULL: not wanted.
 *
 * Threads: any.
 */
#ifndef CPC_EVENT_H
#define CPC_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcpc.h"

#ifdef __cplusplus
extern "C" {
#endif

struct perf_event_attr; /* of <linux/perf_event.h> */

enum { CPC_EVENT_NAME_MAX = 128, CPC_EVENT_WHY_MAX = 256 };

/* Who defines the name: the kernel, its files in sysfs, the processor (raw), libpfm4's tables. */
enum cpc_event_origin { CPC_EVENT_GENERIC, CPC_EVENT_SYSFS, CPC_EVENT_RAW, CPC_EVENT_LIBPFM4 };

struct cpc_event {
	char name[CPC_EVENT_NAME_MAX]; /* as it was asked for */
	char pmu[64];		       /* "cpu", "software", "armv8_pmuv3_0", ...; "" none here */
	enum cpc_event_origin origin;
	uint32_t type; /* these four: of struct perf_event_attr */
	uint64_t config, config1, config2;
	bool software;	   /* counted by the kernel, not by hardware */
	bool user, kernel; /* counted in; both: no modifier, or :uk */
	bool modes_given;  /* the name says where, by a modifier */
};

/* Encodes a name. -EINVAL (no such name or term, or out of range; why names it), -ENOTSUP (this
 * machine has no such PMU, or libpfm4 knows the name of another processor only). Opens no
 * event: whether one counts here, cpc_event_try says. */
CPC_API int cpc_event_find(const char *name, struct cpc_event *event, char *why);

/* The attributes that count it; enabled from the start, no sampling. size: of the caller's
 * struct perf_event_attr, all of which is written; less than 72 is -EINVAL. */
CPC_API int cpc_event_attr(
	const struct cpc_event *event, struct perf_event_attr *attr, size_t size);

/* Opens it once for the calling thread to see whether it counts here: 0 or the errno of
 * perf_event_open, negative. */
CPC_API int cpc_event_try(const struct cpc_event *event);

struct cpc_event_info {
	const char *name;	 /* what cpc_event_find takes */
	const char *pmu;	 /* as in struct cpc_event */
	const char *description; /* one line; NULL: none known */
	enum cpc_event_origin origin;
};

/* Every name that is known here, each once; the strings live during the call. Stops where
 * visit returns non-zero and returns that. */
CPC_API int cpc_event_walk(int (*visit)(void *user, const struct cpc_event_info *info), void *user);

/* The terms that a PMU's events take ("event", "umask", "inv", ...), from its format in sysfs.
 * pmu NULL: the processor's own. -ENOENT: no such PMU. */
CPC_API int cpc_event_walk_terms(
	const char *pmu, int (*visit)(void *user, const char *term), void *user);

/* This processor's PMU ("armv8_pmuv3_0", "cpu"; "" none). It lives until the thread asks again. */
CPC_API const char *cpc_event_pmu_name(void);

#ifdef __cplusplus
}
#endif

#endif
