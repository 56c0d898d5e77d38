/* The names of frames, each stored once and known by a number. */
#ifndef SWT_DECODER_FLAME_NAMES_H
#define SWT_DECODER_FLAME_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "flame_slots.h"

struct flame_name {
	const char *at; /* until the next one is added */
	uint32_t len;
};

/* Starts zeroed. Numbers begin at 1. */
struct flame_names {
	struct pages text;   /* of each its length and its bytes, on a multiple of 4 */
	struct pages places; /* uint32_t: where each stands there, in fours */
	struct flame_slots slots;
	uint64_t used;	/* of text, in fours */
	uint32_t count; /* with the one that is not used */
};

/* The number of these bytes, new or not; 0: out of memory. */
uint32_t flame_names_add(struct flame_names *names, const char *bytes, size_t n);

/*
 * Where names are many, finding one means waiting for memory three times; for several at
 * once it is waited for together.
 */
struct flame_wanted {
	const char *bytes;
	uint32_t len;
	uint32_t number;   /* set */
	uint32_t hash, at; /* set, of its slot */
};

enum { FLAME_WANTED = 32 };

/* The numbers of n of them, at most FLAME_WANTED, as flame_names_add would find them in turn. 0 or
 * CPIDECODE_ENOMEM. */
int flame_names_add_all(struct flame_names *names, struct flame_wanted *wanted, unsigned n);
void flame_names_free(struct flame_names *names);

/* Hints that its place, and then that its bytes will be asked for. */
static inline void flame_names_ask(const struct flame_names *names, uint32_t number)
{
	__builtin_prefetch((const uint32_t *)names->places.at + number);
}

static inline const uint32_t *flame_names_at(const struct flame_names *names, uint32_t number)
{
	uint32_t place = ((const uint32_t *)names->places.at)[number];
	return (const uint32_t *)names->text.at + place;
}

static inline void flame_names_ask_bytes(const struct flame_names *names, uint32_t number)
{
	__builtin_prefetch(flame_names_at(names, number));
}

static inline struct flame_name flame_names_get(const struct flame_names *names, uint32_t number)
{
	const uint32_t *at = flame_names_at(names, number);
	return (struct flame_name){(const char *)(at + 1), *at};
}

#endif
