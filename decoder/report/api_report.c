/* cpidecode.h: cpidecode_report, which writes a report to the caller's function. */
#include <errno.h>

#include "../model/intervals/api_private.h"
#include "../model/stats/partial/partial.h"
#include "report.h"

struct api_run {
	const cpidecode_report_options *options;
	cpidecode_write_fn write;
	void *ctx;
	bool refused; /* the caller's function cancelled */
};

static int write_on(void *ctx, const void *bytes, size_t n)
{
	struct api_run *run = ctx;

	if (!run->write(run->ctx, bytes, n))
		return 0;
	run->refused = true;
	return ECANCELED;
}

static bool api_report_progress(void *ctx, uint64_t done, uint64_t total)
{
	const struct api_run *run = ctx;

	return !run->options->progress(run->options->ctx, done, total);
}

static void api_pass_note(void *ctx, const char *line)
{
	const struct api_run *run = ctx;

	run->options->note(run->options->ctx, line);
}

static bool api_find_name(const char *name, const char *const *names, size_t n, int *found)
{
	*found = name ? report_name_find(name, names, n) : 0;
	return *found >= 0;
}

static bool api_choose_report(
	struct report *r, const cpidecode_report_options *o, enum report_kind *kind)
{
	int report, format;

	if (!api_find_name(o->report, report_names, REPORT_NAMES, &report) ||
		!api_find_name(o->format, format_names, FORMAT_NAMES, &format))
		return false;
	r->format = (enum report_format)format;
	if (o->weight)
		report_set_weight(r, o->weight);
	*kind = (enum report_kind)report;
	if (r->format == FORMAT_FOLDED || (r->format == FORMAT_SVG && *kind != REPORT_HEATMAP)) {
		if (o->report && *kind != REPORT_INTERVALS)
			return false;
		*kind = REPORT_FLAME;
	}
	if (report_is_export(r->format)) {
		if (o->report && *kind == REPORT_HOOKS && r->format == FORMAT_PARQUET)
			return true;
		if (o->report && *kind != REPORT_INTERVALS)
			return false;
		*kind = REPORT_EXPORT;
	}
	if (report_is_hooks(r->format)) {
		if (o->report && *kind != REPORT_HOOKS)
			return false;
		*kind = REPORT_HOOKS;
	}
	return r->format != FORMAT_CSV || report_takes(*kind, TAKES_CSV);
}

static void set_filter(struct filter *f, const cpidecode_report_options *o)
{
	filter_init(f);
	f->label = o->label;
	f->by_tid = o->by_tid;
	f->by_pid = o->by_pid;
	f->by_minor = o->by_minor;
	f->tid = o->tid;
	f->pid = o->pid;
	f->minor = o->minor;
	if (o->from_ns || o->to_ns) {
		f->from = o->from_ns;
		f->to = o->to_ns;
	}
}

static int error_of(const struct api_run *run, int error)
{
	if (run->refused)
		return CPIDECODE_ECANCELED;
	return error ? CPIDECODE_ENOMEM : 0;
}

/* Reads the runs that a diff compares, and their findings. */
static int api_make_partial(const struct report *like, const cpidecode_trace *t,
	struct findings *found, struct partial *p)
{
	struct report r = *like;

	r.found = found;
	report_about(&r, t->trace);
	*p = (struct partial){.tally.wanted = TALLY_WANT_ORDER};
	return report_make_partial(&r, p);
}

static int run_diff(struct report *r, const cpidecode_trace *before, const cpidecode_trace *after)
{
	struct partial two[2] = {{0}};
	struct findings found = {0};

	if (!before)
		return CPIDECODE_EINVAL;
	int rc = api_make_partial(r, before, &found, &two[0]);
	findings_free(&found);
	if (!rc)
		rc = api_make_partial(r, after, r->found, &two[1]);
	r->scripted = trace_scripted(before->trace) || trace_scripted(after->trace);
	if (!rc)
		rc = report_diff(
			r, &(struct diff_runs){&two[0], 1}, &(struct diff_runs){&two[1], 1}, false);
	partial_free(&two[0]);
	partial_free(&two[1]);
	return rc;
}

int cpidecode_report(const cpidecode_trace *t, const cpidecode_report_options *options,
	cpidecode_write_fn write, void *ctx, cpidecode_counts *counts)
{
	static const cpidecode_report_options none = {.size = sizeof none};
	struct api_run run = {.options = options ? options : &none, .write = write, .ctx = ctx};
	const cpidecode_report_options *o = run.options;
	struct findings found = {0};
	struct filter filter;
	struct out out;
	struct report r = {.out = &out,
		.filter = &filter,
		.threads = o->threads,
		.found = &found,
		.ctx = &run};
	enum report_kind kind;

	if (counts)
		*counts = (cpidecode_counts){0};
	if (o->size < sizeof none || !api_choose_report(&r, o, &kind))
		return CPIDECODE_EINVAL;
	if (out_function(&out, write_on, &run))
		return CPIDECODE_ENOMEM;
	r.progress = o->progress ? api_report_progress : NULL;
	r.note = o->note ? api_pass_note : NULL;
	set_filter(&filter, o);
	report_about(&r, t->trace);
	int rc = kind == REPORT_DIFF ? run_diff(&r, o->before, t) : report_run(&r, kind);
	int closed = out_close(&out);
	if (!rc || run.refused)
		rc = error_of(&run, closed);
	if (counts)
		*counts = (cpidecode_counts){.hooks = found.total.hooks,
			.torn = found.total.torn,
			.malformed = found.total.malformed,
			.damaged = found.total.bad_sections};
	findings_free(&found);
	out_discard(&out);
	return rc;
}
