/* cpidecode: reads trace files and reports what they hold. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../formats/base/temporary.h"
#include "../report/diff.h"
#include "../report/flame/sides.h"
#include "../report/partial/merge.h"
#include "../report/notes/notes.h"
#include "../report/open.h"
#include "memory.h"
#include "merge.h"
#include "options.h"
#include "progress.h"
#include "runs.h"
#include "serve.h"

/* The unfinished output file, which a signal removes. */
static const char *volatile unfinished;

static void on_signal(int number)
{
	if (unfinished)
		unlink(unfinished);
	signal(number, SIG_DFL);
	raise(number);
}

/* A signal that the caller ignores (nohup) stays ignored. */
static void heed(int number)
{
	if (signal(number, on_signal) == SIG_IGN)
		signal(number, SIG_IGN);
}

/*
 * Opens closed standard descriptors. Otherwise the next file opened would get their numbers, and
 * a trace would receive the report or the messages.
 */
static bool hold_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_PATH) != fd)
			return false;
	return true;
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

static void main_say_line(void *ctx, const char *line)
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

/* What a run of a diff is read into: one of both. */
struct run_target {
	struct partial *partial;
	struct flame_sides *sides;
	unsigned side;
};

static int run_into(struct report *r, const struct run_target *into)
{
	return into->partial ? report_make_partial(r, into->partial)
			     : report_flame_side(r, into->sides, into->side);
}

/* Writes the report to out, or reads the trace into *into (NULL: none). CPIDECODE_EINVAL: the
 * reason is printed. */
static int run_report(struct trace *t, const struct options *o, struct out *out,
	const struct run_target *into, bool *bad, bool *is_misused)
{
	struct findings found = {0};
	struct report r = {.out = out,
		.format = o->format,
		.folder = o->format == FORMAT_CTF ? o->output : NULL,
		.filter = &o->filter,
		.where = o->where,
		.threads = o->threads,
		.tail = o->tail,
		.compensate = o->compensate,
		.tiles = o->tiles,
		.tiles_out = o->tiles_out,
		.metrics = o->metrics,
		.nmetrics = o->nmetrics,
		.columns = o->columns,
		.is_host_in_path = partition_has_host(&o->partition),
		.is_further = o->is_further,
		.width = options_width(o, out),
		.times = o->times,
		.sort = o->sort,
		.by_list = o->by_list,
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
		.note = main_say_line};

	report_about(&r, t);
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
	int rc = into ? run_into(&r, into) : report_run(&r, o->report);
	int error = errno;
	*is_misused |= r.is_misused;
	progress_end();
	if (!rc)
		*bad |= notes_trace(complain, t, &found);
	else if (rc == CPIDECODE_EREAD && notes_unreadable(complain, t, &found, error))
		rc = CPIDECODE_EINVAL;
	report_end(&r);
	free(slices);
	errno = error;
	return rc;
}

/* Refuses to replace a trace by its report. */
static bool output_is_input(const char *output, char *const *files, size_t n)
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

/* The input: a trace, merged partial results, or runs to compare. */
struct job {
	struct options *o;
	struct trace *t;
	struct partial *parts;
	size_t nparts;
	const char *absent; /* what was not merged, for the head of the report */
	bool is_diff;
	struct flame_sides *sides; /* of a differential flame graph */
	size_t before;		   /* the leading parts that belong to the "before" side */
	bool bad;		   /* data was lost or damaged */
	bool is_misused;
	size_t gates_failed;
};

static int write_sides(const struct job *job, struct out *out)
{
	struct report r = {.out = out, .format = job->o->format, .compensate = job->o->compensate};

	if (job->o->weight)
		report_set_weight(&r, job->o->weight);
	return flame_sides_write(job->sides, &r);
}

static int run_job(struct job *job, struct out *out)
{
	if (job->sides)
		return write_sides(job, out);
	if (job->is_diff)
		return merge_diff(&(struct diff_runs){job->parts, job->before},
			&(struct diff_runs){job->parts + job->before, job->nparts - job->before},
			job->o, out, &job->gates_failed, &job->is_misused);
	if (job->nparts)
		return merge_report(
			job->parts, job->absent, job->o, out, &job->bad, &job->is_misused);
	return run_report(job->t, job->o, out, NULL, &job->bad, &job->is_misused);
}

/* A reader of standard output may leave early (`| head`). */
static void complain_output(const struct out *out, int error)
{
	if (out->path || error != EPIPE)
		complain("%s: cannot write: %s", out_name(out), strerror(error));
}

static int write_report(struct job *job)
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
	rc = run_job(job, &out);
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

