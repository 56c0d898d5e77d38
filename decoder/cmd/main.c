/* cpidecode: reads trace files and reports their contents. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../report/notes/notes.h"
#include "../report/open.h"
#include "../report/partial/merge.h"
#include "by_host.h"
#include "comparison.h"
#include "job.h"
#include "memory.h"
#include "merge.h"
#include "partitions.h"
#include "progress.h"
#include "serve_job.h"

static void on_signal(int number)
{
	job_remove_unfinished();
	signal(number, SIG_DFL);
	raise(number);
}

/* A signal that the caller ignores (nohup) stays ignored. */
static void main_install_handler(int number)
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

static int main_decode_files(struct options *o)
{
	struct job job = {.o = o};
	struct hosts hosts = {0};
	int code = job_open_trace(o, &job.t);

	if (!code && o->by_host)
		code = by_host_group_trace(&hosts, o, job.t);
	if (o->by_host)
		job.hosts = &hosts;
	if (hosts.n > 1) {
		report_close(job.t);
		job.t = NULL;
	}
	if (!code)
		code = job_write_report(&job);
	report_close(job.t);
	by_host_free(&hosts);
	return code;
}

/* Whether the parts say which report it is. */
static bool merge_asks_parts(const struct options *o)
{
	return !o->names_report && o->report != REPORT_PARTIAL;
}

/* With the options of the report that the parts are for, unless it names one. */
static int main_merge(struct options *o)
{
	/* A pipe cannot be asked before it is read, and the first file may be left out. */
	const bool asks = merge_asks_parts(o);
	const bool may_be_other = !merge_is_partial(o->files[0]) || o->allow_missing;
	struct partial p = {.tally.wanted = report_merged_wants(
				    asks && may_be_other ? REPORT_PARTIAL : o->report)};
	struct job job = {.o = o, .parts = &p, .nparts = 1};
	struct options own = {0};
	struct hosts hosts = {0};
	struct out absent;

	out_memory(&absent);
	int code = merge_read(o, &p, &absent);
	job.absent = absent.len ? absent.buf : NULL;
	if (!code && o->report != REPORT_PARTIAL && !o->taken.count &&
		options_take_carried(o, &p.arguments)) {
		options_parse_carried(&own, o, &p.arguments, notes_name(o->files[0]));
		job.o = &own;
	}
	if (!code && !merge_fits(&p, job.o, o->files[0]))
		code = EXIT_FAILED;
	if (!code && (job.o->by_host || merge_keeps_hosts(&p, job.o))) {
		code = by_host_group_partials(&hosts, job.o);
		job.hosts = &hosts;
	}
	if (!code)
		code = job_write_report(&job);
	by_host_free(&hosts);
	options_free(&own);
	out_discard(&absent);
	merge_free(&p);
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
	main_install_handler(SIGINT);
	main_install_handler(SIGTERM);
	main_install_handler(SIGHUP);
	if (job_output_is_input(o.output, o.files, o.nfiles)) {
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
	int code = o.merge		     ? main_merge(&o)
		   : o.serve		     ? serve_job(&o)
		   : o.report == REPORT_DIFF ? comparison_write(&o)
		   : o.partition.count	     ? partitions_write(&o)
					     : main_decode_files(&o);
	options_free(&o);
	return code;
}
