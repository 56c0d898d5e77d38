#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../formats/base/temporary.h"
#include "../base/whole_io.h"

/* The files of a folder, but not folders in it. */
static void folder_empty(int fd)
{
	int copy = dup(fd);
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
	const struct dirent *entry;

	if (!dir && copy >= 0)
		close(copy);
	if (dir)
		rewinddir(dir);
	while (dir && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			unlinkat(fd, entry->d_name, 0);
	if (dir)
		closedir(dir);
}

/* 0, or the errno that prevents a folder of that name. */
static int folder_check_path(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	int error = 0;

	if (!dir)
		return errno == ENOENT ? 0 : errno == ENOTDIR ? EEXIST : errno;
	while (!error && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			error = ENOTEMPTY;
	closedir(dir);
	return error;
}

/* Removes the leftover folder of a killed writer; a live one holds a lock on it. */
static void folder_sweep_one(int in, const char *name)
{
	int fd = openat(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0) {
		folder_empty(fd);
		unlinkat(in, name, AT_REMOVEDIR);
	}
	close(fd);
}

static void folder_sweep(const char *path)
{
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
	char *parent = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	DIR *dir = parent ? opendir(parent) : NULL;
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (out_is_temporary(entry->d_name, last))
			folder_sweep_one(dirfd(dir), entry->d_name);
	if (dir)
		closedir(dir);
	free(parent);
}

static int folder_make_temp(struct folder *f)
{
	folder_sweep(f->path);
	for (unsigned attempt = 0; attempt < 100; attempt++) {
		free(f->temp);
		f->temp = out_name_temporary(f->path, attempt);
		if (!f->temp)
			return ENOMEM;
		if (mkdir(f->temp, 0777) == 0) {
			f->fd = open(f->temp, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
			if (f->fd >= 0 && temporary_claim(f->fd, f->temp))
				return 0;
			/* Not our folder: another export removed it as a leftover. */
			if (f->fd < 0 && errno != ENOENT)
				return errno;
			if (f->fd >= 0)
				close(f->fd);
			f->fd = -1;
			errno = EEXIST;
		}
		if (errno != EEXIST)
			break;
	}
	int error = errno;
	free(f->temp);
	f->temp = NULL;
	return error;
}

int folder_open(struct folder *f, const char *path)
{
	size_t n = strlen(path);

	*f = (struct folder){.fd = -1};
	while (n > 1 && path[n - 1] == '/')
		n--;
	f->path = strndup(path, n);
	if (!f->path)
		return ENOMEM;
	int error = folder_check_path(f->path);
	return error ? error : folder_make_temp(f);
}

int folder_put(struct folder *f, const char *name, int flags, const struct out *bytes)
{
	snprintf(f->failed, sizeof f->failed, "%s", name);
	int fd = openat(f->fd, f->failed, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
	int error = 0;

	if (fd < 0 || whole_write(fd, bytes->buf, bytes->len, WHOLE_APPEND))
		error = errno;
	if (fd >= 0 && close(fd) != 0 && !error && errno != EINTR)
		error = errno;
	return error;
}

int folder_place(struct folder *f)
{
	f->failed[0] = '\0';
	if (rename(f->temp, f->path) != 0)
		return errno;
	free(f->temp);
	f->temp = NULL;
	return 0;
}

void folder_discard(struct folder *f)
{
	if (f->temp && f->fd >= 0)
		folder_empty(f->fd);
	if (f->fd >= 0)
		close(f->fd);
	if (f->temp)
		rmdir(f->temp);
	free(f->temp);
	free(f->path);
	*f = (struct folder){.fd = -1};
}
