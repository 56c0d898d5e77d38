/* Reads all fields of a hook and checks them. */
#ifndef SWT_TESTS_FUZZ_FIELDS_H
#define SWT_TESTS_FUZZ_FIELDS_H

#include "../../decoder/model/hooks/schema.h"
#include "fuzz.h"

void fields_read(const struct hook *h);

#endif
