/* Reads a container to its end and checks what the reader returns. */
#ifndef SWT_TESTS_FUZZ_CONTAINER_H
#define SWT_TESTS_FUZZ_CONTAINER_H

#include "fuzz.h"

void container_read(const uint8_t *bytes, size_t n);

#endif
