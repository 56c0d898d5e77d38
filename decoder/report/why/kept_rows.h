/*
 * The bytes of the rows and tables of a why report in partial results. The parser trusts nothing.
 * Functions return 0 or a CPIDECODE_E code; CPIDECODE_EINVAL: damaged.
 */
#ifndef SWT_DECODER_WHY_KEPT_ROWS_H
#define SWT_DECODER_WHY_KEPT_ROWS_H

#include "kept.h"

/* The lines before the rows. */
struct kept_head {
	uint32_t seen;
	bool has_span;
	int64_t first_ns, last_ns;
	uint64_t count; /* of rows */
};

struct kept_row {
	uint64_t start, end; /* ticks */
	int64_t start_ns;
	uint64_t elapsed;		       /* ticks */
	uint64_t off_ns, instructions, cycles; /* or NOT_MEASURED */
	uint32_t clock, name, parent, tid, ring, task;
	uint32_t user_only;
	uint32_t nvalues, values_bytes;
	const uint8_t *values; /* as they are encoded */
};

/* The row before. Starts zeroed. */
struct kept_before {
	uint64_t start;
	int64_t start_ns;
};

/* Numbers from 0 in order of first use. NULL: no memory. */
struct tally_group *kept_number_text(struct tally *t, const void *text, uint32_t length);
struct tally_group *kept_number_name(struct tally *t, bool has_label, const char *label,
	uint32_t length, uint8_t major, uint8_t mm);

/* sorted: the tables' groups by their numbers. */
void kept_put_tables(struct buffer *o, const struct kept_head *head,
	struct tally_group *const *const sorted[WHY_TABLES], const size_t counts[WHY_TABLES]);
/* Adds to tables. groups: those of the numbers in this answer, for the caller to free. */
int kept_get_tables(struct varint_in *in, struct kept_head *head, struct tally tables[WHY_TABLES],
	struct tally_group **groups[WHY_TABLES], size_t counts[WHY_TABLES]);

void kept_put_row(struct buffer *o, struct kept_before *before, const struct kept_row *row);
/* machines: of the clocks. */
int kept_get_row(struct varint_in *in, struct kept_before *before, const size_t counts[WHY_TABLES],
	struct kept_row *row);

/* A value; a text's bytes are at `text`. */
void kept_put_value(
	struct buffer *o, uint32_t name, const struct interval_value *v, const char *text);
int kept_get_value(struct varint_in *in, size_t texts, struct interval_value *v, const char **text);

#endif
