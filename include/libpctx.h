/*
 * libpctx.h - control of other processes over ptrace(2), in the manner of Solaris' libpctx
 * (3LIB): creates a process or attaches to one, and calls handlers as its LWPs (on Linux: threads)
 * begin and end. It is part of libcpc; cpc_bind_pctx uses its handles. The manual page libpctx(3)
 * explains the facility and where it differs from Solaris; this header is the contract.
 *
 * Errors: a function that returns int returns 0, or -1 with errno set; one that returns a pointer
 * returns NULL with errno set. The handle's errfn also receives each error, as one line.
 *
 * Ownership: pctx_release ends a handle of pctx_create or pctx_capture. Until it is released, a
 * created process dies with its creator (SIGKILL); a captured one goes on. The handle passed to a
 * fork handler is valid until the handler returns.
 *
 * Threads: one thread at a time may use a handle, except that any thread and any signal handler
 * may call pctx_terminate. Handlers are called one at a time: tick by the thread in pctx_run while
 * the LWPs run, the others by a thread of the library, with all signals blocked and the LWP of the
 * call stopped. While a handle exists, no other thread of the program may wait for any child
 * (waitpid(-1)): it would consume stops of the controlled process. The EXIT handler, not a later
 * wait, reports the end of a captured child. Handles are useless in a child of fork.
 */
#ifndef LIBPCTX_H
#define LIBPCTX_H

#include <stdarg.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PCTX_API __attribute__((visibility("default")))
#else
#define PCTX_API
#endif

typedef unsigned int uint_t;
#ifndef __id_t_defined /* glibc hides it in strict ISO C */
typedef unsigned int id_t;
#define __id_t_defined
#endif

/* The target of a handle: the process id; -1 once the process has ended. The rest of the handle
 * is the library's. */
typedef pid_t pctx_t;

/* fn: the function that failed. fmt has no newline. NULL: "libpctx: fn: ...\n" on stderr. */
typedef void(pctx_errfn_t)(const char *fn, const char *fmt, va_list ap);

/* Creates a process that will execute filename, searched in PATH as by execvp(3), and stops it
 * before the program's first instruction. arg is passed to the handlers. verbose: errfn also
 * receives a line when a handler ends the run. EINVAL: no filename or argv; EPERM: tracing is not
 * allowed; and the errors of execve(2) and fork(2). */
PCTX_API pctx_t *pctx_create(
	const char *filename, char *const *argv, void *arg, int verbose, pctx_errfn_t *errfn);

/* Attaches to a process and stops all its LWPs. ESRCH: no such process; EPERM: not allowed, or
 * another tracer has it; EINVAL: the caller itself, or not a process id. */
PCTX_API pctx_t *pctx_capture(pid_t pid, void *arg, int verbose, pctx_errfn_t *errfn);

/* Handlers get the handle, the process id, the id of the LWP and arg. A handler of type int that
 * returns non-zero ends pctx_run, which then returns -1. */
typedef int pctx_sysc_execfn_t(pctx_t *, pid_t, id_t, char *, void *);
/* The new process' handle, the old process' id, the new one's, and the LWP that forked. */
typedef void pctx_sysc_forkfn_t(pctx_t *, pid_t, id_t, pid_t, void *);
/* The exit status; 128 + the signal that ended it. */
typedef void pctx_sysc_exitfn_t(pctx_t *, pid_t, id_t, int, void *);
typedef int pctx_sysc_lwp_createfn_t(pctx_t *, pid_t, id_t, void *);
typedef int pctx_init_lwpfn_t(pctx_t *, pid_t, id_t, void *);
typedef int pctx_fini_lwpfn_t(pctx_t *, pid_t, id_t, void *);
typedef int pctx_sysc_lwp_exitfn_t(pctx_t *, pid_t, id_t, void *);

typedef enum {
	PCTX_NULL_EVENT = 0,
	PCTX_SYSC_EXEC_EVENT,	    /* it executed another program (its command line) */
	PCTX_SYSC_FORK_EVENT,	    /* it forked; unless set, children are not controlled */
	PCTX_SYSC_EXIT_EVENT,	    /* it has ended */
	PCTX_SYSC_LWP_CREATE_EVENT, /* a new LWP, after its INIT_LWP */
	PCTX_INIT_LWP_EVENT,	    /* an LWP is about to run: bind here */
	PCTX_FINI_LWP_EVENT,	    /* an LWP ends, or the program in it: sample here */
	PCTX_SYSC_LWP_EXIT_EVENT    /* an LWP ends while others go on, after its FINI_LWP */
} pctx_event_t;

/* Sets the handlers: pairs of an event and its handler (NULL: none), then PCTX_NULL_EVENT. Events
 * not listed get no handler. Call before pctx_run, or in a handler. EINVAL: no such event. */
PCTX_API int pctx_set_events(pctx_t *pctx, ...);

/* Lets the process run until it ends, nsamples ticks have passed, a handler returns non-zero, or
 * pctx_terminate is called. Calls tick for each LWP every msec ms; msec 0 or tick NULL: never;
 * nsamples 0: no limit. Afterwards a process that has not ended is stopped, and may be run again.
 * Returns 0 if it ended, all ticks passed or pctx_terminate was called; -1: ECANCELED (a handler
 * ended the run), ESRCH (it ended before), EBUSY (called in a handler for a running process). */
PCTX_API int pctx_run(pctx_t *pctx, uint_t msec, uint_t nsamples,
	int (*tick)(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg));

/* Makes pctx_run return soon. Async-signal-safe. */
PCTX_API void pctx_terminate(pctx_t *pctx);

/* Detaches from the process, which goes on, and frees the handle. Not in a handler: errfn receives
 * EBUSY. */
PCTX_API void pctx_release(pctx_t *pctx);

#ifdef __cplusplus
}
#endif

#endif
