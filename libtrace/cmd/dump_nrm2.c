/*
 * dump --format nrm2: dumps the rings to an unnamed trace.bin and exports it with the decoder.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../../formats/base/temporary.h"
#include "../../include/cpidecode.h"
#include "../../include/perfutil.h"
#include "../dump/output.h"
#include "../dump/signals.h"
#include "../kernel/recorder.h"
#include "../session/fail.h"
#include "cmd.h"

struct nrm2_export {
	const struct verb *verb;
	const struct dump_options *options;
	struct session_error *error;
	struct output out;
	int rc; /* result of the export */
};

static bool nrm2_keep_going(void *arg)
{
	const struct nrm2_export *e = arg;

	return e->options->progress(e->options->progress_arg, 0, 0);
}

static int nrm2_show_progress(void *arg, uint64_t done, uint64_t total)
{
	const struct nrm2_export *e = arg;

	return e->options->progress && !e->options->progress(e->options->progress_arg, done, total);
}

static void nrm2_tell_note(void *arg, const char *line)
{
	cmd_note(((const struct nrm2_export *)arg)->verb, "%s", line);
}

static int nrm2_write_bytes(void *arg, const void *bytes, size_t n)
{
	struct nrm2_export *e = arg;

	e->rc = output_write(&e->out, bytes, n, e->error);
	return e->rc;
}

static int nrm2_report(struct nrm2_export *e, cpidecode_trace *t)
{
	const cpidecode_report_options options = {.size = sizeof options,
		.report = "hooks",
		.format = "nrm2",
		.progress = nrm2_show_progress,
		.note = nrm2_tell_note,
		.ctx = e};
	int code = cpidecode_report(t, &options, nrm2_write_bytes, e, NULL);

	if (code == 0 || e->rc)
		return e->rc;
	return session_fail(e->error, PU_FAILURE, "%s: %s", e->out.path,
		code == CPIDECODE_ECANCELED ? "interrupted" : cpidecode_strerror(code));
}

static int nrm2_write_file(struct nrm2_export *e, cpidecode_trace *t)
{
	int rc = output_open(&e->out, e->options->path, e->error);

	if (rc)
		return rc;
	if (e->options->progress) {
		e->out.go_on = nrm2_keep_going;
		e->out.go_on_arg = e;
	}
	rc = nrm2_report(e, t);
	if (rc == 0)
		return output_finish(&e->out, e->error);
	output_abandon(&e->out);
	return rc;
}

/* fd: a trace.bin, at its end of file. */
static int nrm2_export_trace(struct nrm2_export *e, int fd)
{
	struct held_signals held;
	cpidecode_trace *t;
	int code = lseek(fd, 0, SEEK_SET) == 0 ? cpidecode_open_fd(fd, &t) : CPIDECODE_EREAD;

	if (code)
		return session_fail(
			e->error, PU_FAILURE, "%s: %s", e->options->path, cpidecode_strerror(code));
	signals_hold(&held);
	int rc = nrm2_write_file(e, t);
	signals_let_go(&held);
	cpidecode_close(t);
	return rc;
}

static int nrm2_write_dump(struct nrm2_export *e, struct session *s, struct dump_result *result)
{
	struct dump_options options = *e->options;
	int rc;

	options.path = NULL;
	options.fd = temporary_open_unnamed();
	if (options.fd < 0)
		return output_fail(OUTPUT_UNNAMED, "create it", errno, e->error);
	rc = dump_write(s, &options, result, e->error);
	if (rc == 0)
		rc = nrm2_export_trace(e, options.fd);
	close(options.fd);
	result->bytes = e->out.written;
	return rc;
}

int cmd_write_dump(const struct verb *verb, struct session *s, enum cmd_format format,
	const struct dump_options *options, struct dump_result *result, struct session_error *error)
{
	struct nrm2_export e = {.verb = verb, .options = options, .error = error};

	if (!kernel_recorder_flush(s))
		cmd_note(verb,
			"the recorder of switches does not answer: its last records are missing");
	return format == CMD_NRM2 ? nrm2_write_dump(&e, s, result)
				  : dump_write(s, options, result, error);
}
