/*
 * Handles of instances (of whatever a library has them for). A handle is a slot number and how
 * often the slot was used, never a pointer: one that was terminated, or never was a handle, is
 * found out without touching memory that is no longer there.
 */
#ifndef SWT_CPI_HANDLE_H
#define SWT_CPI_HANDLE_H

/* NULL: out of memory. */
void *handle_new(void *instance);

/* NULL: no handle of a living instance. */
void *handle_find(void *handle);

/* The same, and from now on the handle is none. */
void *handle_end(void *handle);

#endif
