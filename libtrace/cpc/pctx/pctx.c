/*
 * Handles of controlled processes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pctx.h"

static pctx_t *pctx_begin_process(struct process template, int (*job)(struct process *, void *),
	void *argument, const char *what, const char *fn)
{
	struct process *p = malloc(sizeof *p);
	struct engine *e = p ? engine_begin() : NULL;
	int rc;

	if (!e) {
		rc = errno;
		free(p);
		pctx_tell(&template, fn, rc, "%s: %s", what, strerror(rc));
		return NULL;
	}
	*p = template;
	engine_list(e, p);
	rc = engine_do(e, job, p, argument);
	if (rc == 0)
		return &p->pid;
	engine_unlist(p);
	engine_end(e);
	free(p);
	pctx_tell(&template, fn, -rc, "%s: %s%s", what, strerror(-rc),
		rc == -EPERM
			? " (it is another user's, has another tracer, or /proc/sys/kernel/yama/ptrace_scope forbids it)"
			: "");
	return NULL;
}

pctx_t *pctx_create(
	const char *filename, char *const *argv, void *arg, int verbose, pctx_errfn_t *errfn)
{
	struct process p = {.arg = arg, .verbose = verbose, .errfn = errfn, .created = true};
	struct start start = {filename, argv};

	if (!filename || !argv || !argv[0]) {
		pctx_tell(&p, __func__, EINVAL, "no filename, or no argv");
		return NULL;
	}
	return pctx_begin_process(p, pctx_start, &start, filename, __func__);
}

pctx_t *pctx_capture(pid_t pid, void *arg, int verbose, pctx_errfn_t *errfn)
{
	struct process p = {.pid = pid, .arg = arg, .verbose = verbose, .errfn = errfn};
	char what[32];

	if (pid <= 0 || pid == getpid()) {
		pctx_tell(&p, __func__, EINVAL, "%d is not another process' id", (int)pid);
		return NULL;
	}
	snprintf(what, sizeof what, "process %d", (int)pid);
	return pctx_begin_process(p, pctx_attach, NULL, what, __func__);
}

static bool is_handle(pctx_t *pctx, const char *fn)
{
	if (!pctx)
		pctx_tell(NULL, fn, EINVAL, "no handle");
	return pctx != NULL;
}

int pctx_set_events(pctx_t *pctx, ...)
{
	struct handlers on = {0};
	int event, known = 1;
	va_list ap;

	if (!is_handle(pctx, __func__))
		return -1;
	va_start(ap, pctx);
	while (known && (event = va_arg(ap, int)) != PCTX_NULL_EVENT)
		switch (event) {
		case PCTX_SYSC_EXEC_EVENT:
			on.exec = va_arg(ap, pctx_sysc_execfn_t *);
			break;
		case PCTX_SYSC_FORK_EVENT:
			on.fork = va_arg(ap, pctx_sysc_forkfn_t *);
			break;
		case PCTX_SYSC_EXIT_EVENT:
			on.exit = va_arg(ap, pctx_sysc_exitfn_t *);
			break;
		case PCTX_SYSC_LWP_CREATE_EVENT:
			on.lwp_create = va_arg(ap, pctx_sysc_lwp_createfn_t *);
			break;
		case PCTX_INIT_LWP_EVENT:
			on.init_lwp = va_arg(ap, pctx_init_lwpfn_t *);
			break;
		case PCTX_FINI_LWP_EVENT:
			on.fini_lwp = va_arg(ap, pctx_fini_lwpfn_t *);
			break;
		case PCTX_SYSC_LWP_EXIT_EVENT:
			on.lwp_exit = va_arg(ap, pctx_sysc_lwp_exitfn_t *);
			break;
		default:
			known = 0;
		}
	va_end(ap);
	if (!known)
		return pctx_tell(
			pctx_process(pctx), __func__, EINVAL, "there is no event %d", event);
	pctx_process(pctx)->on = on;
	return 0;
}

int pctx_run(pctx_t *pctx, uint_t msec, uint_t nsamples,
	int (*tick)(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg))
{
	struct process *p;
	int rc;

	if (!is_handle(pctx, __func__))
		return -1;
	p = pctx_process(pctx);
	if (p->running)
		return pctx_tell(p, __func__, EBUSY, "process %d runs already", (int)p->pid);
	if (p->pid < 0)
		return pctx_tell(p, __func__, ESRCH, "the process has ended");
	p->tick = msec > 0 ? tick : NULL;
	p->msec = msec;
	p->ticks_left = nsamples;
	rc = engine_do(p->engine, pctx_loop, p, NULL);
	if (rc)
		errno = -rc;
	return rc ? -1 : 0;
}

void pctx_terminate(pctx_t *pctx)
{
	if (!pctx)
		return;
	atomic_store(&pctx_process(pctx)->terminate, true);
	pctx_wake(pctx_process(pctx));
}

void pctx_release(pctx_t *pctx)
{
	struct process *p;
	struct engine *e;

	if (!is_handle(pctx, __func__))
		return;
	p = pctx_process(pctx);
	e = p->engine;
	if (p->running || engine_is_self(e)) {
		pctx_tell(p, __func__, EBUSY,
			"process %d: a handler cannot release it; return other than 0, or, from a fork handler, just return",
			(int)p->pid);
		return;
	}
	engine_do(e, pctx_detach, p, NULL);
	engine_unlist(p);
	engine_end(e);
	free(p);
}
