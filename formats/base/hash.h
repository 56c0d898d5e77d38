/*
 * Hashes for tables in memory, as hash_index.h has them. No defence against chosen keys: hash
 * bytes that a trace chooses with xxhash and a random seed.
 */
#ifndef SWT_FORMATS_BASE_HASH_H
#define SWT_FORMATS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* 2^64 divided by the golden ratio: its multiples are far apart (Fibonacci hashing). */
#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

/* 32 bits. */
static inline uint64_t hash_u64(uint64_t key)
{
	return key * HASH_FACTOR >> 32;
}

/* Adds a number to the hash of a key of several: hash_add_u64(hash_u64(a), b). */
static inline uint64_t hash_add_u64(uint64_t hash, uint64_t key)
{
	hash = (hash ^ key) * HASH_FACTOR;
	return hash ^ hash >> 32;
}

/* FNV-1a, begun with HASH_BYTES: results are stored in recordings. */
#define HASH_BYTES UINT64_C(0xcbf29ce484222325)

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return hash;
}

#endif
