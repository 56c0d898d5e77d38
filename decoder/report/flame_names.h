/* The names of frames, each stored once and known by a number. */
#ifndef SWT_DECODER_FLAME_NAMES_H
#define SWT_DECODER_FLAME_NAMES_H

#include <stdbool.h>

#include "../model/intern.h"

struct flame_name {
	const char *at;
	uint32_t len, hash;
};

struct name_slot {
	uint32_t name; /* 0: free */
	uint32_t hash;
};

/* Starts zeroed. Numbers begin at 1. */
struct flame_names {
	struct flame_name *at;
	size_t cap;
	uint32_t count;		 /* with the one that is not used */
	struct name_slot *table; /* open hash */
	uint32_t mask;
	struct intern memory;
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
	uint32_t number; /* set */
	uint32_t hash;	 /* set */
};

/* The numbers of n of them, as flame_names_add would find them in turn. 0 or CPIDECODE_ENOMEM. */
int flame_names_add_all(struct flame_names *names, struct flame_wanted *wanted, unsigned n);
void flame_names_free(struct flame_names *names);

#endif
