/*
 * counters query: waits, or steps through a trace, and prints.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/time_ns.h"
#include "../../../formats/counters_hooks.h"
#include "../../../include/perfutil.h"
#include "counters.h"
#include "../../dump/drain/stream.h"
#include "../wake.h"

/* ---------------------------------------------------------------------------- output */

static void follow_print_lines(
	struct counters_run *r, void (*what)(const struct counters_run *r, FILE *f))
{
	struct session_error error = {"unknown error"};
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (f)
		what(r, f);
	bool whole = f && !ferror(f);
	if (!f || fclose(f) || !whole)
		r->failed = cmd_fail_writing(r->verb, &r->to, "output: not enough memory");
	else if (output_write(&r->to, text, size, &error))
		r->failed = cmd_fail_writing(r->verb, &r->to, error.text);
	free(text);
}

/* Gives the file its name with the first row, so that users can read it while it grows. */
static void follow_print_head(struct counters_run *r)
{
	struct session_error error = {"unknown error"};

	follow_print_lines(r, counters_print_head);
	if (!r->failed && output_appear(&r->to, &error))
		r->failed = cmd_fail_writing(r->verb, &r->to, error.text);
}

/* ---------------------------------------------------------------------------- samples */

static int counters_tell_failure(const struct counters_run *r, ULONG status)
{
	const char *where = r->catalogue.where;

	if (r->query.too_many)
		return cmd_fail(r->verb,
			"more than %d columns; name fewer counters, or fewer instances",
			COLUMNS_MAX);
	if (status == ERROR_READ_FAULT)
		return cmd_fail(r->verb, "%s: %s", where ? where : "this machine", strerror(errno));
	return cmd_fail(r->verb, "%s: %s", where ? where : "this machine", counters_status(status));
}

/* Records the sample; lost hooks are counted in their ring. */
static void counters_trace_sample(const struct counters_run *r, uint64_t *untraced)
{
	const struct counters_query *q = &r->query;
	const ULONG status =
		r->traced ? PerfTraceCounterData(q->handle, q->data, q->bytes) : ERROR_SUCCESS;

	*untraced += status != ERROR_SUCCESS && status != ERROR_NOT_READY;
}

/* Waits for the next multiple of the interval since the beginning; skips missed ones. */
static bool wait_for_next(const struct counters_run *r, uint64_t began, int wake)
{
	uint64_t now = time_ns_monotonic();
	const uint64_t due = began + ((now - began) / r->interval + 1) * r->interval;

	for (; !wake_should_end && now < due; now = time_ns_monotonic())
		stream_sleep(wake, due - now);
	return !wake_should_end;
}

static int follow_machine(struct counters_run *r, int wake)
{
	struct counters_query *q = &r->query;
	const uint64_t began = time_ns_monotonic();
	uint64_t untraced = 0;
	ULONG status = ERROR_SUCCESS;

	follow_print_head(r);
	if (r->traced)
		cmd_tell_tracing(r->verb, COUNTERS_MAJOR);
	counters_trace_sample(r, &untraced);
	for (uint64_t n = 0; !r->failed && (!r->samples || n < r->samples); n++) {
		if (!wait_for_next(r, began, wake))
			break;
		status = query_sample(q);
		if (status != ERROR_SUCCESS)
			break;
		query_values(q);
		follow_print_lines(r, counters_print_row);
		counters_trace_sample(r, &untraced);
	}
	if (untraced)
		cmd_note(r->verb, "%llu samples were not traced completely; see swtrace info",
			(unsigned long long)untraced);
	return status == ERROR_SUCCESS ? EXIT_FINE : counters_tell_failure(r, status);
}

static int run_machine(struct counters_run *r, int wake)
{
	struct counters_query *q = &r->query;
	ULONG status = query_open(q);

	if (status == ERROR_SUCCESS)
		status = query_sample(q);
	if (status == ERROR_SUCCESS && !query_add_columns(q))
		status = ERROR_OUTOFMEMORY;
	if (status != ERROR_SUCCESS)
		return counters_tell_failure(r, status);
	int code = query_end_columns(q);
	if (code)
		return code;
	query_values(q);
	return follow_machine(r, wake);
}

/* ---------------------------------------------------------------------------- a trace */

/* Finds the columns of all samples; so a trace is read twice. */
static int find_columns(struct counters_run *r)
{
	struct counters_query *q = &r->query;
	ULONG status = query_open(q);

	while (status == ERROR_SUCCESS && !wake_should_end) {
		status = query_sample(q);
		if (status == ERROR_SUCCESS && !query_add_columns(q))
			status = ERROR_OUTOFMEMORY;
	}
	if (status != ERROR_NO_MORE_ITEMS && status != ERROR_SUCCESS)
		return counters_tell_failure(r, status);
	int code = query_end_columns(q);
	query_close(q);
	return code;
}

static int run_trace(struct counters_run *r)
{
	struct counters_query *q = &r->query;
	int code = find_columns(r);

	if (code)
		return code;
	ULONG status = query_open(q);
	bool first = true;
	if (status == ERROR_SUCCESS)
		follow_print_head(r);
	for (uint64_t n = 0; status == ERROR_SUCCESS && !r->failed && !wake_should_end;) {
		if (r->samples && n == r->samples)
			break;
		status = query_sample(q);
		if (status != ERROR_SUCCESS)
			break;
		query_values(q);
		/* As on a machine, the first sample is only the baseline of the first row. */
		if (!first) {
			follow_print_lines(r, counters_print_row);
			n++;
		}
		first = false;
	}
	return status == ERROR_SUCCESS || status == ERROR_NO_MORE_ITEMS
		       ? EXIT_FINE
		       : counters_tell_failure(r, status);
}

/* ---------------------------------------------------------------------------- the run */

int counters_follow(struct counters_run *r)
{
	struct session_error error = {"unknown error"};
	int wake, code = wake_catch_signals(r->verb, true, &wake);

	if (code == EXIT_FINE)
		code = cmd_check_output(r->verb, r->path);
	if (code)
		return code;
	if (output_open(&r->to, r->path, &error))
		return cmd_fail(r->verb, "%s", error.text);
	if (!r->catalogue.where)
		counters_ask_machine(r);
	code = r->catalogue.where ? run_trace(r) : run_machine(r, wake);
	if (code && r->to.temporary)
		r->failed = true; /* do not replace an earlier file */
	int written = cmd_finish_output(r->verb, &r->to, r->failed);
	return code ? code : written;
}
