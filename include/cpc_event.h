/*
 * cpc_event.h - events by name, as cpc_set_add_request and `swtrace event` accept them: finds the
 * kernel's event for a name, fills in its perf_event_open(2) attributes and lists the known names.
 * Link with libcpc. The manual page cpc_event(3) explains the facility; this header is the
 * contract. A name has one of these forms, tried in this order:
 *
 *	instructions, cycles, ref-cycles, page-faults, ...	the kernel's generic events, with
 *						perf's aliases and cache events (L1-dcache-loads)
 *	cpu/event=0x3c,umask=0,cmask=1,inv,edge/	a PMU of sysfs with its format's terms, or
 *	cpu/cache-misses/			an event that sysfs lists for the PMU
 *	r01c2					raw, as the PMU encodes it
 *	inst_retired:any_p:c=1:i:e		libpfm4's, where that is installed
 *
 * Any form may end in a modifier of perf's, `:u`, `:k` or `:uk`: user mode, the kernel, both.
 *
 * libpfm4's names of the kernel's own events need libpfm4's prefix, perf::NAME, so that a name
 * means the same without libpfm4.
 *
 * Ownership: the caller owns events and attributes; nothing has to be freed.
 *
 * Errors: functions that return int return 0 or a negative errno; a missing pointer is -EINVAL.
 * `why` receives one line that names the object and the cause: CPC_EVENT_WHY_MAX bytes, "" on
 * success; NULL: not wanted.
 *
 * Threads: any thread may call any function.
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
	char name[CPC_EVENT_NAME_MAX]; /* as requested */
	char pmu[64];		       /* "cpu", "software", "armv8_pmuv3_0", ...; "": none here */
	enum cpc_event_origin origin;
	uint32_t type; /* these four: of struct perf_event_attr */
	uint64_t config, config1, config2;
	bool software;	   /* counted by the kernel, not by hardware */
	bool user, kernel; /* the modes it counts; both: no modifier, or :uk */
	bool modes_given;  /* the name has a modifier */
};

/* Encodes a name. -EINVAL (no such name or term, or a value out of range; why names it), -ENOTSUP
 * (this machine has no such PMU, or libpfm4 knows the name for another processor only). Opens no
 * event: cpc_event_try finds out whether one counts here. */
CPC_API int cpc_event_find(const char *name, struct cpc_event *event, char *why);

/* Fills in the attributes that count the event, enabled from the start and without sampling. size:
 * sizeof the caller's struct perf_event_attr, all of which is written; less than 72 is -EINVAL. */
CPC_API int cpc_event_attr(
	const struct cpc_event *event, struct perf_event_attr *attr, size_t size);

/* Opens the event once for the calling thread to see whether it counts here. Returns 0 or the
 * negative errno of perf_event_open. */
CPC_API int cpc_event_try(const struct cpc_event *event);

struct cpc_event_info {
	const char *name;	 /* as cpc_event_find accepts it */
	const char *pmu;	 /* as in struct cpc_event */
	const char *description; /* one line; NULL: none known */
	enum cpc_event_origin origin;
};

/* Visits every name known here, each once. The strings are valid during the call of visit. Stops
 * when visit returns non-zero, and returns that value. */
CPC_API int cpc_event_walk(int (*visit)(void *user, const struct cpc_event_info *info), void *user);

/* Visits the terms of a PMU's events ("event", "umask", "inv", ...), from its format in sysfs.
 * pmu NULL: the processor's own PMU. -ENOENT: no such PMU. */
CPC_API int cpc_event_walk_terms(
	const char *pmu, int (*visit)(void *user, const char *term), void *user);

/* Returns the name of this processor's PMU ("armv8_pmuv3_0", "cpu"; "": none), valid until the
 * thread's next call. */
CPC_API const char *cpc_event_pmu_name(void);

#ifdef __cplusplus
}
#endif

#endif
