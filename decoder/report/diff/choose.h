/* Which groups a diff prints: see choose.c. Functions that return int return as choice_make. */
#ifndef SWT_DECODER_REPORT_DIFF_CHOOSE_H
#define SWT_DECODER_REPORT_DIFF_CHOOSE_H

#include "../../base/intern.h"
#include "diff.h"

/* What --having, --sort and --columns may name. */
struct diff_choosing {
	const struct diff *d;
	struct column *columns, *figures; /* the group's, and those of metrics */
	struct diff_figure *of;		  /* of each figure */
	struct intern names;
};

/* To be ended in any case. *d has to stay. */
int diff_choosing_begin(struct diff_choosing *c, const struct diff *d);
void diff_choosing_end(struct diff_choosing *c);
/* *shown is the diff with the chosen rows alone, in order; the caller frees *rows. */
int diff_choose(struct report *r, const struct diff_choosing *c, struct diff *shown, void **rows);
/* Like rows_check_columns, for diff_print_groups. */
int diff_check_columns(struct report *r, const struct diff_choosing *c);
/* A row for each group, with the columns that r->columns names. */
void diff_print_groups(struct report *r, const struct diff_choosing *c, const struct diff *shown);

/* print.c: before, after and the change, where long durations keep all their digits; the side or
 * sides that have the row, the word of a verdict (NULL: none), and the lines of text before a
 * table. */
void diff_find_figures(
	const struct diff *d, const struct diff_row *row, unsigned m, struct cell f[3]);
const char *diff_find_in(const struct diff_row *row);
const char *diff_verdict_word(enum verdict v);
void diff_print_runs(struct report *r, const struct diff *d);

#endif
