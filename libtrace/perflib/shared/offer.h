/*
 * What this process offers: its providers, their countersets and instances.
 *
 * One lock for all but the functions that set, increment and decrement. Those run in any thread
 * and signal handler and find what they need without it: a handle is a place in a table and how
 * often that was used, and the memory of sets and instances is never given back to the
 * system, only used again for others. So a late call for what is gone is refused or, at worst,
 * counts where nobody looks; it stores nowhere else.
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
	struct offered_instance *next; /* in its bucket, of the free ones, or in the pool */
	uint32_t hash;
	enum offer_room room;
	PERF_COUNTERSET_INSTANCE shown; /* then the name */
};

struct offered_set {
	GUID guid;
	uint32_t number; /* in the file */
	uint32_t type, counters;
	uint32_t id[PROV_COUNTERS];
	uint32_t size[PROV_COUNTERS]; /* PERF_SIZE_DWORD or _LARGE */
	uint32_t slots;		      /* in the file */
	struct {
		struct offered_instance *freed;
		uint8_t *fresh;	     /* never used ones */
		uint32_t fresh_left; /* how many */
		uint32_t slots;	     /* of this room */
	} room[OFFER_ROOMS];
	struct offered_instance **bucket;
	uint32_t buckets; /* a power of two, or 0 */
	uint32_t instances;
	struct offered_set *next; /* in the pool */
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
/* Memory for a set, zeros; NULL. Given back with its instances. */
struct offered_set *offer_take_set(void);
void offer_give_set(struct offered_set *set);
/* Memory for an instance with its set and room, otherwise zeros; NULL. */
struct offered_instance *offer_take_instance(struct offered_set *set, enum offer_room room);

#endif
