/*
 * libcpc.h - performance counters by sets of requests, in the manner of Solaris' libcpc
 * (3CPC), over Linux perf events. Link with libcpc. The manual page libcpc(3) explains the
 * facility and where it differs from Solaris; this header is the contract.
 *
 * Errors: a function that returns int returns 0 (cpc_set_add_request: an index), or -1 with
 * errno set; one that returns a pointer returns NULL with errno set. Each error is also told,
 * in one line that names the cause, to the handle's error handler (cpc_seterrhndlr), by
 * default on stderr. A NULL handle, a set or buffer of another handle, and a buffer of
 * another set are EINVAL.
 *
 * Ownership: cpc_set_destroy and cpc_buf_destroy end what was created; cpc_close ends the
 * handle with all its sets and buffers, and unbinds. A handle that has ended must not be used.
 *
 * Threads: any thread may call any function; a set or buffer is used by one thread at a time,
 * but for a set that several threads inherited: each samples, restarts and unbinds its own
 * copy. Async-signal-safe: cpc_set_sample, cpc_request_preset, cpc_set_restart, cpc_enable,
 * cpc_disable, cpc_buf_get, set, sub, add, copy, zero, hrtime and tick (and the error handler
 * as far as it is so itself; the default one is).
 *
 * fork: the child has the handles, sets and buffers, but nothing is bound there.
 */
#ifndef LIBCPC_H
#define LIBCPC_H

#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/types.h>

#include "libpctx.h" /* pctx_t, uint_t, id_t */

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CPC_API __attribute__((visibility("default")))
#else
#define CPC_API
#endif

/* ------------------------------------------------------- what Linux has not by itself */

typedef int processorid_t;
typedef long long hrtime_t; /* ns */

/* The calling thread's id, as Solaris' <sys/lwp.h> has it for LWPs. */
typedef pid_t lwpid_t; /* as in <sys/procfs.h>, which AArch64's <signal.h> includes */
CPC_API lwpid_t _lwp_self(void);

/* Linux has no SIGEMT on most processors: a real-time signal stands for it, whose default is,
 * as SIGEMT's, to end the process. CPC_SIGNAL, the one below it, is the library's own: it is
 * delivered first and becomes SIGEMT. A program leaves CPC_SIGNAL alone: does not block it, and
 * installs a handler for it only before its first bind (it then gets what is not ours). */
#ifndef SIGEMT
#define SIGEMT 60
#endif
#define CPC_SIGNAL 59
#ifndef EMT_CPCOVF
#define EMT_CPCOVF 2 /* si_code: a counter overflowed */
#endif

/* --------------------------------------------------------------------------- handles */

typedef struct cpc cpc_t;
typedef struct cpc_set cpc_set_t;
typedef struct cpc_buf cpc_buf_t;

#define CPC_VER_CURRENT 2

/* EINVAL: another version; ENOTSUP: this kernel has no perf events; ENOMEM. */
CPC_API cpc_t *cpc_open(int version);
CPC_API int cpc_close(cpc_t *cpc);

/* fn: the function that failed; subcode: a CPC_ number below, or 0. fmt has no newline. NULL
 * takes the default again: "libcpc: fn: ...\n" on stderr. errno is kept around the call. */
typedef void(cpc_errhndlr_t)(const char *fn, int subcode, const char *fmt, va_list ap);
CPC_API int cpc_seterrhndlr(cpc_t *cpc, cpc_errhndlr_t *handler);

#define CPC_INVALID_EVENT 1
#define CPC_INVALID_PICNUM 2
#define CPC_INVALID_ATTRIBUTE 3
#define CPC_ATTRIBUTE_OUT_OF_RANGE 4
#define CPC_RESOURCE_UNAVAIL 5
#define CPC_PIC_NOT_CAPABLE 6
#define CPC_REQ_INVALID_FLAGS 7
#define CPC_CONFLICTING_REQS 8
#define CPC_ATTR_REQUIRES_PRIVILEGE 9
#define CPC_PBIND_FAILED 10

/* ------------------------------------------------------------------- the machine's PMU */

#define CPC_CAP_OVERFLOW_INTERRUPT 0x1
#define CPC_CAP_OVERFLOW_PRECISE 0x2 /* it is known which counter overflowed */

