/* Reading a container to its end, and what must be true of what comes out. */
#ifndef SWT_TESTS_FUZZ_CONTAINER_H
#define SWT_TESTS_FUZZ_CONTAINER_H

#include "fuzz.h"

void container_read(const uint8_t *bytes, size_t n);

#endif
