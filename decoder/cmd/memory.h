/*
 * The limit that --memory sets on what the command allocates. The kernel holds it (RLIMIT_DATA),
 * so every allocation counts, whoever makes it; failing ones are CPIDECODE_ENOMEM as any other.
 */
#ifndef SWT_DECODER_MEMORY_H
#define SWT_DECODER_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

enum { MEMORY_LEAST_MIB = 8 }; /* with less, not even a report of nothing can be made */

/* In bytes, from "512M"; NULL, or what is wrong with the text. */
const char *memory_parse(const char *text, uint64_t *bytes);
/* 0 or -1, errno set. */
int memory_limit(uint64_t bytes);
/* Allows what was allowed before, so that a failure can be told; false: no limit was set. */
bool memory_lift(void);

#endif
