/*
 * A controlled process: its LWPs and the events reported for it.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "pctx.h"

struct lwp *lwp_add(struct process *p, pid_t tid)
{
	struct lwp *l = calloc(1, sizeof *l);

	if (!l)
		return NULL;
	l->tid = tid;
	l->next = p->lwps;
	p->lwps = l;
	return l;
}

void lwp_unlink(struct lwp **list, const struct lwp *l)
{
	for (; *list; list = &(*list)->next)
		if (*list == l) {
			*list = l->next;
			return;
		}
}

void pctx_choose_running(struct process *p)
{
	struct lwp *l = p->lwps;

	while (l && l->ended)
		l = l->next;
	atomic_store(&p->running_lwp, l ? l->tid : 0);
}

void lwp_remove(struct process *p, struct lwp *l)
{
	lwp_unlink(&p->lwps, l);
	free(l);
	pctx_choose_running(p);
}

static void pctx_print_error(const char *fn, const char *format, va_list ap)
{
	char line[512];

	vsnprintf(line, sizeof line, format, ap);
	fprintf(stderr, "libpctx: %s: %s\n", fn, line);
}

int pctx_tell(const struct process *p, const char *fn, int error, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	(p && p->errfn ? p->errfn : pctx_print_error)(fn, format, ap);
	va_end(ap);
	errno = error;
	return -1;
}

void pctx_result(struct process *p, const char *handler, pid_t tid, int result)
{
	if (result == 0)
		return;
	if (p->verbose)
		pctx_tell(p, "pctx_run", ECANCELED,
			"process %d: the handler of %s returned %d for LWP %d", (int)p->pid,
			handler, result, (int)tid);
	p->cancelled = true;
	p->halting = true;
}
