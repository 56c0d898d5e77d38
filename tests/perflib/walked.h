/* A query's next sample, found right by walk. */
#ifndef SWT_TESTS_PERFLIB_WALKED_H
#define SWT_TESTS_PERFLIB_WALKED_H

#include <check.h>
#include <stdlib.h>

#include "walk.h"

/* The caller frees it; NULL: there are no more. */
static inline void *walked_sample(HANDLE of)
{
	DWORD bytes = 0, again = 0;
	ULONG status = PerfQueryCounterData(of, NULL, 0, &bytes);

	if (status == ERROR_NO_MORE_ITEMS)
		return NULL;
	ck_assert_uint_eq(status, ERROR_NOT_ENOUGH_MEMORY);
	void *data = malloc(bytes);
	ck_assert_uint_eq(PerfQueryCounterData(of, data, bytes, &again), ERROR_SUCCESS);
	ck_assert_uint_eq(again, bytes);
	const char *wrong = walk(data, bytes);
	ck_assert_msg(!wrong, "%s", wrong);
	return data;
}

#endif
