/* The report that a partial result is for: its options, as they were given. */
#ifndef SWT_DECODER_MODEL_STATS_PARTIAL_ARGUMENTS_H
#define SWT_DECODER_MODEL_STATS_PARTIAL_ARGUMENTS_H

#include "partial.h"

struct varint_in;

enum { PARTIAL_ARGUMENTS = 256, PARTIAL_ARGUMENTS_BYTES = 32 << 10 };

/* 0, CPIDECODE_ENOMEM, or CPIDECODE_EINVAL: more than a partial result holds. */
int partial_arguments_add(struct partial_arguments *a, const char *text, size_t length);
int partial_arguments_copy(struct partial_arguments *a, const struct partial_arguments *from);
bool partial_arguments_are_same(
	const struct partial_arguments *a, const struct partial_arguments *b);
void partial_arguments_put(struct buffer *o, const struct partial_arguments *a);
int partial_arguments_get(struct varint_in *in, struct partial_arguments *a);
/* Reads the arguments in a file's first bytes; none if it is no partial result. */
int partial_arguments_peek(struct partial_arguments *a, const uint8_t *bytes, size_t n);
void partial_arguments_free(struct partial_arguments *a);

#endif
