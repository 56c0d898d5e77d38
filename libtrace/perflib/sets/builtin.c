/*
 * The built-in countersets, in enumeration order.
 */
#include "sets.h"

const struct counterset *const counterset_builtin[] = {
	&processor_set, &rings_set, &cpi_set, &process_set};
const unsigned counterset_builtins = sizeof counterset_builtin / sizeof *counterset_builtin;
