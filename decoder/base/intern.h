/* An arena that stores each byte string once, and arrays. It is freed as a whole. */
#ifndef SWT_DECODER_BASE_INTERN_H
#define SWT_DECODER_BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "../../formats/base/hash_index.h"

struct intern_entry {
	uint64_t hash;
	const char *at;
	uint32_t length;
};

struct arena_chunk;

/* Starts zeroed. */
struct intern {
	struct arena_chunk *chunks;
	size_t used, size; /* of the newest chunk */
	size_t bytes;	   /* of all chunks */
	struct intern_entry *strings;
	size_t count, room;
	struct hash_index index; /* of strings */
};

/* NULL: out of memory. Aligned for anything. */
void *arena_alloc(struct intern *in, size_t n);
/* The one copy of these bytes, NUL-terminated; NULL: out of memory. */
const char *intern_bytes(struct intern *in, const char *at, uint32_t length);
/* Moves the arrays of `from`, which must hold no strings, to `in`; `from` becomes empty. */
void intern_absorb(struct intern *in, struct intern *from);
void intern_free(struct intern *in);

#endif
