/* The names of frames, each stored once and known by a number. */
#ifndef SWT_DECODER_REPORT_FLAME_NAMES_H
#define SWT_DECODER_REPORT_FLAME_NAMES_H

#include <string.h>

#include "../../base/pages.h"
#include "slots.h"

struct flame_name {
	const char *at; /* valid until the next name is added */
	uint32_t len;
};

/*
 * Starts zeroed. The text holds each name's length (one byte; from 255 on that byte and 4 more) and
 * bytes, aligned to 4. A name's number is its offset in units of 4 bytes, from 1 on.
 */
struct flame_names {
	struct pages text;
	struct flame_slots slots;
	uint64_t seed; /* of hashes */
	uint32_t used; /* of the text, in units of 4 bytes, including the unused first one */
	uint32_t count;
};

enum { FLAME_LONG_NAME = 255 };

/* The number of these bytes, new or not; 0: out of memory. */
uint32_t flame_names_add(struct flame_names *names, const char *bytes, size_t n);
/* Looking up one of many names misses the cache twice; looking up several at once overlaps the
 * misses. */
struct flame_wanted {
	const char *bytes;
	uint32_t len;
	uint32_t number;   /* set */
	uint64_t hash, at; /* set, of its slot */
};

enum { FLAME_WANTED = 32 };

/* The numbers of n of them, at most FLAME_WANTED, as flame_names_add would find them in turn. 0 or
 * CPIDECODE_ENOMEM. */
int flame_names_add_all(struct flame_names *names, struct flame_wanted *wanted, unsigned n);
/* Adds all of from; map[number there] becomes the number here. 0 or CPIDECODE_ENOMEM. */
int flame_names_merge(struct flame_names *names, const struct flame_names *from, uint32_t *map);
/* Frees the index, which only adding needs. */
void flame_names_close(struct flame_names *names);
void flame_names_free(struct flame_names *names);
/* A prefetch hint for its bytes. */
static inline void flame_names_ask(const struct flame_names *names, uint32_t number)
{
	__builtin_prefetch((const uint32_t *)names->text.at + number);
}

static inline struct flame_name flame_names_get(const struct flame_names *names, uint32_t number)
{
	const char *at = (const char *)((const uint32_t *)names->text.at + number);
	uint32_t len = (unsigned char)*at++;

	if (len == FLAME_LONG_NAME) {
		memcpy(&len, at, sizeof len);
		at += sizeof len;
	}
	return (struct flame_name){at, len};
}

/* The number of the next name, to iterate from 1 while below names->used. */
static inline uint32_t flame_names_next(const struct flame_names *names, uint32_t number)
{
	struct flame_name name = flame_names_get(names, number);
	const char *begin = (const char *)((const uint32_t *)names->text.at + number);

	return number + (uint32_t)(((size_t)(name.at + name.len - begin) + 3) / 4);
}

#endif
