/*
 * Writes hooks as lines: the document's notation, CSV or JSON; or their fields alone, as JSON.
 * There are millions of them, so what many have in common is found once: the form (form.h), the
 * time but for its last digits, the task.
 *
 * Fields are in the schema's order, a repeated one as an array. As text: ` size=3 name="x"
 * parts=1,2`; texts of the table of labels in place of their numbers.
 *
 * decoder/report/hooks owns the report of hooks, and which hooks a report is about. It includes
 * report, base, model, query, sink and values. Errors as in report.h.
 */
#ifndef SWT_DECODER_REPORT_HOOKS_WRITER_H
#define SWT_DECODER_REPORT_HOOKS_WRITER_H

#include "../../sink/fmt.h"
#include "../report.h"
#include "form.h"

enum { WRITER_FORMS = 256, WRITER_TIME = 2 * FMT_SECONDS + 2 * FMT_SLACK /* with spaces */ };

/* One thread's. Must not move. */
struct hook_writer {
	struct form_how how;
	struct hook_form *forms[WRITER_FORMS + 1]; /* by a hash; the last one is for long hooks */
	struct hook_names names;
	struct out scratch; /* for a part of a CSV cell, before its quotes are doubled */
	/* For lines. */
	unsigned width;	  /* of text; 0: no limit */
	int64_t start;	  /* relative times count from it */
	unsigned seconds; /* of these: digits of the trace's last second */
	uint64_t head;	  /* of the time before: without its last digits */
	char head_text[WRITER_TIME];
	size_t head_length;
	struct writer_task *tasks; /* by a hash */
	struct out *hosts;	   /* with how.names_hosts, by file, spelled and padded (out_pad) */
	/* The hook last written. */
	uint32_t fit;		     /* enum field_fit */
	size_t words_from, words_to; /* in the buffer; of a line with words */
};

/* Prepares to write lines in the report's format. 0 or CPIDECODE_ENOMEM. Free it in any case. */
int hook_writer_init(struct hook_writer *w, const struct report *r);
/* Prepares to write fields alone. */
void hook_writer_init_fields(struct hook_writer *w, const struct trace *t);
void hook_writer_free(struct hook_writer *w);
/* The beginning, before the first line. */
void hook_writer_header(const struct hook_writer *w, struct out *o);
/* 0 or CPIDECODE_ENOMEM. */
int hook_writer_write(struct hook_writer *w, struct out *o, const struct hook *h);

#endif
