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

/* Time of the last failure, CLOCK_MONOTONIC_RAW ns; 0: none. Separate for losses, so that their
 * failure does not stop hooks. */
static uint64_t section_failed_at, loss_failed_at;

static bool failed_just_now(const uint64_t *failed_at)
{
	uint64_t at = __atomic_load_n(failed_at, __ATOMIC_RELAXED);

	return at && clock_raw_ns() - at < RETRY_AFTER_NS;
}

/* Allocates full pages, which may be larger than sections. Returns 0 or an errno; preserves errno.
 */
static int ring_populate_range(uint8_t *from, uint32_t bytes)
{
	int saved_errno = errno, error;
	uintptr_t page = (uintptr_t)getpagesize();
	uintptr_t start = (uintptr_t)from & ~(page - 1);
	uintptr_t end = ((uintptr_t)from + bytes + page - 1) & ~(page - 1);

	error = madvise((void *)start, end - start, MADV_POPULATE_WRITE) == 0 ? 0 : errno;
	errno = saved_errno;
	return error;
}

static bool is_populated(const struct ring_map *map, uint64_t bit)
{
	return __atomic_load_n(&map->populated[bit / 64], __ATOMIC_RELAXED) >> bit % 64 & 1;
}

static bool note_populated(const struct ring_map *map, uint64_t bit, int error, uint64_t *failed_at)
{
	if (error)
		__atomic_store_n(failed_at, clock_raw_ns(), __ATOMIC_RELAXED);
	else
		__atomic_fetch_or(
			&map->populated[bit / 64], (uint64_t)1 << bit % 64, __ATOMIC_RELAXED);
	return error == 0;
}

bool ring_populate_section(
	const struct ring_map *map, uint32_t ring, uint64_t position, uint32_t area, bool has_pages)
{
	const struct shm_geometry *g = &map->geometry;
	uint64_t bit =
		((uint64_t)ring * ring_areas(g) + area) * g->sections + section_index(g, position);
	int error;

	if (!map->populated || is_populated(map, bit))
		return true;
	if (!has_pages && failed_just_now(&section_failed_at))
		return false;
	error = ring_populate_range(
		map->base + ring_data_offset(g, ring) + section_data_offset(g, position, area),
		g->section_size);
	/* EINVAL: before Linux 5.14, where init allocated all sections. */
	return note_populated(map, bit, error == EINVAL ? 0 : error, &section_failed_at);
}

bool ring_populate_loss(const struct ring_map *map, uint32_t index)
{
	uint64_t bit = ring_section_bits(&map->geometry) + index / (SHM_PAGE / sizeof *map->losses);

	if (!map->losses || !map->populated)
		return false;
	if (is_populated(map, bit))
		return true;
	if (failed_just_now(&loss_failed_at))
		return false;
	return note_populated(map, bit,
		ring_populate_range((uint8_t *)&map->losses[index], sizeof *map->losses),
		&loss_failed_at);
}
