#include "labels.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Inline: a call through a lazily bound symbol has no place in a hook. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "look.h"
#include "texts.h"

/* After a failure a program writes texts for so long. */
#define LABELS_RETRY_NS 100000000u

/* How long a program waits for another one that appends. */
enum { LABELS_WAIT_MS = 10 };

/* Open addressing. At most half of the slots are taken. */
struct label_index {
	struct label_index *before;
	size_t bytes; /* of this mapping */
	uint32_t mask, count;
	uint64_t slot[]; /* hash << 32 | number; 0: free. The hash is of the text as it was indexed
			  */
};

enum { LABELS_FIRST_SLOTS = 1024 };

static uint32_t last_serial;

static bool labels_is_text(
	const struct shm_label_file *file, uint32_t number, const char *text, uint32_t length)
{
	uint64_t at = 8 * (uint64_t)(number - 1);
	const struct shm_text *e = (const struct shm_text *)(const void *)(file->area + at);

	/* A member may have changed the length since it was bounded. */
	return e->length == length && at + sizeof *e + length <= SHM_LABEL_BYTES &&
	       memcmp(e->text, text, length) == 0;
}

uint32_t labels_look_up(
	const struct label_table *t, const char *text, uint32_t length, uint32_t hash)
{
	/* Acquire: pairs with the release in labels_put_slot and labels_grow_index.
	 * tests/litmus/label-index.litmus */
	const struct label_index *index = __atomic_load_n(&t->index, __ATOMIC_ACQUIRE);

	for (uint32_t i = hash; index; i++) {
		uint64_t slot = __atomic_load_n(&index->slot[i & index->mask], __ATOMIC_ACQUIRE);

		if (slot == 0)
			break;
		if (slot >> 32 == hash && labels_is_text(t->file, (uint32_t)slot, text, length))
			return (uint32_t)slot;
	}
	return 0;
}

bool labels_may_add(const struct label_table *t)
{
	uint64_t retry_at = __atomic_load_n(&t->retry_at, __ATOMIC_RELAXED);

	return !__atomic_load_n(&t->is_full, __ATOMIC_RELAXED) &&
	       (retry_at == 0 || look_now() >= retry_at);
}

uint32_t labels_hash(const char *text, uint32_t length)
{
	return (uint32_t)XXH3_64bits(text, length);
}

/* ---------------------------------------------------------------------- adding */

static void labels_put_slot(struct label_index *index, uint64_t slot)
{
	uint32_t at = (uint32_t)(slot >> 32);

	while (index->slot[at & index->mask])
		at++;
	__atomic_store_n(&index->slot[at & index->mask], slot, __ATOMIC_RELEASE);
	index->count++;
}

/* A larger copy. Readers go on with the one they found. */
static bool labels_grow_index(struct label_table *t)
{
	struct label_index *old = t->index, *index;
	uint32_t slots = old ? 2 * (old->mask + 1) : LABELS_FIRST_SLOTS;
	size_t bytes = sizeof *index + slots * sizeof index->slot[0];

	index = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (index == MAP_FAILED)
		return false;
	index->before = old;
	index->bytes = bytes;
	index->mask = slots - 1;
	for (uint32_t i = 0; old && i <= old->mask; i++)
		if (old->slot[i])
			labels_put_slot(index, old->slot[i]);
	__atomic_store_n(&t->index, index, __ATOMIC_RELEASE);
	return true;
}

static bool labels_index_number(struct label_table *t, uint32_t number, uint32_t hash)
{
	if ((!t->index || 2 * (t->index->count + 1) > t->index->mask) && !labels_grow_index(t))
		return false;
	labels_put_slot(t->index, (uint64_t)hash << 32 | number);
	return true;
}

/* Indexes what other programs appended. */
static bool labels_read_news(struct label_table *t, uint32_t used)
{
	if (used < t->seen)
		return false;
	while (used - t->seen >= sizeof(struct shm_text)) {
		const struct shm_text *e =
			(const struct shm_text *)(const void *)(t->file->area + t->seen);
		uint32_t length = __atomic_load_n(&e->length, __ATOMIC_RELAXED);

		if (length == 0 || length > SHM_LABEL_TEXT_MAX ||
			shm_text_bytes(length) > used - t->seen ||
			!labels_index_number(t, t->seen / 8 + 1, labels_hash(e->text, length)))
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
	number = labels_look_up(t, text, length, hash);
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

uint32_t labels_add(struct label_table *t, uint32_t generation, const struct session_place *place,
	const char *text, uint32_t length, uint32_t hash)
{
	int fd = texts_open(generation, place, SHM_LABELS_FORMAT, sizeof(struct shm_label_file));
	uint32_t number = 0;

	if (fd >= 0 && texts_lock(fd, LABELS_WAIT_MS)) {
		number = labels_append(t, fd, text, length, hash);
		texts_unlock(fd);
	}
	if (fd >= 0)
		close(fd);
	__atomic_store_n(&t->retry_at, number ? 0 : look_now() + LABELS_RETRY_NS, __ATOMIC_RELAXED);
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
