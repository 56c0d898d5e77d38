/*
 * The loop of pctx_run: from stops of the kernel's to handlers.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../formats/base/number.h"
#include "../../../formats/base/time_ns.h"
#include "../../core/file.h"
#include "../../core/proc_field.h"
#include "pctx.h"

/* ------------------------------------------------------------------------------ LWPs */

static struct lwp *pctx_find_lwp(struct lwp *list, pid_t tid)
{
	while (list && list->tid != tid)
		list = list->next;
	return list;
}

static bool pctx_has_other_lwp(const struct process *p, const struct lwp *l)
{
	for (const struct lwp *other = p->lwps; other; other = other->next)
		if (other != l && !other->ended)
			return true;
	return false;
}

/* Never holds an LWP on its way out: its exit status is still to come. */
static void pctx_continue_lwp(struct process *p, struct lwp *l, int signal)
{
	if (p->halting && !l->ended) {
		l->stopped = true;
		l->signal = signal;
		return;
	}
	l->stopped = false;
	l->signal = 0;
	ptrace(PTRACE_CONT, l->tid, 0, signal); /* fails if it was killed: its end follows */
}

/* --------------------------------------------------------------------------- handlers */

static void init_lwp(struct process *p, struct lwp *l)
{
	l->fresh = l->ended = false;
	if (p->on.init_lwp)
		pctx_result(p, "INIT_LWP", l->tid,
			p->on.init_lwp(&p->pid, p->pid, (id_t)l->tid, p->arg));
}

static void fini_lwp(struct process *p, struct lwp *l)
{
	if (l->ended)
		return;
	l->ended = true;
	pctx_choose_running(p);
	if (p->on.fini_lwp && !l->fresh)
		pctx_result(p, "FINI_LWP", l->tid,
			p->on.fini_lwp(&p->pid, p->pid, (id_t)l->tid, p->arg));
}

static void lwp_ends(struct process *p, struct lwp *l)
{
	bool was_known = !l->fresh && !l->ended;

	fini_lwp(p, l);
	if (was_known && p->on.lwp_exit && pctx_has_other_lwp(p, l))
		pctx_result(p, "SYSC_LWP_EXIT", l->tid,
			p->on.lwp_exit(&p->pid, p->pid, (id_t)l->tid, p->arg));
}

/* The first stop of a new LWP. While the run ends it stays new, for the next one. */
static void lwp_begins(struct process *p, struct lwp *l)
{
	if (!p->halting) {
		init_lwp(p, l);
		if (p->on.lwp_create && !p->halting)
			pctx_result(p, "SYSC_LWP_CREATE", l->tid,
				p->on.lwp_create(&p->pid, p->pid, (id_t)l->tid, p->arg));
	}
	pctx_continue_lwp(p, l, 0);
}

static void process_ends(struct process *p, int status)
{
	pid_t pid = p->pid;

	for (struct lwp *l = p->lwps; l; l = l->next)
		fini_lwp(p, l);
	atomic_store(&p->running_pid, 0);
	while (p->lwps)
		lwp_remove(p, p->lwps);
	if (p->on.exit)
		p->on.exit(&p->pid, pid, (id_t)pid,
			WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), p->arg);
	p->pid = -1;
}

/* ----------------------------------------------------------------- exec, clone, fork */

static void command_line(pid_t pid, char *line, size_t size)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
	n = file_read_once(path, line, size - 1);
	n = n < 0 ? 0 : n;
	while (n > 0 && !line[n - 1])
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (!line[i])
			line[i] = ' ';
	line[n] = 0;
}

/* The LWP that executed has the process' id from now on, and is the only one. */
static void pctx_handle_exec(struct process *p)
{
	char line[4096];
	struct lwp *l;

	for (l = p->lwps; l; l = l->next)
		fini_lwp(p, l);
	while (p->lwps->next)
		lwp_remove(p, p->lwps);
	l = p->lwps;
	*l = (struct lwp){.tid = p->pid};
	command_line(p->pid, line, sizeof line);
	if (p->on.exec)
		pctx_result(p, "SYSC_EXEC", p->pid,
			p->on.exec(&p->pid, p->pid, (id_t)p->pid, line, p->arg));
	l->fresh = true;
	if (!p->halting)
		init_lwp(p, l);
	pctx_choose_running(p);
	pctx_continue_lwp(p, l, 0);
}

