/*
 * libcpc's internals: handles, sets and bindings. Private to this room; other rooms include only
 * include/libcpc.h.
 *
 * libtrace/cpc owns libcpc and libpctx. It includes counters, events and core. Errors: internal
 * functions return 0 or a negative errno. Public functions report through cpc_fail: it calls the
 * error handler, sets errno and returns -1.
 */
#ifndef SWT_CPC_H
#define SWT_CPC_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../include/libcpc.h"
#include "../events/event.h"
#include "../counters/perf/group.h"
#include "registry.h"

enum { CPC_MAGIC = 0x43504331, SET_MAGIC = 0x53455431, BUF_MAGIC = 0x42554631 };

struct cpc {
	uint32_t magic;
	_Atomic(cpc_errhndlr_t *) handler; /* NULL: print to stderr */
	struct cpc_set *sets;
	struct cpc_buf *bufs;
};

struct request {
	char *event; /* as the caller spelled it */
	struct cpc_event what;
	uint64_t preset;
	uint_t flags; /* includes the modes of the event's name */
	uint_t nattrs;
	cpc_attr_t *attrs;
};

/* A set's requests, shared with the threads that inherited it, which may outlive the set.
 * Append-only: a binding counts the first `count` of them and ignores later ones. */
struct requests {
	atomic_uint users;
	unsigned count;
	struct request request[PERF_GROUP_MAX];
};

enum bound_to { TO_THREAD, TO_OTHER, TO_CPU };

struct cpc_set {
	uint32_t magic;
	struct cpc *cpc;
	struct cpc_set *next;
	uint64_t id; /* unique within the process, never reused */
	struct requests *requests;
	/* The owner's binding; threads' inherited copies are not listed here. The bound thread may
	 * end the binding at any moment: other threads read only `where` and `whom`. */
	_Atomic(struct binding *) bound;
	_Atomic(enum bound_to) where;
	atomic_int whom; /* thread id or CPU number */
};

struct cpc_buf {
	uint32_t magic;
	struct cpc *cpc;
	struct cpc_buf *next;
	uint64_t set; /* id of the set that it samples */
	unsigned count;
	hrtime_t hrtime;
	uint64_t tick;
	uint64_t value[];
};

struct binding {
	enum bound_to to;
	struct cpc_set *owner; /* NULL: inherited */
	uint64_t set;	       /* id of the set */
	cpc_errhndlr_t *handler;
	struct requests *requests;
	unsigned count;
	pid_t tid; /* TO_CPU: the thread that bound it and was moved to the CPU */
	int cpu;
	bool inherit;
	atomic_bool invalid; /* never cleared */
	struct registry_generation generation;
	uint64_t ticks_per_second;

	struct perf_group group;
	unsigned request_of[PERF_GROUP_MAX]; /* request of each member; notifying ones come first */
	unsigned notifying;		     /* number of notifying members */
	bool armed[PERF_GROUP_MAX];	     /* the kernel stops this member when it overflows */
	bool frozen;
	atomic_uint restarts; /* a sample retries if a signal handler restarted the set meanwhile */
	uint64_t preset[PERF_GROUP_MAX]; /* by request: its value after the next restart */
	uint64_t start[PERF_GROUP_MAX];	 /* by request: its value is start + count */

	struct binding *next, **link; /* in the list of all bindings */
};

/* Reports an error through handler (NULL: stderr), sets errno and returns -1. */
int cpc_tell(cpc_errhndlr_t *handler, const char *fn, int error, int subcode, const char *format,
	...) __attribute__((format(printf, 5, 6)));
#define cpc_fail(cpc, error, subcode, ...)                                                         \
	cpc_tell(cpc_handler(cpc), __func__, error, subcode, __VA_ARGS__)
cpc_errhndlr_t *cpc_handler(const cpc_t *cpc);

/* Whether the handles are valid and belong together. If not, reports the error in fn's name. */
bool cpc_is(const cpc_t *cpc, const char *fn);
bool cpc_has_set(const cpc_t *cpc, const cpc_set_t *set, const char *fn);
bool cpc_has_buf(const cpc_t *cpc, const cpc_buf_t *buf, const char *fn);

/* Protect the lists, bindings and the registry. */
void cpc_lock(void);
void cpc_unlock(void);

void requests_drop(struct requests *r);

/* Spells the attributes into the event's name, in the syntax of the event's kind. Returns 0, or
 * -EINVAL with why and a subcode. */
int attrs_name(const char *event, uint_t nattrs, const cpc_attr_t *attrs, char name[EVENT_NAME_MAX],
	char why[EVENT_WHY_MAX], int *subcode);

/* ------------------------------------------------------------------------ counting.c */

/* Opens the group, stopped, for thread pid (0: the caller) or for processor cpu (pid -1). On
 * failure returns a negative errno with the cause in why. */
int counting_open(struct binding *b, pid_t pid, int cpu, char why[EVENT_WHY_MAX]);
/* Starts from the presets. Async-signal-safe. */
int counting_restart(struct binding *b);
int counting_go_on(struct binding *b);
int counting_stop(struct binding *b);
/* -EAGAIN: the group was not on the counters all the time, or the binding is invalid. */
int counting_sample(struct binding *b, cpc_buf_t *buf, const char **why);
bool counting_valid(struct binding *b, const char **why);

/* ------------------------------------------------------------------------ overflow.c */

int overflow_prepare(void);		      /* install the library's signal handler */
int overflow_direct(const struct binding *b); /* direct the members' signals to the caller */
int overflow_tell(void *address);	      /* queue SIGEMT for the calling thread */

/* ------------------------------------------------------------------------ bindings.c */

/* The calling thread's binding: made by cpc_bind_curlwp or inherited. */
struct binding *binding_mine(void);
void binding_set_mine(struct binding *b);
/* Creates a binding that is not yet in the list. NULL: out of memory. */
struct binding *binding_new(struct cpc_set *set, enum bound_to to);
struct binding *binding_copy(struct requests *r, uint64_t set, unsigned count);
void binding_list(struct binding *b);
/* Closes, releases and frees the binding, which is the calling thread's or no thread's. The caller
 * holds the lock. */
void binding_end(struct binding *b);
/* The set is being destroyed. Another thread's binding is only stopped: that thread ends it. */
void binding_leave(struct binding *b);

/* ---------------------------------------------------------------------------- bind.c */

/* Opens the group, stopped, for the calling thread. Returns a negative errno with why. The caller
 * holds the lock. */
int binding_open_here(struct binding *b, char why[EVENT_WHY_MAX]);

/* ------------------------------------------------------------------------- inherit.c */

/* Whether new threads can inherit sets: false if the program bypasses libcpc's pthread_create. */
bool inherit_possible(void);

#endif
