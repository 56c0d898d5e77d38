/*
 * Hook schemas that this process registered: kept for the sessions to come, and appended to the
 * schema area of each. Called with attach.c's lock held. Functions return 0 or a PU_ code.
 */
#ifndef SWT_SESSION_SCHEMA_H
#define SWT_SESSION_SCHEMA_H

#include "member.h"

struct registered_schema;

/* Keeps a copy. *kept is NULL if the process registered the same text before. */
int schema_keep(const char *text, size_t length, const struct registered_schema **kept);

/* Appends the text to the session's schemas unless it is there already. */
int schema_publish(const struct member *m, const struct session_location *location,
	const struct registered_schema *s);
void schema_publish_all(const struct member *m, const struct session_location *location);

#endif
