#include "job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../report/diff/diff.h"
#include "../report/export/html/early.h"
#include "../report/notes/notes.h"
#include "../report/open.h"
#include "../report/partial/merge.h"
#include "../report/query/where_events.h"
#include "../report/stream/arrived.h"
#include "by_host.h"
#include "merge.h"
#include "progress.h"

/* The unfinished output file, which a signal removes. */
static const char *volatile unfinished;

void job_remove_unfinished(void)
{
	if (unfinished)
		unlink(unfinished);
}

static bool show_reading(void *ctx, const char *path, uint64_t done, uint64_t total)
{
	(void)ctx;
	progress_show(notes_name(path), done, total);
	return true;
}

static bool show_decoding(void *ctx, uint64_t done, uint64_t total)
{
	(void)ctx;
	progress_show("decoding", done, total);
	return true;
}

static void job_say_line(void *ctx, const char *line)
{
	(void)ctx;
	progress_end();
	complain("%s", line);
}

static void complain_open(const struct trace_opening *at, int rc, int error)
{
	switch (at->step) {
	case OPEN_NEW:
		complain("%s", cpidecode_strerror(rc));
		break;
	case OPEN_SCHEMA_FILE:
		complain("%s: %s", at->path, strerror(error));
		break;
	case OPEN_SCHEMA:
		if (rc == CPIDECODE_ESCHEMA)
			complain("%s: line %u: %s", at->path, at->schema.line, at->schema.reason);
		else
			complain_code(at->path, rc, error);
		break;
	case OPEN_FILE:
		progress_end();
		if (rc == CPIDECODE_ENOTTRACE && merge_is_partial(at->path))
			complain("%s: a partial result, not a trace: cpidecode merge reads it",
				at->path);
		else
			complain_code(notes_name(at->path), rc, error);
		break;
	case OPEN_TOGETHER:
		complain_code("the files together", rc, error);
		break;
	}
}

/* Times relative to the trace's start are known only now. */
static void settle_times(struct options *o, const struct trace *t)
{
	const struct time_arg *args[] = {&o->from, &o->to};
	int64_t *times[] = {&o->filter.from, &o->filter.to}, first = report_start(t);

	for (int i = 0; i < 2; i++) {
		if (!args[i]->given)
			continue;
		*times[i] = args[i]->ns;
		if (args[i]->relative && __builtin_add_overflow(first, args[i]->ns, times[i]))
			*times[i] = INT64_MAX;
	}
}

static int run_into(struct report *r, const struct job_target *into)
{
	return into->partial ? report_make_partial(r, into->partial)
			     : report_flame_side(r, into->sides, into->side);
}

static int job_find_where(struct report *r, bool *is_misused)
{
	struct expression_error error;
	int rc = where_find_events(r, &error);

	if (rc == CPIDECODE_EINVAL && *error.text)
		complain_expression("where", r->where->text, &error);
	*is_misused |= rc == CPIDECODE_EINVAL;
	return rc;
}

int job_run_report(struct trace *t, const struct options *o, struct out *out,
	const struct job_target *into, bool *bad, bool *is_misused)
{
	struct findings found = {0};
	struct report r = {.out = out,
		.format = o->format,
		.folder = o->format == FORMAT_CTF ? o->output : NULL,
		.filter = &o->filter,
		.where = o->where,
		.hook_where = o->hook_where,
		.threads = o->threads,
		.tail = o->tail,
		.compensate = o->compensate,
		.tiles = o->tiles,
		.tiles_out = o->tiles_out,
		.is_span = o->is_span,
		.starts = o->starts,
		.metrics = o->metrics,
		.nmetrics = o->nmetrics,
		.columns = o->columns,
		.is_host_in_path = partition_has_host(&o->partition),
		.is_further = o->is_further,
		.is_zstd = o->compression && strcmp(o->compression, "zstd") == 0,
		.width = options_width(o, out),
		.times = o->times,
		.sort = o->sort,
		.by_list = o->by_list,
		.of_host = o->of_host,
		.names_hosts = o->names_hosts,
		.top = o->top,
		.by = o->by,
		.having = o->having,
		.percentiles = o->percentiles.count ? &o->percentiles : NULL,
		.exact = o->exact,
		.arguments = &o->carried,
		.partial_of = o->partial_of,
		.found = &found,
		/* Prints no progress between the lines of a report on the same terminal. */
		.progress = out && isatty(out->fd) ? NULL : show_decoding,
		.note = job_say_line};

	report_about(&r, t);
	int rc = job_find_where(&r, is_misused);
	if (rc)
		return rc;
	if (o->weight)
		report_set_weight(&r, o->weight);
	struct tick_range *slices = NULL;
	if (o->slice) {
		slices = report_slice(t, o->slice, o->slices);
		if (!slices)
			return CPIDECODE_ENOMEM;
	}
	r.slices = slices;
	if (r.scripted && o->format != FORMAT_TEXT && o->report != REPORT_PARTIAL && out)
		complain(REPORT_SCRIPTED);
	rc = into ? run_into(&r, into) : report_run(&r, o->report);
	int error = errno;
	*is_misused |= r.is_misused;
	progress_end();
	if (!rc)
		asked_end(o->asked, &r);
	if (!rc)
		*bad |= notes_trace(complain, t, &found);
	else if (rc == CPIDECODE_EREAD && notes_unreadable(complain, t, &found, error))
		rc = CPIDECODE_EINVAL;
	report_end(&r);
	free(slices);
	errno = error;
	return rc;
}

