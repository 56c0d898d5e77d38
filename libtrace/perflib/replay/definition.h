/*
 * What tells one definition of a counterset from another of the same GUID: samples in a trace
 * name the one that they are of.
 */
#ifndef SWT_PERFLIB_REPLAY_DEFINITION_H
#define SWT_PERFLIB_REPLAY_DEFINITION_H

#include "../counterset.h"

/* Of all that values need to be understood: types, ids, bases, names. No secret, and no proof. */
uint64_t definition_hash(const struct counterset_definition *set);

/* A GUID as two numbers, in the order of its text. */
uint64_t guid_high(const GUID *id);
uint64_t guid_low(const GUID *id);
GUID guid_of(uint64_t high, uint64_t low);

#endif
