/*
 * A private session and the command traced in it: shared by `run` and `record`.
 */
#ifndef SWT_CMD_PRIVATE_H
#define SWT_CMD_PRIVATE_H

#include <signal.h>

#include "cmd.h"

struct private_session {
	struct session_location location;
	int lock; /* held while this process runs, so that the session is not swept */
};

/* Makes the session with buffers and tracing off; *s is open for control and locked. Returns an
 * exit code. */
int private_make(const struct verb *verb, struct private_session *p, struct session *s,
	const struct session_config *config);

/* Once the command has ended: reports processes that go on, and that this session will not trace.
 */
void private_note_left(const struct verb *verb, struct session *s);

struct command {
	char **words;
	pid_t pid;	     /* 0: not started, or ended */
	int status;	     /* as from waitpid, valid after the end */
	bool output_is_ours; /* stdout carries the trace: redirect the command's to stderr */
	/* NULL, or called while the child still waits to become the command. If it does not return
	 * 0, the child exits without running the command. */
	int (*before)(void *arg, pid_t pid);
	void *arg;
};

/* Whether the command exists: 0 or an errno. Only exec can tell whether it runs. */
int command_find(const struct command *c);

/*
 * Starts the command in that session (NULL: without one) and forwards signals to it from then on.
 * Returns 0 or the errno of the failed step.
 */
int command_start(struct command *c, const struct session_location *location);
/* Waits until the command ends. */
void command_wait(struct command *c);
/* Whether the command has ended. Does not wait. */
bool command_ended(struct command *c);
/* The exit code that passes on the command's status. */
int command_exit_code(const struct command *c);
/* Reports that the command cannot run. Returns the exit code that a shell would. */
int command_failed(const struct verb *verb, const struct command *c, int err);
/* Joins the words with spaces. The caller frees the result; NULL: out of memory. */
char *command_line(char **words);

#endif
