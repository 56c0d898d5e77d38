/*
 * Check's own header, in front of which the tests' include path puts this one. Check sends the
 * place of each assertion that holds to the test's parent, which tells it if the test dies by a
 * signal: an allocation and a write, several millions of them where a test compares row by row.
 * Here each assertion sends it the first time in a process.
 */
#ifndef SWT_TESTS_LIB_CHECK_H
#define SWT_TESTS_LIB_CHECK_H

#include_next <check.h>

/* Threads may assert at the same time: one place sent twice is harmless. The tests' own globals
 * have short names. */
static inline void check_holds_at(char *check_sent, const char *check_file, int check_line)
{
	if (__atomic_load_n(check_sent, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(check_sent, 1, __ATOMIC_RELAXED);
	_mark_point(check_file, check_line);
}

#undef ck_assert_msg
#define ck_assert_msg(expr, ...)                                                                   \
	((expr) ? __extension__({                                                                  \
		static char check_sent_here;                                                       \
		check_holds_at(&check_sent_here, __FILE__, __LINE__);                              \
	})                                                                                         \
		: _ck_assert_failed(                                                               \
			  __FILE__, __LINE__, "Assertion '" #expr "' failed", ##__VA_ARGS__))

#endif
