/* Files of /proc with lines `NAME: VALUE`, such as cpuinfo and status. */
#ifndef SWT_CORE_PROC_FIELD_H
#define SWT_CORE_PROC_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#include "private_abi.h"

/*
 * Reads the value of the first line with that name, cut to fit, without the blanks around it. Not
 * safe in signal handlers. False: no such file or line; value is then "".
 */
bool proc_field_read(const char *path, const char *name, char *value, size_t size)
	PRIVATE_ABI(proc_field_read);

#endif
