/*
 * Facts of the page of --format html about the trace: JSON, the block of `meta`. See
 * sink/page/README.md.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_HTML_ABOUT_H
#define SWT_DECODER_REPORT_EXPORT_HTML_ABOUT_H

#include "../../../sink/json.h"
#include "../../report.h"
#include "cells.h"
#include "tiled.h"

/* Buckets of time by the intervals' starts, for the picture that is drawn before the data. */
enum { OVERVIEW_BUCKETS = 1024 };

struct overview {
	uint64_t width; /* of a bucket in ns: doubles as time advances */
	uint64_t count[OVERVIEW_BUCKETS];
	uint64_t longest[OVERVIEW_BUCKETS];
};

/* start: since the first one's, and not before it. */
void overview_add(struct overview *o, uint64_t start, uint64_t duration);

struct about {
	int64_t base;	/* ns: the first start */
	uint64_t until; /* ns since then: the last end */
	uint64_t intervals, open, open_no_end, children_lost, markers;
	bool has_no_markers;  /* too many hooks of no interval */
	bool has_cut_times;   /* struct times: is_cut */
	bool is_without_runs; /* switches are recorded, but not in the page */
	uint32_t names, lanes, rows;
	const struct overview *overview;
	struct cells *cells;
	const struct tiled *tiled; /* NULL: none */
};

/* The elements of a list: the losses of each file. r->found may be NULL. */
void about_write_losses(const struct report *r, struct json *j);

/* 0 or CPIDECODE_ENOMEM. */
int about_write(struct report *r, const struct about *a, struct json *j);

#endif