/* How many counters an own set may use at most, as far as the kernel tells; 0: unknown, or no
 * hardware counters (software events take none). */
CPC_API uint_t cpc_npic(cpc_t *cpc);
CPC_API uint_t cpc_caps(cpc_t *cpc);
CPC_API const char *cpc_cciname(cpc_t *cpc); /* constant strings */
CPC_API const char *cpc_cpuref(cpc_t *cpc);

/* Each name that cpc_set_add_request knows; the kernel's generic ones only; those that count
 * on counter picno, and so take one (the kernel assigns counters: all hardware events). The
 * strings live during the call. */
CPC_API void cpc_walk_events_all(
	cpc_t *cpc, void *arg, void (*action)(void *arg, const char *event));
CPC_API void cpc_walk_generic_events_all(
	cpc_t *cpc, void *arg, void (*action)(void *arg, const char *event));
CPC_API void cpc_walk_events_pic(cpc_t *cpc, uint_t picno, void *arg,
	void (*action)(void *arg, uint_t picno, const char *event));
CPC_API void cpc_walk_generic_events_pic(cpc_t *cpc, uint_t picno, void *arg,
	void (*action)(void *arg, uint_t picno, const char *event));

/* Each attribute that this processor's events take. */
CPC_API void cpc_walk_attrs(cpc_t *cpc, void *arg, void (*action)(void *arg, const char *attr));

/* ------------------------------------------------------------------------------- sets */

typedef struct {
	const char *ca_name;
	uint64_t ca_val;
} cpc_attr_t;

/* Flags of a request. Where neither COUNT flag is given, the event's name says it
 * ("cycles:u"); where both say it, they must agree. */
#define CPC_OVF_NOTIFY_EMT 0x1
#define CPC_COUNT_USER 0x2
#define CPC_COUNT_SYSTEM 0x4

CPC_API cpc_set_t *cpc_set_create(cpc_t *cpc);
CPC_API int cpc_set_destroy(cpc_t *cpc, cpc_set_t *set); /* unbinds, too */

/*
 * Adds a request to a set that is not bound; the index of the request, from 0. event is a
 * name as `swtrace event list` shows them: instructions, cycles, ref-cycles, page-faults,
 * task-clock (ns), cpu/event=0x3c,umask=0/, r01c2, and libpfm4's where it was built in. Its
 * counter starts at preset. attrs are the PMU's terms ("cmask", 1), for events that
 * take terms. Everything is copied.
 *
 * CPC_OVF_NOTIFY_EMT: the thread gets SIGEMT after 2^64 - preset counts; with CPC_COUNT_USER
 * only, and for cpc_bind_curlwp only.
 *
 * EINVAL: no such event or attribute, out of range, flags, the set is bound or full
 * (32 requests); ENOTSUP: the event exists, but not on this machine; ENOMEM.
 */
CPC_API int cpc_set_add_request(cpc_t *cpc, cpc_set_t *set, const char *event, uint64_t preset,
	uint_t flags, uint_t nattrs, const cpc_attr_t *attrs);

/* Each request in order; the strings live during the call. */
CPC_API void cpc_walk_requests(cpc_t *cpc, cpc_set_t *set, void *arg,
	void (*action)(void *arg, int index, const char *event, uint64_t preset, uint_t flags,
		int nattrs, const cpc_attr_t *attrs));

/* --------------------------------------------------------------------------- binding */

/*
 * Each programs the counters with all of the set's requests, or fails as a whole: EINVAL (no
 * requests, a request that this machine cannot count, too many or conflicting ones, an unknown
 * flag, the set is bound elsewhere), EACCES (the kernel denies it), EAGAIN (counters not
 * available: taken, or a CPU binding exists; descriptors or memory run short), ENOTSUP
 * (overflow cannot be detected).
 *
 * A set counts all the time or not at all: its counters are never shared out by turns. If
 * they are taken from it later, cpc_set_sample is EAGAIN.
 */

/* Threads that pthread_create makes from then on inherit a copy, and pass it on. ENOTSUP where
 * another pthread_create stands before the shared library's (dlopen, ThreadSanitizer); with the
 * static library a program is linked with -Wl,--wrap=pthread_create. */
#define CPC_BIND_LWP_INHERIT 0x1

