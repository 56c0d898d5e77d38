/*
 * What reading counters costs: the parts of the program.
 *
 * Times are ns per turn, of batches that are cut into slices, so that all ops get their share
 * of whatever else the machine does.
 */
#ifndef BENCH_COUNTERS_H
#define BENCH_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

/* Which process an op runs in: the source of its counts is chosen once a process. */
enum source { SOURCE_PERF, SOURCE_SOFTWARE, SOURCES };

/*
 * A slice runs in a thread of its own, and has nothing open but what its op reads: groups that
 * nobody reads would take hardware counters away from those that are read.
 */
struct reading {
	const char *id;
	/* Opens what the loop reads; NULL, or why it cannot be measured here. */
	const char *(*open)(void);
	void (*loop)(uint64_t turns);
	void (*close)(void);
	enum source source;
	bool stays;   /* opened once, and measured in the first thread */
	bool per_cpu; /* its time is told per processor */
};

extern const struct reading readings[];
extern const unsigned reading_count;

/* Once a process, before the first op is opened. */
void readings_begin(void);

/* Readings that failed or were short, of all loops. */
extern uint64_t reading_failures;
/* Groups of hooks written, of three each: label, summary, label. */
extern uint64_t readings_traced;

/* --- counters_events.c: bare groups, and software events that stand in for hardware */

/* Where the machine has no hardware counters: from now on perf_event_open takes software
 * events for hardware ones, in this process, whoever calls it (libraries too). Costs
 * nothing but at open; what is counted then means nothing. */
void stand_in_begin(void);
bool stands_in(void);

enum { BARE_MAX = 4 };

struct bare {
	unsigned count; /* events that are open; 0: none */
	int fd[BARE_MAX];
};

/* A group as a program would write it that has no library: type and configs of up to
 * BARE_MAX events, of which the first has to be there. */
struct bare bare_open(uint32_t type, const uint64_t *config, unsigned count, int pid, int cpu);
void bare_close(struct bare *b);

/* One read of the group: counts and times into word[0..BARE_MAX + 3). */
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

#include <unistd.h>

static inline bool bare_read(const struct bare *b, uint64_t *word)
{
	const ssize_t size = (ssize_t)((3 + b->count) * sizeof *word);

	return read(b->fd[0], word, (size_t)size) == size;
}

#endif
