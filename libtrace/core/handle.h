/*
 * Handles of instances. A handle is a slot number and a use count, never a pointer, so a stale or
 * invalid handle is detected without touching freed memory.
 */
#ifndef SWT_CORE_HANDLE_H
#define SWT_CORE_HANDLE_H

#include "private_abi.h"

/* What a handle refers to. A handle of another kind is invalid. */
enum handle_kind { HANDLE_CPI = 1, HANDLE_CPU_UTIL, HANDLE_QUERY, HANDLE_PROVIDER };

/* NULL: out of memory. */
void *handle_new(enum handle_kind kind, void *instance) PRIVATE_ABI(handle_new);

/* NULL: not the handle of a live instance of this kind. */
void *handle_find(enum handle_kind kind, void *handle) PRIVATE_ABI(handle_find);

/* The same, and invalidates the handle. */
void *handle_end(enum handle_kind kind, void *handle) PRIVATE_ABI(handle_end);

#endif