/* To the calling thread. A thread has one set at most: the one it had is unbound, also if it
 * is this one, which then begins afresh, and also where the bind then fails. The thread's end
 * unbinds it. */
CPC_API int cpc_bind_curlwp(cpc_t *cpc, cpc_set_t *set, uint_t flags);

/* To LWP id of the process that pctx, a handle of libpctx.h, controls. pctx may also be the
 * address of a process id, which need not be controlled. id 0: the process' first thread. flags: 0.
 * ESRCH: there is no such thread. After the thread's end samples show its final counts. */
CPC_API int cpc_bind_pctx(cpc_t *cpc, pctx_t *pctx, id_t id, cpc_set_t *set, uint_t flags);

/* To a CPU, whatever runs there; flags: 0. The calling thread moves to that CPU and stays
 * there until the set is unbound; one thread may bind several (it stays on the last one's,
 * and gets its own affinity back with the end of its last). While it lasts, no process of the
 * machine can bind a thread (EAGAIN), and the sets that were bound to threads are EAGAIN from
 * then on. EAGAIN: the CPU is bound, by this or another process; EINVAL: there is no such CPU;
 * ENODEV: it is offline; EACCES: without the right to count CPUs. */
CPC_API int cpc_bind_cpu(cpc_t *cpc, processorid_t id, cpc_set_t *set, uint_t flags);

/* EINVAL: not bound, or bound to another thread. */
CPC_API int cpc_unbind(cpc_t *cpc, cpc_set_t *set);

/* The set's counters (preset + counted since, modulo 2^64), all of the same moment. EAGAIN:
 * the binding became invalid, or lost its counters; EINVAL: not bound, or to another thread. */
CPC_API int cpc_set_sample(cpc_t *cpc, cpc_set_t *set, cpc_buf_t *buf);

/* For the calling thread's set (cpc_bind_curlwp or inherited). The new preset is where the
 * request starts at each cpc_set_restart from now on; EINVAL: no such index or nothing bound. */
CPC_API int cpc_request_preset(cpc_t *cpc, int index, uint64_t preset);

/* Counters start from their presets and count; after an overflow, in its handler or later.
 * EAGAIN as for cpc_set_sample. */
CPC_API int cpc_set_restart(cpc_t *cpc, cpc_set_t *set);

/* Stops and continues the counters of the calling thread's set, where they stand. */
CPC_API int cpc_enable(cpc_t *cpc);
CPC_API int cpc_disable(cpc_t *cpc);

/* ---------------------------------------------------------------------------- buffers */

/* Room for one sample of a set with the requests that it has now; all 0. */
CPC_API cpc_buf_t *cpc_buf_create(cpc_t *cpc, cpc_set_t *set);
CPC_API int cpc_buf_destroy(cpc_t *cpc, cpc_buf_t *buf);

CPC_API int cpc_buf_get(cpc_t *cpc, cpc_buf_t *buf, int index, uint64_t *value);
CPC_API int cpc_buf_set(cpc_t *cpc, cpc_buf_t *buf, int index, uint64_t value);

/* The moment of the sample, ns of CLOCK_MONOTONIC; of a sum or difference: the later one. */
CPC_API hrtime_t cpc_buf_hrtime(cpc_t *cpc, cpc_buf_t *buf);
/* For how long the set has been counting since it was bound, in ticks of the time stamp
 * clock; sums and differences are those of the ticks. */
CPC_API uint64_t cpc_buf_tick(cpc_t *cpc, cpc_buf_t *buf);

/* ds = a - b, a + b, src, 0; modulo 2^64. They may be the same buffer. Buffers of other sizes:
 * told to the error handler, errno EINVAL, ds unchanged. */
CPC_API void cpc_buf_sub(cpc_t *cpc, cpc_buf_t *ds, cpc_buf_t *a, cpc_buf_t *b);
CPC_API void cpc_buf_add(cpc_t *cpc, cpc_buf_t *ds, cpc_buf_t *a, cpc_buf_t *b);
CPC_API void cpc_buf_copy(cpc_t *cpc, cpc_buf_t *ds, cpc_buf_t *src);
CPC_API void cpc_buf_zero(cpc_t *cpc, cpc_buf_t *buf);

#ifdef __cplusplus
}
#endif

#endif
