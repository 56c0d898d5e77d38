/*
 * A private session and the command that is traced in it: what `run` and `record` share.
 */
#ifndef SWT_CMD_PRIVATE_H
#define SWT_CMD_PRIVATE_H

#include <signal.h>

#include "cmd.h"

struct private_session {
	struct session_place place;
	int lock; /* held as long as this process lives: the session is not left behind */
};

/* Makes it, with buffers, tracing off: *s is open for control and locked. An exit code. */
int private_make(const struct verb *verb, struct private_session *p, struct session *s,
	const struct session_config *config);

struct command {
	char **words;
	pid_t pid;	     /* 0: it has ended, or never began */
	int status;	     /* as of waitpid, once it has ended */
	bool output_is_ours; /* standard output carries the trace: the command's goes to stderr */
	/* NULL, or called while the new process still waits to become the command; unless it
	 * returns 0 there is no command, which then looks as one that has exited. */
	int (*before)(void *arg, pid_t pid);
	void *arg;
};

/* Whether there is such a command at all: 0 or an errno. That it can be executed is seen only
 * when it is. */
int command_look(const struct command *c);

/*
 * Starts it in that session (NULL: in none of ours). From then on signals that are sent to us
 * are passed on to it. 0, or the errno of what failed.
 */
int command_start(struct command *c, const struct session_place *place);
/* Waits until it has ended. */
void command_wait(struct command *c);
/* Whether it has ended; does not wait. */
bool command_ended(struct command *c);
/* What we exit with when the command is all there is to say. */
int command_exit_code(const struct command *c);
/* "Cannot run": says so and returns the exit code of a shell. */
int command_failed(const struct verb *verb, const struct command *c, int err);
/* The words with spaces between them, the caller's to free; NULL: no memory. */
char *command_line(char **words);

#endif
