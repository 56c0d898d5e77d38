#include "partitions.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "../../formats/base/hash_index.h"
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

/* The files that were written in this run. */
struct partition_files {
	char **paths; /* of the runs; NULL: none */
	struct hash_index by_path;
};

/* Whether an earlier trace has the path: a second one must not replace its file. */
static bool partition_is_written(const struct partition_files *f, const char *path)
{
	uint64_t hash = XXH3_64bits(path, strlen(path));

	for (uint32_t at; (at = hash_index_next(&f->by_path, &hash));)
		if (strcmp(f->paths[at - 1], path) == 0)
			return true;
	return false;
}

/* Writes trace number n to its file. */
static int write_partition(
	const struct options *all, const struct diff_run *run, struct partition_files *f, size_t n)
{
	char **path = &f->paths[n];
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
	if (!code && partition_is_written(f, *path)) {
		complain(
			"%s: left out: a trace with the same name, id, and partition was written already, to %s",
			notes_name(run->files[0]), *path);
		code = EXIT_FAILED;
	}
	if (*path)
		hash_index_add(&f->by_path, XXH3_64bits(*path, strlen(*path)), (uint32_t)n);
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
	struct partition_files files = {.paths = code ? NULL : calloc(runs.n + 1, sizeof(char *))};
	if (!code && (!files.paths || !hash_index_reset(&files.by_path, runs.n))) {
		complain("no memory");
		code = EXIT_FAILED;
	}
	for (size_t i = 0; files.by_path.slots && i < runs.n && code != EXIT_USAGE; i++) {
		int own = write_partition(o, &runs.runs[i], &files, i);

		/* A failure outweighs lost data. */
		if (own && (!code || own != EXIT_LOST))
			code = own;
	}
	asked_tell(o->asked, complain);
	for (size_t i = 0; files.paths && i < runs.n; i++)
		free(files.paths[i]);
	free(files.paths);
	hash_index_free(&files.by_path);
	runs_free(&runs);
	return code;
}
