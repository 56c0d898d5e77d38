/* Explains in one line why a name is no event. */
#include <stdarg.h>
#include <stdio.h>

#include "private.h"

int event_refuse(char why[EVENT_WHY_MAX], int rc, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, EVENT_WHY_MAX, format, args);
	va_end(args);
	return rc;
}
