/*
 * Where counts come from. A source fills samples; the difference of two samples is an
 * interval of counts, from which libtrace/measure/cpi/ makes figures. Knows no ring and no file.
 *
 * The source is chosen once a process, from SWTRACE_COUNTERS (auto, software, perf, none or
 * scripted:FILE). Quantities are independent: one that a source cannot supply may come from
 * another; a quantity without a source is NOT_MEASURED, never a number.
 *
 * libtrace/counters owns where counts come from: one sample, one difference. It includes core
 * and events. Errors: 0 or a negative PU_ code; a folder below may say otherwise.
 */
#ifndef SWT_COUNTERS_SOURCE_H
#define SWT_COUNTERS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../core/private_abi.h"
#include "sample.h"

/* Chooses the source, once a process. Afterwards the same answer every time. */
int counters_choose(void) PRIVATE_ABI(counters_choose);
enum shm_source counters_tell_source(uint32_t *flags) PRIVATE_ABI(counters_tell_source);

/* One more instance that will read `want`; one fewer. hold fails for want of descriptors
 * or memory only: PU_ERROR_INSUFFICIENT_RESOURCES, PU_ERROR_NOT_ENOUGH_MEMORY. */
int counters_hold(unsigned want) PRIVATE_ABI(counters_hold);
void counters_drop(unsigned want) PRIVATE_ABI(counters_drop);

/* Processors that a sample of this machine must have room for. */
uint32_t counters_room(void) PRIVATE_ABI(counters_room);

/* Reads the wanted quantities; all others, and those that cannot be read, are NOT_MEASURED. s->room
 * is set. Allocates nothing but at a thread's first read. */
void counters_read(struct counter_sample *s, unsigned want, enum counter_end end)
	PRIVATE_ABI(counters_read);

/*
 * The same at a start that may begin at `now`: of clock_now(), a moment ago. Where nothing is
 * wanted but the clock and what the thread did, and that needs no system call, this is all that it
 * reads. Keeps errno.
 */
void counters_start(struct counter_sample *s, unsigned want, uint64_t now);

/*
 * The usual end of such an interval. True: by `now` nothing but time has passed since the start;
 * then *out has its figures but for those of cpu[], of which nothing was counted. False: read the
 * counters.
 */
bool counters_have_stayed(const struct counter_sample *from, unsigned want, uint64_t now,
	struct counter_interval *out);

/*
 * The same if such a start counted the thread, too, by hardware counters that user mode reads: at
 * the end they are read first, into `to`, then the clock; and after counters_have_stayed *out gets
 * their counts. False: read the counters.
 */
static inline bool counters_counted_thread(const struct counter_sample *from)
{
	return __builtin_expect(from->thread_opening != 0, 0) && from->plain &&
	       from->activity_source == INTERVAL_TIME_PAGE;
}
void counters_end_thread(struct counter_sample *to);
bool counters_thread_between(const struct counter_sample *from, const struct counter_sample *to,
	struct counter_interval *out);

/* The calling thread closes what COUNTER_TIME_BIT and COUNTER_QUALITY_BIT opened. hardware: stops
 * its hardware counters, too; the next start that reads them restarts them, and an interval that
 * began before has no counts. True if there was anything. Keeps errno. */
bool counters_rest(bool hardware);

/* A start that reads the clock alone: of the interval, the elapsed time and nominal cycles are
 * known. */
void counters_stamp(struct counter_sample *s, uint64_t ticks);

void counters_difference(const struct counter_sample *from, const struct counter_sample *to,
	struct counter_interval *out) PRIVATE_ABI(counters_difference);

/* ---------------------------------------------------------- for this room: of a sample */

/* Nothing was read. */
void sample_clear(struct counter_sample *s);

/* Entries for every possible processor, of which nothing was read. */
void sample_clear_cpus(struct counter_sample *s);

/* Says of these that they are online. A processor that was read is: this covers the others. */
struct cpu_set;
void sample_set_online(struct counter_sample *s, const struct cpu_set *online);

/* The moment of all that is read of them at once. */
void sample_set_cpu_ticks(struct counter_sample *s, uint64_t ticks);

/* Reads its group, if there is one. Then it is online. */
void sample_read_cpu(struct counter_sample *s, uint32_t cpu);

#endif
