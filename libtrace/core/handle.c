#include "handle.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define USE_MASK ((uintptr_t)-1 >> HANDLE_INDEX_BITS)

struct handle_slot *_Atomic handle_chunk[HANDLE_CHUNKS];
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

static struct handle_slot *slot_at(uint32_t index)
{
	struct handle_slot *c = handle_chunk[index >> HANDLE_CHUNK_BITS];

	return c ? &c[index & (HANDLE_CHUNK_SLOTS - 1)] : NULL;
}

/* A free slot's index, or UINT32_MAX. Call with the lock held. */
static uint32_t handle_allocate_slot(void)
{
	uint32_t index = first_free;

	if (index != UINT32_MAX) {
		first_free = slot_at(index)->next_free;
		return index;
	}
	if (slots >> HANDLE_INDEX_BITS)
		return UINT32_MAX;
	if (!handle_chunk[slots >> HANDLE_CHUNK_BITS]) {
		struct handle_slot *c = calloc(HANDLE_CHUNK_SLOTS, sizeof *c);

		if (!c)
			return UINT32_MAX;
		handle_chunk[slots >> HANDLE_CHUNK_BITS] = c;
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
		struct handle_slot *s = slot_at(index);

		s->use = (s->use + 1) & USE_MASK;
		if (s->use == 0)
			s->use = 1;
		s->instance = instance;
		s->kind = kind;
		h = s->use << HANDLE_INDEX_BITS | index;
		s->handle = h;
	}
	pthread_mutex_unlock(&lock);
	return (void *)h;
}

void *handle_find(enum handle_kind kind, void *handle)
{
	return handle_find_here(kind, handle);
}

void *handle_end(enum handle_kind kind, void *handle)
{
	void *instance = NULL;
	struct handle_slot *s;

	pthread_mutex_lock(&lock);
	s = handle_find_slot(kind, handle);
	if (s) {
		uint32_t index =
			(uint32_t)((uintptr_t)handle & (((uintptr_t)1 << HANDLE_INDEX_BITS) - 1));

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
