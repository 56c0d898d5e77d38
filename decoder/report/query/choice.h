/*
 * Chooses the rows of a report by --having, sorts them by --sort, and cuts them to --top.
 */
#ifndef SWT_DECODER_REPORT_QUERY_CHOICE_H
#define SWT_DECODER_REPORT_QUERY_CHOICE_H

#include "../rows.h"

struct choice {
	/* What conditions and --sort may name: two lists as in rows_begin_more. */
	const struct column *columns, *more;
	const char *what;      /* of messages: "a column of the summary" */
	const char *otherwise; /* as --sort, for --top alone; NULL: the order that they have */
	/* The row, for these columns, of an element; valid until the next call. */
	const void *(*row)(void *ctx, const void *element);
	void *ctx;
};

static inline bool choice_is_asked(const struct report *r)
{
	return r->having || r->sort || r->top;
}

/*
 * Leaves of the *n elements of that size those that are chosen, in order; equal ones stay in
 * theirs. 0 or CPIDECODE_ENOMEM; CPIDECODE_EINVAL, noted, and r->is_misused: there is no such
 * column.
 */
int choice_make(struct report *r, const struct choice *c, void *elements, size_t *n, size_t size);
/* The same of an array, of which *chosen becomes a copy; NULL: nothing is asked for. The caller
 * frees it. */
int choice_copy(struct report *r, const struct choice *c, const void *elements, size_t *n,
	size_t size, void **chosen);

#endif
