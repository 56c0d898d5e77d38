/* The keys of --by, in a file of their own: their headers clash with tests/lib/bytes.h. */
#ifndef SWT_TESTS_FUZZ_PARTIAL_BY_H
#define SWT_TESTS_FUZZ_PARTIAL_BY_H

struct by;

enum partial_keys {
	KEYS_NONE,
	KEYS_PLAIN, /* texts, numbers and absent values, nothing of an interval's parents */
	KEYS_TIME,
};

/* NULL: none. */
struct by *partial_by(enum partial_keys keys);

#endif
