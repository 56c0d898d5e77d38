#include "labels.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../../base/grow.h"

static uint32_t texts_find(
	const struct trace_texts *t, const char *at, uint32_t length, uint32_t hash)
{
	uint64_t slot = hash;

	for (uint32_t found; (found = hash_index_next(&t->index, &slot));) {
		const struct trace_text *text = &t->at[found - 1];

		if (text->hash == hash && text->length == length &&
			memcmp(text->at, at, length) == 0)
			return found - 1;
	}
	return TEXT_NONE;
}

int texts_add(struct trace_texts *t, const char *at, uint32_t length, uint32_t *index)
{
	uint32_t hash = (uint32_t)XXH3_64bits(at, length);
	size_t i;

	*index = texts_find(t, at, length, hash);
	if (*index != TEXT_NONE)
		return 0;
	if (array_grow(&t->at, t->count, &t->room, sizeof *t->at) || t->count == TEXT_NONE ||
		!hash_index_grow(&t->index, t->count + 1, &i))
		return CPIDECODE_ENOMEM;
	for (; i < t->count; i++)
		hash_index_add(&t->index, t->at[i].hash, (uint32_t)i);
	char *copy = arena_alloc(&t->memory, (size_t)length + 1);
	if (!copy)
		return CPIDECODE_ENOMEM;
	memcpy(copy, at, length);
	copy[length] = 0;
	hash_index_add(&t->index, hash, (uint32_t)t->count);
	*index = (uint32_t)t->count;
	t->at[t->count++] = (struct trace_text){.at = copy, .length = length, .hash = hash};
	return 0;
}

uint32_t texts_find_or_add(struct trace_texts *t, const char *at, uint32_t length)
{
	uint32_t index;

	pthread_mutex_lock(&t->lock);
	index = texts_find(t, at, length, (uint32_t)XXH3_64bits(at, length));
	if (index == TEXT_NONE && t->of_hooks < TEXTS_OF_HOOKS &&
		length <= TEXTS_OF_HOOKS_BYTES - t->of_hooks_bytes &&
		!texts_add(t, at, length, &index)) {
		t->of_hooks++;
		t->of_hooks_bytes += length;
	}
	pthread_mutex_unlock(&t->lock);
	return index;
}

struct trace_text texts_get(struct trace_texts *t, uint32_t index)
{
	struct trace_text text;

	pthread_mutex_lock(&t->lock);
	text = t->at[index];
	pthread_mutex_unlock(&t->lock);
	return text;
}

size_t texts_limit(struct trace_texts *t)
{
	size_t limit;

	pthread_mutex_lock(&t->lock);
	limit = t->count + TEXTS_OF_HOOKS - t->of_hooks;
	pthread_mutex_unlock(&t->lock);
	return limit;
}

void texts_free(struct trace_texts *t)
{
	intern_free(&t->memory);
	free(t->had_values);
	free(t->at);
	hash_index_free(&t->index);
}

int labels_add(struct labels *l, const struct label *entry)
{
	size_t i;

	if (labels_find(l, entry->number))
		return 0;
	if (array_grow(&l->at, l->count, &l->room, sizeof *l->at) ||
		!hash_index_grow(&l->index, l->count + 1, &i))
		return CPIDECODE_ENOMEM;
	l->at[l->count++] = *entry;
	for (; i < l->count; i++)
		hash_index_add(&l->index, hash_u64(l->at[i].number), (uint32_t)i);
	return 1;
}

void labels_free(struct labels *l)
{
	free(l->at);
	hash_index_free(&l->index);
}
