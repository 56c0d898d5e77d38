/*
 * The record: one hook in a ring or in a HOOKS section.
 * Prose: trace-file.md, "Record". Records start on multiples of 8.
 */
#ifndef SWT_FORMATS_RECORD_H
#define SWT_FORMATS_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"

enum {
	REC_CONTROL = 0,  /* u32, below */
	REC_MAJOR = 4,	  /* u8 */
	REC_NSTRINGS = 5, /* u8 */
	REC_NWORDS = 6,	  /* u16, 32-bit data words */
	REC_MINOR = 8,	  /* u32 */
	REC_TID = 12,	  /* u32, as the writer's PID namespace numbers it */
	REC_STAMP = 16,	  /* u64, ticks of the trace's clock */
	REC_DATA = 24,	  /* words, then strings: u32 length, bytes, zeros to 4 */
	REC_HEADER_SIZE = 24,
	REC_ALIGN = 8,
	REC_MAX_WORDS = 0xffff,
	REC_MAX_STRINGS = 0xff,
};

/* The control word. Bit 2 and bits 24-30 are zero in a file. */
#define REC_KIND_MASK 0x00000003u
#define REC_KIND_HOOK 0u
#define REC_KIND_PAD 1u /* only the control word; may be 8 bytes long */
#define REC_SIZE_MASK 0x00fffff8u
#define REC_COMMITTED 0x80000000u
/*
 * In a ring only, never in a file: the writer of this uncommitted record was
 * proven dead, so the record no longer holds its section.
 */
#define REC_ABANDONED 0x40000000u

#define REC_MAX_SIZE 0x00fffff8u

static inline uint32_t rec_control_size(uint32_t control)
{
	return control & REC_SIZE_MASK;
}

static inline bool rec_control_is_hook(uint32_t control)
{
	return (control & REC_KIND_MASK) == REC_KIND_HOOK;
}

/*
 * Reads the control word of the record at `at`. False at `end`, and where the record's size leads
 * nowhere or beyond it. To visit records in a private copy:
 *
 *	for (uint32_t at = 0; rec_read_control(p, at, end, &control);
 *		at += rec_control_size(control))
 */
static inline bool rec_read_control(
	const uint8_t *records, uint32_t at, uint32_t end, uint32_t *control)
{
	if (at >= end || end - at < REC_ALIGN)
		return false;
	*control = get_le32(records + at);
	return rec_control_size(*control) >= REC_ALIGN && rec_control_size(*control) <= end - at;
}

/* Bytes of a string with its length and padding. */
static inline uint32_t rec_string_bytes(uint32_t length)
{
	return 4 + ((length + 3u) & ~3u);
}

/* The same of a length that was not checked. */
static inline uint64_t rec_any_string_bytes(uint64_t length)
{
	return 4 + ((length + 3) & ~UINT64_C(3));
}

/* Bytes of a record with these words and strings. */
static inline uint32_t rec_size(uint32_t nwords, uint32_t string_bytes)
{
	return (REC_HEADER_SIZE + 4 * nwords + string_bytes + 7u) & ~7u;
}

#endif
