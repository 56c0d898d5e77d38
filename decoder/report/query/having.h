/*
 * --having: a condition of groups, in the language of formats/base/expression.h. Its words are
 * columns.
 */
#ifndef SWT_DECODER_REPORT_QUERY_HAVING_H
#define SWT_DECODER_REPORT_QUERY_HAVING_H

#include "../../../formats/base/expression.h"
#include "../rows.h"

struct having {
	struct expression expression;
	const struct column *words[EXPRESSION_NODES];
	uint32_t nwords;
	const struct column *columns, *more; /* NULL: any word is one */
};

/* Whether the text is a condition, whatever its words are. False: *error has the error. */
bool having_check(const char *text, struct expression_error *error);
/* Parses a condition on these columns: two lists as in rows_begin_more, which errors call `what`.
 * Returns the same. *h lives no longer than they. */
bool having_parse(struct having *h, const char *text, const struct column *columns,
	const struct column *more, const char *what, struct expression_error *error);
/* Notes the error of r->having, its position, and the columns. */
void having_note(
	const struct report *r, const struct having *h, const struct expression_error *error);
bool having_holds(const struct having *h, const void *row);

#endif
