/*
 * Handles of instances. A handle is a slot number and how often the slot was used, never a
 * pointer: one that was terminated, or never was a handle, is found out without touching
 * memory that is no longer there.
 */
#ifndef SWT_CPI_HANDLE_H
#define SWT_CPI_HANDLE_H

struct instance;

/* NULL: out of memory. */
void *handle_new(struct instance *instance);

/* NULL: no handle of a living instance. */
struct instance *handle_find(void *handle);

/* The same, and from now on the handle is none. */
struct instance *handle_end(void *handle);

#endif
