/*
 * Names in the report summary that others need: of its columns, which metrics cannot have.
 */
#ifndef SWT_DECODER_REPORT_SUMMARY_H
#define SWT_DECODER_REPORT_SUMMARY_H

#include "values/metrics.h"

/* As derived_list_names, of the report without --by and --percentiles. */
size_t summary_list_names(const char *taken[DERIVED_TAKEN]);

#endif
