/*
 * The limit that --memory sets on the command's allocations. The kernel enforces it
 * (RLIMIT_DATA), so allocations of libraries count too. A failing one is CPIDECODE_ENOMEM as
 * usual.
 */
#ifndef SWT_DECODER_MEMORY_H
#define SWT_DECODER_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

enum { MEMORY_LEAST_MIB = 8 }; /* with less, even an empty report fails */

/* Parses "512M" into bytes. NULL, or the error. */
const char *memory_parse(const char *text, uint64_t *bytes);
/* 0 or -1, errno set. */
int memory_limit(uint64_t bytes);
/* Restores the previous limit so that an error can be printed. False if no limit was set. */
bool memory_lift(void);

#endif
