/*
 * libcpc and libperflib call libswtrace for what all three need, so that a process has one state of
 * counters, sessions and handles. These functions are no interface for programs: they may change in
 * every release. In the shared library they have a version of that release alone, so the dynamic
 * linker refuses libraries of different releases. A prefix keeps them apart from a program's
 * own names where everything is linked statically.
 */
#ifndef SWT_CORE_PRIVATE_ABI_H
#define SWT_CORE_PRIVATE_ABI_H

/* Ends the declaration of one of them. */
#define PRIVATE_ABI(name) __asm__("swtrace_private_" #name) __attribute__((visibility("default")))

#endif
