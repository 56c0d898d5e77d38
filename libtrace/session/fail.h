/*
 * Returns an error code and stores a line that explains it, in one statement.
 */
#ifndef SWT_SESSION_FAIL_H
#define SWT_SESSION_FAIL_H

#include <stdarg.h>
#include <stdio.h>

#include "session.h"

__attribute__((format(printf, 3, 4))) static inline int session_fail(
	struct session_error *error, int code, const char *format, ...)
{
	va_list args;

	if (error) {
		va_start(args, format);
		vsnprintf(error->text, sizeof error->text, format, args);
		va_end(args);
	}
	return code;
}

#endif
