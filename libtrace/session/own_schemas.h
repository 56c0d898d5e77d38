/*
 * The schemas of the library's own hooks (formats/), joined, as they were when this was built
 * (formats/embed.cmake). Every dump begins with them.
 */
#ifndef SWT_SESSION_OWN_SCHEMAS_H
#define SWT_SESSION_OWN_SCHEMAS_H

extern const unsigned char swtrace_own_schemas[];
extern const unsigned swtrace_own_schemas_size;

#endif
