/*
 * The cost of reading counters: the parts of the program.
 *
 * Times are ns per turn. Batches are cut into slices, so that background load hits all ops equally.
 */
#ifndef BENCH_COUNTERS_H
#define BENCH_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

/* The process that an op runs in: a process chooses its source of counts once. */
enum source { SOURCE_PERF, SOURCE_SOFTWARE, SOURCES };

/*
 * An op. Each slice runs in its own thread and opens only what the op reads: other open groups
 * would occupy hardware counters.
 */
struct reading {
	const char *id;
	/* Opens the loop's counters. Returns NULL, or why it cannot be measured here. */
	const char *(*open)(void);
	void (*loop)(uint64_t turns);
	void (*close)(void);
	enum source source;
	bool stays;   /* open once, and measure in the first thread */
	bool per_cpu; /* report the time per processor */
};

extern const struct reading readings[];
extern const unsigned reading_count;

/* Call once per process, before opening the first op. */
void readings_begin(void);

/* Failed or short readings, in all loops. */
extern uint64_t reading_failures;
/* Groups written, of three hooks each: label, summary, label. */
extern uint64_t readings_traced;

/* --- counters_events.c: bare groups, and software events that stand in for hardware */

/* For machines without hardware counters: makes perf_event_open in this process, libraries
 * included, open software events in place of hardware ones. Costs time only at open. The counts are
 * meaningless. */
void stand_in_begin(void);
bool stands_in(void);

enum { BARE_MAX = 4 };

struct bare {
	unsigned count; /* number of open events; 0: none */
	int fd[BARE_MAX];
};

/* Opens a group as a program without a library would: a type and the configs of up to BARE_MAX
 * events, of which the first must open. */
struct bare bare_open(uint32_t type, const uint64_t *config, unsigned count, int pid, int cpu);
void bare_close(struct bare *b);

/* Reads the group once: counts and times into word[0..BARE_MAX + 3). */
static inline bool bare_read(const struct bare *b, uint64_t *word);

/* --- counters_util.c: AiGetCounters and CpuUtilGet */

const char *ai_open(void);
void ai_loop(uint64_t turns);
void ai_close(void);
const char *util_open(void);
void util_loop(uint64_t turns);
void util_close(void);

/* --- counters_papi.c */

const char *papi_open(void);
void papi_loop(uint64_t turns);
/* For the high-level region, in a process that does not call papi_open. */
const char *papi_open_region(void);
void papi_region(void);

#include <unistd.h>

static inline bool bare_read(const struct bare *b, uint64_t *word)
{
	const ssize_t size = (ssize_t)((3 + b->count) * sizeof *word);

	return read(b->fd[0], word, (size_t)size) == size;
}

#endif
