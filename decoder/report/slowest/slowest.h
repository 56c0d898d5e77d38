/*
 * The slowest intervals, each next to the median one of its label, minor and major.
 *
 * decoder/report/slowest owns the report of the slowest intervals. It includes report, base,
 * model, query, sink and values. Errors as in report.h.
 */
#ifndef SWT_DECODER_REPORT_SLOWEST_SLOWEST_H
#define SWT_DECODER_REPORT_SLOWEST_SLOWEST_H

#include "../../sink/document.h"
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

struct slowest_output {
	struct document d; /* of one interval */
	const struct slowest *s;
	unsigned has; /* SLOWEST_HAS_ */
	/* In text: the columns of slowest_begin_list with headings that name the processors. */
	struct column cpus[2];
	char headings[2][24];
};

/* Columns of time on the processors where it began and ended. Text has one if that is the same,
 * none of guests. */
enum { SLOWEST_HAS_START_CPU = 1 << 0, SLOWEST_HAS_CPU = 1 << 1 };
#define SLOWEST_START_CPU                                                                          \
	"start_cpu_ns", "", .when = SLOWEST_HAS_START_CPU, .decimals = 1, .unit = UNIT_DURATION
#define SLOWEST_CPU "cpu_ns", "", .when = SLOWEST_HAS_CPU, .decimals = 1, .unit = UNIT_DURATION
/* Their values of an interval; NAN where a processor is unknown. */
double slowest_start_cpu_ns(const struct slowest *s, double ns);
double slowest_cpu_ns(const struct slowest *s, double ns);
/* Like document_begin_list. */
void slowest_begin_list(struct slowest_output *o, const char *key, const struct column *columns);
/* `NAME (thread TID, process PID)`; name NULL: unknown. */
void slowest_spell_thread(struct out *o, const char *name, uint32_t tid, uint32_t pid);

/* Who ran on the interval's processors; nothing without `ran`. ran_print.c */
void slowest_write_ran(struct slowest_output *to);
/* Who ended its waits; nothing where wake-ups were not recorded. wakers_print.c */
void slowest_write_wakers(struct document *d, const struct ran *ran);

void slowest_print(struct report *r, const struct slowest *s, bool is_first);

#endif
