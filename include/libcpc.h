/*
 * libcpc.h - performance counters by sets of requests, in the manner of Solaris' libcpc
 * (3CPC), over Linux perf events. Link with libcpc. The manual page libcpc(3) explains the
 * facility and where it differs from Solaris; this header is the contract.
 *
 * Errors: a function that returns int returns 0 (cpc_set_add_request: an index), or -1 with
 * errno set; one that returns a pointer returns NULL with errno set. The handle's error handler
 * (cpc_seterrhndlr) also receives each error, as one line that names the cause; the default one
 * writes to stderr. A NULL handle, a set or buffer of another handle, and a buffer of another set
 * are EINVAL.
 *
 * Ownership: cpc_set_destroy and cpc_buf_destroy free a set and a buffer; cpc_close unbinds and
 * frees the handle with all its sets and buffers. A closed handle must not be used.
 *
 * Threads: any thread may call any function. One thread at a time may use a set or buffer, except
 * a set that several threads inherited: each samples, restarts and unbinds its own copy.
 * Async-signal-safe: cpc_set_sample, cpc_request_preset, cpc_set_restart, cpc_enable,
 * cpc_disable, cpc_buf_get, set, sub, add, copy, zero, hrtime and tick (provided that the error
 * handler is, as the default one is).
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

/* ------------------------------------------------------------ types that Linux lacks */

typedef int processorid_t;
typedef long long hrtime_t; /* ns */

/* The calling thread's id, as in Solaris' <sys/lwp.h>. */
typedef pid_t lwpid_t; /* as in <sys/procfs.h>, which AArch64's <signal.h> includes */
CPC_API lwpid_t _lwp_self(void);

/* Linux has no SIGEMT on most processors: a real-time signal replaces it, whose default action is
 * SIGEMT's, to terminate the process. CPC_SIGNAL, one below it, belongs to the library, which
 * receives it first and then raises SIGEMT. A program must not block CPC_SIGNAL, and may install a
 * handler for it only before its first bind; that handler then receives the signals that are not
 * the library's. */
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
 * restores the default: "libcpc: fn: ...\n" on stderr. The call preserves errno. */
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
#define CPC_CAP_OVERFLOW_PRECISE 0x2 /* the counter that overflowed is known */

/* The most counters that one set can use, as far as the kernel reports; 0: unknown, or no hardware
 * counters (software events use none). */
CPC_API uint_t cpc_npic(cpc_t *cpc);
CPC_API uint_t cpc_caps(cpc_t *cpc);
CPC_API const char *cpc_cciname(cpc_t *cpc); /* constant strings */
CPC_API const char *cpc_cpuref(cpc_t *cpc);

/* Each name that cpc_set_add_request knows; only the kernel's generic ones; those that can use
 * counter picno (the kernel assigns counters, so that is every hardware event). The strings are
 * valid during the call of action. */
CPC_API void cpc_walk_events_all(
	cpc_t *cpc, void *arg, void (*action)(void *arg, const char *event));
CPC_API void cpc_walk_generic_events_all(
	cpc_t *cpc, void *arg, void (*action)(void *arg, const char *event));
CPC_API void cpc_walk_events_pic(cpc_t *cpc, uint_t picno, void *arg,
	void (*action)(void *arg, uint_t picno, const char *event));
CPC_API void cpc_walk_generic_events_pic(cpc_t *cpc, uint_t picno, void *arg,
	void (*action)(void *arg, uint_t picno, const char *event));

/* Each attribute that this processor's events accept. */
CPC_API void cpc_walk_attrs(cpc_t *cpc, void *arg, void (*action)(void *arg, const char *attr));

/* ------------------------------------------------------------------------------- sets */

typedef struct {
	const char *ca_name;
	uint64_t ca_val;
} cpc_attr_t;

/* Flags of a request. Without a COUNT flag the event's name gives the modes ("cycles:u"); if both
 * give them, they must agree. */
#define CPC_OVF_NOTIFY_EMT 0x1
#define CPC_COUNT_USER 0x2
#define CPC_COUNT_SYSTEM 0x4

CPC_API cpc_set_t *cpc_set_create(cpc_t *cpc);
CPC_API int cpc_set_destroy(cpc_t *cpc, cpc_set_t *set); /* unbinds, too */

/*
 * Adds a request to an unbound set and returns the index of the request, from 0. event is a
 * name as `swtrace event list` shows them: instructions, cycles, ref-cycles, page-faults,
 * task-clock (ns), cpu/event=0x3c,umask=0/, r01c2, and libpfm4's names in builds with libpfm4. Its
 * counter starts at preset. attrs are the PMU's terms ("cmask", 1), for events that
 * accept terms. All arguments are copied.
 *
 * CPC_OVF_NOTIFY_EMT: the thread gets SIGEMT after 2^64 - preset counts; needs CPC_COUNT_USER
 * alone, and cpc_bind_curlwp.
 *
 * EINVAL: no such event or attribute, out of range, flags, the set is bound or full
 * (32 requests); ENOTSUP: the event exists, but not on this machine; ENOMEM.
 */
CPC_API int cpc_set_add_request(cpc_t *cpc, cpc_set_t *set, const char *event, uint64_t preset,
	uint_t flags, uint_t nattrs, const cpc_attr_t *attrs);

/* Each request in order; the strings are valid during the call of action. */
CPC_API void cpc_walk_requests(cpc_t *cpc, cpc_set_t *set, void *arg,
	void (*action)(void *arg, int index, const char *event, uint64_t preset, uint_t flags,
		int nattrs, const cpc_attr_t *attrs));

