/*
 * The layout of the ring file, computed from the owner's geometry alone.
 */
#ifndef SWT_RING_LAYOUT_H
#define SWT_RING_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "../../formats/session.h"

static inline uint64_t ring_offset(const struct shm_geometry *g, uint32_t ring)
{
	return SHM_PAGE + g->ring_stride * ring;
}

static inline uint64_t ring_data_offset(const struct shm_geometry *g, uint32_t ring)
{
	return ring_offset(g, ring) + g->data_offset;
}

/* Bytes of a ring's data, and their areas: 1 or 2. */
static inline uint64_t ring_data_bytes(const struct shm_geometry *g)
{
	return g->ring_stride - g->data_offset;
}

static inline uint32_t ring_areas(const struct shm_geometry *g)
{
	return ring_data_bytes(g) > g->ring_size ? 2 : 1;
}

static inline struct shm_ring *ring_at(uint8_t *base, const struct shm_geometry *g, uint32_t ring)
{
	return (struct shm_ring *)(base + ring_offset(g, ring));
}

static inline uint64_t section_start(const struct shm_geometry *g, uint64_t position)
{
	return position & ~(uint64_t)(g->section_size - 1);
}

static inline uint32_t section_index(const struct shm_geometry *g, uint64_t position)
{
	return (uint32_t)(position / g->section_size % g->sections);
}

/* Addresses of a section's entry word and counts. */
static inline uint64_t section_header_offset(
	const struct shm_geometry *g, uint32_t ring, uint32_t index)
{
	return ring_offset(g, ring) + sizeof(struct shm_ring) + index * sizeof(struct shm_section);
}

/* An entry word: of the position, in an area. */
static inline uint64_t section_entry(uint64_t position, uint32_t area)
{
	return position + 1 + (area ? SHM_ENTRY_AREA : 0);
}

/* The same without its area: position + 1, or 0. */
static inline uint64_t section_entry_plain(uint64_t entry)
{
	return entry ? ((entry - 1) & ~(uint64_t)SHM_ENTRY_AREA) + 1 : 0;
}

static inline uint32_t section_entry_area(const struct shm_geometry *g, uint64_t entry)
{
	return entry && (entry - 1) & SHM_ENTRY_AREA ? ring_areas(g) - 1 : 0;
}

/* Offset of a position in a ring's data, if its section is in that area. */
static inline uint64_t section_data_offset(
	const struct shm_geometry *g, uint64_t position, uint32_t area)
{
	return area * g->ring_size + position % g->ring_size;
}

/* Returns where a section entered at `position` keeps its counts. */
static inline struct shm_counts *section_counts(
	const struct shm_geometry *g, struct shm_section *s, uint64_t position)
{
	return &s->counts[position / g->ring_size & 1];
}

/* Bits of ring_map.populated: one per section of each area, ring after ring ... */
static inline uint64_t ring_section_bits(const struct shm_geometry *g)
{
	return (uint64_t)(g->cpus + g->guests) * g->sections * ring_areas(g);
}

/* ... and the bytes of the bitmap, with one more bit per page of the tasks' losses. */
static inline size_t ring_populate_bytes(const struct shm_geometry *g)
{
	return (ring_section_bits(g) + sizeof(struct shm_task_losses) / SHM_PAGE + 63) / 64 * 8;
}

/* Acquire: pairs with the release of a discard. */
static inline uint64_t ring_load_start(const struct shm_ring_control *control)
{
	return __atomic_load_n(&control->start, __ATOMIC_ACQUIRE);
}

/* The word of a position that the drain has released, and the position of such a word. */
static inline uint64_t ring_released_word(
	const struct shm_geometry *g, uint32_t generation, uint64_t position)
{
	return (uint64_t)generation << SHM_RELEASED_BITS | position / g->section_size;
}

static inline uint64_t ring_released(
	const struct shm_geometry *g, uint32_t generation, uint64_t word)
{
	if ((word ^ (uint64_t)generation << SHM_RELEASED_BITS) >> SHM_RELEASED_BITS)
		return 0;
	return (word & ((UINT64_C(1) << SHM_RELEASED_BITS) - 1)) * g->section_size;
}

/* By the drain. Release: pairs with the writers' acquire; the copies come before their stores.
 * tests/litmus/released-acquire.litmus */
static inline void ring_store_released(struct shm_ring_control *control, uint64_t word)
{
	__atomic_store_n(&control->released, word, __ATOMIC_RELEASE);
}

/* Computes the derived fields from cpus, guests, section_size, sections. areas: 1 or 2. */
static inline void geometry_derive(struct shm_geometry *g, uint32_t areas)
{
	uint64_t header = sizeof(struct shm_ring) + g->sections * sizeof(struct shm_section);

	g->ring_size = (uint64_t)g->section_size * g->sections;
	g->data_offset = (header + SHM_PAGE - 1) & ~(uint64_t)(SHM_PAGE - 1);
	g->ring_stride = g->data_offset + g->ring_size * areas;
	g->file_size = SHM_PAGE + g->ring_stride * (g->cpus + g->guests);
}

/* Whether the fields are consistent. Use no other function unless they are. */
static inline int geometry_sane(const struct shm_geometry *g)
{
	struct shm_geometry d = *g;
	uint32_t areas = ring_areas(g);

	if (g->cpus > SHM_MAX_CPUS || g->guests == 0 || g->guests > SHM_MAX_GUESTS ||
		g->section_size < SHM_PAGE || (g->section_size & (g->section_size - 1)) ||
		g->section_size > 1u << 23 || g->sections < 2 || g->sections > 1u << 24 ||
		g->ticks_per_second == 0 || (areas > 1 && g->mode != SHM_MODE_WRAP))
		return 0;
	geometry_derive(&d, areas);
	return d.ring_size == g->ring_size && d.data_offset == g->data_offset &&
	       d.ring_stride == g->ring_stride && d.file_size == g->file_size;
}

#endif
