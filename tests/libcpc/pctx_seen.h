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
int on_fini(pctx_t *p, pid_t pid, id_t lwp, void *arg);
int on_lwp_create(pctx_t *p, pid_t pid, id_t lwp, void *arg);
int on_lwp_exit(pctx_t *p, pid_t pid, id_t lwp, void *arg);
int on_exec(pctx_t *p, pid_t pid, id_t lwp, char *command, void *arg);
void on_exit_status(pctx_t *p, pid_t pid, id_t lwp, int status, void *arg);
void on_fork(pctx_t *child, pid_t old, id_t pid, pid_t lwp, void *arg);
int on_tick(pctx_t *p, pid_t pid, id_t lwp, void *arg);
pctx_t *create_shell(const char *script);
bool process_exists(pid_t pid);

#endif
