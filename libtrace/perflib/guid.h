/*
 * GUIDs as text: "b4fc721a-0378-476f-89ba-a5a79f810b36".
 */
#ifndef SWT_PERFLIB_GUID_H
#define SWT_PERFLIB_GUID_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../../include/perflib.h"

enum { GUID_TEXT = 37 }; /* with its NUL */

/* Lower case, without braces. */
static inline void guid_format(const GUID *id, char text[GUID_TEXT])
{
	snprintf(text, GUID_TEXT, "%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x", id->Data1,
		id->Data2, id->Data3, id->Data4[0], id->Data4[1], id->Data4[2], id->Data4[3],
		id->Data4[4], id->Data4[5], id->Data4[6], id->Data4[7]);
}

/* Accepts any case, with or without braces, and no other characters. */
bool guid_parse(const char *text, GUID *id);

static inline bool guid_equal(const GUID *a, const GUID *b)
{
	return memcmp(a, b, sizeof *a) == 0;
}

#endif
