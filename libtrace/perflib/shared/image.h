/*
 * A provider's file as a consumer reads it: hostile until it was copied and checked.
 *
 * The file is never mapped: one that is cut off is a short read. Sizes and places are taken from a
 * private copy of the header, checked as a whole before any is followed; nothing is read twice to
 * decide one thing. What a provider's largest file costs: PROV_HEADER_BYTES for its header,
 * PROV_SET_MAX a counterset, once; a sample of a counterset is at most PROV_FILE_MAX bytes read
 * three times, IMAGE_AGAIN bytes more, and the rows that come of it.
 */
#ifndef SWT_PERFLIB_SHARED_IMAGE_H
#define SWT_PERFLIB_SHARED_IMAGE_H

#include "../../../formats/counterset.h"
#include "../counterset.h"

enum {
	IMAGE_PIECE = 16 << 10, /* read at once */
	IMAGE_AGAIN = 4 << 20,	/* read again in one sample because values did not hold still */
	IMAGE_TRIES = 16,	/* for one piece */
};

/* The header, and room for what is read beyond it. */
struct image {
	struct prov_header header;
	_Alignas(PROV_LINE) uint8_t look[3][IMAGE_PIECE];
};

/* The header and its blocks: they lie in the file, behind each other, sets are numbered, slots
 * belong to a set. ERROR_SUCCESS, ERROR_INVALID_DATA, ERROR_READ_FAULT. */
uint32_t image_read(int fd, struct image *im);

/* The definition in a block of kind PROV_SET, in one piece of memory that free() takes.
 * *bytes: how large. ERROR_SUCCESS, ERROR_INVALID_DATA, ERROR_READ_FAULT, ERROR_OUTOFMEMORY. */
uint32_t image_definition(int fd, const struct image *im, uint32_t block,
	struct counterset_definition **definition, size_t *bytes);

/*
 * Instances of a set and their values (wanted NULL: none), as counterset.h's collect. The
 * definition is that of the set's block when it was first seen. ERROR_SUCCESS,
 * ERROR_INVALID_DATA, ERROR_READ_FAULT, ERROR_OUTOFMEMORY; then the rows are worth nothing.
 */
uint32_t image_rows(int fd, struct image *im, uint32_t set,
	const struct counterset_definition *definition, const uint64_t *wanted, struct rows *rows);

#endif
