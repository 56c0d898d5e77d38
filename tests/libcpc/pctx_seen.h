/*
 * Handlers of libpctx that keep account of what they were called for.
 */
#ifndef TESTS_LIBCPC_PCTX_SEEN_H
#define TESTS_LIBCPC_PCTX_SEEN_H

#include <libpctx.h>
#include <stdbool.h>

struct pctx_seen {
	int init, fini, create, lwp_exit, exec, fork, ticks;
	int exit_status; /* -1: no EXIT */
	pid_t pid, child;
	int child_exit, child_init;
	char command[256];
	bool out_of_order;
	int return_at_tick, return_at_init;
	pctx_t *terminate; /* by the tick */
};
extern struct pctx_seen seen;
extern char line[512]; /* the last error */

void pctx_begin(void);
void keep_line(const char *fn, const char *format, va_list ap);
int on_init(pctx_t *p, pid_t pid, id_t lwp, void *arg);
int on_tick(pctx_t *p, pid_t pid, id_t lwp, void *arg);
pctx_t *create_shell(const char *script);
/* All events of the process are seen; forks: its children are run, too. */
void seen_watch_process(pctx_t *p, bool forks);
/* Runs it to its end: it exits with this status, and all events came in order. */
void seen_expect_end(pctx_t *p, int status);
bool process_exists(pid_t pid);

#endif
