/*
 * One measured interval as a hook group: label, summary, the three detailed hooks, quality,
 * label, time, events, arguments, in one reservation. Layouts: formats/trace-file.md, "CPI hooks"
 * and "Interval hooks".
 *
 * Invariant: a group's figures of the thread hold up to its stamp and for the processor of its
 * ring, or are not known. The thread was read before the reservation, and may have been switched in
 * between:
 *  - If the stamp is later than the reading, the thread's switch page is compared again or, without
 *    one, the kernel's count of its switches, by a system call. A switch leaves the figures
 *    unknown.
 *  - If the ring is not that of the processor where the thread was at the start, a thread without a
 *    switch left it after the reading. Its figures are unknown: readers take an interval without a
 *    switch for one that began where it ended.
 *
 * libtrace/measure owns live intervals of CPI and utilisation: instances, arithmetic, hook groups.
 * It includes session, ring, counters and core. Errors: negative PU_ codes.
 */
#ifndef SWT_MEASURE_CPI_GROUP_H
#define SWT_MEASURE_CPI_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../counters/source.h"
#include "../../ring/hook.h"
#include "../scope/args.h"
#include "events.h"
#include "image.h"
#include "own_cost.h"

/* Hooks after the time hook. */
struct group_more {
	struct events *events;	 /* NULL: none */
	const struct args *args; /* NULL: none */
	uint64_t begin;		 /* of its begin hook; 0: it has none */
};

struct group_spec {
	uint32_t types;	   /* CPI_TYPE_TRACE_SUMMARY, _DETAILED, _QUALITY: which hooks */
	uint32_t mode;	   /* CPI_TYPE_SCALED, _ONTHREAD: asked for */
	uint32_t mm;	   /* the program's minor code, 0x00 to 0xFF */
	uint32_t tid;	   /* the thread of the thread figures */
	const char *label; /* NULL: none */
	const struct group_more *more; /* NULL: nothing */
	const struct own_cost *own;    /* NULL: not known */
};

/* Writes the group, stamped with `at` (see hook_begin_at); elapsed is from start_ticks to the
 * stamp. Returns 0 with *elapsed set, 0 with *elapsed untouched if nothing was to be written, or a
 * PU_ code if it was lost. */
int group_write(const struct group_spec *spec, const struct counter_interval *interval,
	uint64_t start_ticks, const struct hook_time *at, uint64_t *elapsed);

/* Bytes of an image with records for this many processors. */
size_t group_image_size(uint32_t cpus);

/* Like group_write, for such an interval. One that counted its thread needs an image of one. */
int group_write_stayed(struct group_image *image, const struct group_spec *spec,
	const struct counter_interval *interval, uint64_t start_ticks, const struct hook_time *at,
	uint64_t *elapsed);
/* group_write_image with the events, if both ends of the interval read them. */
int group_write_events(const struct group_image *image, struct events *events,
	const struct counter_interval *interval, uint64_t start_ticks, const struct hook_time *at,
	uint64_t *elapsed);

#endif
