/*
 * Distinguishes definitions of the same counterset GUID: each sample in a trace names its
 * definition.
 */
#ifndef SWT_PERFLIB_REPLAY_DEFINITION_H
#define SWT_PERFLIB_REPLAY_DEFINITION_H

#include "../counterset.h"

/* Hashes everything needed to interpret values: types, ids, bases and names. Not cryptographic. */
uint64_t definition_hash(const struct counterset_definition *set);

/* A GUID as two integers, in text order. */
uint64_t guid_high(const GUID *id);
uint64_t guid_low(const GUID *id);
GUID guid_of(uint64_t high, uint64_t low);

#endif
