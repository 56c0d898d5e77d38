/*
 * Other programs' countersets obey counterset.h's rules. The check returns NULL, or the broken
 * rule.
 */
#ifndef TESTS_PERFLIB_SHARED_RULES_H
#define TESTS_PERFLIB_SHARED_RULES_H

#include "../../../libtrace/perflib/counterset.h"

const char *broken_definition(const struct counterset_definition *d);
const char *broken_rows(const struct rows *r, const struct counterset_definition *d);

#endif
