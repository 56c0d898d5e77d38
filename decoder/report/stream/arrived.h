/*
 * A tally that is read while a stream arrives (model/trace/arrivals.h).
 *
 * decoder/report/stream owns reports of a trace that is still arriving. It includes report, model
 * and query. Errors as in report.h.
 */
#ifndef SWT_DECODER_REPORT_STREAM_ARRIVED_H
#define SWT_DECODER_REPORT_STREAM_ARRIVED_H

#include "../report.h"

/* For a report of tallies_read of all intervals, whose tally wants no more than TALLY_WANT_TYPES,
 * and TALLY_WANT_CONTAINERS if the trace has several. To be called before the trace has files. 0 or
 * CPIDECODE_ENOMEM. */
int tallies_read_arriving(struct trace *t, unsigned wanted, unsigned threads);
/* 1: *tally, as tallies_read's before it is settled, and r->found were moved from there; 0: they
 * are to be read; or a negative code. */
int tallies_use_arrived(const struct report *r, struct tally *tally);

#endif
