#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../../formats/base/number.h"
#include "../../formats/base/temporary.h"
#include "../../include/perfutil.h"
#include "../session/fail.h"

/* Bytes copied from a spool at once. */
enum { SPOOL_BYTES = 1 << 18 };

int output_fail(const char *path, const char *what, int code, struct session_error *error)
{
	const char *advice = "";

	if (code == ENOSPC || code == EDQUOT)
		advice = "; free some space or name a file elsewhere";
	else if (code == EFBIG)
		advice = "; see ulimit -f";
	else if (code == ENOENT)
		advice = "; does its directory exist?";
	else if (code == EACCES || code == EROFS || code == EPERM)
		advice = "; name a file in a directory that you may write to";
	return session_fail(error, PU_ERR_FILE_ERROR, "%s: cannot %s: %s%s", path, what,
		strerror(code), advice);
}

bool output_temporary_name(const char *path, uint32_t salt, char name[PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) + 1 : 0;
	int n = snprintf(name, PATH_MAX, "%.*s.swtrace-%08x.tmp", dir, path, salt);

	return n > 0 && n < PATH_MAX;
}

/* A unique name in the final name's directory, so that rename is atomic. */
static int open_temporary(struct output *o, const uint32_t *own_salt)
{
	for (int i = 0; i < 100; i++) {
		uint32_t salt;

		if (i == 0 && own_salt)
			salt = *own_salt;
		else if (getrandom(&salt, sizeof salt, 0) != sizeof salt)
			salt = (uint32_t)getpid() + (uint32_t)i;
		if (!output_temporary_name(o->path, salt, o->temp)) {
			errno = ENAMETOOLONG;
			return -1;
		}
		if (i == 0 && own_salt)
			unlink(o->temp);
		int fd = open(o->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
		if (fd < 0 && errno != EEXIST)
			return -1;
		if (fd >= 0 && temporary_claim(fd, o->temp))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

/* .swtrace-01234567.tmp */
static bool is_temporary(const char *name, const char *last)
{
	static const char front[] = ".swtrace-", back[] = ".tmp";
	size_t n = sizeof front - 1;

	(void)last;
	return strncmp(name, front, n) == 0 && number_count_digits(name + n, 16) == 8 &&
	       strcmp(name + n + 8, back) == 0;
}

/* Follows a symbolic link, to replace its target and not the link. */
bool output_resolve(const char *path, char out[PATH_MAX])
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && stat(path, &st) == 0)
		return realpath(path, out) != NULL;
	int n = snprintf(out, PATH_MAX, "%s", path);
	if (n > 0 && n < PATH_MAX)
		return true;
	errno = n == 0 ? ENOENT : ENAMETOOLONG;
	return false;
}

bool output_is_file(const char *path)
{
	struct stat st;

	return strcmp(path, "-") != 0 && (stat(path, &st) != 0 || S_ISREG(st.st_mode));
}

static int open_output(
	struct output *o, const char *path, const uint32_t *salt, struct session_error *error)
{
	memset(o, 0, sizeof *o);
	o->fd = -1;
	if (strcmp(path, "-") == 0) {
		strcpy(o->path, "standard output");
		o->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		return o->fd < 0 ? output_fail(o->path, "write", errno, error) : 0;
	}
	if (!output_resolve(path, o->path))
		return output_fail(path, "create the file", errno, error);
	if (!output_is_file(o->path)) {
		o->fd = open(o->path, O_WRONLY | O_CLOEXEC);
		return o->fd < 0 ? output_fail(path, "open the file", errno, error) : 0;
	}
	temporary_sweep(o->path, is_temporary);
	o->fd = open_temporary(o, salt);
	if (o->fd < 0)
		return output_fail(path, "create the file", errno, error);
	o->temporary = true;
	return 0;
}

int output_open(struct output *o, const char *path, struct session_error *error)
{
	return open_output(o, path, NULL, error);
}

int output_open_unnamed(struct output *o, int fd, struct session_error *error)
{
	memset(o, 0, sizeof *o);
	strcpy(o->path, OUTPUT_UNNAMED);
	o->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return o->fd < 0 ? output_fail(o->path, "write", errno, error) : 0;
}

int output_open_salted(
	struct output *o, const char *path, uint32_t salt, struct session_error *error)
{
	return open_output(o, path, &salt, error);
}

/* Skips written and empty parts. */
static void output_skip_written(struct iovec **parts, int *count, size_t gone)
{
	while (*count && gone >= (*parts)->iov_len) {
		gone -= (*parts)->iov_len;
		(*parts)++;
		(*count)--;
	}
	if (*count) {
		(*parts)->iov_base = (uint8_t *)(*parts)->iov_base + gone;
		(*parts)->iov_len -= gone;
	}
}

void output_spool(struct output *o)
{
	struct stat st;
	int fd;

	if (fstat(o->fd, &st) != 0 || (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode)))
		return;
	fd = temporary_open_unnamed();
	if (fd < 0)
		return;
	o->stream = o->fd;
	o->fd = fd;
	o->spools = true;
}

