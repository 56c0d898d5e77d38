#include "merge.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/base/array.h"
#include "../report/partial/merge.h"
#include "../sink/escapes.h"

enum {
	MOST_NAMED = 20,
	KEPT_BYTES = 8 << 20, /* of freed memory */
};

static void merge_say_line(void *ctx, const char *line)
{
	(void)ctx;
	complain("%s", line);
}

static int merge_complain(const char *about, int rc)
{
	if (rc < 0 && rc != CPIDECODE_EINVAL)
		complain_code(about, rc, errno);
	return rc ? EXIT_FAILED : EXIT_FINE;
}

static int check_compensated(const struct partial *p, const char *path, const struct options *o)
{
	if (!o->compensate || merge_is_compensated(p))
		return EXIT_FINE;
	complain(
		"%s: --compensate: a partial result that was made without it: pass it with --partial, too",
		notes_name(path));
	return EXIT_USAGE;
}

int merge_add(struct partial *p, const char *path, const struct options *o)
{
	int code = merge_complain(notes_name(path), merge_add_file(p, path, complain));

	return code ? code : check_compensated(p, path, o);
}

int merge_check_filter(const struct partial *p, const char *path, const struct options *o)
{
	bool is = true;
	const struct merge_filter filter = {.filter = &o->filter,
		.has_from = o->from.given,
		.has_to = o->to.given,
		.where = o->where ? o->where->text : NULL};
	int rc = o->has_filter || o->where ? merge_is_filtered(p, &filter, &is) : 0;

	if (rc || is)
		return merge_complain(notes_name(path), rc);
	complain(
		"%s: a partial result that was made with other filters than those given: filters go with --partial, too",
		notes_name(path));
	return EXIT_USAGE;
}

int merge_end(struct partial *p)
{
	return merge_complain("merging", merge_settle(p, complain));
}

/* One line for the head of a report, which begins with the number of names. */
static void name_absent(
	struct out *absent, const char *what, char *const *names, const size_t *at, size_t n)
{
	out_printf(absent, "# %zu %s%s missing:", n, what, n == 1 ? " is" : "s are");
	for (size_t i = 0; i < n && i < MOST_NAMED; i++) {
		out_str(absent, i ? ", " : " ");
		escape_text(absent, names[at[i]], strlen(names[at[i]]));
	}
	if (n > MOST_NAMED)
		out_printf(absent, " and %zu more", n - MOST_NAMED);
	out_char(absent, '\n');
}

/* Reads the files; those that cannot be read are left out if they may be. */
static int read_partials(const struct options *o, struct partial *p, struct out *absent)
{
	size_t *left_out = calloc(o->nfiles, sizeof *left_out), n = 0;
	int code = left_out ? EXIT_FINE : merge_complain("merging", CPIDECODE_ENOMEM);

	for (size_t i = 0; i < o->nfiles && !code; i++) {
		int rc = merge_add_file(p, o->files[i], complain);
		bool is_unreadable =
			rc == MERGE_UNREADABLE || rc == CPIDECODE_EREAD || rc == CPIDECODE_EOPEN;

		code = merge_complain(notes_name(o->files[i]), rc);
		if (!code)
			code = check_compensated(p, o->files[i], o);
		if (is_unreadable && o->allow_missing) {
			left_out[n++] = i;
			code = EXIT_FINE;
		}
	}
	if (!code && n == o->nfiles) {
		complain("merge: no partial result is left");
		code = EXIT_FAILED;
	}
	if (!code && n)
		name_absent(absent, "partial result", o->files, left_out, n);
	free(left_out);
	return code;
}