/* Opens the trace of o's files as *t. */
static int begin_trace(struct options *o, struct trace **t)
{
	/* Both need every damaged stretch. */
	const struct trace_input input = {.schemas = o->schemas,
		.nschemas = o->nschemas,
		.files = o->files,
		.nfiles = o->nfiles,
		.verify_all = o->strict || o->report == REPORT_INFO,
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
	return EXIT_FINE;
}

static int decode(struct options *o)
{
	struct job job = {.o = o};
	int code = begin_trace(o, &job.t);

	if (!code)
		code = write_report(&job);
	report_close(job.t);
	return code;
}

/* Makes the missing folders of a path. Ignores errors: opening the file reports them. */
static void make_folders(char *path)
{
	const size_t n = strlen(path);

	for (size_t i = 1; i < n; i++) {
		if (path[i] != '/')
			continue;
		path[i] = '\0';
		(void)!mkdir(path, 0777);
		path[i] = '/';
	}
}

/* Finds a path written earlier in this run: a second trace must not replace its file. */
static const char *find_equal(char *const *paths, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++)
		if (paths[i] && strcmp(paths[i], path) == 0)
			return paths[i];
	return NULL;
}

/* Writes a trace to its file; *path, for the caller to free, is its name. */
static int write_partition(
	const struct options *all, const struct run *run, char *const *paths, size_t n, char **path)
{
	struct options o = *all;
	struct job job = {.o = &o};
	struct out name;

	o.files = run->files;
	o.nfiles = run->nfiles;
	o.is_further = n > 0;
	out_memory(&name);
	int code = begin_trace(&o, &job.t);
	if (!code) {
		partition_write_path(&name, &o.partition, job.t, o.output, run->files[0]);
		*path = name.error ? NULL : strdup(name.buf);
		if (!*path) {
			complain("no memory");
			code = EXIT_FAILED;
		}
	}
	if (!code && find_equal(paths, n, *path)) {
		complain(
			"%s: left out: a trace with the same name, id, and partition was written already, to %s",
			notes_name(run->files[0]), *path);
		code = EXIT_FAILED;
	}
	if (!code && output_is_input(*path, run->files, run->nfiles)) {
		complain("%s: that is the trace itself", *path);
		code = EXIT_FAILED;
	}
	if (!code) {
		make_folders(*path);
		o.output = *path;
		code = write_report(&job);
	}
	report_close(job.t);
	out_discard(&name);
	return code;
}

/* A trace that fails does not stop the others. */
static int write_partitions(struct options *o)
{
	struct runs runs = {0};
	int code = EXIT_FINE;

	for (size_t i = 0; i < o->nfiles && !code; i++)
		code = runs_add(&runs, o->files[i]);
	if (!code)
		code = runs_settle(&runs);
	char **paths = code ? NULL : calloc(runs.n + 1, sizeof *paths);
	if (!code && !paths) {
		complain("no memory");
		code = EXIT_FAILED;
	}
	for (size_t i = 0; paths && i < runs.n && code != EXIT_USAGE; i++) {
		int own = write_partition(o, &runs.runs[i], paths, i, &paths[i]);

		/* A failure outweighs lost data. */
		if (own && (!code || own != EXIT_LOST))
			code = own;
	}
	for (size_t i = 0; paths && i < runs.n; i++)
		free(paths[i]);
	free(paths);
	runs_free(&runs);
	return code;
}

/* A write function of an out. */
static int write_page(void *ctx, const void *bytes, size_t n)
{
	const int *fd = ctx;

	for (const char *at = bytes; n;) {
		ssize_t written = write(*fd, at, n);

		if (written < 0 && errno != EINTR)
			return errno;
		if (written > 0) {
			at += written;
			n -= (size_t)written;
		}
	}
	return 0;
}

/* Writes the page to an unnamed file. Returns an exit code. */
static int make_page(struct job *job, int fd)
{
	struct out out;
	int rc = out_function(&out, write_page, &fd);

	if (!rc)
		rc = run_job(job, &out);
	int error = errno;
	if (rc && !out.error) {
		if (rc != CPIDECODE_EINVAL)
			complain_code("decoding", rc, error);
	} else if ((rc = out_close(&out))) {
		complain("the page: cannot write: %s", strerror(-rc));
	}
	out_discard(&out);
	if (rc)
		return job->is_misused ? EXIT_USAGE : EXIT_FAILED;
	return job->bad && job->o->strict ? EXIT_LOST : EXIT_FINE;
}

