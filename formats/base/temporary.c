#include "temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

bool temporary_claim(int fd, const char *path)
{
	struct stat open_file, named;

	/* Where a file system has no locks, nothing is ever swept. */
	if (flock(fd, LOCK_EX | LOCK_NB) != 0)
		return errno != EWOULDBLOCK;
	/* Other errors say nothing about the name: if it is gone, the rename at the end fails. */
	if (fstat(fd, &open_file) != 0 || lstat(path, &named) != 0)
		return errno != ENOENT;
	return open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

int temporary_finish(int fd, const char *temp, const char *path)
{
	/* Shares the lock. Without a descriptor left the claim ends early, which is better than to
	 * lose the file for certain. */
	int claim = fcntl(fd, F_DUPFD_CLOEXEC, 0), error = 0;

	/* Network file systems and quotas report their errors here. */
	if (close(fd) != 0 && errno != EINTR)
		error = errno;
	if (!error && rename(temp, path) != 0)
		error = errno;
	if (claim >= 0)
		close(claim);
	return error;
}

static void remove_if_left(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return;
	/* Unlinked under the lock: who claims it later finds that the name is gone. */
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
		flock(fd, LOCK_EX | LOCK_NB) == 0)
		unlinkat(dir, name, 0);
	close(fd);
}

void temporary_sweep(const char *path, bool (*is_temporary)(const char *name, const char *last))
{
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
	size_t length = slash ? (size_t)(slash - path) + 1 : 2;
	const struct dirent *entry;
	int error = errno;
	char name[PATH_MAX];
	DIR *dir;

	if (length >= sizeof name)
		return;
	memcpy(name, slash ? path : "./", length);
	name[length] = 0;
	dir = opendir(name);
	while (dir && (entry = readdir(dir)))
		if (is_temporary(entry->d_name, last))
			remove_if_left(dirfd(dir), entry->d_name);
	if (dir)
		closedir(dir);
	errno = error;
}

static int open_unnamed_in(const char *dir)
{
	char name[PATH_MAX];
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	/* Not every file system knows O_TMPFILE. */
	if (snprintf(name, sizeof name, "%s/swtrace.XXXXXX", dir) >= (int)sizeof name) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

int temporary_open_unnamed(void)
{
	const char *dir = secure_getenv("TMPDIR");
	int fd;

	if (dir && *dir)
		return open_unnamed_in(dir);
	fd = open_unnamed_in("/var/tmp");
	return fd >= 0 ? fd : open_unnamed_in("/tmp");
}
