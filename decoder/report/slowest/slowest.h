/*
 * The slowest intervals, each next to the median one of its label, minor and major.
 *
 * decoder/report/slowest owns the report of the slowest intervals. Errors as in report.h.
 */
#ifndef SWT_DECODER_REPORT_SLOWEST_SLOWEST_H
#define SWT_DECODER_REPORT_SLOWEST_SLOWEST_H

#include "../../sink/json.h"
#include "meanwhile.h"
#include "ran.h"
#include "../report.h"

enum { SLOWEST_DEFAULT = 10, SLOWEST_MOST = 1000 };

struct slowest {
	const struct kin *kin, *median; /* median: may be the same one */
	const struct meanwhile *meanwhile;
	const struct ran *ran; /* NULL: the kernel's switches were not recorded */
	const struct tally_group *group;
	const struct trace_text *names; /* of the interval's values, one each */
	int64_t start;			/* CLOCK_REALTIME ns of the first hook */
	size_t place;			/* from 1 */
};

/* Columns for the processors where it began and ended: one if that is the same, none of guests. */
unsigned slowest_find_cpus(const struct interval *iv, uint32_t cpus[2]);

/* Who ran on the interval's processors; nothing without `ran`. ran_print.c */
void slowest_write_ran(struct report *r, const struct slowest *s);
void slowest_write_ran_members(struct json *j, const struct slowest *s);
/* Who ended its waits; nothing where wake-ups were not recorded. wakers_print.c */
void slowest_write_wakers(struct report *r, const struct ran *ran);
void slowest_write_wakers_members(struct json *j, const struct ran *ran);

void slowest_print(struct report *r, const struct slowest *s, bool is_first);

#endif
