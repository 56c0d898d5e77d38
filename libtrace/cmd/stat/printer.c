/*
 * stat: formats a report and writes it to its file or stream in one piece.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "stat.h"

static int open_stderr(struct output *o)
{
	memset(o, 0, sizeof *o);
	strcpy(o->path, "standard error");
	o->fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	return o->fd;
}

static FILE *stream_of(const char *path)
{
	if (!path)
		return stderr;
	return strcmp(path, "-") == 0 ? stdout : NULL;
}

int stat_printer_open(struct stat_printer *p, const char *path)
{
	struct session_error error = {"unknown error"};
	FILE *stream = stream_of(path);
	int code = path ? cmd_check_output(p->verb, path) : EXIT_FINE;

	if (code)
		return code;
	p->coloured = stream && *cmd_colour(stream, COLOUR_BAD);
	if (!path)
		return open_stderr(&p->to) < 0
			       ? cmd_fail(p->verb, "standard error: %s", strerror(errno))
			       : EXIT_FINE;
	return output_open(&p->to, path, &error) ? cmd_fail(p->verb, "%s", error.text) : EXIT_FINE;
}

static void send_text(struct stat_printer *p, const char *text, size_t size)
{
	struct session_error error = {"unknown error"};

	if (output_write(&p->to, text, size, &error))
		p->failed = cmd_fail_writing(p->verb, &p->to, error.text);
}

void stat_print(struct stat_printer *p, const struct stat_report *r)
{
	static void (*const printers[])(struct stat_printer *, struct out *,
		const struct stat_report *) = {stat_print_text, stat_print_csv, stat_print_json};
	struct out text;

	if (p->failed)
		return;
	out_memory(&text);
	printers[p->format](p, &text, r);
	p->begun = true;
	if (text.error)
		p->failed = cmd_fail_writing(p->verb, &p->to, "report: not enough memory");
	else
		send_text(p, text.buf, text.len);
	out_discard(&text);
}
