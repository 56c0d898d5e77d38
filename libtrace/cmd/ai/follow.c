/*
 * ai: waits, samples and prints.
 */
#include <stdlib.h>

#include "../../../formats/base/time_ns.h"
#include "../../measure/util/sampling.h"
#include "ai.h"
#include "../../dump/drain/stream.h"
#include "../wake.h"

/* Return values that end CpuUtilSample; its own failures are negative. */
enum { GO_ON = 0, ALL_TAKEN, STOPPED };

struct follow {
	struct ai_run *run;
	const struct ai_printer *printer;
	struct ai_output output;
	void *util;
	uint64_t taken;
};

const char *ai_why(void)
{
	const char *why = AiWhy();

	return why && *why ? why : NULL;
}

/* ----------------------------------------------------------------------- printing */

enum part { BEGIN, SAMPLE, END };

static void follow_print_part(struct follow *f, enum part part, const struct ai_sample *s, bool all)
{
	char *text = NULL;
	size_t size = 0;
	FILE *m = f->output.failed ? NULL : open_memstream(&text, &size);

	if (f->output.failed)
		return;
	if (m && part == BEGIN)
		f->printer->begin(f->run, m);
	else if (m && part == SAMPLE)
		f->printer->sample(f->run, m, s);
	else if (m)
		f->printer->end(f->run, m, all);
	bool whole = m && !ferror(m);
	if (m && fclose(m) == 0 && whole) {
		ai_output_write(&f->output, text, size);
	} else {
		f->output.failed = true;
		cmd_fail(f->run->verb, "output: not enough memory");
	}
	free(text);
}

/* ----------------------------------------------------------------------- sampling */

static int wake_fd;

/* Waits until `due`, or until a signal ends the verb; the last sample is then not shown. */
static void wait_until(uint64_t due)
{
	for (uint64_t now = time_ns_monotonic(); now < due && !wake_should_end;
		now = time_ns_monotonic())
		stream_sleep(wake_fd, due - now);
}

static int ai_visit_sample(const CPUUTIL_DATA *data, void *context)
{
	struct follow *f = context;
	const struct ai_run *r = f->run;
	struct ai_sample s = {
		.data = data, .elapsed = CyclesToSeconds(0, (double)data->elapsed_cycles)};

	if (wake_should_end)
		return STOPPED;
	clock_gettime(CLOCK_REALTIME, &s.at);
	follow_print_part(f, SAMPLE, &s, false);
	if (f->output.failed)
		return STOPPED;
	return r->samples && ++f->taken == r->samples ? ALL_TAKEN : GO_ON;
}

static int follow_explain_failure(const struct follow *f, const char *what, int rc)
{
	const char *why = ai_why();

	if (rc != PU_ERROR_NOT_SUPPORTED)
		return cmd_fail(f->run->verb, "%s: %s%s%s", what, RcToString(rc), why ? ": " : "",
			why ? why : "");
	cmd_fail(f->run->verb, "busy and idle time cannot be measured here: %s",
		why ? why : "unknown");
	return EXIT_NO_COUNTERS;
}

static int follow_samples(struct follow *f)
{
	sampling_calls.wait = wait_until;
	int rc =
		CpuUtilSample(f->util, (UINT32)(f->run->interval / TIME_MS_NS), ai_visit_sample, f);

	if (rc < 0)
		return follow_explain_failure(f, "cannot sample", rc);
	follow_print_part(f, END, NULL, rc == ALL_TAKEN);
	return EXIT_FINE;
}

/* ------------------------------------------------------------------------ the run */

static int follow_output(struct follow *f)
{
	static const struct ai_printer *const printers[] = {&ai_text, &ai_csv, &ai_json};

	f->printer = printers[f->run->format];
	f->run->columns = GetActiveProcessorCount();
	if (f->run->traced)
		cmd_tell_tracing(f->run->verb, CPUUTIL_TRACE_MAJOR_CODE);
	follow_print_part(f, BEGIN, NULL, false);
	return f->output.failed ? EXIT_FAILED : follow_samples(f);
}

/* Lost hooks are counted in their ring. */
static int follow_begin_sampling(struct follow *f)
{
	int rc = CpuUtilInit(
		f->run->traced ? CPUUTIL_TRACE_EVERYTHING : CPUUTIL_TRACE_NONE, &f->util);

	if (rc == PU_SUCCESS && f->run->traced)
		rc = CpuUtilSetTraceHookId(f->util, CPUUTIL_TRACE_MINOR_CODE, "ai");
	return rc ? follow_explain_failure(f, "cannot begin", rc) : EXIT_FINE;
}

int ai_follow(struct ai_run *r)
{
	static struct follow f; /* static: its outputs are large */

	f.run = r;
	int code = wake_catch_signals(r->verb, true, &wake_fd);
	if (code)
		return code;
	code = follow_begin_sampling(&f);
	if (code == EXIT_FINE)
		code = ai_output_open(&f.output, r->verb, r->log);
	if (code == EXIT_FINE) {
		code = follow_output(&f);
		int written = ai_output_close(&f.output);
		code = code ? code : written;
	}
	if (f.util)
		CpuUtilTerminate(f.util);
	return code;
}
