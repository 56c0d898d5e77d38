/* cpidecode: reads trace files and says what is in them. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../model/intervals.h"
#include "merge.h"
#include "options.h"
#include "tell.h"

/* The unfinished output file, for a signal to take along. */
static const char *volatile unfinished;

static void on_signal(int number)
{
	if (unfinished)
		unlink(unfinished);
	signal(number, SIG_DFL);
	raise(number);
}

void complain_code(const char *about, int rc, int error)
{
	if (rc == CPIDECODE_EOPEN || rc == CPIDECODE_EREAD || rc == CPIDECODE_ESPOOL)
		complain("%s: %s: %s", about, cpidecode_strerror(rc), strerror(error));
	else
		complain("%s: %s", about, cpidecode_strerror(rc));
}

static bool show_reading(void *ctx, const char *path, uint64_t done, uint64_t total)
{
	(void)ctx;
	progress_show(strcmp(path, "-") ? path : "standard input", done, total);
	return true;
}

static bool show_decoding(void *ctx, uint64_t done, uint64_t total)
{
	(void)ctx;
	progress_show("decoding", done, total);
	return true;
}

static void say(void *ctx, const char *line)
{
	(void)ctx;
	progress_end();
	complain("%s", line);
}

static int add_schema(struct trace *t, const char *path)
{
	struct schema_error error;
	char *text = malloc(SCHEMA_MAX_TEXT + 1);
	FILE *file = fopen(path, "re");
	size_t n = 0;
	if (text && file)
		n = fread(text, 1, SCHEMA_MAX_TEXT + 1, file);
	if (!text || !file || ferror(file)) {
		complain("%s: %s", path, strerror(errno));
		if (file)
			fclose(file);
		free(text);
		return EXIT_FAILED;
	}
	fclose(file);
	int rc = trace_add_schema(t, text, n, &error);
	free(text);
	if (!rc)
		return EXIT_OK;
	if (rc != CPIDECODE_ESCHEMA) {
		complain_code(path, rc, errno);
		return EXIT_FAILED;
	}
	complain("%s: line %u: %s", path, error.line, error.reason);
	return EXIT_FAILED;
}

static int open_trace(struct trace *t, const struct options *o)
{
	trace_set_progress(t, show_reading, NULL);
	/* Both are to know of all damage there is. */
	if (o->strict || o->report == REPORT_INFO)
		trace_set_verify(t, VERIFY_ALL);
	for (size_t i = 0; i < o->nschemas; i++)
		if (add_schema(t, o->schemas[i]))
			return EXIT_FAILED;
	for (size_t i = 0; i < o->nfiles; i++) {
		const char *path = o->files[i];
		int rc = trace_add_path(t, path);
		int error = errno;
		if (!rc)
			continue;
		progress_end();
		complain_code(strcmp(path, "-") ? path : "standard input", rc, error);
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

/* Times relative to the start of the trace can be told only now. */
static void settle_times(struct options *o, const struct trace *t)
{
	const struct time_arg *args[] = {&o->from, &o->to};
	int64_t *times[] = {&o->filter.from, &o->filter.to}, first = 0, last;
	trace_span(t, &first, &last);
	for (int i = 0; i < 2; i++) {
		if (!args[i]->given)
			continue;
		*times[i] = args[i]->ns;
		if (args[i]->relative && __builtin_add_overflow(first, args[i]->ns, times[i]))
			*times[i] = INT64_MAX;
	}
}

/* The slices of a trace cut its time evenly; the outer ones have no outer end. */
static struct time_slice slice_of(const struct trace *t, const struct options *o)
{
	struct time_slice s = {INT64_MIN, INT64_MAX};
	int64_t first, last;
	if (!o->slice)
		return s;
	trace_span(t, &first, &last);
	__int128 span = (__int128)last - first + 1;
	if (o->slice > 1)
		s.from = (int64_t)(first + span * (o->slice - 1) / o->slices);
	if (o->slice < o->slices)
		s.to = (int64_t)(first + span * o->slice / o->slices - 1);
	return s;
}

static int run_report(struct trace *t, const struct options *o, struct out *out, bool *bad)
{
	struct findings found = {0};
	struct report r = {.out = out,
		.format = o->format,
		.weight = o->weight,
		.filter = &o->filter,
		.threads = o->threads,
		.found = &found,
		/* Not between the lines of a report that is being watched. */
		.progress = isatty(out->fd) ? NULL : show_decoding,
		.note = say};
	report_about(&r, t);
	r.slice = slice_of(t, o);
	if (r.scripted && o->format != FORMAT_TEXT && o->report != REPORT_PARTIAL)
		complain(REPORT_SCRIPTED);
	int rc = report_run(&r, o->report);
	int error = errno;
	progress_end();
	if (!rc)
		*bad = tell_losses(t, &found);
	findings_free(&found);
	errno = error;
	return rc;
}

/* Replacing a trace by its report would be a pity. */
static bool output_is_input(const struct options *o)
{
	struct stat out, in;
	if (!o->output || stat(o->output, &out) || !S_ISREG(out.st_mode))
		return false;
	for (size_t i = 0; i < o->nfiles; i++) {
		bool standard = !strcmp(o->files[i], "-");
		if ((standard ? fstat(STDIN_FILENO, &in) : stat(o->files[i], &in)) == 0 &&
			in.st_dev == out.st_dev && in.st_ino == out.st_ino)
			return true;
	}
	return false;
}

/* Of a trace, or of partial results that were merged. */
static int write_report(struct trace *t, const struct partial *merged, const struct options *o)
{
	struct out out;
	bool bad = false;
	int rc = out_open(&out, o->output);
	if (rc < 0) {
		complain("%s: cannot write: %s", o->output ? o->output : "standard output",
			strerror(-rc));
		return EXIT_FAILED;
	}
	unfinished = out.temp;
	rc = merged ? merge_report(merged, o, &out, &bad) : run_report(t, o, &out, &bad);
	int error = errno;
	if (rc && !out.error) {
		if (rc != CPIDECODE_EINVAL) /* else it was said */
			complain_code("decoding", rc, error);
	} else {
		rc = out_close(&out);
		if (rc)
			complain("%s: cannot write: %s", out_name(&out), strerror(-rc));
	}
	unfinished = NULL;
	out_discard(&out);
	if (rc)
		return EXIT_FAILED;
	return bad && o->strict ? EXIT_DAMAGED : EXIT_OK;
}

static int decode(struct options *o)
{
	struct trace *t;
	int rc = trace_new(&t);
	if (rc) {
		complain("%s", cpidecode_strerror(rc));
		return EXIT_FAILED;
	}
	int code = open_trace(t, o);
	if (!code) {
		settle_times(o, t);
		code = write_report(t, NULL, o);
	}
	trace_free(t);
	return code;
}

static int merge(const struct options *o)
{
	struct partial p = {.tally.wanted = PARTIAL_WANTED};
	int code = merge_read(&p, o);
	if (!code)
		code = write_report(NULL, &p, o);
	partial_free(&p);
	return code;
}

int main(int argc, char **argv)
{
	struct options o;
	options_parse(&o, argc, argv);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error like a full disk */
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	signal(SIGHUP, on_signal);
	if (output_is_input(&o)) {
		complain("-o %s: that is the trace itself", o.output);
		options_free(&o);
		return EXIT_USAGE;
	}
	progress_start();
	int code = o.merge ? merge(&o) : decode(&o);
	options_free(&o);
	return code;
}
