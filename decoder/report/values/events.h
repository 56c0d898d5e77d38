/*
 * The events that the groups of tallies name, once each, by their names' bytes: and their columns
 * of a summary. Functions that return int return 0 or CPIDECODE_ENOMEM.
 */
#ifndef SWT_DECODER_REPORT_VALUES_EVENTS_H
#define SWT_DECODER_REPORT_VALUES_EVENTS_H

#include "../../base/intern.h"
#include "../../model/stats/tally/tally.h"
#include "../rows.h"
#include "columns.h"

struct event_name {
	const char *text; /* any bytes */
	uint32_t length;
};

/* Starts zeroed; to be freed in any case. */
struct event_names {
	struct event_name *at;
	size_t count, room;
	struct intern memory;
};

int event_names_add(struct event_names *n, const char *name, uint32_t length);
/* Gathers the names of a tally; after the last one call event_names_sort. */
int event_names_gather(struct event_names *n, const struct tally *t);
void event_names_sort(struct event_names *n);
/* The group's sums of each of the names, NULL where it does not name it. */
void event_names_find(
	const struct event_names *n, const struct tally_group *g, const struct tally_event **found);
/* Whether a report has to call it event.NAME: it is one of those, or begins like that itself. */
bool event_needs_prefix(const struct event_name *name, const char *const *taken, size_t ntaken);
/*
 * How reports spell the names, in order: as they are, or event.NAME. spelled has room for all;
 * texts are in the memory.
 */
int event_names_spell(
	struct event_names *n, const char *const *taken, size_t ntaken, struct value_name *spelled);
void event_names_free(struct event_names *n);

/* An event's figures in a summary. */
enum event_figure {
	EVENT_TOTAL,
	EVENT_MEAN,  /* of the intervals that counted it */
	EVENT_KNOWN, /* how many percent of the intervals did */
	EVENT_SCALED,
	EVENT_FIGURES,
};

/* found: of the group; may be NULL. */
struct cell event_cell(const struct tally_event *found, uint64_t intervals, enum event_figure f);

/* Columns NAME_total, NAME_mean, ... of rows that say where a row's sums are. Starts zeroed; to be
 * freed in any case. */
struct event_columns {
	struct column *columns;
	struct event_column {
		size_t index;
		enum event_figure figure;
	} * of;
	struct intern memory;
	size_t count; /* of events; at most VALUE_COLUMNS_MAX */
};

typedef struct cell (*event_get_fn)(const void *row, const void *of);

/* get: of a row and an event_column. */
int event_columns_make(struct event_columns *c, const struct event_names *names, event_get_fn get);
void event_columns_free(struct event_columns *c);

#endif
