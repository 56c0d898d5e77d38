#include "definition.h"

#include <string.h>

#include "../../../formats/base/hash.h"

static uint64_t definition_hash_number(uint64_t hash, uint32_t number)
{
	const uint8_t bytes[] = {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16),
		(uint8_t)(number >> 24)};

	return hash_bytes(hash, bytes, sizeof bytes);
}

static uint64_t add_text(uint64_t hash, const char *text)
{
	return hash_bytes(hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

uint64_t definition_hash(const struct counterset_definition *set)
{
	uint64_t hash = HASH_BYTES;

	hash = definition_hash_number(hash, set->type);
	hash = add_text(hash, set->name);
	for (uint32_t i = 0; i < set->ncounters; i++) {
		const struct counter_definition *c = &set->counter[i];

		hash = definition_hash_number(hash, c->id);
		hash = definition_hash_number(hash, c->type);
		hash = definition_hash_number(hash, c->base);
		hash = add_text(hash, c->name);
	}
	return hash;
}

uint64_t guid_high(const GUID *id)
{
	return (uint64_t)id->Data1 << 32 | (uint32_t)id->Data2 << 16 | id->Data3;
}

uint64_t guid_low(const GUID *id)
{
	uint64_t low = 0;

	for (int i = 0; i < 8; i++)
		low = low << 8 | id->Data4[i];
	return low;
}

GUID guid_of(uint64_t high, uint64_t low)
{
	GUID id = {(uint32_t)(high >> 32), (uint16_t)(high >> 16), (uint16_t)high, {0}};

	for (int i = 0; i < 8; i++)
		id.Data4[i] = (uint8_t)(low >> (56 - 8 * i));
	return id;
}
