/*
 * Inside libpctx: a controlled process, and the engine that traces it. Private to this room.
 *
 * ptrace binds tracees to the thread that traces them, and a wait for any of them must not consume
 * other children's statuses: so each root handle has a thread of its own, the engine, which starts,
 * attaches, waits and calls the handlers. It runs one job at a time for the program's thread, which
 * calls the ticks meanwhile. The engine's lock is free only while it waits.
 *
 * Children by fork share their parent's engine. Their pctx_run, in the fork handler, is a loop
 * within the loop: each serves all processes of the engine.
 *
 * libtrace/cpc/pctx owns libpctx. It includes cpc and core. Errors: see
 * ../../../include/libpctx.h.
 */
#ifndef SWT_CPC_PCTX_PCTX_H
#define SWT_CPC_PCTX_PCTX_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "../../../include/libcpc.h"

struct lwp {
	struct lwp *next;
	pid_t tid;
	bool fresh;   /* no INIT_LWP yet */
	bool stopped; /* and left so */
	bool ended;   /* after FINI_LWP */
	int signal;   /* to be delivered when it continues */
};

struct handlers {
	pctx_sysc_execfn_t *exec;
	pctx_sysc_forkfn_t *fork;
	pctx_sysc_exitfn_t *exit;
	pctx_sysc_lwp_createfn_t *lwp_create;
	pctx_init_lwpfn_t *init_lwp;
	pctx_fini_lwpfn_t *fini_lwp;
	pctx_sysc_lwp_exitfn_t *lwp_exit;
};

struct process {
	pctx_t pid; /* the handle is its address */
	struct process *next;
	struct engine *engine;
	void *arg;
	int verbose;
	pctx_errfn_t *errfn;
	struct handlers on;
	struct lwp *lwps;
	bool created;
	bool running; /* in pctx_run */
	bool halting; /* pctx_run ends: stopped LWPs are not resumed */
	bool interrupted;
	bool cancelled; /* by a handler */
	atomic_bool terminate;
	atomic_int running_pid, running_lwp; /* for pctx_wake; 0: none */
	atomic_bool woken;		     /* a wake was sent; it may still be on its way */
	atomic_int waking;		     /* threads in pctx_wake */

	int (*tick)(pctx_t *, pid_t, id_t, void *); /* NULL: none */
	uint_t msec, ticks_left;		    /* 0: without end */
	struct timespec next_tick;
};

struct engine {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	sigset_t signals; /* of the thread that began it, for created processes */
	struct process *all;
	struct lwp *strays; /* stopped before the event that names their process */
	int (*job)(struct process *p, void *argument);
	struct process *subject;
	void *argument;
	int result;
	bool done, quit;
};

static inline struct process *pctx_process(pctx_t *pctx)
{
	return (struct process *)(void *)pctx;
}

/* --------------------------------------------------------------------------- process.c */

/* NULL: out of memory. */
struct lwp *lwp_add(struct process *p, pid_t tid);
void lwp_remove(struct process *p, struct lwp *l);
/* Removes it from a list, if it is there. */
void lwp_unlink(struct lwp **list, const struct lwp *l);
/* Chooses the LWP that pctx_wake interrupts: one that is not about to end. */
void pctx_choose_running(struct process *p);
/* Tells errfn; returns -1 with errno = error. */
int pctx_tell(const struct process *p, const char *fn, int error, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* A handler's result: not 0 ends the run. */
void pctx_result(struct process *p, const char *handler, pid_t tid, int result);

/* ---------------------------------------------------------------------------- engine.c */

/* NULL with errno set. */
struct engine *engine_begin(void);
void engine_end(struct engine *e);
/* Has the engine call job(p, argument), and ticks meanwhile; in the engine itself: calls it. 0 or a
 * negative errno. */
int engine_do(
	struct engine *e, int (*job)(struct process *, void *), struct process *p, void *argument);
bool engine_is_self(const struct engine *e);
void engine_list(struct engine *e, struct process *p);
void engine_unlist(struct process *p);
/* Ends the engine's wait soon, so that it sees the change. Async-signal-safe. */
void pctx_wake(struct process *p);

/* ----------------------------------------------------------------------------- start.c */

/* Jobs: leave the process stopped, with its LWPs listed. */
struct start {
	const char *filename;
	char *const *argv;
};
int pctx_start(struct process *p, void *start);
int pctx_attach(struct process *p, void *unused);
/* Job: lets it go; the lists are empty then. */
int pctx_detach(struct process *p, void *unused);
/* Waits for the tracee's next stop and notes it. False: it is gone. */
bool pctx_wait_stop(struct lwp *l);

/* ---------------------------------------------------------------------------- events.c */

/* Job: pctx_run. */
int pctx_loop(struct process *p, void *unused);

#endif
