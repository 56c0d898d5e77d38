/*
 * Names in the report summary that others need: of its columns, which metrics cannot have.
 */
#ifndef SWT_DECODER_REPORT_SUMMARY_H
#define SWT_DECODER_REPORT_SUMMARY_H

#include "values/metrics.h"

/* Like derived_list_names, for the report without --by and --percentiles. */
size_t summary_list_names(const char *taken[DERIVED_TAKEN]);

#endif
