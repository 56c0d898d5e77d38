/* --report hooks --by major,minor: how many hooks of each kind there are, when and where. */
#ifndef SWT_DECODER_REPORT_QUERY_HOOK_COUNTS_H
#define SWT_DECODER_REPORT_QUERY_HOOK_COUNTS_H

#include "../report.h"

/* Whether it is such a list; *by_minor: it names minors, too. */
bool hook_counts_parse(const char *list, bool *by_minor);
/* Like report_run; r->by_list is such a list. */
int hook_counts_report(struct report *r);

#endif
