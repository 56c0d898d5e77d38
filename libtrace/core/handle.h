/*
 * Handles of instances. A handle is a slot number and a use count, never a pointer, so a stale or
 * invalid handle is detected without touching freed memory.
 */
#ifndef SWT_CORE_HANDLE_H
#define SWT_CORE_HANDLE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "../../include/perfutil.h"
#include "private_abi.h"

/* The kind of a handle's object. A handle of another kind is invalid. */
enum handle_kind { HANDLE_CPI = 1, HANDLE_CPU_UTIL, HANDLE_QUERY };

/* NULL: out of memory. */
void *handle_new(enum handle_kind kind, void *instance) PRIVATE_ABI(handle_new);

/* NULL: not the handle of a live instance of this kind. */
void *handle_find(enum handle_kind kind, void *handle) PRIVATE_ABI(handle_find);

/* The same, and invalidates the handle. */
void *handle_end(enum handle_kind kind, void *handle) PRIVATE_ABI(handle_end);

/* The error for a handle that was not found. */
static inline int handle_error(const void *handle)
{
	return handle ? PU_ERR_NOT_INITIALIZED : PU_ERR_NULL_PTR;
}

/* --------------------------------------------------- handle_find in place, for libswtrace's own */

/* A table that grows by chunks, which never move: lookup is lock-free. */
enum {
	HANDLE_CHUNK_BITS = 10,
	HANDLE_CHUNK_SLOTS = 1 << HANDLE_CHUNK_BITS,
	HANDLE_INDEX_BITS = sizeof(void *) == 8 ? 26 : 18,
	HANDLE_CHUNKS = 1 << (HANDLE_INDEX_BITS - HANDLE_CHUNK_BITS),
};

struct handle_slot {
	_Atomic uintptr_t handle; /* the valid handle; 0: none */
	void *instance;
	enum handle_kind kind;
	uintptr_t use; /* of the last handle */
	uint32_t next_free;
};

extern struct handle_slot *_Atomic handle_chunk[HANDLE_CHUNKS]
	__attribute__((visibility("hidden")));

static inline struct handle_slot *handle_find_slot(enum handle_kind kind, void *handle)
{
	const uintptr_t h = (uintptr_t)handle;
	const uint32_t index = (uint32_t)(h & (((uintptr_t)1 << HANDLE_INDEX_BITS) - 1));
	struct handle_slot *s = handle_chunk[index >> HANDLE_CHUNK_BITS];

	if (h == 0 || !s)
		return NULL;
	s += index & (HANDLE_CHUNK_SLOTS - 1);
	return s->handle == h && s->kind == kind ? s : NULL;
}

static inline void *handle_find_here(enum handle_kind kind, void *handle)
{
	struct handle_slot *s = handle_find_slot(kind, handle);

	return s ? s->instance : NULL;
}

#endif
