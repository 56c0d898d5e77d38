#include "serve_job.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../formats/base/temporary.h"
#include "../base/whole_io.h"
#include "../report/export/html/early.h"
#include "../report/open.h"
#include "complain.h"
#include "job.h"
#include "progress.h"
#include "serve.h"

/* A page of this many hooks needs about a second. */
enum { SERVE_JOB_HOOKS = 4000000 };

/* A write function of an out. */
static int serve_job_write(void *ctx, const void *bytes, size_t n)
{
	return whole_write(*(const int *)ctx, bytes, n, WHOLE_APPEND) ? errno : 0;
}

/* Writes a page to an unnamed file. Returns an exit code. */
static int serve_job_make(struct job *job, int fd, bool is_early)
{
	struct out out;
	int rc = out_function(&out, serve_job_write, &fd);

	if (!rc)
		rc = is_early ? job_write_early(job, &out) : job_run(job, &out);
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

static bool serve_job_is_large(const struct job *job)
{
	return job->o->tiles == PAGE_TILES_SERVED || early_count_hooks(job->t) > SERVE_JOB_HOOKS;
}

/* Starts a process. 0: in it. Otherwise its id, or a negative errno. */
static pid_t serve_job_fork(void)
{
	const pid_t parent = getpid(), child = fork();

	/* End with the server, even if SIGKILL ends that. */
	if (!child && (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent))
		_exit(EXIT_FAILED);
	return child < 0 ? -errno : child;
}

/* Implements serve_files.make_span. */
static pid_t serve_job_make_span(void *ctx, uint64_t from, uint64_t to, int fd)
{
	const struct job *job = ctx;
	const pid_t child = serve_job_fork();

	if (child)
		return child;
	struct options o = *job->o;
	struct job part = {.o = &o, .t = job->t};
	const int64_t first = report_start(job->t);
	int64_t bounds[2];
	if (__builtin_add_overflow(first, from, &bounds[0]))
		bounds[0] = INT64_MAX;
	if (__builtin_add_overflow(first, to, &bounds[1]))
		bounds[1] = INT64_MAX;
	if (o.filter.from < bounds[0])
		o.filter.from = bounds[0];
	if (o.filter.to > bounds[1])
		o.filter.to = bounds[1];
	o.tiles = PAGE_NO_TILES;
	o.tiles_out = NULL;
	o.is_span = true;
	_exit(serve_job_make(&part, fd, false));
}

/* Starts the process that makes the page. Returns an exit code. */
static int serve_job_start(struct job *job, struct serve_files *files, _Atomic uint64_t *read)
{
	files->read = read;
	files->make_span = serve_job_make_span;
	files->ctx = job;
	/* Some callers ignore it: waitpid then returns no child's status. */
	signal(SIGCHLD, SIG_DFL);
	files->maker = serve_job_fork();
	if (files->maker < 0) {
		complain("a process for the page: %s", strerror(-files->maker));
		return EXIT_FAILED;
	}
	if (files->maker)
		return EXIT_FINE;
	progress_share(read);
	_exit(serve_job_make(job, files->page, false));
}

/* Makes the page, or an early one and a process that makes it. Returns an exit code. */
static int serve_job_begin(struct job *job, struct serve_files *files)
{
	if (!serve_job_is_large(job))
		return serve_job_make(job, files->page, false);
	_Atomic uint64_t *read = mmap(
		NULL, 2 * sizeof *read, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	files->early = temporary_open_unnamed();
	/* The maker records section starts so that span processes can skip sections. */
	job->o->starts = report_new_starts(job->t);
	if (files->early < 0 || read == MAP_FAILED || !job->o->starts) {
		complain("a temporary file for the page: %s", strerror(errno));
		return EXIT_FAILED;
	}
	int code = serve_job_make(job, files->early, true);
	return code ? code : serve_job_start(job, files, read);
}

static int serve_job_serve(const struct serve_files *files, uint16_t port)
{
	int failed, rc = serve_files(files, port, &failed);

	if (rc && rc != -EPIPE) /* else the reader of standard output left */
		complain("serve: %s", strerror(-rc));
	if (failed && WIFEXITED(failed)) /* The maker has reported why. */
		return WEXITSTATUS(failed);
	if (failed)
		complain("serve: the process that made the page was ended by signal %d",
			WTERMSIG(failed));
	return rc || failed ? EXIT_FAILED : EXIT_FINE;
}

int serve_job(struct options *o)
{
	struct job job = {.o = o};
	struct serve_files files = {.page = temporary_open_unnamed(), .early = -1};
	struct out tiles;

	/* The file of tiles stays empty if the page holds the intervals itself. */
	files.tiles = files.page < 0 ? -1 : temporary_open_unnamed();
	if (files.tiles < 0 || (errno = -out_function(&tiles, serve_job_write, &files.tiles))) {
		complain("a temporary file for the page: %s", strerror(errno));
		return EXIT_FAILED;
	}
	o->tiles_out = &tiles;
	int code = job_open_trace(o, &job.t);
	if (!code)
		code = serve_job_begin(&job, &files);
	out_discard(&tiles);
	/* Only pages of spans need the trace while the server runs. */
	if (!files.maker) {
		report_close(job.t);
		job.t = NULL;
	}
	if (!code)
		code = serve_job_serve(&files, o->port);
	report_free_starts(o->starts);
	report_close(job.t);
	close(files.page);
	close(files.tiles);
	if (files.early >= 0)
		close(files.early);
	return code;
}