static int serve(struct options *o)
{
	struct job job = {.o = o};
	struct serve_files files = {.page = temporary_open_unnamed()};
	struct out tiles;
	int rc = 0;

	/* Empty where the page holds the intervals itself. */
	files.tiles = files.page < 0 ? -1 : temporary_open_unnamed();
	if (files.tiles < 0 || (errno = -out_function(&tiles, write_page, &files.tiles))) {
		complain("a temporary file for the page: %s", strerror(errno));
		return EXIT_FAILED;
	}
	o->tiles_out = &tiles;
	int code = begin_trace(o, &job.t);
	if (!code)
		code = make_page(&job, files.page);
	out_discard(&tiles);
	/* Its memory is not needed while the page is shown. */
	report_close(job.t);
	if (!code)
		rc = serve_files(&files, o->port);
	if (rc) {
		code = EXIT_FAILED;
		/* The reader of standard output left. */
		if (rc != -EPIPE)
			complain("serve: %s", strerror(-rc));
	}
	close(files.page);
	close(files.tiles);
	return code;
}

/* Whether the parts say which report it is. */
static bool merge_asks_parts(const struct options *o)
{
	return !o->names_report && o->report != REPORT_PARTIAL;
}

static int merge_parts(struct options *o)
{
	/* A pipe cannot be asked before it is read, and the first file may be left out. */
	const bool asks = merge_asks_parts(o);
	const bool may_be_other = !merge_is_partial(o->files[0]) || o->allow_missing;
	struct partial p = {.tally.wanted = report_merged_wants(
				    asks && may_be_other ? REPORT_PARTIAL : o->report)};
	struct job job = {.o = o, .parts = &p, .nparts = 1};
	struct options own = {0};
	struct out absent;

	out_memory(&absent);
	int code = merge_read(o, &p, &absent);
	job.absent = absent.len ? absent.buf : NULL;
	if (!code && asks && p.arguments.count) {
		options_parse_carried(&own, o, &p.arguments, notes_name(o->files[0]));
		job.o = &own;
	}
	if (!code && !merge_fits(&p, job.o, o->files[0]))
		code = EXIT_FAILED;
	if (!code)
		code = write_report(&job);
	options_free(&own);
	out_discard(&absent);
	merge_free(&p);
	return code;
}

/* With the options of the report that the parts are for, unless one is named. */
static int merge(struct options *o)
{
	struct partial_arguments carried = {0};
	struct options own;
	int code;

	if (merge_asks_parts(o) && merge_peek_arguments(o->files[0], &carried)) {
		complain("no memory");
		return EXIT_FAILED;
	}
	if (carried.count) {
		options_parse_carried(&own, o, &carried, o->files[0]);
		code = merge_parts(&own);
		options_free(&own);
	} else {
		code = merge_parts(o);
	}
	merge_free_arguments(&carried);
	return code;
}

/* Reads a run: the files of a trace, or a partial result. */
static int read_run(const struct options *all, const struct run *run, unsigned wanted,
	struct partial *p, bool *bad, bool *is_misused)
{
	struct options o = *all;
	struct trace *t;

	*p = (struct partial){.tally.wanted = wanted};
	if (run->nfiles == 1 && merge_is_partial(run->files[0])) {
		if (all->where) {
			complain(
				"%s: a partial result: --where goes with --partial, when it is made",
				run->files[0]);
			return EXIT_USAGE;
		}
		int code = merge_add(p, run->files[0], all);

		if (!code)
			code = merge_end(p);
		if (!code && p->answers.kind) {
			complain("%s: a partial result of a %s has no figures to compare",
				run->files[0], merge_answer_name(p->answers.kind));
			code = EXIT_FAILED;
		}
		if (!code)
			code = merge_check_filter(p, run->files[0], all);
		if (!code)
			*bad |= notes_partial(complain, p);
		return code;
	}
	o.files = run->files;
	o.nfiles = run->nfiles;
	int code = begin_trace(&o, &t);
	const struct run_target into = {.partial = p};
	int rc = code ? 0 : run_report(t, &o, NULL, &into, bad, is_misused);
	if (rc && rc != CPIDECODE_EINVAL)
		complain_code("decoding", rc, errno);
	report_close(t);
	return rc ? EXIT_FAILED : code;
}

/* Adds the stacks of a run's files. */
static int read_stacks(struct job *job, const struct run *run, unsigned side)
{
	const struct run_target into = {.sides = job->sides, .side = side};
	struct options o = *job->o;
	struct trace *t;

	if (run->nfiles == 1 && merge_is_partial(run->files[0])) {
		complain(
			"%s: a partial result has no stacks: the differential flame graph needs traces",
			run->files[0]);
		return EXIT_FAILED;
	}
	o.files = run->files;
	o.nfiles = run->nfiles;
	o.format = FORMAT_SVG;
	int code = begin_trace(&o, &t);
	int rc = code ? 0 : run_report(t, &o, NULL, &into, &job->bad, &job->is_misused);
	if (rc && rc != CPIDECODE_EINVAL)
		complain_code("decoding", rc, errno);
	report_close(t);
	if (rc)
		return job->is_misused ? EXIT_USAGE : EXIT_FAILED;
	return code;
}

