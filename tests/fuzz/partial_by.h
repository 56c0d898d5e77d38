/* The keys of --by apart: what they include has names of tests/lib/bytes.h, too. */
#ifndef SWT_TESTS_FUZZ_PARTIAL_BY_H
#define SWT_TESTS_FUZZ_PARTIAL_BY_H

struct by;

enum partial_keys {
	KEYS_NONE,
	KEYS_PLAIN, /* texts, numbers and absent values, none of what is around an interval */
	KEYS_TIME,
};

/* NULL: none. */
struct by *partial_by(enum partial_keys keys);

#endif
