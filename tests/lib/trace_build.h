/* Traces byte by byte, as tests need them: honest, hostile or large. */
#ifndef SWT_TESTS_LIB_TRACE_BUILD_H
#define SWT_TESTS_LIB_TRACE_BUILD_H

#include <stdbool.h>

#include "../../formats/cpi_hooks.h"
#include "../../formats/record.h"
#include "../../formats/trace_file.h"
#include "bytes.h"

struct made_record {
	uint8_t major, nstrings;
	uint16_t nwords;
	uint32_t minor, tid;
	uint64_t stamp;
	const uint32_t *words;
};

/* Writes header, words and the zeros at the end of a record of this size. Returns where its strings
 * belong. */
static inline uint8_t *record_begin(uint8_t *to, uint32_t size, const struct made_record *r)
{
	put_le64(to + size - REC_ALIGN, 0);
	put_le32(to + REC_CONTROL, size | REC_KIND_HOOK | REC_COMMITTED);
	to[REC_MAJOR] = r->major;
	to[REC_NSTRINGS] = r->nstrings;
	put_le16(to + REC_NWORDS, r->nwords);
	put_le32(to + REC_MINOR, r->minor);
	put_le32(to + REC_TID, r->tid);
	put_le64(to + REC_STAMP, r->stamp);
	for (unsigned i = 0; i < r->nwords; i++)
		put_le32(to + REC_DATA + 4 * i, r->words[i]);
	return to + REC_DATA + 4 * r->nwords;
}

/* Writes rec_string_bytes(n) bytes. */
static inline void record_string(uint8_t *to, const void *p, uint32_t n)
{
	put_le32(to + rec_string_bytes(n) - 4, 0);
	put_le32(to, n);
	if (n)
		memcpy(to + 4, p, n);
}

/* Appends a string, and a record with strings that were appended to a run of their own (NULL:
 * none). */
void put_string(struct bytes *b, const void *p, size_t n);
void put_record(struct bytes *b, const struct made_record *r, const struct bytes *strings);

/* From a section's header to the next one's. */
static inline uint64_t section_step(const uint8_t *header)
{
	return TF_SECTION_SIZE +
	       (get_le32(header + TF_S_STORED) + (uint64_t)TF_ALIGN - 1) / TF_ALIGN * TF_ALIGN;
}

/* Checksums, of a file header and of a section's header with its payload. */
void seal_header(uint8_t *header);
void seal_section(uint8_t *header, const void *payload, size_t n);

/* The header of a trace of the TSC; without trace id, sync and checksum. */
void fill_header(uint8_t *header, uint32_t cpus, uint32_t max_raw, uint64_t ticks_per_second);

/* Packs n bytes. level: zlib's. Returns how many they are then; 0: they do not fit into room. */
size_t pack_payload(uint8_t codec, int level, const void *from, size_t n, void *to, size_t room);

/* A record with these words and NUL-terminated strings (NULL ends them; may be NULL). */
void put_hook(struct bytes *b, uint64_t stamp, uint32_t tid, uint8_t major, uint32_t minor,
	unsigned nwords, const uint32_t *words, const char *const *strings);
/* The shortest: two words (minor's copy and 0), no strings, major 0x10. */
void put_plain(struct bytes *b, uint64_t stamp, uint32_t tid, uint32_t minor);
void put_pad(struct bytes *b, uint32_t size);

/* 1 GHz, sync at tick 1000 = 5 s of CLOCK_REALTIME, trace id all id. */
void put_header(struct bytes *file, uint8_t id);

struct section {
	uint16_t type;
	uint8_t codec;
	uint32_t ring, hooks;
	uint64_t position, first, last;
	uint32_t lost, torn;
	uint32_t raw; /* 0: as long as the payload is */
	bool bad_sum;
};

/* Without checksum. */
void fill_section(uint8_t *header, const struct section *s, uint32_t stored, uint32_t raw);

/* Packs the payload as the codec says and appends the section. Returns its offset. */
size_t put_section(struct bytes *file, const struct section *s, const struct bytes *payload);
/* The payload is stored as it is, whatever the codec. */
size_t put_stored(struct bytes *file, const struct section *s, const struct bytes *payload);
/* HOOKS, sizes and stamps from the records in the payload, which is then emptied. */
size_t put_hooks(
	struct bytes *file, uint32_t ring, uint64_t position, uint8_t codec, struct bytes *records);
void put_text(struct bytes *file, uint16_t type, const char *text);
void put_task(struct bytes *payload, uint32_t tid, uint32_t pid, uint64_t first, const char *name);
void put_sync(struct bytes *payload, uint64_t ticks, int64_t real, uint64_t mono);
void put_end(struct bytes *file);

/* A small trace with a section of every type, two rings and all six CPI hooks. */
void put_small_trace(struct bytes *file, uint8_t codec);

/* CPI hooks with 1 processor unless said otherwise. */
void put_label(struct bytes *b, uint64_t stamp, uint32_t tid, uint8_t mm, bool end,
	uint64_t elapsed, const char *label);
void put_thread(struct bytes *b, uint64_t stamp, uint32_t tid, uint8_t mm, uint64_t elapsed,
	uint64_t instructions, uint64_t cycles);

#endif
