/*
 * NRM2, the trace file of the original toolkit: headers, hooks, its known codes, and this
 * toolkit's extension in unused fields. Description: nrm2.md.
 * u16, u32 and u64 are unaligned, in the byte order given by the section's mark.
 */
#ifndef SWT_FORMATS_NRM2_H
#define SWT_FORMATS_NRM2_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "bytes.h"
#include "record.h"
#include "trace_file.h"

#define NRM2_MAGIC "NRM2"
#define NRM2_MARK_LITTLE "\x01\x02\x03\x04"
#define NRM2_MARK_BIG "\x04\x03\x02\x01"
#define NRM2_OS_LINUX "Linux  "

/* A section's header; its data follow. */
enum nrm2_header_layout {
	NRM2_H_MAGIC = 0,
	NRM2_H_MARK = 4,    /* byte order */
	NRM2_H_NEWLINE = 8, /* u8 0x0A */
	NRM2_H_HEADER_SIZE = 12,
	NRM2_H_DATA_SIZE = 16,
	NRM2_H_CPU = 24,
	NRM2_H_MODE = 32,
	NRM2_H_START = 36, /* u64 */
	NRM2_H_STOP = 44,  /* u64 */
	NRM2_H_METRICS = 52,
	NRM2_H_FLAG = 56, /* bit 0: a buffer filled up */
	NRM2_H_CPUS = 60,
	NRM2_H_UNPACKED_SIZE = 64,
	NRM2_H_WORD_SIZE = 68,
	NRM2_H_INTERVAL = 76,
	NRM2_H_KALLSYMS = 80, /* u64 offset in the file, u64 size */
	NRM2_H_MODULES = 96,  /* the same */
	NRM2_H_LOST = 112,
	NRM2_H_TYPE = 116,	/* enum nrm2_type */
	NRM2_H_OS = 248,	/* char[8] */
	NRM2_H_EXTENSION = 256, /* enum nrm2_extension_layout */
	NRM2_HEADER_SIZE = 512,
};

enum nrm2_mode {
	NRM2_MODE_NORMAL = 0,
	NRM2_MODE_WRAP = 1, /* or, on Linux: the file has a final module table */
	NRM2_MODE_CONTINUOUS = 2,
};

enum nrm2_type {
	NRM2_TYPE_TABLE = 1, /* module table */
	NRM2_TYPE_TRACE = 2,
	NRM2_TYPE_FINAL_TABLE = 4,
};

/* The most sections without hooks that hold a ring's losses: more than any ring needs. */
#define NRM2_LOSS_SECTIONS 4096

#define NRM2_WORD_64 0x64u
#define NRM2_WORD_32 0x32u
#define NRM2_FLAG_FULL 1u

/* A hook: header, then 64-bit integers (type 0), or their count, they, and strings (type 2). */
enum nrm2_hook_layout {
	NRM2_HK_LENGTH = 0, /* u16: length in bytes, a multiple of 4, and the type in bits 0-1 */
	NRM2_HK_MAJOR = 2,  /* u16 */
	NRM2_HK_MINOR = 4,  /* u32 */
	NRM2_HK_STAMP = 8,  /* u64 */
	NRM2_HK_DATA = 16,
	NRM2_HK_HEADER_SIZE = 16,
	NRM2_HK_MAX = 65532,
	NRM2_HK_TYPE_MASK = 3,
	NRM2_HK_INTEGERS = 0,
	NRM2_HK_MIXED = 2,
	NRM2_MAJOR_MAX = 255,
};

/* Codes with a meaning for readers. */
enum nrm2_code {
	NRM2_SYSINFO = 0x11,
	NRM2_CPU_SPEED =
		0xB5, /* MHz; minutes west of Greenwich; daylight saving; seconds of 1970 */
	NRM2_TIME_BASE = 0xB7, /* ticks a second */
	NRM2_DISPATCH = 0x12,
	NRM2_MODULE_TABLE = 0x19,
	NRM2_PID_NAME = 0x34, /* integer: the id; string: the name */
	/* Only in this toolkit's table sections, with NRM2_SYSINFO. */
	NRM2_SYNC = 0x53570001,	  /* CLOCK_REALTIME ns, CLOCK_MONOTONIC ns; the stamp is the tick */
	NRM2_META = 0x53570002,	  /* string: a line of META */
	NRM2_SCHEMA = 0x53570003, /* integer: 1 where a text begins; string: a piece of it */
	NRM2_LABEL = 0x53570004,  /* integer: its number where a text begins; string: a piece */
};