bool job_output_is_input(const char *output, char *const *files, size_t n)
{
	struct stat out, in;

	if (!output || stat(output, &out) || !S_ISREG(out.st_mode))
		return false;
	for (size_t i = 0; i < n; i++) {
		bool standard = strcmp(files[i], "-") == 0;

		if ((standard ? fstat(STDIN_FILENO, &in) : stat(files[i], &in)) == 0 &&
			in.st_dev == out.st_dev && in.st_ino == out.st_ino)
			return true;
	}
	return false;
}

static int write_sides(const struct job *job, struct out *out)
{
	struct report r = {.out = out, .format = job->o->format, .compensate = job->o->compensate};

	if (job->o->weight)
		report_set_weight(&r, job->o->weight);
	return flame_sides_write(job->sides, &r);
}

int job_write_early(const struct job *job, struct out *out)
{
	struct report r = {.out = out, .format = FORMAT_HTML, .note = job_say_line};

	report_about(&r, job->t);
	return early_write(&r);
}

static int job_run_trace_of_host(struct job *job, struct options *own, struct out *out)
{
	struct trace *t = job->t; /* NULL: of several hosts, which are opened one by one */
	int rc = CPIDECODE_EINVAL;

	if (t || !job_open_trace(own, &t))
		rc = job_run_report(t, own, out, NULL, &job->bad, &job->is_misused);
	if (t != job->t)
		report_close(t);
	return rc;
}

static int job_run_partials_of_host(
	struct job *job, const struct options *own, const struct host *host, struct out *out)
{
	struct partial p = {.tally.wanted = report_merged_wants(own->report)};
	int rc = by_host_read_partials(host, &p);

	if (!rc)
		rc = merge_report(&p, job->absent, own, out, &job->bad, &job->is_misused);
	merge_free(&p);
	return rc;
}

/* The other reports' text ends with an empty line. */
static bool job_lacks_last_line(enum report_kind report)
{
	return report == REPORT_GAPS || report == REPORT_SLOWEST || report == REPORT_HEATMAP ||
	       report == REPORT_HOOKS;
}

static int job_run_hosts(struct job *job, struct out *out)
{
	int rc = 0;

	for (size_t i = 0; i < job->hosts->n && !rc && !out->error; i++) {
		const struct host *host = &job->hosts->at[i];
		const struct report_host of_host = {.name = host->name,
			.is_first = i == 0,
			.following = (uint32_t)(job->hosts->n - 1 - i)};
		struct options own = *job->o;

		own.files = host->files;
		own.nfiles = host->ninputs;
		own.of_host = &of_host;
		/* Relative times are resolved already: they count from the first hook of all hosts.
		 */
		own.from.given = own.to.given = false;
		if (i && own.format == FORMAT_TEXT && job_lacks_last_line(own.report))
			out_char(out, '\n');
		rc = job->nparts ? job_run_partials_of_host(job, &own, host, out)
				 : job_run_trace_of_host(job, &own, out);
	}
	return rc;
}

