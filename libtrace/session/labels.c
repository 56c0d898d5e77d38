#include "labels.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Inline: a hook must not call through a lazily bound symbol. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../../formats/base/hash_index.h"
#include "discovery.h"
#include "texts.h"

/* After a failure, hooks hold label texts for this long before the next attempt. */
#define LABELS_RETRY_NS 100000000u

/* How long a program waits for another one that appends. */
enum { LABELS_WAIT_MS = 10 };

/* By a text's hash: its number - 1. A slot is filled once, so that readers need no lock. */
struct label_index {
	struct label_index *before;
	size_t bytes; /* of this mapping */
	uint32_t count;
	struct hash_index by_hash; /* its slots are those below */
	uint32_t slot[];
};

enum { LABELS_FIRST_SLOTS = 1024 };

static uint32_t last_serial;

static const struct shm_text *labels_entry(const struct shm_label_file *file, uint64_t at)
{
	return (const struct shm_text *)(const void *)(file->area + at);
}

static bool labels_is_text(const struct shm_label_file *file, uint32_t number, const char *text,
	uint32_t length, uint32_t hash)
{
	uint64_t at = 8 * (uint64_t)(number - 1);
	const struct shm_text *e = labels_entry(file, at);

	/* A member may have changed the length since it was bounded. */
	return e->hash == hash && e->length == length &&
	       at + sizeof *e + length <= SHM_LABEL_BYTES && memcmp(e->text, text, length) == 0;
}

uint32_t labels_find_number(
	const struct label_table *t, const char *text, uint32_t length, uint32_t hash)
{
	/* Acquire: pairs with the release in labels_add_to_index and labels_grow_index.
	 * tests/litmus/label-index.litmus */
	const struct label_index *index = __atomic_load_n(&t->index, __ATOMIC_ACQUIRE);

	for (uint64_t i = hash; index; i++) {
		uint32_t number =
			__atomic_load_n(hash_index_at(&index->by_hash, i), __ATOMIC_ACQUIRE);

		if (number == 0 || labels_is_text(t->file, number, text, length, hash))
			return number;
	}
	return 0;
}

bool labels_may_add(const struct label_table *t)
{
	uint64_t retry_at = __atomic_load_n(&t->retry_at, __ATOMIC_RELAXED);

	return !__atomic_load_n(&t->is_full, __ATOMIC_RELAXED) &&
	       (retry_at == 0 || discovery_now() >= retry_at);
}

uint32_t labels_hash(const char *text, uint32_t length)
{
	return (uint32_t)XXH3_64bits(text, length);
}

/* ---------------------------------------------------------------------- adding */

static void labels_add_to_index(struct label_index *index, uint64_t hash, uint32_t number)
{
	while (*hash_index_at(&index->by_hash, hash))
		hash++;
	__atomic_store_n(hash_index_at(&index->by_hash, hash), number, __ATOMIC_RELEASE);
	index->count++;
}

/* A larger copy. Readers continue with the one they found. */
static bool labels_grow_index(struct label_table *t)
{
	struct label_index *old = t->index, *index;
	size_t slots = old ? 2 * old->by_hash.slots : LABELS_FIRST_SLOTS;
	size_t bytes = sizeof *index + slots * sizeof index->slot[0];

	index = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (index == MAP_FAILED)
		return false;
	index->before = old;
	index->bytes = bytes;
	index->by_hash = (struct hash_index){.slot = index->slot, .slots = slots};
	for (size_t i = 0; old && i < old->by_hash.slots; i++) {
		uint32_t number = old->slot[i];

		if (number)
			labels_add_to_index(index,
				labels_entry(t->file, 8 * (uint64_t)(number - 1))->hash, number);
	}
	__atomic_store_n(&t->index, index, __ATOMIC_RELEASE);
	return true;
}

static bool labels_index_number(struct label_table *t, uint32_t number, uint32_t hash)
{
	if ((!t->index || 2 * ((size_t)t->index->count + 1) > t->index->by_hash.slots) &&
		!labels_grow_index(t))
		return false;
	labels_add_to_index(t->index, hash, number);
	return true;
}

/* Indexes what other programs appended. */
static bool labels_read_news(struct label_table *t, uint32_t used)
{
	if (used < t->seen)
		return false;
	while (used - t->seen >= sizeof(struct shm_text)) {
		const struct shm_text *e = labels_entry(t->file, t->seen);
		uint32_t length = __atomic_load_n(&e->length, __ATOMIC_RELAXED);

		if (length == 0 || length > SHM_LABEL_TEXT_MAX ||
			shm_text_bytes(length) > used - t->seen ||
			!labels_index_number(t, t->seen / 8 + 1, e->hash))
			return false;
		t->seen += shm_text_bytes(length);
	}
	return true;
}

static bool labels_map(struct label_table *t, int fd)
{
	void *p;

	if (t->file)
		return true;
	p = mmap(NULL, sizeof *t->file, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return false;
	t->file = p;
	__atomic_store_n(&t->serial, ++last_serial, __ATOMIC_RELEASE);
	return true;
}

/* With the file locked. */
static uint32_t labels_append(
	struct label_table *t, int fd, const char *text, uint32_t length, uint32_t hash)
{
	uint32_t used = texts_used(fd, SHM_LABEL_BYTES), number;

	if (used == TEXTS_INVALID || !labels_map(t, fd) || !labels_read_news(t, used))
		return 0;
	number = labels_find_number(t, text, length, hash);
	if (number)
		return number;
	if (shm_text_bytes(length) > SHM_LABEL_BYTES - used) {
		__atomic_store_n(&t->is_full, true, __ATOMIC_RELAXED);
		return 0;
	}
	if (!texts_append(fd, used, text, length, hash) ||
		!labels_read_news(t, used + shm_text_bytes(length)))
		return 0;
	return used / 8 + 1;
}

uint32_t labels_add(struct label_table *t, uint32_t generation,
	const struct session_location *location, const char *text, uint32_t length, uint32_t hash)
{
	int fd = texts_open(generation, location, SHM_LABELS_FORMAT, sizeof(struct shm_label_file));
	uint32_t number = 0;

	if (fd >= 0 && texts_lock(fd, LABELS_WAIT_MS)) {
		number = labels_append(t, fd, text, length, hash);
		texts_unlock(fd);
	}
	if (fd >= 0)
		close(fd);
	__atomic_store_n(
		&t->retry_at, number ? 0 : discovery_now() + LABELS_RETRY_NS, __ATOMIC_RELAXED);
	return number;
}

void labels_close(struct label_table *t)
{
	struct label_index *before;

	for (struct label_index *index = t->index; index; index = before) {
		before = index->before;
		munmap(index, index->bytes);
	}
	if (t->file)
		munmap((void *)(uintptr_t)t->file, sizeof *t->file);
	*t = (struct label_table){0};
}
