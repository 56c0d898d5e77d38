/*
 * Inside libcpc: handles, sets, and what a set is bound to. Private to this room; other rooms
 * see include/libcpc.h only.
 *
 * Errors: 0 or a negative errno inside; where the public functions are, cpc_fail turns them
 * into errno, -1 and a line for the error handler.
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
#include "../counters/perf_group.h"
#include "registry.h"

enum { CPC_MAGIC = 0x43504331, SET_MAGIC = 0x53455431, BUF_MAGIC = 0x42554631 };

struct cpc {
	uint32_t magic;
	_Atomic(cpc_errhndlr_t *) handler; /* NULL: stderr */
	struct cpc_set *sets;
	struct cpc_buf *bufs;
};

struct request {
	char *event; /* as it was given */
	struct cpc_event what;
	uint64_t preset;
	uint_t flags; /* with the modes of the event's name */
	uint_t nattrs;
	cpc_attr_t *attrs;
};

/* A set's requests: shared with the threads that inherited it, who may have it for longer.
 * Only ever appended to, which those that count the earlier ones do not see. */
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
	uint64_t id; /* that no other set of the process ever had */
	struct requests *requests;
	/* Not: threads' inherited copies. What a thread has bound it may end at any moment: others
	 * look at where and whom only. */
	_Atomic(struct binding *) bound;
	_Atomic(enum bound_to) where;
	atomic_int whom; /* a thread or a CPU */
};

struct cpc_buf {
	uint32_t magic;
	struct cpc *cpc;
	struct cpc_buf *next;
	uint64_t set; /* whose samples it takes */
	unsigned count;
	hrtime_t hrtime;
	uint64_t tick;
	uint64_t value[];
};

struct binding {
	enum bound_to to;
	struct cpc_set *owner; /* NULL: inherited */
	uint64_t set;	       /* its id */
	cpc_errhndlr_t *handler;
	struct requests *requests;
	unsigned count;
	pid_t tid; /* TO_CPU: who bound it, and was moved there */
	int cpu;
	bool inherit;
	atomic_bool invalid; /* for good */
	struct registry_mark mark;
	uint64_t ticks_per_second;

	struct perf_group group;
	unsigned request_of[PERF_GROUP_MAX]; /* a member's; those that notify come first */
	unsigned notifying;		     /* how many of them */
	bool armed[PERF_GROUP_MAX];	     /* the kernel will stop this one as it overflows */
	bool frozen;
	atomic_uint restarts; /* a sample that a signal handler's restart cut is taken again */
	uint64_t preset[PERF_GROUP_MAX]; /* of each request, where the next restart begins */
	uint64_t start[PERF_GROUP_MAX];	 /* its value is start + counted */

	struct binding *next, **link; /* of all in the process */
};

/* Reports: sets errno = error, returns -1. handler NULL: stderr. */
int cpc_tell(cpc_errhndlr_t *handler, const char *fn, int error, int subcode, const char *format,
	...) __attribute__((format(printf, 5, 6)));
#define cpc_fail(cpc, error, subcode, ...)                                                         \
	cpc_tell(cpc_handler(cpc), __func__, error, subcode, __VA_ARGS__)
cpc_errhndlr_t *cpc_handler(const cpc_t *cpc);

/* Whether the handles are, and belong together; reports, for fn, where not. */
bool cpc_is(const cpc_t *cpc, const char *fn);
bool cpc_has_set(const cpc_t *cpc, const cpc_set_t *set, const char *fn);
bool cpc_has_buf(const cpc_t *cpc, const cpc_buf_t *buf, const char *fn);

/* Around every change of the lists, bindings and the registry. */
void cpc_lock(void);
void cpc_unlock(void);

void requests_drop(struct requests *r);

/* The event's name with the attributes written into it, as its kind takes them: 0 or -EINVAL
 * with why and a subcode. */
int attrs_name(const char *event, uint_t nattrs, const cpc_attr_t *attrs, char name[EVENT_NAME_MAX],
	char why[EVENT_WHY_MAX], int *subcode);

/* ------------------------------------------------------------------------ counting.c */

/* Opens the group, stopped, for thread pid (0: the caller) or processor cpu (pid -1).
 * A negative errno with a line in why, and *failed the request at fault. */
int counting_open(struct binding *b, pid_t pid, int cpu, char why[EVENT_WHY_MAX]);
/* From the presets; async-signal-safe. */
int counting_restart(struct binding *b);
int counting_go_on(struct binding *b);
int counting_stop(struct binding *b);
/* -EAGAIN: it did not count all the time, or became invalid. */
int counting_sample(struct binding *b, cpc_buf_t *buf, const char **why);
bool counting_valid(struct binding *b, const char **why);

/* ------------------------------------------------------------------------ overflow.c */

int overflow_prepare(void);		      /* the library's signal handler */
int overflow_direct(const struct binding *b); /* the members' signals to the caller */
int overflow_tell(void *address);	      /* SIGEMT to the calling thread */

/* ------------------------------------------------------------------------ bindings.c */

/* The calling thread's, by cpc_bind_curlwp or inherited. */
struct binding *binding_mine(void);
void binding_set_mine(struct binding *b);
/* NULL: no memory. Not yet listed. */
struct binding *binding_new(struct cpc_set *set, enum bound_to to);
struct binding *binding_copy(struct requests *r, uint64_t set, unsigned count);
void binding_list(struct binding *b);
/* Closes, gives back and frees; the lock is held. Of the calling thread, or of no thread. */
void binding_end(struct binding *b);
/* Its set goes: what another thread has is stopped, and left for that thread to end. */
void binding_leave(struct binding *b);

/* ---------------------------------------------------------------------------- bind.c */

/* Opens, stopped, for the calling thread; the lock is held. A negative errno with why. */
int binding_open_here(struct binding *b, char why[EVENT_WHY_MAX]);

/* ------------------------------------------------------------------------- inherit.c */

/* Whether threads made from now on can be followed: not where another pthread_create than this
 * library's is called. */
bool inherit_possible(void);

#endif
