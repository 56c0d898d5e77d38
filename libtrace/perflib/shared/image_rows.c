/*
 * Instances and their values, read while the provider changes them.
 *
 * Slots are copied three times, each copy complete before the next begins. Results come from the
 * second copy:
 *
 * - An instance is valid if its slot's state was the same odd number in the first and third copies.
 * The provider increments the state when an instance goes and when one comes, so the slot held this
 * instance during all of the second copy: id, name and values belong together.
 *
 * - Values come from one copy. A word that changes during the copy may tear into an old and a new
 * half. Its high half then differs between the three copies, unless it returns to its former value;
 * against that, the copies have the file's alignment, and the kernel copies aligned words in one
 * piece. A value whose high half changed is read again; if it never settles it is not available. A
 * 32-bit counter is one half and cannot tear.
 */
#include <string.h>

#include "../../core/file.h"
#include "image.h"

/* The arguments and state of one image_rows call. */
struct reading {
	int fd;
	struct image *im;
	const struct counterset_definition *definition;
	const uint64_t *wanted;
	struct rows *rows;
	uint32_t again; /* bytes left for rereads */
};

static uint32_t image_read_thrice(struct reading *r, uint64_t at, size_t bytes)
{
	for (int i = 0; i < 3; i++) {
		size_t have = 0;

		while (have < bytes) {
			ssize_t n = file_pread(
				r->fd, r->im->copy[i] + have, bytes - have, (off_t)(at + have));

			if (n <= 0)
				return n < 0 ? ERROR_READ_FAULT : ERROR_INVALID_DATA;
			have += (size_t)n;
		}
		/* Acquire: orders this copy before the next. Pairs with write_slot's fence and
		 * release. tests/litmus/image-slot.litmus */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	}
	return ERROR_SUCCESS;
}

static uint64_t image_read_word(const struct reading *r, int copy, size_t at)
{
	uint64_t v;

	memcpy(&v, r->im->copy[copy] + at, sizeof v);
	return v;
}

static bool is_there(const struct reading *r, size_t slot)
{
	uint64_t state = image_read_word(r, 0, slot);

	return state % 2 && state == image_read_word(r, 2, slot);
}

static bool has_settled(const struct reading *r, size_t at)
{
	uint64_t v = image_read_word(r, 1, at);

	return (image_read_word(r, 0, at) ^ v) >> 32 == 0 &&
	       (image_read_word(r, 2, at) ^ v) >> 32 == 0;
}

static bool is_large(const struct reading *r, uint32_t column)
{
	return (r->definition->counter[column].type & PERF_SIZE_MASK) == PERF_SIZE_LARGE;
}

/* Whether all wanted values of the piece have settled. */
static bool all_have_settled(
	const struct reading *r, const struct prov_block *b, uint32_t slots, uint32_t slot_bytes)
{
	for (uint32_t i = 0; i < slots && r->wanted; i++) {
		const size_t slot = (size_t)i * slot_bytes;

		for (uint32_t c = 0; c < r->definition->ncounters && is_there(r, slot); c++) {
			size_t at = slot + prov_values_offset(b->name_room) + 8 * c;

			if (column_wanted(r->wanted, c) && is_large(r, c) && !has_settled(r, at))
				return false;
		}
	}
	return true;
}

static uint32_t image_add_row(struct reading *r, const struct prov_block *b, size_t slot)
{
	const struct prov_instance *i =
		(const struct prov_instance *)(const void *)(r->im->copy[1] + slot);
	const bool single = r->definition->type == PERF_COUNTERSET_SINGLE_INSTANCE;
	size_t bytes;

	if (i->name_bytes > b->name_room || i->name_bytes > PROV_INSTANCE_NAME_MAX ||
		i->id == PERF_ANY_INSTANCE_ID)
		return ERROR_INVALID_DATA;
	bytes = single ? 0 : strnlen(i->name, i->name_bytes);
	if (!single && bytes == 0)
		return ERROR_INVALID_DATA;
	if (!rows_add(r->rows, i->name, bytes, i->id))
		return ERROR_OUTOFMEMORY;
	for (uint32_t c = 0; c < r->definition->ncounters && r->wanted; c++) {
		size_t at = slot + prov_values_offset(b->name_room) + 8 * c;

		if (!column_wanted(r->wanted, c))
			continue;
		if (!is_large(r, c))
			rows_set(r->rows, c, image_read_word(r, 1, at) & UINT32_MAX);
		else if (has_settled(r, at))
			rows_set(r->rows, c, image_read_word(r, 1, at));
	}
	return ERROR_SUCCESS;
}

static uint32_t read_piece(struct reading *r, const struct prov_block *b, uint64_t at,
	uint32_t slots, uint32_t slot_bytes)
{
	const uint32_t bytes = slots * slot_bytes;
	uint32_t rc = image_read_thrice(r, at, bytes);

	for (int i = 1; i < IMAGE_TRIES && !rc && r->again >= 3 * bytes &&
			!all_have_settled(r, b, slots, slot_bytes);
		i++) {
		r->again -= 3 * bytes;
		rc = image_read_thrice(r, at, bytes);
	}
	for (uint32_t i = 0; i < slots && !rc; i++)
		if (is_there(r, (size_t)i * slot_bytes))
			rc = image_add_row(r, b, (size_t)i * slot_bytes);
	return rc;
}

static uint32_t image_read_block(struct reading *r, const struct prov_block *b)
{
	const uint32_t slot_bytes = prov_slot_bytes(b->name_room, r->definition->ncounters);
	const uint32_t most = IMAGE_PIECE / slot_bytes;

	if (b->bytes / b->slots != slot_bytes)
		return ERROR_INVALID_DATA;
	for (uint32_t done = 0; done < b->slots;) {
		uint32_t slots = b->slots - done < most ? b->slots - done : most;
		uint32_t rc = read_piece(
			r, b, b->offset + (uint64_t)done * slot_bytes, slots, slot_bytes);

		if (rc)
			return rc;
		done += slots;
	}
	return ERROR_SUCCESS;
}

uint32_t image_rows(int fd, struct image *im, uint32_t set,
	const struct counterset_definition *definition, const uint64_t *wanted, struct rows *rows)
{
	struct reading r = {.fd = fd,
		.im = im,
		.definition = definition,
		.wanted = wanted,
		.rows = rows,
		.again = IMAGE_AGAIN};
	uint32_t rc = ERROR_SUCCESS, slots = 0;

	rows_begin(rows, definition->ncounters);
	for (uint32_t i = 0; i < im->header.blocks && !rc; i++) {
		const struct prov_block *b = &im->header.block[i];

		if (b->kind != PROV_INSTANCES_OF || b->set != set)
			continue;
		slots += b->slots;
		if (definition->type == PERF_COUNTERSET_SINGLE_INSTANCE && slots > 1)
			return ERROR_INVALID_DATA;
		rc = image_read_block(&r, b);
	}
	return rc;
}
