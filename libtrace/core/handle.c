#include "handle.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* A table that grows by chunks, which never move: lookup takes no lock. */
enum {
	CHUNK_BITS = 10,
	CHUNK_SLOTS = 1 << CHUNK_BITS,
	INDEX_BITS = sizeof(void *) == 8 ? 26 : 18,
	CHUNKS = 1 << (INDEX_BITS - CHUNK_BITS),
};

#define USE_MASK ((uintptr_t)-1 >> INDEX_BITS)

struct slot {
	_Atomic uintptr_t handle; /* the valid handle; 0: none */
	void *instance;
	enum handle_kind kind;
	uintptr_t use; /* of the last handle */
	uint32_t next_free;
};

static struct slot *_Atomic chunk[CHUNKS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t slots; /* slots ever used */
static uint32_t first_free =
	UINT32_MAX;	   /* FIFO free list: delays reuse, so a stale handle is caught */
static uint32_t last_free; /* tail */

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void handle_before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void handle_after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

static void handle_register_fork(void)
{
	pthread_atfork(handle_before_fork, handle_after_fork, handle_after_fork);
}

static struct slot *slot_at(uint32_t index)
{
	struct slot *c = chunk[index >> CHUNK_BITS];

	return c ? &c[index & (CHUNK_SLOTS - 1)] : NULL;
}

static struct slot *find_slot(enum handle_kind kind, void *handle)
{
	uintptr_t h = (uintptr_t)handle;
	struct slot *s;

	if (h == 0)
		return NULL;
	s = slot_at((uint32_t)(h & (((uintptr_t)1 << INDEX_BITS) - 1)));
	return s && s->handle == h && s->kind == kind ? s : NULL;
}

/* A free slot's index, or UINT32_MAX. Call with the lock held. */
static uint32_t handle_allocate_slot(void)
{
	uint32_t index = first_free;

	if (index != UINT32_MAX) {
		first_free = slot_at(index)->next_free;
		return index;
	}
	if (slots >> INDEX_BITS)
		return UINT32_MAX;
	if (!chunk[slots >> CHUNK_BITS]) {
		struct slot *c = calloc(CHUNK_SLOTS, sizeof *c);

		if (!c)
			return UINT32_MAX;
		chunk[slots >> CHUNK_BITS] = c;
	}
	return slots++;
}

void *handle_new(enum handle_kind kind, void *instance)
{
	uintptr_t h = 0;
	uint32_t index;

	pthread_once(&once, handle_register_fork);
	pthread_mutex_lock(&lock);
	index = handle_allocate_slot();
	if (index != UINT32_MAX) {
		struct slot *s = slot_at(index);

		s->use = (s->use + 1) & USE_MASK;
		if (s->use == 0)
			s->use = 1;
		s->instance = instance;
		s->kind = kind;
		h = s->use << INDEX_BITS | index;
		s->handle = h;
	}
	pthread_mutex_unlock(&lock);
	return (void *)h;
}

void *handle_find(enum handle_kind kind, void *handle)
{
	struct slot *s = find_slot(kind, handle);

	return s ? s->instance : NULL;
}

void *handle_end(enum handle_kind kind, void *handle)
{
	void *instance = NULL;
	struct slot *s;

	pthread_mutex_lock(&lock);
	s = find_slot(kind, handle);
	if (s) {
		uint32_t index = (uint32_t)((uintptr_t)handle & (((uintptr_t)1 << INDEX_BITS) - 1));

		instance = s->instance;
		s->handle = 0;
		s->next_free = UINT32_MAX;
		if (first_free == UINT32_MAX)
			first_free = index;
		else
			slot_at(last_free)->next_free = index;
		last_free = index;
	}
	pthread_mutex_unlock(&lock);
	return instance;
}
