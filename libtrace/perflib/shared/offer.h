/*
 * What this process offers: its providers, their countersets and instances.
 *
 * One lock for all but the functions that set, increment and decrement. Those run in any thread
 * and signal handler and find what they need without it: a handle is a place in a table and how
 * often that was used; and what they read of a set never changes, since its memory is used again
 * for sets of the same counters only. So a late call for what is gone is refused. One that was
 * under way when its provider was stopped stores where nobody looks, or, if the next provider was
 * started meanwhile, there: in a file of this process all the same.
 */
#ifndef SWT_PERFLIB_SHARED_OFFER_H
#define SWT_PERFLIB_SHARED_OFFER_H

#include <signal.h>

#include "offer_file.h"

enum { OFFER_PROVIDERS = 64 };

/* A name that a counterset or (counter not PERF_WILDCARD_COUNTER) one of its counters is to
 * have. */
struct offered_name {
	struct offered_name *next;
	GUID set;
	uint32_t counter, base;
	char *name, *help;
};

enum offer_room { OFFER_SHORT, OFFER_LONG, OFFER_ROOMS };

/* A slot of the file: an instance's, or free. */
struct offered_instance {
	uintptr_t owner; /* the provider's handle while it is an instance, else 0 */
	struct offered_set *set;
	struct prov_instance *slot;
	uint64_t *value;
	uint64_t state;		       /* of the slot: the file is not asked */
	struct offered_instance *next; /* in its bucket, of the freed ones, of the idle ones */
	uint32_t hash;
	enum offer_room room;
	PERF_COUNTERSET_INSTANCE shown; /* then the name */
};

struct offered_set {
	/* Read without the lock: */
	uint32_t counters;
	uint32_t id[PROV_COUNTERS];
	uint32_t size[PROV_COUNTERS]; /* PERF_SIZE_DWORD or _LARGE */
	/* With the lock: */
	GUID guid;
	uint32_t number; /* in the file */
	uint32_t type;
	uint32_t slots; /* in the file */
	struct {
		struct offered_instance *freed;
		uint8_t *fresh;		       /* never used ones */
		uint32_t fresh_left;	       /* how many */
		uint32_t slots;		       /* of this room */
		struct offered_instance *idle; /* memory, without a slot */
	} room[OFFER_ROOMS];
	struct offered_instance **bucket;
	uint32_t buckets; /* a power of two, or 0 */
	uint32_t instances;
	struct offered_set *next; /* of those not in use */
};

struct offered_provider {
	uint32_t serial; /* odd: started */
	GUID guid;
	struct offer_file file;
	uint32_t blocks, end; /* of the file: blocks, and where the next one may begin */
	uint32_t nsets;
	struct offered_set *set[PROV_SETS];
	struct offered_name *names;
};

/* The lock, with all signals held back: a handler must not fork while it is held. */
void offer_enter(sigset_t *saved);
void offer_leave(const sigset_t *saved);

/* That of a handle: NULL if it is none (any more). Without the lock: it may end at any time. */
struct offered_provider *offer_find(HANDLE handle);

/* That of the block an instance was shown as: NULL if it is none of this provider (any more). */
static inline struct offered_instance *offer_instance_of(
	HANDLE provider, const PERF_COUNTERSET_INSTANCE *shown)
{
	uintptr_t at = (uintptr_t)shown - offsetof(struct offered_instance, shown);
	struct offered_instance *i = (struct offered_instance *)at;

	if (!shown || at % _Alignof(struct offered_instance) ||
		__atomic_load_n(&i->owner, __ATOMIC_RELAXED) != (uintptr_t)provider)
		return NULL;
	return i;
}

/* With the lock: */

struct offered_set *offer_find_set(struct offered_provider *p, const GUID *set);
struct prov_header *offer_header(struct offered_provider *p);

/* A new block at the file's end, zeros: where, or NULL with its status. It counts once
 * offer_publish was called. */
void *offer_block(struct offered_provider *p, const struct prov_block *block, uint32_t *status);
void offer_publish(struct offered_provider *p);

void offer_free_names(struct offered_provider *p);
/* A set of these counters without instances; NULL: no memory. */
struct offered_set *offer_take_set(uint32_t counters, const uint32_t *id, const uint32_t *size);
void offer_give_set(struct offered_set *set);
/* An instance without a slot; NULL. */
struct offered_instance *offer_take_instance(struct offered_set *set, enum offer_room room);

#endif
