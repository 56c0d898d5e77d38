/*
 * Instances of a provider's countersets, and the slots that they use.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../../../formats/base/array.h"
#include "../../../../formats/base/utf8.h"
#include "offer.h"

enum { FIRST_SLOTS = 8 };

static const uint32_t room_bytes[OFFER_ROOMS] = {PROV_ROOM_SHORT, PROV_ROOM_LONG};

/* ------------------------------------------------------------------------- lookup */

static uint32_t instance_hash_name(const char *name, uint32_t id)
{
	uint32_t h = 2166136261u ^ id;

	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * 16777619u;
	return h ^ h >> 15;
}

static const char *instance_name(const struct offered_instance *i)
{
	return (const char *)&i->shown + i->shown.InstanceNameOffset;
}

static struct offered_instance *instance_find(
	const struct offered_set *set, const char *name, uint32_t id, uint32_t hash)
{
	uint32_t found;

	for (uint64_t at = hash; (found = hash_index_next(&set->by_name, &at));) {
		struct offered_instance *i = set->all[found - 1];

		if (i->owner && i->hash == hash && i->shown.InstanceId == id &&
			strcmp(instance_name(i), name) == 0)
			return i;
	}
	return NULL;
}

static void instance_index(struct offered_set *set, const struct offered_instance *i)
{
	hash_index_add(&set->by_name, i->hash, i->number);
	set->indexed++;
}

/* Room for one more in the index; without room, the entries of deleted instances go first. */
static bool instance_reserve_index(struct offered_set *set)
{
	if (set->indexed < set->by_name.slots / 2)
		return true;
	if (!hash_index_reset(&set->by_name, 2 * ((size_t)set->instances + 1)))
		return false;
	set->indexed = 0;
	for (size_t n = 0; n < set->nall; n++)
		if (set->all[n]->owner)
			instance_index(set, set->all[n]);
	return true;
}

/* -------------------------------------------------------------------------- slots */

/* Appends slots at the file's end: three times as many as there are. */
static bool more_slots(struct offered_provider *p, struct offered_set *set, enum offer_room room)
{
	const bool single = set->type == PERF_COUNTERSET_SINGLE_INSTANCE;
	const uint32_t most = single ? 1 : PROV_INSTANCES;
	uint32_t slots = set->room[room].slots ? 3 * set->room[room].slots : FIRST_SLOTS, status;
	const uint32_t each = prov_slot_bytes(room_bytes[room], set->counters);
	struct prov_block block = {
		.kind = PROV_INSTANCES_OF, .set = set->number, .name_room = room_bytes[room]};
	uint8_t *at = NULL;

	if (slots > most - set->slots)
		slots = most - set->slots;
	/* Settle for fewer near the file's maximum size or when memory is short. */
	for (; slots && !at; slots /= 2) {
		block.slots = slots;
		block.bytes = slots * each;
		at = offer_block(p, &block, &status);
	}
	if (!at)
		return false;
	set->room[room].fresh = at;
	set->room[room].fresh_left = block.slots;
	set->room[room].slots += block.slots;
	set->slots += block.slots;
	offer_publish(p);
	return true;
}

static bool has_slot(const struct offered_set *set, enum offer_room room)
{
	return set->room[room].freed || set->room[room].fresh_left;
}

static struct offered_instance *instance_allocate_slot(
	struct offered_provider *p, struct offered_set *set, enum offer_room room)
{
	struct offered_instance *i = set->room[room].freed;

	if (i) {
		set->room[room].freed = i->next;
		return i;
	}
	if ((!has_slot(set, room) && !more_slots(p, set, room)) ||
		!array_reserve(&set->all, &set->all_room, set->nall + 1,
			sizeof(struct offered_instance *)))
		return NULL;
	i = offer_obtain_instance(set, room);
	if (!i)
		return NULL;
	i->number = (uint32_t)set->nall;
	set->all[set->nall++] = i;
	i->slot = (struct prov_instance *)(void *)set->room[room].fresh;
	i->value =
		(uint64_t *)(void *)(set->room[room].fresh + prov_values_offset(room_bytes[room]));
	set->room[room].fresh += prov_slot_bytes(room_bytes[room], set->counters);
	set->room[room].fresh_left--;
	return i;
}

/*
 * A reader accepts an instance only if the state was the same odd number before and after reading
 * it. So the state is even before any new byte becomes visible, and odd after the last.
 */
static void write_slot(struct offered_instance *i, const char *name, size_t bytes, uint32_t id)
{
	/* Store-store: orders remove_slot's store of the state before the stores below.
	 * tests/litmus/image-slot.litmus */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	for (uint32_t c = 0; c < i->set->counters; c++)
		__atomic_store_n(&i->value[c], 0, __ATOMIC_RELAXED);
	i->slot->id = id;
	i->slot->name_bytes = (uint32_t)bytes;
	memcpy(i->slot->name, name, bytes);
	/* Release: pairs with the fence between a reader's copies.
	 * tests/litmus/image-slot.litmus */
	__atomic_store_n(&i->slot->state, ++i->state, __ATOMIC_RELEASE);
}

