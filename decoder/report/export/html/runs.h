/*
 * Who ran on each processor, for the page of --format html: the kernel's switches as runs of
 * threads, and the times without records; and who woke a thread. Blocks of `runs`,
 * `wakeups`, `processors` and `threads`, see sink/page/README.md. With more than RUNS_MOST runs it
 * writes none, and the caller says so; with more wake-ups, or some processors only, no wake-ups,
 * and the page says so.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_HTML_RUNS_H
#define SWT_DECODER_REPORT_EXPORT_HTML_RUNS_H

#include "../../../sink/page.h"
#include "../../report.h"

enum { RUNS_MOST = 4000000 };

/* The page's time: runs are cut off at both ends. */
struct runs_span {
	int64_t base;	/* ns */
	uint64_t until; /* ns since then */
};

/* Extends the time to that of all runs: reads the trace once. Returns as runs_write. */
int runs_read_span(const struct report *r, int64_t *first, int64_t *last);

/*
 * Reads the trace twice, and writes the blocks to `to`. *too_many: there are none. A trace without
 * switches has none either. Returns 0 or a CPIDECODE_E code.
 */
int runs_write(const struct report *r, const struct runs_span *span, struct page_packer *packer,
	struct out *to, bool *too_many);

#endif