static int job_run_any(struct job *job, struct out *out)
{
	if (job->sides)
		return write_sides(job, out);
	if (job->hosts)
		return job_run_hosts(job, out);
	if (job->is_diff)
		return merge_diff(&(struct diff_runs){job->parts, job->before},
			&(struct diff_runs){job->parts + job->before, job->nparts - job->before},
			job->o, out, &job->gates_failed, &job->is_misused);
	if (job->nparts)
		return merge_report(
			job->parts, job->absent, job->o, out, &job->bad, &job->is_misused);
	return job_run_report(job->t, job->o, out, NULL, &job->bad, &job->is_misused);
}

int job_run(struct job *job, struct out *out)
{
	int rc = job_run_any(job, out), error = errno;

	/* Other files of a partition, or other spans, may have them. */
	if (!rc && !job->o->partition.count && !job->o->is_span)
		asked_tell(job->o->asked, complain);
	errno = error;
	return rc;
}

/* A reader of standard output may leave early (`| head`). */
static void complain_output(const struct out *out, int error)
{
	if (out->path || error != EPIPE)
		complain("%s: cannot write: %s", out_name(out), strerror(error));
}

int job_write_report(struct job *job)
{
	struct out out;
	const char *output = job->o->output;
	int rc = 0;

	if (job->o->format == FORMAT_CTF)
		out_memory(&out);
	else
		rc = out_open(&out, output);

	if (rc < 0) {
		complain(
			"%s: cannot write: %s", output ? output : "standard output", strerror(-rc));
		return EXIT_FAILED;
	}
	out.csv_safe = job->o->csv_safe;
	unfinished = out.temp;
	rc = job_run(job, &out);
	int error = errno;
	if (rc && !out.error) {
		if (rc != CPIDECODE_EINVAL) /* otherwise the error is printed already */
			complain_code("decoding", rc, error);
	} else {
		rc = out_close(&out);
		if (rc == -ENOMEM)
			complain_code("decoding", CPIDECODE_ENOMEM, ENOMEM);
		else if (rc)
			complain_output(&out, -rc);
	}
	unfinished = NULL;
	out_discard(&out);
	if (rc)
		return job->is_misused ? EXIT_USAGE : EXIT_FAILED;
	if (job->bad && job->o->strict)
		return EXIT_LOST;
	return job->gates_failed ? EXIT_GATE : EXIT_FINE;
}

/* Whether the report begins with a tally of all intervals. */
static bool job_tallies_all(const struct options *o)
{
	return (o->report == REPORT_SUMMARY || o->report == REPORT_HISTOGRAM ||
		       o->report == REPORT_SLOWEST || o->report == REPORT_WHY) &&
	       !o->by && !o->exact && !o->where && !o->from.given && !o->to.given &&
	       filter_takes_all(&o->filter) && !o->slice && !o->compensate;
}

/* The wants of that tally. */
static unsigned job_arriving_wanted(const struct options *o)
{
	return o->report == REPORT_WHY	     ? TALLY_WANT_TYPES | TALLY_WANT_CONTAINERS
	       : o->report == REPORT_SUMMARY ? TALLY_WANT_CONTAINERS
					     : 0;
}

int job_open_trace(struct options *o, struct trace **t)
{
	/* Both need every damaged stretch. */
	const struct trace_input input = {.schemas = o->schemas,
		.nschemas = o->nschemas,
		.files = o->files,
		.nfiles = o->nfiles,
		.verify_all = o->strict || o->report == REPORT_INFO,
		.read_arriving = job_tallies_all(o) ? tallies_read_arriving : NULL,
		.wanted = job_arriving_wanted(o),
		.threads = o->threads,
		.progress = show_reading};
	struct trace_opening at;
	int rc = report_open(&input, t, &at);

	if (rc) {
		complain_open(&at, rc, errno);
		return EXIT_FAILED;
	}
	settle_times(o, *t);
	if (o->where)
		where_settle(o->where, *t);
	if (asked_begin(o->asked, *t)) {
		complain("no memory");
		return EXIT_FAILED;
	}
	const struct hook_where_word *unknown =
		o->hook_where ? hook_where_settle(o->hook_where, *t) : NULL;
	if (!unknown)
		return EXIT_FINE;
	complain(
		"--where: hooks have no column \"%.*s\", and no schema of the trace has such a field",
		(int)unknown->length, unknown->name);
	report_close(*t);
	*t = NULL;
	return EXIT_USAGE;
}