static int output_copy_spooled(
	struct output *o, int from, uint64_t bytes, uint8_t *buffer, struct session_error *error)
{
	int rc = 0;

	while (rc == 0 && o->written < bytes) {
		uint64_t left = bytes - o->written;
		ssize_t n = pread(from, buffer, left < SPOOL_BYTES ? (size_t)left : SPOOL_BYTES,
			(off_t)o->written);

		if (n > 0)
			rc = output_write(o, buffer, (size_t)n, error);
		else if (n == 0 || errno != EINTR)
			rc = output_fail(OUTPUT_UNNAMED, "read", n ? errno : EIO, error);
	}
	return rc;
}

int output_unspool(struct output *o, struct session_error *error)
{
	uint64_t bytes = o->written;
	int from = o->fd, rc;
	uint8_t *buffer;

	if (!o->spools)
		return 0;
	o->fd = o->stream;
	o->spools = false;
	o->written = 0;
	buffer = malloc(SPOOL_BYTES);
	rc = buffer ? output_copy_spooled(o, from, bytes, buffer, error)
		    : output_fail(o->path, "write", ENOMEM, error);
	free(buffer);
	close(from);
	return rc;
}

int output_writev(struct output *o, struct iovec *parts, int count, struct session_error *error)
{
	output_skip_written(&parts, &count, 0);
	while (count) {
		ssize_t n = writev(o->fd, parts, count);

		/* No space for the rest: it is written directly, however slowly. */
		if (o->spools && (n == 0 || (n < 0 && errno != EINTR))) {
			int rc = output_unspool(o, error);

			if (rc)
				return rc;
			continue;
		}
		if (n == 0 || (n < 0 && errno != EINTR)) {
			o->why = n ? errno : EIO;
			return output_fail(o->path, "write", o->why, error);
		}
		if (n > 0) {
			o->written += (uint64_t)n;
			output_skip_written(&parts, &count, (size_t)n);
		}
		/* A signal shows as EINTR, or as a short write if some bytes were written. */
		if (count && o->go_on && !o->go_on(o->go_on_arg))
			return session_fail(error, PU_FAILURE, "%s: interrupted", o->path);
	}
	return 0;
}

int output_write(struct output *o, const void *bytes, size_t size, struct session_error *error)
{
	struct iovec all = {.iov_base = (void *)bytes, .iov_len = size};

	return output_writev(o, &all, 1, error);
}

/* Makes the new name durable by syncing its directory; ignores file systems that cannot. */
static void sync_directory(const char *path)
{
	char dir[PATH_MAX];
	const char *slash = strrchr(path, '/');

	if (slash)
		snprintf(dir, sizeof dir, "%.*s", (int)(slash - path) + 1, path);
	else
		strcpy(dir, ".");
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
}

/* 0, or an errno. Closes the descriptor in either case. */
static int finish_file(struct output *o)
{
	int fd = o->fd;

	o->fd = -1;
	if (o->temporary)
		return temporary_finish(fd, o->temp, o->path);
	return close(fd) != 0 && errno != EINTR ? errno : 0;
}

int output_finish(struct output *o, struct session_error *error)
{
	int rc = 0;

	if (o->temporary && fsync(o->fd) && errno != EINVAL && errno != EROFS)
		rc = output_fail(o->path, "write", errno, error);
	if (rc == 0) {
		/* Network file systems and quotas report their errors here. */
		int code = finish_file(o);

		if (code)
			rc = output_fail(o->path, "write", code, error);
	}
	if (rc) {
		output_abandon(o);
		return rc;
	}
	if (o->temporary)
		sync_directory(o->path);
	o->temporary = false;
	return 0;
}

int output_appear(struct output *o, struct session_error *error)
{
	if (o->temporary && rename(o->temp, o->path))
		return output_fail(o->path, "create the file", errno, error);
	o->temporary = false;
	return 0;
}

void output_abandon(struct output *o)
{
	if (o->spools)
		close(o->stream);
	o->spools = false;
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
	if (o->temporary)
		unlink(o->temp);
	o->temporary = false;
}