/* Whether its first stop came before the event that announces it. */
static bool claim_stray(struct engine *e, pid_t tid)
{
	struct lwp *l = pctx_find_lwp(e->strays, tid);

	if (!l)
		return false;
	lwp_unlink(&e->strays, l);
	free(l);
	return true;
}

/* Resumes the parent first: it must not wait for the child's run. */
static void pctx_handle_fork(struct process *p, struct lwp *by, pid_t child)
{
	struct process *c = calloc(1, sizeof *c);
	struct lwp *l = NULL;
	pid_t tid = by->tid;

	if (c) {
		*c = (struct process){.pid = child,
			.arg = p->arg,
			.verbose = p->verbose,
			.errfn = p->errfn,
			.created = p->created};
		engine_list(p->engine, c);
		l = lwp_add(c, child);
	}
	if (!l)
		pctx_tell(p, "pctx_run", ENOMEM, "process %d is not followed: out of memory",
			(int)child);
	if (claim_stray(p->engine, child) && l)
		l->stopped = true;
	else if (l && !pctx_wait_stop(l))
		l = NULL;
	pctx_continue_lwp(p, by, 0);
	if (l && p->on.fork)
		p->on.fork(&c->pid, p->pid, (id_t)child, tid, p->arg);
	if (c) {
		pctx_detach(c, NULL);
		engine_unlist(c);
		free(c);
	}
}

static void pctx_handle_clone(struct process *p, struct lwp *by, pid_t tid)
{
	struct lwp *l;

	if (syscall(SYS_tgkill, p->pid, tid, 0) != 0) {
		pctx_handle_fork(p, by, tid); /* a process of its own, made in another way */
		return;
	}
	l = lwp_add(p, tid);
	if (l)
		l->fresh = true;
	else
		pctx_result(p, "a new LWP: out of memory", tid, 1);
	pctx_continue_lwp(p, by, 0);
	if (l && claim_stray(p->engine, tid))
		lwp_begins(p, l);
}

/* ------------------------------------------------------------------------------ stops */

static bool is_wake(const struct process *p, pid_t tid)
{
	siginfo_t info;

	return ptrace(PTRACE_GETSIGINFO, tid, 0, &info) == 0 && info.si_signo == SIGSTOP &&
	       info.si_code == SI_QUEUE && info.si_value.sival_ptr == p->engine;
}

static int signal_of(const struct process *p, pid_t tid, int status)
{
	return WSTOPSIG(status) == SIGSTOP && is_wake(p, tid) ? 0 : WSTOPSIG(status);
}

static void pctx_handle_stop(struct process *p, struct lwp *l, int status)
{
	unsigned long message = 0;

	ptrace(PTRACE_GETEVENTMSG, l->tid, 0, &message);
	switch (status >> 16) {
	case 0:
		pctx_continue_lwp(p, l, signal_of(p, l->tid, status));
		break;
	case PTRACE_EVENT_CLONE:
		pctx_handle_clone(p, l, (pid_t)message);
		break;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
		pctx_handle_fork(p, l, (pid_t)message);
		break;
	case PTRACE_EVENT_EXEC:
		pctx_handle_exec(p);
		break;
	case PTRACE_EVENT_EXIT:
		lwp_ends(p, l);
		pctx_continue_lwp(p, l, 0);
		break;
	default: /* interrupted, or stopped by job control, which control replaces */
		if (l->fresh)
			lwp_begins(p, l);
		else
			pctx_continue_lwp(p, l, 0);
	}
}

static void pctx_dispatch_event(struct engine *e, pid_t tid, int status)
{
	struct process *p = e->all;
	struct lwp *l = NULL;

	while (p && !(l = pctx_find_lwp(p->lwps, tid)))
		p = p->next;
	if (l && WIFSTOPPED(status)) {
		pctx_handle_stop(p, l, status);
	} else if (l && tid == p->pid) {
		process_ends(p, status);
	} else if (l) {
		lwp_ends(p, l);
		lwp_remove(p, l);
	} else if (WIFSTOPPED(status) && (l = calloc(1, sizeof *l))) {
		l->tid = tid;
		l->next = e->strays;
		e->strays = l;
	}
}

