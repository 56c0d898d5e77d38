#include "partitions.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../report/notes/notes.h"
#include "../report/open.h"
#include "job.h"
#include "runs.h"

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
	int code = job_open_trace(&o, &job.t);
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
	if (!code && job_output_is_input(*path, run->files, run->nfiles)) {
		complain("%s: that is the trace itself", *path);
		code = EXIT_FAILED;
	}
	if (!code) {
		make_folders(*path);
		o.output = *path;
		code = job_write_report(&job);
	}
	report_close(job.t);
	out_discard(&name);
	return code;
}

int partitions_write(struct options *o)
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
