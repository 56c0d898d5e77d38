/* The words of --where that a trace's events decide: metrics, and plain names of events. */
#ifndef SWT_DECODER_REPORT_QUERY_WHERE_EVENTS_H
#define SWT_DECODER_REPORT_QUERY_WHERE_EVENTS_H

#include "where.h"

/*
 * Reads the events of r->trace, if r->where has words that ask for them, and finds these: after
 * where_settle, before anything is tested. 0, a CPIDECODE_E code, or CPIDECODE_EINVAL: no column
 * and no event has that name (*error says so), or a formula of the user has an unknown operand,
 * which is noted, and r->is_misused; error->text is "" then.
 */
int where_find_events(struct report *r, struct expression_error *error);

#endif