/* ------------------------------------------------------------------------------- runs */

static bool is_halted(const struct process *p)
{
	bool any = false;

	for (const struct lwp *l = p->lwps; l; l = l->next) {
		if (!l->ended && !l->stopped)
			return false;
		any = any || !l->ended;
	}
	return p->halting && any;
}

static void pctx_halt_process(struct process *p)
{
	if (atomic_load(&p->terminate))
		p->halting = true;
	if (!p->running || !p->halting || p->interrupted)
		return;
	p->interrupted = true;
	for (struct lwp *l = p->lwps; l; l = l->next)
		if (!l->stopped)
			ptrace(PTRACE_INTERRUPT, l->tid, 0, 0);
}

/* Waits for this thread's children only: others wait for their own. */
static bool wait_for_stop(struct engine *e)
{
	int status;
	pid_t tid;

	pthread_mutex_unlock(&e->lock);
	tid = waitpid(-1, &status, __WALL | __WNOTHREAD);
	pthread_mutex_lock(&e->lock);
	if (tid > 0)
		pctx_dispatch_event(e, tid, status);
	return tid > 0 || errno == EINTR;
}

static bool has_stop_pending(pid_t pid, pid_t tid)
{
	char path[64], text[32];
	uint64_t pending;

	snprintf(path, sizeof path, "/proc/%d/task/%d/status", (int)pid, (int)tid);
	return proc_field_read(path, "SigPnd", text, sizeof text) &&
	       number_parse(text, 16, UINT64_MAX, &pending) && pending >> (SIGSTOP - 1) & 1;
}

/* A wake after the process was released would stop it for good. */
static void drop_wake(struct process *p)
{
	atomic_store(&p->running_pid, 0);
	while (atomic_load(&p->waking))
		sched_yield();
	if (!atomic_exchange(&p->woken, false))
		return;
	for (struct lwp *l = p->lwps; l; l = l->next)
		while (!l->ended && has_stop_pending(p->pid, l->tid)) {
			ptrace(PTRACE_CONT, l->tid, 0, l->signal);
			l->signal = 0;
			if (!pctx_wait_stop(l))
				break;
			if (l->signal == SIGSTOP && is_wake(p, l->tid))
				l->signal = 0;
		}
}

static void set_options(const struct process *p)
{
	long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT;

	if (p->created)
		options |= PTRACE_O_EXITKILL;
	if (p->on.fork)
		options |= PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;
	for (const struct lwp *l = p->lwps; l; l = l->next)
		ptrace(PTRACE_SETOPTIONS, l->tid, 0, options);
}

static void begin_run(struct process *p)
{
	struct engine *e = p->engine;

	p->running = true;
	p->halting = p->interrupted = p->cancelled = false;
	p->next_tick = time_of_ns(time_ns_monotonic() + (uint64_t)p->msec * 1000000u);
	set_options(p);
	for (struct lwp *l = p->lwps; l; l = l->next)
		l->fresh = l->stopped;
	for (struct lwp *l = p->lwps; l && !p->halting; l = l->next)
		if (l->fresh)
			init_lwp(p, l);
	pctx_choose_running(p);
	atomic_store(&p->running_pid, p->pid);
	for (struct lwp *l = p->lwps; l; l = l->next)
		if (l->stopped)
			pctx_continue_lwp(p, l, l->signal);
	pthread_cond_broadcast(&e->changed); /* a tick may be due sooner */
}

int pctx_loop(struct process *p, void *unused)
{
	struct engine *e = p->engine;
	bool lost = false;

	(void)unused;
	begin_run(p);
	while (p->pid > 0 && !is_halted(p) && !lost) {
		for (struct process *q = e->all; q; q = q->next)
			pctx_halt_process(q);
		lost = !wait_for_stop(e);
	}
	drop_wake(p);
	for (struct lwp *l = p->lwps; l; l = l->next)
		fini_lwp(p, l);
	for (struct lwp *l = p->lwps; l; l = l->next)
		l->ended = l->ended && !l->stopped;
	p->running = false;
	atomic_store(&p->terminate, false);
	if (lost)
		return -ECHILD;
	return p->cancelled ? -ECANCELED : 0;
}
