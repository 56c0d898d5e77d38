/*
 * One line for a person and a code for the program, in one statement.
 */
#ifndef SWT_DUMP_FAIL_H
#define SWT_DUMP_FAIL_H

#include <stdarg.h>
#include <stdio.h>

#include "../session/session.h"

__attribute__((format(printf, 3, 4))) static inline int dump_fail(
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
