/*
 * This process's providers, their countersets and instances.
 *
 * One lock protects everything except the functions that set, increment and decrement values. Those
 * run in any thread and signal handler, without the lock. A handle is a table index and a serial
 * number, so a late call for a stopped provider is refused. What they read of a set never changes,
 * because its memory is reused only for sets with the same counters. A call in progress while its
 * provider stops stores into memory that is no longer read, or into the next provider's file, which
 * belongs to this process too.
 *
 * libtrace/perflib/shared/offer owns offering countersets. It includes perflib, core and shared.
 * Errors as in counterset.h.
 */
#ifndef SWT_PERFLIB_SHARED_OFFER_OFFER_H
#define SWT_PERFLIB_SHARED_OFFER_OFFER_H

#include <signal.h>

#include "../../../../formats/base/hash_index.h"
#include "file.h"

enum { OFFER_PROVIDERS = 64 };

/* A name registered for a counterset, or for one of its counters (counter not
 * PERF_WILDCARD_COUNTER). */
struct offered_name {
	struct offered_name *next;
	GUID set;
	uint32_t counter, base;
	char *name, *help;
};

enum offer_room { OFFER_SHORT, OFFER_LONG, OFFER_ROOMS };

/* A slot of the file, used by an instance or free. */
struct offered_instance {
	uintptr_t owner; /* the provider's handle while the slot is in use, else 0 */
	struct offered_set *set;
	struct prov_instance *slot;
	uint64_t *value;
	uint64_t state;		       /* the slot's state; the file's copy is never read back */
	struct offered_instance *next; /* in the list of freed or idle ones */
	uint32_t hash, number;	       /* number: in the set's `all` */
	enum offer_room room;
	PERF_COUNTERSET_INSTANCE shown; /* followed by the name */
};

struct offered_set {
	/* Read without the lock: */
	uint32_t counters;
	uint32_t id[PROV_COUNTERS];
	uint32_t size[PROV_COUNTERS]; /* PERF_SIZE_DWORD or _LARGE */
	/* Protected by the lock: */
	GUID guid;
	uint32_t number; /* in the file */
	uint32_t type;
	uint32_t slots; /* in the file */
	struct {
		struct offered_instance *freed;
		uint8_t *fresh;		       /* slots never used */
		uint32_t fresh_left;	       /* their number */
		uint32_t slots;		       /* slots with this name room */
		struct offered_instance *idle; /* freed memory without a slot */
	} room[OFFER_ROOMS];
	struct offered_instance **all; /* with a slot, used or freed */
	size_t nall, all_room;
	uint32_t instances;	   /* those used */
	struct hash_index by_name; /* of `all`; the entries of deleted instances remain */
	size_t indexed;		   /* entries */
	struct offered_set *next;  /* in spare_sets */
};

struct offered_provider {
	uint32_t serial; /* odd: started */
	GUID guid;
	struct offer_file file;
	uint32_t blocks, end; /* of the file: number of blocks, and offset of the next one */
	uint32_t nsets;
	struct offered_set *set[PROV_SETS];
	struct offered_name *names;
};

/* Acquires the lock and blocks all signals: a handler must not fork while the lock is held. */
void offer_enter(sigset_t *saved);
void offer_leave(const sigset_t *saved);

/* The provider of a handle; NULL if the handle is invalid or stale. Callable without the lock: the
 * provider may stop at any time. */
struct offered_provider *offer_find(HANDLE handle);

/* The instance of a block that the caller got; NULL if it is not, or no longer, this provider's. */
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

/* The caller holds the lock: */

struct offered_set *offer_find_set(struct offered_provider *p, const GUID *set);

/* Reserves a zeroed block at the file's end. NULL: failed with *status. Consumers see the block
 * after offer_publish. */
void *offer_block(struct offered_provider *p, const struct prov_block *block, uint32_t *status);
void offer_publish(struct offered_provider *p);

/* Allocates a set of these counters without instances. NULL: out of memory. */
struct offered_set *offer_obtain_set(uint32_t counters, const uint32_t *id, const uint32_t *size);
void offer_give_set(struct offered_set *set);
/* Allocates an instance without a slot. NULL: out of memory. */
struct offered_instance *offer_obtain_instance(struct offered_set *set, enum offer_room room);

#endif
