/*
 * --by: groups intervals by a list of keys instead of label and minor. The values that an interval
 * has for the keys are encoded as one string of bytes, which replaces the label of a tally's group.
 */
#ifndef SWT_DECODER_REPORT_QUERY_BY_H
#define SWT_DECODER_REPORT_QUERY_BY_H

#include "../../../formats/base/buffer.h"
#include "../../model/stats/tally/tally.h"
#include "../rows.h"

enum {
	BY_KEYS = 12,
	BY_BYTES = 1024, /* of the list */
	BY_EXPECTED = 224,
};

enum by_kind {
	BY_COLUMN,
	BY_HOST,
	BY_ARGUMENT,
	/* Keys from the intervals around. */
	BY_PARENT,
	BY_ROOT,
	BY_STACK,
	BY_TIME,
};

struct by_key {
	enum by_kind kind;
	const char *name;	     /* as columns have it, within by.names */
	const struct column *column; /* of BY_COLUMN */
	uint32_t index;		     /* of BY_ARGUMENT: trace_text_at; set by by_settle */
	uint32_t place;		     /* among the encoded values: time is the last one */
};

struct by {
	struct by_key keys[BY_KEYS];
	unsigned count;
	unsigned wants;	  /* enum interval_want */
	bool asks_around; /* parent, root or stack */
	bool asks_stack, asks_time;
	/* Containers of sessions' owners have their names, which merged traces may show. */
	bool names_owners;
	uint64_t width_ns;	 /* of a bucket of time */
	int64_t origin_ns;	 /* where bucket 0 begins; set by by_settle */
	enum report_times times; /* of text; set by by_settle */
	char names[BY_BYTES];
};

/* False: `expected` says what the list may have at `at`, an offset. */
bool by_parse(struct by *by, const char *text, size_t *at, char expected[BY_EXPECTED]);
/* Finds the names of arguments in the trace, the origin and the form of times; before anything is
 * encoded. */
void by_settle(struct by *by, const struct report *r);

/* The intervals around one. NULL: none, or not asked. */
struct by_around {
	const char *parent, *root, *stack;
	uint32_t parent_length, root_length, stack_length;
};

/* Appends n bytes. 0 or CPIDECODE_ENOMEM. */
int by_append(struct buffer *to, const void *bytes, size_t n);
/* Replaces the bytes by the values of the interval, all but that of time. Returns the same. */
int by_encode(const struct by *by, const struct trace *t, const struct interval *iv,
	const struct by_around *around, struct buffer *to);
/* The bucket of a time. */
int64_t by_bucket(const struct by *by, int64_t ns);
/* Appends the value of a bucket after the others. 0 or CPIDECODE_ENOMEM. */
int by_encode_bucket(int64_t bucket, struct buffer *to);

/* The index of the key `container` among the values; UINT32_MAX: there is none. */
uint32_t by_container_index(const struct by *by);
/* Replaces the bytes by a group's name, with the value at that place absent if it is `owner`. 0,
 * CPIDECODE_ENOMEM, or CPIDECODE_EINVAL: the name has no valid value there. */
int by_hide_owner(const char *label, uint32_t label_len, uint32_t place, const char *owner,
	struct buffer *to);

/* True if a group's name is a valid encoding of the keys' values. Partial results are untrusted. */
bool by_is_encoded(const struct by *by, const struct tally_group *g);
/* A column for each key, of rows that begin with a const struct tally_group *. */
void by_make_columns(const struct by *by, struct column columns[BY_KEYS]);
/* Copies a list of n columns that begins with label and minor, and replaces these by the keys'
 * columns, which text has in that place; by NULL: as it is. The caller frees it; NULL: no memory.
 */
struct column *by_name_columns(
	const struct by *by, const struct column *columns, size_t n, int8_t place);
/* Groups by the keys' values, in the list's order; texts by their bytes; absent values last. */
int by_compare_groups(
	const struct by *by, const struct tally_group *a, const struct tally_group *b);

#endif
