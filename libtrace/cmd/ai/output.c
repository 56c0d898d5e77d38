/*
 * ai: writes the same text to standard output and to a log.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "ai.h"

/* Write the log in place, not through a temporary file: users read it while it grows. */
static int open_log(struct ai_output *o, const char *path)
{
	struct session_error error = {"unknown error"};

	o->log = (struct output){.fd = -1};
	if (strlen(path) >= sizeof o->log.path)
		return cmd_fail(o->verb, "-l: the file's name is too long");
	strcpy(o->log.path, path);
	o->log.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
	if (o->log.fd >= 0) {
		o->logs = true;
		return EXIT_FINE;
	}
	output_fail(path, "write", errno, &error);
	return cmd_fail(o->verb, "-l: %s", error.text);
}

int ai_output_open(struct ai_output *o, const struct verb *verb, const char *log)
{
	struct session_error error = {"unknown error"};

	o->verb = verb;
	o->logs = o->failed = false;
	if (output_open(&o->to, "-", &error))
		return cmd_fail(verb, "%s", error.text);
	int code = log ? open_log(o, log) : EXIT_FINE;
	if (code)
		output_abandon(&o->to);
	return code;
}

static void send_to(struct ai_output *o, struct output *at, const char *text, size_t size)
{
	struct session_error error = {"unknown error"};

	if (!o->failed && output_write(at, text, size, &error))
		o->failed = cmd_fail_writing(o->verb, at, error.text);
}

void ai_output_write(struct ai_output *o, const char *text, size_t size)
{
	/* Write the log first: it is complete even if the reader of standard output is gone. */
	if (o->logs)
		send_to(o, &o->log, text, size);
	send_to(o, &o->to, text, size);
}

static void close_one(struct ai_output *o, struct output *at)
{
	struct session_error error = {"unknown error"};

	if (output_finish(at, &error) && !o->failed)
		o->failed = cmd_fail_writing(o->verb, at, error.text);
}

int ai_output_close(struct ai_output *o)
{
	if (o->logs)
		close_one(o, &o->log);
	close_one(o, &o->to);
	return o->failed ? EXIT_FAILED : EXIT_FINE;
}
