#include "corpus.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEFAULT_SOURCES = 6, DEFAULT_LIBRARIES = 4 };

static int unreadable(struct corpus *c, const char *path, const char *why)
{
	fprintf(stderr, "compress_bench: %s: %s; skipped\n", path, why);
	c->unreadable++;
	return 0;
}

static void set_label(char *label, const char *path)
{
	const char *base = strrchr(path, '/');

	snprintf(label, CORPUS_LABEL_MAX, "%s", base ? base + 1 : path);
}

/* Reads up to CORPUS_FILE_MAX bytes. Returns fewer if the file shrank. */
static ssize_t read_all(int fd, unsigned char *to, size_t n)
{
	size_t got = 0;

	while (got < n) {
		ssize_t r = read(fd, to + got, n - got);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -1;
		if (r == 0)
			break;
		got += (size_t)r;
	}
	return (ssize_t)got;
}

static int read_file(struct corpus *c, const char *path)
{
	struct corpus_file *f = &c->files[c->n];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	ssize_t got;

	if (fd < 0 || fstat(fd, &st) != 0) {
		int err = errno;

		if (fd >= 0)
			close(fd);
		return unreadable(c, path, strerror(err));
	}
	if (!S_ISREG(st.st_mode) || st.st_size == 0) {
		close(fd);
		return unreadable(c, path, st.st_size ? "not a regular file" : "empty");
	}
	size_t size = st.st_size > CORPUS_FILE_MAX ? CORPUS_FILE_MAX : (size_t)st.st_size;
	if (st.st_size > CORPUS_FILE_MAX)
		fprintf(stderr, "compress_bench: %s: only its first %d MiB\n", path,
			CORPUS_FILE_MAX >> 20);
	f->bytes = malloc(size);
	got = f->bytes ? read_all(fd, f->bytes, size) : -1;
	int err = errno;
	close(fd);
	if (!f->bytes)
		return -1;
	if (got <= 0) {
		free(f->bytes);
		f->bytes = NULL;
		return unreadable(c, path, got < 0 ? strerror(err) : "empty");
	}
	f->size = (size_t)got;
	set_label(f->label, path);
	c->n++;
	return 0;
}

int corpus_read(struct corpus *c, char *const *paths, size_t n)
{
	struct corpus_file *files = realloc(c->files, (c->n + n) * sizeof *files);

	if (!files)
		return -1;
	c->files = files;
	memset(files + c->n, 0, n * sizeof *files);
	for (size_t i = 0; i < n; i++) {
		if (read_file(c, paths[i]) != 0)
			return -1;
	}
	return 0;
}

static off_t size_of(const char *path)
{
	struct stat st;

	/* lstat: a link to a library that is in the list too must not count twice. */
	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) ? st.st_size : 0;
}

static int larger_first(const void *a, const void *b)
{
	off_t x = size_of(*(char *const *)a), y = size_of(*(char *const *)b);

	return x < y ? 1 : x > y ? -1 : strcmp(*(char *const *)a, *(char *const *)b);
}

/* Reads the `most` largest files in a folder that match the patterns. */
static int read_largest(struct corpus *c, const char *dir, const char *const *patterns, size_t most)
{
	glob_t found = {0};
	int flags = 0, rc = 0;
	size_t n;

	for (; *patterns; patterns++) {
		char pattern[PATH_MAX];

		snprintf(pattern, sizeof pattern, "%s/%s", dir, *patterns);
		if (glob(pattern, flags, NULL, &found) != GLOB_NOSPACE)
			flags = GLOB_APPEND;
	}
	n = found.gl_pathc;
	if (n) {
		qsort(found.gl_pathv, n, sizeof *found.gl_pathv, larger_first);
		if (n > most)
			n = most;
		while (n && size_of(found.gl_pathv[n - 1]) == 0)
			n--;
		rc = n ? corpus_read(c, found.gl_pathv, n) : 0;
	}
	globfree(&found);
	return rc;
}

int corpus_read_default(struct corpus *c)
{
	static const char *const sources[] = {
		"libtrace/*/*.c", "decoder/*/*.c", "decoder/sink/*.js", "include/*.h", NULL};
	static const char *const built[] = {"lib*.so*", "lib*.a", "swtrace", "cpidecode", NULL};
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	int rc = read_largest(c, SAMPLES_SOURCE_DIR, sources, DEFAULT_SOURCES);

	/* The libraries are in the parent folder of the samples. */
	if (n > 0 && rc == 0) {
		self[n] = '\0';
		rc = read_largest(c, dirname(dirname(self)), built, DEFAULT_LIBRARIES);
	}
	return rc;
}

void corpus_free(struct corpus *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->files[i].bytes);
	free(c->files);
	memset(c, 0, sizeof *c);
}
