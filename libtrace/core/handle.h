/*
 * Handles of instances. A handle is a slot number and how often the slot was used, never a
 * pointer: one that was terminated, or never was a handle, is found out without touching
 * memory that is no longer there.
 */
#ifndef SWT_CORE_HANDLE_H
#define SWT_CORE_HANDLE_H

/* What a handle is of: one of another kind is no handle. */
enum handle_kind { HANDLE_CPI = 1, HANDLE_CPU_UTIL, HANDLE_QUERY, HANDLE_PROVIDER };

/* NULL: out of memory. */
void *handle_new(enum handle_kind kind, void *instance);

/* NULL: no handle of a living instance of this kind. */
void *handle_find(enum handle_kind kind, void *handle);

/* The same, and from now on the handle is none. */
void *handle_end(enum handle_kind kind, void *handle);

#endif
