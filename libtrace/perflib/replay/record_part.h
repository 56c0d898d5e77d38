/*
 * Builds one hook of recorded counters.
 */
#ifndef SWT_PERFLIB_REPLAY_RECORD_PART_H
#define SWT_PERFLIB_REPLAY_RECORD_PART_H

#include "../../../formats/counters_hooks.h"
#include "../../../formats/record.h"
#include "../../../include/perfutil.h"
#include "../counterset.h"

/* Fits the largest counter or instance, which has COUNTERSET_COUNTERS values. */
enum { RECORD_WORDS = 2048 };

_Static_assert(RECORD_WORDS >= COUNTERS_INSTANCES_WORDS + 3 * COUNTERSET_COUNTERS +
				       COUNTERSET_COUNTERS / 32 + 1,
	"an instance fits");
_Static_assert(RECORD_WORDS >= COUNTERS_PART_BYTES / 4, "a part fits");

struct record_part {
	uint32_t word[RECORD_WORDS];
	uint32_t words;
	TRACE_STRING string[COUNTERS_PART_STRINGS];
	uint32_t strings;
	int lost; /* the PU_ code of the last hook that was lost; 0: none */
};

static inline void record_u32(struct record_part *p, uint32_t v)
{
	p->word[p->words++] = v;
}

static inline void record_u64(struct record_part *p, uint64_t v)
{
	record_u32(p, (uint32_t)(v >> 32));
	record_u32(p, (uint32_t)v);
}

/* Borrows the text until the part is written. NULL means "". */
void record_string(struct record_part *p, const char *text, size_t most);
/* Encoded size of a string, in bytes. */
size_t record_string_bytes(const char *text, size_t most);
/* Writes the hook and resets the part. */
void record_write(struct record_part *p, uint32_t minor);

#endif
