#include "comparison.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../report/diff/diff.h"
#include "../report/notes/notes.h"
#include "../report/open.h"
#include "../report/partial/merge.h"
#include "job.h"
#include "merge.h"
#include "runs.h"

/* Reads a run: the files of a trace, or a partial result. */
static int read_run(const struct options *all, const struct diff_run *run, unsigned wanted,
	struct partial *p, bool *bad, bool *is_misused)
{
	const enum partial_answer asked = all->by ? PARTIAL_BY : PARTIAL_NO_ANSWER;
	struct options o = *all;
	struct trace *t;

	*p = (struct partial){.tally.wanted = wanted};
	if (run->nfiles == 1 && merge_is_partial(run->files[0])) {
		int code = merge_add(p, run->files[0], all);

		if (!code)
			code = merge_end(p);
		if (!code && asked != p->answers.kind && !p->answers.kind) {
			complain("%s: it has no groups by keys: make it with --partial and --by",
				run->files[0]);
			code = EXIT_FAILED;
		} else if (!code && asked != p->answers.kind) {
			complain("%s: a partial result of a %s has no figures to compare",
				run->files[0], merge_answer_name(p->answers.kind));
			code = EXIT_FAILED;
		}
		if (!code && !merge_fits_by(p, all, run->files[0]))
			code = EXIT_FAILED;
		if (!code && all->by && !merge_has_groups(p, all->by)) {
			complain("%s: the groups of a partial result are damaged", run->files[0]);
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
	int code = job_open_trace(&o, &t);
	const struct job_target into = {.partial = p};
	int rc = code ? 0 : job_run_report(t, &o, NULL, &into, bad, is_misused);
	if (rc && rc != CPIDECODE_EINVAL)
		complain_code("decoding", rc, errno);
	report_close(t);
	return rc ? EXIT_FAILED : code;
}

/* Adds the stacks of a run's files. */
static int read_stacks(struct job *job, const struct diff_run *run, unsigned side)
{
	const struct job_target into = {.sides = job->sides, .side = side};
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
	int code = job_open_trace(&o, &t);
	int rc = code ? 0 : job_run_report(t, &o, NULL, &into, &job->bad, &job->is_misused);
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
		if (!code &&
			job_output_is_input(o->output, sides[side].paths, sides[side].npaths)) {
			complain("-o %s: that is one of the runs itself", o->output);
			code = EXIT_USAGE;
		}
	}
	if (!code && o->ngates && !o->single && sides[0].n == 1 && sides[1].n == 1) {
		complain(
			"--fail-if: " DIFF_SINGLE
			", so a gate would fail for them: give several (--before, --after), or add --single-run");
		code = EXIT_USAGE;
	}
	return code;
}

/* The options that the first partial result carries, if it was made for a diff. */
static int comparison_find_carried(
	const struct runs sides[2], struct partial_arguments *carried, const char **path)
{
	for (unsigned side = 0; side < 2; side++)
		for (size_t i = 0; i < sides[side].n; i++) {
			*path = sides[side].runs[i].files[0];
			if (merge_peek_arguments(*path, carried)) {
				complain("no memory");
				return EXIT_FAILED;
			}
			if (carried->count && strcmp(carried->at[0], "--report=diff") == 0)
				return EXIT_FINE;
			merge_free_arguments(carried);
		}
	return EXIT_FINE;
}

static int comparison_write_runs(struct options *o, const struct runs sides[2])
{
	struct job job = {.o = o, .is_diff = true};
	int code = o->format == FORMAT_SVG || o->format == FORMAT_HTML
			   ? read_all_stacks(&job, sides)
			   : read_sides(&job, sides);

	if (!code)
		code = job_write_report(&job);
	for (size_t i = 0; i < job.nparts; i++)
		merge_free(&job.parts[i]);
	free(job.parts);
	flame_sides_free(job.sides);
	return code;
}

int comparison_write(struct options *o)
{
	struct runs sides[2] = {{0}, {0}};
	struct partial_arguments carried = {0};
	const char *path = NULL;
	struct options own;
	int code = find_runs(o, sides);

	if (!code)
		code = comparison_find_carried(sides, &carried, &path);
	if (!code && carried.count) {
		options_parse_carried(&own, o, &carried, path);
		code = comparison_write_runs(&own, sides);
		options_free(&own);
	} else if (!code) {
		code = comparison_write_runs(o, sides);
	}
	merge_free_arguments(&carried);
	runs_free(&sides[0]);
	runs_free(&sides[1]);
	return code;
}