static void free_names(char **names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

/* The lines of a file, without empty ones. Returns an exit code. */
static int read_names(const char *path, char ***names, size_t *n)
{
	size_t room = 0, cap = 0;
	char *line = NULL;
	bool has_memory = true;

	errno = 0;
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	while (f && has_memory && getline(&line, &cap, f) >= 0) {
		line[strcspn(line, "\r\n")] = '\0';
		if (!*line)
			continue;
		has_memory = array_reserve(names, &room, *n + 1, sizeof **names);
		if (has_memory)
			(*names)[(*n)++] = line;
		line = NULL;
		cap = 0;
	}
	int error = errno;
	bool failed = !f || ferror(f);
	free(line);
	if (f && f != stdin)
		fclose(f);
	if (failed)
		complain("--expect %s: cannot read: %s", path, strerror(error));
	else if (!has_memory)
		complain("no memory");
	else if (!*n)
		complain("--expect %s: it names no trace", path);
	return failed || !has_memory || !*n ? EXIT_FAILED : EXIT_FINE;
}

/* The result of a trace whose path has the last component of `name`, or NULL. */
static const char *merge_find_namesake(const struct partial *p, const char *name)
{
	const char *last = strrchr(name, '/');

	for (size_t i = 0; last && i < p->nsources; i++) {
		const char *path = p->sources[i].path, *slash = strrchr(path, '/');

		if (strcmp(slash ? slash : path, slash ? last : last + 1) == 0)
			return path;
	}
	return NULL;
}

static int expect_traces(const struct options *o, const struct partial *p, struct out *absent)
{
	char **names = NULL;
	size_t n = 0, n_missing = 0;
	int code = read_names(o->expect, &names, &n);
	size_t *missing = code ? NULL : calloc(n, sizeof *missing);

	if (!code)
		code = merge_complain(
			"merging", missing ? merge_find_missing(p, names, n, missing, &n_missing)
					   : CPIDECODE_ENOMEM);
	for (size_t i = 0; i < n_missing; i++)
		complain("%s: no partial result, or not all of them, for this trace of %s",
			names[missing[i]], o->expect);
	/* If the list has absolute paths and the results relative ones, all are missing: one
	 * example tells why. */
	const char *namesake = n_missing ? merge_find_namesake(p, names[missing[0]]) : NULL;
	if (namesake && strcmp(namesake, names[missing[0]]) != 0)
		complain(
			"%s: there is a result of %s: --expect takes the path that --partial was given, or its last component",
			names[missing[0]], namesake);
	if (n_missing)
		name_absent(absent, "expected trace", names, missing, n_missing);
	if (n_missing && !o->allow_missing)
		code = EXIT_FAILED;
	free(missing);
	free_names(names, n);
	return code;
}

int merge_read(const struct options *o, struct partial *p, struct out *absent)
{
	/* Keep freed memory: the next file would fault it in again. */
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
	int code = read_partials(o, p, absent);

	if (!code)
		code = merge_end(p);
	if (!code && o->expect)
		code = expect_traces(o, p, absent);
	if (!code && absent->len)
		out_char(absent, '\0');
	if (!code && absent->error)
		code = merge_complain("merging", CPIDECODE_ENOMEM);
	return code;
}

/* The last value of an option that the parts were made with; NULL: none. */
static const char *merge_find_option(const struct partial *p, const char *name)
{
	const size_t n = strlen(name);
	const char *value = NULL;

	for (size_t i = 0; i < p->arguments.count; i++)
		if (strncmp(p->arguments.at[i], name, n) == 0)
			value = p->arguments.at[i] + n;
	return value;
}

/* Whether the parts were made with that option. */
static bool merge_has_option(const struct partial *p, const char *name, const char *value)
{
	const char *found = merge_find_option(p, name);

	return found && (!value || strcmp(found, value) == 0);
}

static const struct merged_answer {
	const char *name, *holds, *made_by;
} merged_answers[] = {
	[PARTIAL_STACKS] = {"flame graph", "stacks", "--format"},
	[PARTIAL_HEATMAP] = {"heat map", "cells of a heat map", "--report heatmap"},
	[PARTIAL_SLOWEST] = {"list of the slowest intervals", "list of the slowest intervals",
		"--report slowest"},
	[PARTIAL_GAPS] = {"list of gaps", "gaps", "--report gaps"},
	[PARTIAL_BY] = {"report with --by", "groups by keys", "--by"},
	[PARTIAL_WHY] = {"report why", "intervals", "--report why"},
	[PARTIAL_EXACT] = {"summary with --exact", "values", "--exact"},
};

const char *merge_answer_name(enum partial_answer kind)
{
	return merged_answers[kind].name;
}

/* The kind of answer that the report needs. */
static enum partial_answer merge_find_answer(const struct options *o)
{
	const enum report_kind report = o->report;

	return o->by			  ? PARTIAL_BY
	       : o->exact		  ? PARTIAL_EXACT
	       : report == REPORT_FLAME	  ? PARTIAL_STACKS
	       : report == REPORT_HEATMAP ? PARTIAL_HEATMAP
	       : report == REPORT_SLOWEST ? PARTIAL_SLOWEST
	       : report == REPORT_GAPS	  ? PARTIAL_GAPS
	       : report == REPORT_WHY	  ? PARTIAL_WHY
					  : PARTIAL_NO_ANSWER;
}

bool merge_keeps_hosts(const struct partial *p, const struct options *o)
{
	const char *host;

	return o->report == REPORT_PARTIAL && p->answers.kind != PARTIAL_BY &&
	       p->answers.kind != PARTIAL_STACKS && merge_has_option(p, "--by=host", NULL) &&
	       !merge_find_host(p, &host);
}

/* True if the parts were made for that graph. */
static bool merge_fits_flame(const struct partial *p, const struct options *o, const char *path)
{
	if (!merge_has_option(p, "--format=", format_names[o->format]))
		complain("%s: it was not made for --format %s", notes_name(path),
			format_names[o->format]);
	else if (o->weight ? !merge_has_option(p, "--weight=", o->weight)
			   : merge_has_option(p, "--weight=", NULL))
		complain("%s: it was made with another --weight", notes_name(path));
	else if (merge_has_option(p, "--by=host", NULL) != o->names_hosts)
		complain("%s: it was made %s --by host", notes_name(path),
			o->names_hosts ? "without" : "with");
	else
		return true;
	return false;
}

bool merge_fits_by(const struct partial *p, const struct options *o, const char *path)
{
	const char *by = merge_find_option(p, "--by=");

	if (!o->by || merge_has_option(p, "--by=", o->by_list))
		return true;
	complain("%s: it was not made with --by %s, but with --by %s", notes_name(path), o->by_list,
		by ? by : "-");
	return false;
}

bool merge_fits(const struct partial *p, const struct options *o, const char *path)
{
	const enum partial_answer wanted = merge_find_answer(o), has = p->answers.kind;

	if (o->report == REPORT_PARTIAL)
		return true;
	if (wanted == has && o->report == REPORT_FLAME)
		return merge_fits_flame(p, o, path);
	if (wanted != has && wanted)
		complain("%s: it has no %s: make it with --partial and %s%s", notes_name(path),
			merged_answers[wanted].holds, merged_answers[wanted].made_by,
			wanted == PARTIAL_STACKS ? o->format == FORMAT_SVG ? " svg" : " folded"
						 : "");
	else if (wanted != has)
		complain(
			"%s: it is of a %s only: make one of %s with --partial, or merge it with %s%s",
			notes_name(path), merged_answers[has].name, report_names[o->report],
			merged_answers[has].made_by, has == PARTIAL_STACKS ? " folded or svg" : "");
	else if (!merge_fits_by(p, o, path))
		return false;
	else if (o->exact && !merge_has_option(p, "--exact", NULL))
		complain("%s: it was not made with --exact", notes_name(path));
	else if (has == PARTIAL_HEATMAP && o->has_times &&
		 !merge_has_option(p, "--time=", times_names[o->times]))
		complain("%s: it was not made with --time %s", notes_name(path),
			times_names[o->times]);
	else
		return true;
	return false;
}

/* A heat map keeps the --time that it was made with. */
static enum report_times merge_find_times(const struct partial *p, const struct options *o)
{
	for (unsigned i = 0; i < TIMES_NAMES; i++)
		if (o->report == REPORT_HEATMAP && merge_has_option(p, "--time=", times_names[i]))
			return (enum report_times)i;
	return o->times;
}

int merge_report(const struct partial *p, const char *absent, const struct options *o,
	struct out *out, bool *bad, bool *is_misused)
{
	struct report r = {.out = out,
		.format = o->format,
		.filter = &o->filter,
		.merged = p,
		.scripted = merge_is_scripted(p),
		.ntraces = merge_count_traces(p),
		.absent = absent,
		.compensate = merge_is_compensated(p),
		.metrics = o->metrics,
		.nmetrics = o->nmetrics,
		.columns = o->columns,
		.width = options_width(o, out),
		.times = merge_find_times(p, o),
		.sort = o->sort,
		.by_list = o->by_list,
		.of_host = o->of_host,
		.by = o->by,
		.having = o->having,
		.percentiles = o->percentiles.count ? &o->percentiles : NULL,
		.exact = o->exact,
		.tail = o->tail,
		.top = o->top,
		.note = merge_say_line};

	/* A report of the partial result says all this later. */
	if (o->report != REPORT_PARTIAL) {
		if (r.scripted && o->format != FORMAT_TEXT)
			complain(REPORT_SCRIPTED);
		*bad = notes_partial(complain, p);
	}
	*bad |= absent != NULL;
	if (o->weight)
		report_set_weight(&r, o->weight);
	int rc = report_merged(&r, o->report, p);
	*is_misused = r.is_misused;
	return rc;
}

static bool runs_scripted(const struct diff_runs *side)
{
	for (size_t i = 0; i < side->n; i++)
		if (merge_is_scripted(&side->runs[i]))
			return true;
	return false;
}

int merge_diff(const struct diff_runs *before, const struct diff_runs *after,
	const struct options *o, struct out *out, size_t *gates_failed, bool *is_misused)
{
	struct report r = {.out = out,
		.format = o->format,
		.filter = &o->filter,
		.scripted = runs_scripted(before) || runs_scripted(after),
		.compensate = before->n && merge_is_compensated(&before->runs[0]),
		.gates = o->gates,
		.ngates = o->ngates,
		.width = options_width(o, out),
		.metrics = o->metrics,
		.nmetrics = o->nmetrics,
		.percentiles = o->percentiles.count ? &o->percentiles : NULL,
		.by = o->by,
		.having = o->having,
		.sort = o->sort,
		.top = o->top,
		.columns = o->columns,
		.note = merge_say_line};

	if (r.scripted && o->format != FORMAT_TEXT)
		complain(REPORT_SCRIPTED);
	int rc = report_diff(&r, before, after, o->noise);
	*gates_failed = r.gates_failed;
	*is_misused = r.is_misused;
	return rc;
}