/* This toolkit's extension of a header, where the original has zeros. */
enum nrm2_extension_layout {
	NRM2_X_MAGIC = 256,	       /* NRM2_EXTENSION */
	NRM2_X_RING = 264,	       /* u32, as in trace.bin */
	NRM2_X_FLAGS = 268,	       /* u32 */
	NRM2_X_CLOCK = 272,	       /* u32 enum tf_clock; 0: unknown */
	NRM2_X_TICKS_PER_SECOND = 280, /* u64 */
	NRM2_X_SYNC = 288,	       /* as in the header of trace.bin */
	NRM2_X_TRACE_ID = 312,	       /* 16 bytes */
	NRM2_X_LOSS = 328,	       /* an entry of LOSS from TF_LOSS_FULL on */
	NRM2_X_DATA_CHECKSUM = 496,    /* XXH3-64 of the data */
	NRM2_X_CHECKSUM = 504,	       /* XXH3-64 of bytes 0-503 */
};

#define NRM2_EXTENSION "SWTRACE1"
#define NRM2_X_SCRIPTED 1u /* some counters were scripted, not measured */
#define NRM2_X_HAS_LOSS 2u
#define NRM2_X_FOREIGN 4u  /* the hooks were not written by this toolkit */
#define NRM2_X_NO_RATE 8u  /* the clock's rate is unknown: nanoseconds are assumed */
#define NRM2_X_NO_TIME 16u /* the time of day is unknown: times are since tick 0 */

_Static_assert(NRM2_X_SYNC + TF_SYNC_SIZE == NRM2_X_TRACE_ID, "nothing between them");
_Static_assert(NRM2_X_LOSS + TF_LOSS_SIZE - TF_LOSS_FULL <= NRM2_X_DATA_CHECKSUM, "fits");
_Static_assert(NRM2_X_CHECKSUM + 8 == NRM2_HEADER_SIZE, "the checksum is last");
_Static_assert(NRM2_H_MODULES == NRM2_H_KALLSYMS + 16, "one after the other");
_Static_assert(NRM2_H_OS + 8 == NRM2_H_EXTENSION, "in the unused half");

/*
 * A tail holds the properties of the original hook that a record lacks. It follows the record's
 * strings, within its size, on a multiple of 8; such a record never leaves the reader. Integers
 * above 32 bits are two words in the record, high first, and the hooks of a group have one stamp.
 */
#define NRM2_TAIL_MARK 0x324d524eu /* "NRM2" */
enum {
	NRM2_T_MARK = 0,
	NRM2_T_WIDE = 4,   /* u32 number of integers of two words */
	NRM2_T_STAMP = 8,  /* u64 the hook's own */
	NRM2_T_INDEX = 16, /* u32 index of the high word, each */
};

/* A section's fill limit; the space for the hook that exceeds it. */
enum {
	NRM2_SECTION_BYTES = 65536,
	NRM2_SECTION_ROOM = NRM2_SECTION_BYTES + 64,
	NRM2_TEXT_PIECE = 32768, /* of a schema's or label's text, per hook */
};

/* Either byte order. */
static inline uint16_t nrm2_get16(const uint8_t *p, bool big)
{
	return big ? (uint16_t)(p[0] << 8 | p[1]) : get_le16(p);
}

static inline uint32_t nrm2_get32(const uint8_t *p, bool big)
{
	return big ? __builtin_bswap32(get_le32(p)) : get_le32(p);
}

static inline uint64_t nrm2_get64(const uint8_t *p, bool big)
{
	return big ? __builtin_bswap64(get_le64(p)) : get_le64(p);
}

/* A section's magic and byte order. */
static inline bool nrm2_magic(const uint8_t *p, bool *big)
{
	*big = memcmp(p + NRM2_H_MARK, NRM2_MARK_BIG, 4) == 0;
	return memcmp(p, NRM2_MAGIC, 4) == 0 &&
	       (*big || memcmp(p + NRM2_H_MARK, NRM2_MARK_LITTLE, 4) == 0);
}

/* First bytes that show whether a file is NRM2. */
enum { NRM2_PEEK = 8 };

static inline bool nrm2_is(const uint8_t *bytes, size_t n)
{
	bool big;

	return n >= NRM2_PEEK && nrm2_magic(bytes, &big);
}

#endif
