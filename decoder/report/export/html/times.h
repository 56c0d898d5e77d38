/*
 * Time on and off the processors, and switches, of the intervals of each name, which the page of
 * --format html shows with the summary: its block `times`.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_HTML_TIMES_H
#define SWT_DECODER_REPORT_EXPORT_HTML_TIMES_H

#include "../../../model/stats/sums.h"
#include "../../../sink/json.h"

/* Names beyond have no times: bounds the memory and the block. */
enum { TIMES_MOST = 1 << 15 };

struct times_group {
	struct counted_sum on_cpu, off_cpu, switches;
};

/* Starts zeroed. */
struct times {
	struct times_group *groups; /* by name */
	size_t count, room;
	bool is_cut; /* names beyond have some, too */
};

/* name: a number from 0. 0 or CPIDECODE_ENOMEM. */
int times_add(struct times *t, uint32_t name, const struct interval *iv);
/* A list of [name, on, off, switches] of the names that have any. */
void times_write(const struct times *t, struct json *j);
void times_free(struct times *t);

#endif