static int read_all_stacks(struct job *job, const struct runs sides[2])
{
	int rc = flame_sides_new(&job->sides), code = EXIT_FINE;

	if (rc) {
		complain_code("decoding", rc, ENOMEM);
		return EXIT_FAILED;
	}
	for (unsigned side = 0; side < 2; side++)
		for (size_t i = 0; i < sides[side].n && !code; i++)
			code = read_stacks(job, &sides[side].runs[i], side);
	return code;
}

static int read_sides(struct job *job, const struct runs sides[2])
{
	unsigned wanted = 0;
	int code = EXIT_FINE;

	/* Only the variance within single runs depends on time. */
	if (sides[0].n == 1 && sides[1].n == 1)
		wanted |= TALLY_WANT_ORDER;
	job->parts = calloc(sides[0].n + sides[1].n + 1, sizeof *job->parts);
	if (!job->parts) {
		complain("no memory");
		return EXIT_FAILED;
	}
	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < sides[side].n && !code; i++) {
			struct partial *p = &job->parts[job->nparts++];

			code = read_run(job->o, &sides[side].runs[i], wanted, p, &job->bad,
				&job->is_misused);
			if (!code && !merge_is_comparable(job->parts, p)) {
				complain(
					"%s cannot be compared with the runs before it: they were made with different filters",
					sides[side].runs[i].files[0]);
				code = EXIT_FAILED;
			}
		}
	job->before = sides[0].n;
	return code;
}

static int find_runs(struct options *o, struct runs sides[2])
{
	int code = EXIT_FINE;

	/* With --aa all operands are runs of one program. */
	for (size_t i = 0; i < o->nfiles && !code; i++)
		code = runs_add(&sides[!o->noise && i], o->files[i]);
	for (unsigned side = 0; side < 2; side++)
		for (size_t i = 0; i < o->nsides[side] && !code; i++)
			code = runs_add(&sides[side], o->sides[side][i]);
	for (unsigned side = 0; side < 2 && !code; side++) {
		code = runs_settle(&sides[side]);
		if (!code && output_is_input(o->output, sides[side].paths, sides[side].npaths)) {
			complain("-o %s: that is one of the runs itself", o->output);
			code = EXIT_USAGE;
		}
	}
	if (!code && o->ngates && !o->single && sides[0].n == 1 && sides[1].n == 1) {
		complain(
			"--fail-if: " DIFF_SINGLE
			", so a gate would fail for them: give several (--before, --after), or say --single-run");
		code = EXIT_USAGE;
	}
	return code;
}

static int compare(struct options *o)
{
	struct runs sides[2] = {{0}, {0}};
	struct job job = {.o = o, .is_diff = true};
	int code = find_runs(o, sides);

	if (!code)
		code = o->format == FORMAT_SVG || o->format == FORMAT_HTML
			       ? read_all_stacks(&job, sides)
			       : read_sides(&job, sides);
	if (!code)
		code = write_report(&job);
	for (size_t i = 0; i < job.nparts; i++)
		merge_free(&job.parts[i]);
	free(job.parts);
	flame_sides_free(job.sides);
	runs_free(&sides[0]);
	runs_free(&sides[1]);
	return code;
}

int main(int argc, char **argv)
{
	struct options o;

	if (!hold_standard_files())
		return EXIT_FAILED;
	signal(SIGPIPE, SIG_IGN);
	options_parse(&o, argc, argv);
	signal(SIGXFSZ, SIG_IGN); /* treat a file size limit like a full disk: as an error */
	heed(SIGINT);
	heed(SIGTERM);
	heed(SIGHUP);
	if (output_is_input(o.output, o.files, o.nfiles)) {
		complain("-o %s: that is the trace itself", o.output);
		options_free(&o);
		return EXIT_USAGE;
	}
	if (o.memory && memory_limit(o.memory)) {
		complain("--memory: the limit cannot be set: %s", strerror(errno));
		options_free(&o);
		return EXIT_FAILED;
	}
	progress_start();
	int code = o.merge		     ? merge(&o)
		   : o.serve		     ? serve(&o)
		   : o.report == REPORT_DIFF ? compare(&o)
		   : o.partition.count	     ? write_partitions(&o)
					     : decode(&o);
	options_free(&o);
	return code;
}
