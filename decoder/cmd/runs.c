#include "runs.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "../../formats/base/compare.h"
#include "../../formats/base/number.h"
#include "../../formats/nrm2.h"
#include "../../formats/partial.h"
#include "../../formats/trace_file.h"
#include "../base/file_head.h"
#include "../base/grow.h"
#include "options.h"

enum { HEAD = 64 };

static int no_memory(void)
{
	complain("no memory");
	return EXIT_FAILED;
}

static int add_path(struct runs *r, const char *path)
{
	char *copy = strdup(path);

	if (!copy || array_grow(&r->paths, r->npaths, &r->paths_cap, sizeof *r->paths)) {
		free(copy);
		return no_memory();
	}
	r->paths[r->npaths++] = copy;
	return EXIT_FINE;
}

static bool holds_run(const char *path)
{
	uint8_t head[HEAD];
	size_t n = file_head_read(path, head, sizeof head);

	return n >= 8 && (memcmp(head, TF_MAGIC, 8) == 0 || memcmp(head, PARTIAL_MAGIC, 8) == 0 ||
				 nrm2_is(head, n));
}

static int runs_is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int add_entry(struct runs *r, const char *folder, const char *name)
{
	struct stat st;
	char *path;
	int code = EXIT_FINE;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return no_memory();
	if (holds_run(path))
		code = add_path(r, path);
	else if (stat(path, &st) || !S_ISDIR(st.st_mode))
		complain("%s: neither a trace nor a partial result: left out", path);
	free(path);
	return code;
}

static int add_folder(struct runs *r, const char *folder)
{
	struct dirent **entries;
	size_t before = r->npaths;
	int n = scandir(folder, &entries, runs_is_visible, alphasort), code = EXIT_FINE;

	if (n < 0) {
		complain("%s: %s", folder, strerror(errno));
		return EXIT_FAILED;
	}
	for (int i = 0; i < n; i++) {
		if (!code)
			code = add_entry(r, folder, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	if (!code && r->npaths == before) {
		complain("%s: no traces in it", folder);
		code = EXIT_FAILED;
	}
	return code;
}

static int add_any(struct runs *r, const char *path)
{
	struct stat st;

	if (strcmp(path, "-") != 0 && !stat(path, &st) && S_ISDIR(st.st_mode))
		return add_folder(r, path);
	return add_path(r, path);
}

int runs_add(struct runs *r, const char *pattern)
{
	glob_t found;
	struct stat st;
	int code = EXIT_FINE;

	if (!strpbrk(pattern, "*?[") || !stat(pattern, &st))
		return add_any(r, pattern);
	int rc = glob(pattern, 0, NULL, &found);
	if (rc == GLOB_NOSPACE)
		return no_memory();
	if (rc) {
		complain("%s: no such files", pattern);
		return EXIT_FAILED;
	}
	for (size_t i = 0; i < found.gl_pathc && !code; i++)
		code = add_any(r, found.gl_pathv[i]);
	globfree(&found);
	return code;
}

/* The length of the path that a rotated file (FILE.1) was rotated away from; 0: not rotated. */
static size_t base_of(const char *path)
{
	const char *point = strrchr(path, '.');

	if (!point || !point[1] || point[1 + number_count_digits(point + 1, 10)])
		return 0;
	return (size_t)(point - path);
}

static bool of_one_trace(const char *a, const char *b)
{
	uint8_t x[HEAD], y[HEAD];

	if (file_head_read(a, x, sizeof x) < TF_H_TRACE_ID + 16 ||
		file_head_read(b, y, sizeof y) < TF_H_TRACE_ID + 16)
		return false;
	return memcmp(x, TF_MAGIC, 8) == 0 && memcmp(y, TF_MAGIC, 8) == 0 &&
	       memcmp(x + TF_H_TRACE_ID, y + TF_H_TRACE_ID, 16) == 0;
}

/* The run of that name whose trace the file is of; NULL: none. */
static struct diff_run *runs_find(const struct runs *r, const char *path, size_t length)
{
	uint64_t hash = XXH3_64bits(path, length);

	for (uint32_t at; (at = hash_index_next(&r->by_name, &hash));) {
		const char *base = r->runs[at - 1].files[0];

		if (strlen(base) == length && strncmp(base, path, length) == 0 &&
			of_one_trace(base, path))
			return &r->runs[at - 1];
	}
	return NULL;
}

/* Adds a file to its run, which it may begin. 0 or -1: no memory. */
static int runs_add_file(struct runs *r, char *path)
{
	const size_t length = base_of(path);
	struct diff_run *run = length ? runs_find(r, path, length) : NULL;

	if (!run) {
		if (array_grow(&r->runs, r->n, &r->cap, sizeof *r->runs))
			return -1;
		run = &r->runs[r->n];
		*run = (struct diff_run){0};
	}
	if (array_grow(&run->files, run->nfiles, &run->cap, sizeof *run->files))
		return -1;
	run->files[run->nfiles++] = path;
	if (run->nfiles == 1)
		hash_index_add(&r->by_name, XXH3_64bits(path, strlen(path)), (uint32_t)r->n++);
	return 0;
}

/* A regular file of the runs. */
struct run_inode {
	dev_t device;
	ino_t number;
	size_t path;
};

static int compare_inodes(const void *x, const void *y)
{
	const struct run_inode *a = x, *b = y;

	int c = compare_u64_pair(a->device, b->device, a->number, b->number);

	return c ? c : compare_u64(a->path, b->path);
}

/* Asks each once: a folder may have many thousands. */
static int refuse_twice(const struct runs *r)
{
	struct run_inode *inodes = calloc(r->npaths + 1, sizeof *inodes);
	size_t n = 0, twice = SIZE_MAX;
	struct stat st;

	if (!inodes)
		return no_memory();
	for (size_t i = 0; i < r->npaths; i++)
		if (!stat(r->paths[i], &st) && S_ISREG(st.st_mode))
			inodes[n++] = (struct run_inode){st.st_dev, st.st_ino, i};
	qsort(inodes, n, sizeof *inodes, compare_inodes);
	for (size_t i = 1; i < n; i++)
		if (inodes[i].device == inodes[i - 1].device &&
			inodes[i].number == inodes[i - 1].number && inodes[i].path < twice)
			twice = inodes[i].path;
	free(inodes);
	if (twice == SIZE_MAX)
		return EXIT_FINE;
	complain("%s: it is among the runs already: each counts once", r->paths[twice]);
	return EXIT_FAILED;
}

static int by_length(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	size_t nx = strlen(x), ny = strlen(y);

	return nx != ny ? (nx < ny ? -1 : 1) : strcmp(x, y);
}

int runs_settle(struct runs *r)
{
	int code = refuse_twice(r);

	/* Sorts FILE before FILE.1. */
	if (r->npaths)
		qsort(r->paths, r->npaths, sizeof *r->paths, by_length);
	if (r->npaths >= UINT32_MAX || !hash_index_reset(&r->by_name, r->npaths))
		return no_memory();
	for (size_t i = 0; i < r->npaths && !code; i++)
		if (runs_add_file(r, r->paths[i]))
			return no_memory();
	return code;
}

void runs_free(struct runs *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->runs[i].files);
	for (size_t i = 0; i < r->npaths; i++)
		free(r->paths[i]);
	hash_index_free(&r->by_name);
	free(r->runs);
	free(r->paths);
	*r = (struct runs){0};
}
