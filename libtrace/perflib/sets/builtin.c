/*
 * The countersets of this machine, in the order in which they are enumerated.
 */
#include "../counterset.h"

const struct counterset *const counterset_builtin[] = {NULL};
const unsigned counterset_builtins = 0;
