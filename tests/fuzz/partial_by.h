/* The keys of --by apart: what they include has names of tests/lib/bytes.h, too. */
#ifndef SWT_TESTS_FUZZ_PARTIAL_BY_H
#define SWT_TESTS_FUZZ_PARTIAL_BY_H

struct by;

/* Keys with texts, numbers and absent values, none of what is around an interval. */
struct by *partial_by(void);

#endif
