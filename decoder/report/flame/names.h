/* The names of frames, each stored once and known by a number. */
#ifndef SWT_DECODER_REPORT_FLAME_NAMES_H
#define SWT_DECODER_REPORT_FLAME_NAMES_H

#include <string.h>

#include "slots.h"

struct flame_name {
	const char *at; /* until the next one is added */
	uint32_t len;
};

/*
 * Starts zeroed. Of each name its length, in a byte or after a byte of 255, and its bytes, on a
 * multiple of 4: where that is, in fours, is its number. They begin at 1.
 */
struct flame_names {
	struct pages text;
	struct flame_slots slots;
	uint64_t seed; /* of hashes */
	uint32_t used; /* of text, in fours, with the first, which is not */
	uint32_t count;
};

enum { FLAME_LONG_NAME = 255 };

/* The number of these bytes, new or not; 0: out of memory. */
uint32_t flame_names_add(struct flame_names *names, const char *bytes, size_t n);
/*
 * Where names are many, finding one means waiting for memory twice; for several at once it
 * is waited for together.
 */
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
/* Gives back what only adding needs. */
void flame_names_close(struct flame_names *names);
void flame_names_free(struct flame_names *names);
/* A hint that its bytes will be asked for. */
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

/* From the first name, number 1, to the next one; below names->used. */
static inline uint32_t flame_names_next(const struct flame_names *names, uint32_t number)
{
	struct flame_name name = flame_names_get(names, number);
	const char *begin = (const char *)((const uint32_t *)names->text.at + number);

	return number + (uint32_t)(((size_t)(name.at + name.len - begin) + 3) / 4);
}

#endif
