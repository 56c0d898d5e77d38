/*
 * Little-endian reads and writes at any alignment. Every byte that leaves the
 * machine goes through these, so a trace means the same wherever it is decoded.
 *
 * formats owns every byte offset, hook code and layout, each with its prose in the same folder:
 * records, sessions, trace files, CPI groups, schemas. It includes formats/base only. Errors:
 * parsers return false or a code of their own; layouts have none.
 */
#ifndef SWT_FORMATS_BYTES_H
#define SWT_FORMATS_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t get_le16(const void *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof v);
	return le16toh(v);
}

static inline uint32_t get_le32(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return le32toh(v);
}

static inline uint64_t get_le64(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return le64toh(v);
}

static inline void put_le16(void *p, uint16_t v)
{
	v = htole16(v);
	memcpy(p, &v, sizeof v);
}

static inline void put_le32(void *p, uint32_t v)
{
	v = htole32(v);
	memcpy(p, &v, sizeof v);
}

static inline void put_le64(void *p, uint64_t v)
{
	v = htole64(v);
	memcpy(p, &v, sizeof v);
}

/* A 64-bit quantity in hook data: two words, high first. */
static inline uint64_t get_hl64(const void *p)
{
	return (uint64_t)get_le32(p) << 32 | get_le32((const uint8_t *)p + 4);
}

static inline void put_hl64(void *p, uint64_t v)
{
	put_le64(p, v << 32 | v >> 32);
}

#endif
