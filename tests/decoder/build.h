/* Traces in memory, byte by byte, for the decoder's unit tests. */
#ifndef SWT_TESTS_DECODER_BUILD_H
#define SWT_TESTS_DECODER_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../formats/bytes.h"
#include "../../formats/cpi_hooks.h"
#include "../../formats/record.h"
#include "../../formats/trace_file.h"

/* A growing run of bytes: a payload or a whole file. Starts zeroed. */
struct bytes {
	uint8_t *p;
	size_t n, cap;
};

void put(struct bytes *b, const void *p, size_t n);
void put_u32(struct bytes *b, uint32_t v);
void put_u64(struct bytes *b, uint64_t v);
void bytes_free(struct bytes *b);

/* A record with these words and NUL-terminated strings (NULL ends them; may be NULL). */
void put_hook(struct bytes *b, uint64_t stamp, uint32_t tid, uint8_t major, uint32_t minor,
	unsigned nwords, const uint32_t *words, const char *const *strings);
/* The shortest: two words (minor's copy and 0), no strings, major 0x10. */
void put_plain(struct bytes *b, uint64_t stamp, uint32_t tid, uint32_t minor);
void put_pad(struct bytes *b, uint32_t size);

/* 1 GHz, sync at tick 1000 = 5 s of CLOCK_REALTIME, trace id all id. */
void put_header(struct bytes *file, uint8_t id);
void fix_header(struct bytes *file); /* its checksum, after a change */

struct section {
	uint16_t type;
	uint8_t codec;
	uint32_t ring, hooks;
	uint64_t position, first, last;
	uint32_t lost, torn;
	uint32_t raw; /* 0: as long as the payload is */
	bool bad_sum;
};

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
