/*
 * A provider's file as a consumer reads it: untrusted until copied and checked.
 *
 * The file is never mapped, so truncating it causes only a short read. Sizes and offsets come from
 * a private copy of the header, which is checked completely before use; no decision reads the file
 * twice. Cost of the largest file: PROV_HEADER_BYTES for its header, and PROV_SET_MAX per
 * counterset, once. A sample of a counterset reads at most PROV_FILE_MAX bytes three times and
 * IMAGE_AGAIN bytes more, and allocates its rows.
 */
#ifndef SWT_PERFLIB_SHARED_IMAGE_H
#define SWT_PERFLIB_SHARED_IMAGE_H

#include "../../../formats/counterset.h"
#include "../counterset.h"

enum {
	IMAGE_PIECE = 16 << 10, /* bytes per read */
	IMAGE_AGAIN = 4 << 20, /* reread limit per sample, for values that change during the read */
	IMAGE_TRIES = 16,      /* per piece */
};

/* The header, and buffers for the rest. */
struct image {
	struct prov_header header;
	_Alignas(PROV_LINE) uint8_t copy[3][IMAGE_PIECE];
};

/* Reads the header and checks its blocks: they lie inside the file, do not overlap, sets are
 * numbered, slots belong to a set. ERROR_SUCCESS, ERROR_INVALID_DATA, ERROR_READ_FAULT. */
uint32_t image_read(int fd, struct image *im);

/* Reads the definition in a block of kind PROV_SET into one allocation, which the caller frees with
 * free(). *bytes: its size. ERROR_SUCCESS, ERROR_INVALID_DATA, ERROR_READ_FAULT,
 * ERROR_OUTOFMEMORY. */
uint32_t image_definition(int fd, const struct image *im, uint32_t block,
	struct counterset_definition **definition, size_t *bytes);

/*
 * Reads a set's instances and values (wanted NULL: no values), like collect in counterset.h. The
 * definition is the one that the set's block had when first read. ERROR_SUCCESS,
 * ERROR_INVALID_DATA, ERROR_READ_FAULT, ERROR_OUTOFMEMORY; on errors the rows are invalid.
 */
uint32_t image_rows(int fd, struct image *im, uint32_t set,
	const struct counterset_definition *definition, const uint64_t *wanted, struct rows *rows);

#endif
