/*
 * The columns of an interval, as cpidecode's CSV has them, read from the hooks of an event by the
 * library's own schemas. Figures of a damaged group need not be cpidecode's.
 */
#ifndef SWT_TRIGGER_COLUMNS_H
#define SWT_TRIGGER_COLUMNS_H

#include <stddef.h>

#include "../../formats/base/expression.h"
#include "event.h"

struct schema;

/* A column's number; -1: an event has none of that name. */
int columns_find(const char *name, size_t length);
/* Whether it is that of flags. */
bool columns_is_flags(int column);
/* A flag that a pattern names and that no single event shows; NULL: none. */
const char *columns_find_flag_of_trace(const char *pattern);
/* The value that conditions compare a column with; `id` is left alone. */
void columns_describe(int column, struct expression_word *word);

/* The figures by column: a uint64_t (NOT_MEASURED: none), or a double (NAN: none). */
struct columns {
	uint64_t whole[24];
	double real[8];
	uint32_t flags; /* enum interval_flag, of those that a live group shows */
	bool is_interval;
	char spelled[192]; /* of flags */
};

/* schema: of the library's own hooks. */
void columns_read(struct columns *c, const struct event *e, const struct schema *schema,
	uint64_t ticks_per_second);
/* Texts are c's or static. */
struct expression_value columns_get(struct columns *c, int column);

/* The compiled schemas of the library's own hooks; NULL: no memory. The caller frees them. */
struct schema *columns_schema(void);

#endif