/* --------------------------------------------------------------------------- binding */

/*
 * Each function programs the counters with all of the set's requests, or with none: EINVAL (no
 * requests, a request that this machine cannot count, too many or conflicting ones, an unknown
 * flag, the set is bound elsewhere), EACCES (the kernel denies it), EAGAIN (counters not
 * available: in use, or a CPU binding exists; descriptors or memory run short), ENOTSUP
 * (overflow cannot be detected).
 *
 * A set counts all the time or not at all: its counters are never multiplexed. If it loses them
 * later, cpc_set_sample returns EAGAIN.
 */

/* Threads that pthread_create makes from then on inherit a copy, and pass it on. ENOTSUP if
 * another pthread_create precedes the shared library's in symbol lookup (dlopen, ThreadSanitizer).
 * A program that uses the static library must be linked with -Wl,--wrap=pthread_create. */
#define CPC_BIND_LWP_INHERIT 0x1

/* Binds to the calling thread. A thread has at most one set: its previous one is unbound, even if
 * it is the same set, which then begins afresh, and even if the bind then fails. The end of the
 * thread unbinds the set. */
CPC_API int cpc_bind_curlwp(cpc_t *cpc, cpc_set_t *set, uint_t flags);

/* Binds to LWP id of the process that pctx, a handle of libpctx.h, controls. pctx may also be the
 * address of a process id, which need not be controlled. id 0: the process' first thread. flags: 0.
 * ESRCH: no such thread. After the end of the thread, samples return its final counts. */
CPC_API int cpc_bind_pctx(cpc_t *cpc, pctx_t *pctx, id_t id, cpc_set_t *set, uint_t flags);

/* Binds to a CPU, whatever runs there; flags: 0. The calling thread moves to that CPU and stays
 * there until the set is unbound. One thread may bind several CPUs: it stays on the last one, and
 * regains its own affinity when its last binding ends. While a CPU binding exists, no process of
 * the machine can bind a thread (EAGAIN), and the sets that were bound to threads return EAGAIN
 * from then on. EAGAIN: the CPU is bound, by this or another process; EINVAL: no such CPU; ENODEV:
 * it is offline; EACCES: no permission to count CPUs. */
CPC_API int cpc_bind_cpu(cpc_t *cpc, processorid_t id, cpc_set_t *set, uint_t flags);

/* EINVAL: not bound, or bound to another thread. */
CPC_API int cpc_unbind(cpc_t *cpc, cpc_set_t *set);

/* Reads the set's counters (preset + counts since, modulo 2^64), all at the same moment. EAGAIN:
 * the binding became invalid, or lost its counters; EINVAL: not bound, or bound to another
 * thread. */
CPC_API int cpc_set_sample(cpc_t *cpc, cpc_set_t *set, cpc_buf_t *buf);

/* Sets the preset of a request of the calling thread's set (cpc_bind_curlwp or inherited). The
 * request starts from it at each later cpc_set_restart. EINVAL: no such index or nothing bound. */
CPC_API int cpc_request_preset(cpc_t *cpc, int index, uint64_t preset);

/* Restarts the counters from their presets; after an overflow, in its handler or later.
 * EAGAIN as for cpc_set_sample. */
CPC_API int cpc_set_restart(cpc_t *cpc, cpc_set_t *set);

/* cpc_disable stops the counters of the calling thread's set; cpc_enable continues them. The
 * counts are kept. */
CPC_API int cpc_enable(cpc_t *cpc);
CPC_API int cpc_disable(cpc_t *cpc);

/* ---------------------------------------------------------------------------- buffers */

/* Creates a buffer for one sample of the set's present requests; all values are 0. */
CPC_API cpc_buf_t *cpc_buf_create(cpc_t *cpc, cpc_set_t *set);
CPC_API int cpc_buf_destroy(cpc_t *cpc, cpc_buf_t *buf);

CPC_API int cpc_buf_get(cpc_t *cpc, cpc_buf_t *buf, int index, uint64_t *value);
CPC_API int cpc_buf_set(cpc_t *cpc, cpc_buf_t *buf, int index, uint64_t value);

/* The moment of the sample, ns of CLOCK_MONOTONIC; of a sum or difference: the later one. */
CPC_API hrtime_t cpc_buf_hrtime(cpc_t *cpc, cpc_buf_t *buf);
/* The time for which the set has counted since it was bound, in ticks of the time stamp clock. Of
 * a sum or difference: the sum or difference of the ticks. */
CPC_API uint64_t cpc_buf_tick(cpc_t *cpc, cpc_buf_t *buf);

/* ds = a - b, a + b, src, 0; modulo 2^64. The arguments may be the same buffer. If the sizes
 * differ, the error handler receives it, errno is EINVAL and ds is unchanged. */
CPC_API void cpc_buf_sub(cpc_t *cpc, cpc_buf_t *ds, cpc_buf_t *a, cpc_buf_t *b);
CPC_API void cpc_buf_add(cpc_t *cpc, cpc_buf_t *ds, cpc_buf_t *a, cpc_buf_t *b);
CPC_API void cpc_buf_copy(cpc_t *cpc, cpc_buf_t *ds, cpc_buf_t *src);
CPC_API void cpc_buf_zero(cpc_t *cpc, cpc_buf_t *buf);

#ifdef __cplusplus
}
#endif

#endif
