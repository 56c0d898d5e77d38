/*
 * Events by name. cpc_event.h is the contract of the calls that libcpc hands on (cpc/event.c): here
 * they lack its cpc_. libswtrace has the only copy of this room.
 *
 * libtrace/events owns the names and encodings of events: generic ones, sysfs, libpfm4. It includes
 * core only. Errors: 0 or a negative errno, and where there is room for it a line that says why.
 */
#ifndef SWT_EVENTS_EVENT_H
#define SWT_EVENTS_EVENT_H

#include <linux/perf_event.h>

#include "../../include/cpc_event.h"
#include "../core/private_abi.h"

enum { EVENT_NAME_MAX = CPC_EVENT_NAME_MAX, EVENT_WHY_MAX = CPC_EVENT_WHY_MAX };

int event_find(const char *name, struct cpc_event *e, char *why) PRIVATE_ABI(event_find);
int event_attr(const struct cpc_event *e, struct perf_event_attr *attr, size_t size)
	PRIVATE_ABI(event_attr);
int event_walk(int (*visit)(void *user, const struct cpc_event_info *info), void *user)
	PRIVATE_ABI(event_walk);
int event_walk_terms(const char *pmu, int (*visit)(void *user, const char *term), void *user)
	PRIVATE_ABI(event_walk_terms);
const char *event_pmu_name(void) PRIVATE_ABI(event_pmu_name);

/* Whether a software event of the kernel is counted in the kernel only: user mode has none. */
bool event_is_in_kernel_only(const struct cpc_event *e);

/* The bytes of the first name in a list: up to a comma or brace, of which those between the slashes
 * of "cpu/event=1,umask=2/" belong to the name. */
size_t event_name_length(const char *list);

struct event_listed {
	struct cpc_event event;
	bool is_foreign; /* the name is known, and is no event of this machine */
	bool on_cpus;	 /* of all processors, not of the thread */
};

/* Parses "instructions,cpu/event=0x3c,umask=0/,page-faults:u": at most `max` events, none of them
 * twice. A modifier may have an a, as in perf stat -a: on all processors ("cycles:a",
 * "cycles:ua"). Returns how many, or -EINVAL with one line on the error. */
int event_list_parse(
	const char *list, struct event_listed listed[], unsigned max, char why[EVENT_WHY_MAX]);

/* Whether the PMU of that name counts on the processor: those of a socket, and of one type of core,
 * name theirs. */
bool event_pmu_counts_on(const char *pmu, uint32_t cpu);

/* How many programmable and fixed counters this processor has as far as the kernel or the
 * processor says (0: unknown, as always on AArch64). */
unsigned event_pmu_counters(void) PRIVATE_ABI(event_pmu_counters);

/* Whether libpfm4 can be used: this build knows it, and it is installed. */
bool event_has_libpfm4(void);

#endif