static void remove_slot(struct offered_instance *i)
{
	__atomic_store_n(&i->slot->state, ++i->state, __ATOMIC_RELAXED);
}

/* ---------------------------------------------------------------------- functions */

static void instance_fill_shown(
	struct offered_instance *i, const char *name, size_t bytes, uint32_t id)
{
	char *to = (char *)(&i->shown + 1);

	i->shown.CounterSetGuid = i->set->guid;
	i->shown.InstanceId = id;
	i->shown.InstanceNameOffset = sizeof i->shown;
	i->shown.InstanceNameSize = (uint32_t)bytes + 1;
	i->shown.dwSize = (uint32_t)((sizeof i->shown + bytes + 1 + 7) & ~(size_t)7);
	memset(to, 0, i->shown.dwSize - sizeof i->shown);
	memcpy(to, name, bytes);
}

static struct offered_instance *instance_create(struct offered_provider *p, HANDLE handle,
	struct offered_set *set, const char *name, uint32_t id)
{
	const size_t bytes = strlen(name);
	const enum offer_room room = bytes <= PROV_ROOM_SHORT ? OFFER_SHORT : OFFER_LONG;
	const bool single = set->type == PERF_COUNTERSET_SINGLE_INSTANCE;
	struct offered_instance *i;

	if (single ? bytes != 0 : bytes == 0) {
		errno = EINVAL;
		return NULL;
	}
	if (instance_find(set, name, id, instance_hash_name(name, id)) ||
		(single && set->instances)) {
		errno = EEXIST;
		return NULL;
	}
	errno = ENOMEM;
	i = instance_reserve_index(set) ? instance_allocate_slot(p, set, room) : NULL;
	/* Out of short slots: use a long one if there is one. */
	if (!i && room == OFFER_SHORT && !single && has_slot(set, OFFER_LONG))
		i = instance_allocate_slot(p, set, OFFER_LONG);
	if (!i)
		return NULL;
	instance_fill_shown(i, name, bytes, id);
	write_slot(i, name, bytes, id);
	i->hash = instance_hash_name(name, id);
	instance_index(set, i);
	set->instances++;
	__atomic_store_n(&i->owner, (uintptr_t)handle, __ATOMIC_RELAXED);
	return i;
}

/* Finds the provider and set and checks the arguments. Returns 0 or an errno value. */
static int find_named(HANDLE handle, const GUID *set, const char *name, uint32_t id,
	struct offered_provider **p, struct offered_set **s)
{
	*p = offer_find(handle);
	if (!*p || !set || !name || id == PERF_ANY_INSTANCE_ID ||
		!utf8_is_plain(name, PROV_INSTANCE_NAME_MAX))
		return EINVAL;
	*s = offer_find_set(*p, set);
	return *s ? 0 : EINVAL;
}

static PPERF_COUNTERSET_INSTANCE instance_offer(
	HANDLE provider, const GUID *set, const char *name, uint32_t id, bool creates)
{
	struct offered_instance *i = NULL;
	struct offered_provider *p;
	struct offered_set *s;
	sigset_t saved;
	int rc;

	offer_enter(&saved);
	rc = find_named(provider, set, name, id, &p, &s);
	if (!rc && creates) {
		i = instance_create(p, provider, s, name, id);
		rc = errno;
	} else if (!rc) {
		i = instance_find(s, name, id, instance_hash_name(name, id));
		rc = ENOENT;
	}
	offer_leave(&saved);
	if (i)
		return &i->shown;
	errno = rc;
	return NULL;
}

PPERF_COUNTERSET_INSTANCE PerfCreateInstance(HANDLE provider, LPCGUID set, LPCSTR name, ULONG id)
{
	return instance_offer(provider, set, name, id, true);
}

PPERF_COUNTERSET_INSTANCE PerfQueryInstance(HANDLE provider, LPCGUID set, LPCSTR name, ULONG id)
{
	return instance_offer(provider, set, name, id, false);
}

static uint32_t delete (HANDLE handle, const PERF_COUNTERSET_INSTANCE *shown)
{
	struct offered_instance *i = offer_instance_of(handle, shown);

	if (!i)
		return ERROR_WMI_INSTANCE_NOT_FOUND;
	__atomic_store_n(&i->owner, 0, __ATOMIC_RELAXED);
	remove_slot(i);
	i->set->instances--;
	i->next = i->set->room[i->room].freed;
	i->set->room[i->room].freed = i;
	return ERROR_SUCCESS;
}

ULONG PerfDeleteInstance(HANDLE provider, PPERF_COUNTERSET_INSTANCE instance)
{
	sigset_t saved;
	uint32_t rc;

	if (!instance)
		return ERROR_INVALID_PARAMETER;
	offer_enter(&saved);
	rc = offer_find(provider) ? delete (provider, instance) : ERROR_INVALID_HANDLE;
	offer_leave(&saved);
	return rc;
}
