/*
 * Shared by the fuzz targets. A target is one file with LLVMFuzzerTestOneInput: linked with
 * libFuzzer (or AFL++'s driver) it searches for failures, linked with replay.c it runs the given
 * files.
 */
#ifndef SWT_TESTS_FUZZ_H
#define SWT_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../include/cpidecode.h"
#include "../lib/bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise of the decoder's. One that does not hold is a crash, to be found as such. */
#define PROMISE(holds, ...)                                                                        \
	do {                                                                                       \
		if (!(holds)) {                                                                    \
			fprintf(stderr, "%s:%d: broken: %s: ", __FILE__, __LINE__, #holds);        \
			fprintf(stderr, __VA_ARGS__);                                              \
			fputc('\n', stderr);                                                       \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* A copy in memory of exactly n bytes, so that a sanitizer sees one byte too far. */
uint8_t *exact_copy(const void *p, size_t n);

/* Consumes an input from its front; missing bytes are 0. */
struct feed {
	const uint8_t *p;
	size_t n;
};

uint8_t feed_u8(struct feed *f);
uint16_t feed_u16(struct feed *f);
uint32_t feed_u32(struct feed *f);
uint64_t feed_u64(struct feed *f);
/* Up to n bytes: how many, and *p where they are. */
size_t feed_bytes(struct feed *f, size_t n, const uint8_t **p);

/* Points in time of a hostile trace may be as far out as there are numbers. */
static inline int64_t add_saturated(int64_t t, int64_t by)
{
	int64_t sum;

	if (__builtin_add_overflow(t, by, &sum))
		return by < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

#endif
