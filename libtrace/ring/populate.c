#include "populate.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../core/clock.h"
#include "layout.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Asking a full tmpfs costs microseconds: do so at most this often. */
#define RETRY_AFTER_NS 10000000u

/* The time of the last failure, CLOCK_MONOTONIC_RAW ns; 0: none. */
static uint64_t failed_at;

static bool failed_just_now(void)
{
	uint64_t at = __atomic_load_n(&failed_at, __ATOMIC_RELAXED);

	return at && clock_raw_ns() - at < RETRY_AFTER_NS;
}

/* Whole pages, which may be larger than sections. */
static int populate(uint8_t *from, uint32_t bytes)
{
	uintptr_t page = (uintptr_t)getpagesize();
	uintptr_t start = (uintptr_t)from & ~(page - 1);
	uintptr_t end = ((uintptr_t)from + bytes + page - 1) & ~(page - 1);

	return madvise((void *)start, end - start, MADV_POPULATE_WRITE) == 0 ? 0 : errno;
}

bool ring_populate_section(
	const struct ring_map *map, uint32_t ring, uint64_t position, uint32_t area, bool has_pages)
{
	const struct shm_geometry *g = &map->geometry;
	uint64_t bit =
		((uint64_t)ring * ring_areas(g) + area) * g->sections + section_index(g, position);
	uint64_t *word = map->populated ? &map->populated[bit / 64] : NULL;
	int saved_errno = errno, error;

	if (!word || __atomic_load_n(word, __ATOMIC_RELAXED) >> bit % 64 & 1)
		return true;
	if (!has_pages && failed_just_now())
		return false;
	error = populate(
		map->base + ring_data_offset(g, ring) + section_data_offset(g, position, area),
		g->section_size);
	errno = saved_errno;
	/* EINVAL: before Linux 5.14, where init allocated all sections. */
	if (error && error != EINVAL) {
		__atomic_store_n(&failed_at, clock_raw_ns(), __ATOMIC_RELAXED);
		return false;
	}
	__atomic_fetch_or(word, (uint64_t)1 << bit % 64, __ATOMIC_RELAXED);
	return true;
}
