/*
 * Which processors are online. They come and go, so callers ask again each time.
 */
#ifndef SWT_CORE_ONLINE_H
#define SWT_CORE_ONLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "private_abi.h"

enum { ONLINE_MAX = 1024, ONLINE_WORDS = ONLINE_MAX / 64 };

struct cpu_set {
	uint64_t word[ONLINE_WORDS];
	uint32_t end; /* highest member + 1; 0: empty */
};

static inline bool cpu_set_has(const struct cpu_set *set, uint32_t cpu)
{
	return cpu < ONLINE_MAX && (set->word[cpu / 64] >> cpu % 64 & 1);
}

/* The kernel's list format: "0-3,8,10-11\n". Processors of ONLINE_MAX and up are left out.
 * False (and an empty set) for anything else, the empty list included. */
bool cpu_set_parse(struct cpu_set *set, const char *text, size_t length) PRIVATE_ABI(cpu_set_parse);

/* Reads the online processors. Where the kernel does not list them, there are as many as sysconf
 * counts. */
void cpu_set_online(struct cpu_set *set) PRIVATE_ABI(cpu_set_online);

/* The calling thread's last reading: no lock, and nothing to repair in a forked child. */
struct cpu_set_lately {
	struct cpu_set set;
	uint64_t at, lasts; /* ticks */
};
extern _Thread_local struct cpu_set_lately cpu_set_lately __attribute__((visibility("hidden")));

void cpu_set_renew(uint64_t now);

/*
 * The same, read at most a second ago by the calling thread: two system calls are too much for
 * every interval. now: of clock_now(). *at (NULL: not wanted): when it was read. Valid until the
 * thread's next call.
 */
static inline const struct cpu_set *cpu_set_online_lately(uint64_t now, uint64_t *at)
{
	if (cpu_set_lately.set.end == 0 || now - cpu_set_lately.at >= cpu_set_lately.lasts)
		cpu_set_renew(now);
	if (at)
		*at = cpu_set_lately.at;
	return &cpu_set_lately.set;
}

/* Highest possible CPU number + 1. No online processor is at or above it. */
uint32_t cpus_possible(void) PRIVATE_ABI(cpus_possible);

/* A number that changes each time the processor comes online; 0: unknown. */
uint64_t cpu_presence(uint32_t cpu);

/* True unless the kernel lists a processor in this file of /sys/devices/system/cpu. */
bool cpu_list_is_empty(const char *name);

#endif
