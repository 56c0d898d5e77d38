/*
 * The arguments and events that a query names. A name that no interval has gives an empty answer,
 * or n/a; it is reported once all traces are read.
 */
#ifndef SWT_DECODER_REPORT_QUERY_ASKED_H
#define SWT_DECODER_REPORT_QUERY_ASKED_H

#include "by.h"
#include "where.h"

enum { ASKED_NEAREST = 128 };

struct asked_value {
	const char *name; /* of the options, or of by */
	uint32_t length;
	uint8_t kind;	/* enum value_kind */
	bool is_chosen; /* asked of the selected intervals alone */
	bool is_known;	/* some interval has it */
	unsigned edits; /* to the nearest name */
	uint32_t nearest_length;
	char nearest[ASKED_NEAREST];
};

/* Starts zeroed. */
struct asked {
	struct asked_value *at;
	size_t count, room;
	bool is_read;	 /* some trace was */
	bool is_partial; /* not all of its intervals were read */
};

/* NULL: no condition, no list of keys, no order. The texts are kept. 0 or CPIDECODE_ENOMEM. */
int asked_gather(struct asked *a, const struct where *where, const struct by *by, const char *sort);
/* Before a trace is read: 0 or CPIDECODE_ENOMEM. After it: whether its intervals have them. */
int asked_begin(const struct asked *a, struct trace *t);
void asked_end(struct asked *a, const struct report *r);
/* A line for each that no interval has. */
typedef void (*asked_say)(const char *format, ...) __attribute__((format(printf, 1, 2)));
void asked_tell(const struct asked *a, asked_say say);
void asked_free(struct asked *a);

#endif
