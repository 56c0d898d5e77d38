#include "ctf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../formats/base/temporary.h"
#include "escape.h"

/* The files of a folder, but not folders in it. */
static void ctf_empty(int fd)
{
	int copy = dup(fd);
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
	const struct dirent *entry;

	if (!dir && copy >= 0)
		close(copy);
	if (dir)
		rewinddir(dir);
	while (dir && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			unlinkat(fd, entry->d_name, 0);
	if (dir)
		closedir(dir);
}

/* 0, or why the name cannot be given to a folder. */
static int ctf_check_path(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	int error = 0;

	if (!dir)
		return errno == ENOENT ? 0 : errno == ENOTDIR ? EEXIST : errno;
	while (!error && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			error = ENOTEMPTY;
	closedir(dir);
	return error;
}

/* Removes a folder that a killed writer left: a living one holds a lock on it. */
static void ctf_sweep_folder(int in, const char *name)
{
	int fd = openat(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0) {
		ctf_empty(fd);
		unlinkat(in, name, AT_REMOVEDIR);
	}
	close(fd);
}

static void ctf_sweep(const char *path)
{
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
	char *parent = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	DIR *dir = parent ? opendir(parent) : NULL;
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (out_is_temporary(entry->d_name, last))
			ctf_sweep_folder(dirfd(dir), entry->d_name);
	if (dir)
		closedir(dir);
	free(parent);
}

static int ctf_make_temp(struct ctf_folder *f)
{
	ctf_sweep(f->path);
	for (unsigned attempt = 0; attempt < 100; attempt++) {
		free(f->temp);
		f->temp = out_name_temporary(f->path, attempt);
		if (!f->temp)
			return ENOMEM;
		if (mkdir(f->temp, 0777) == 0) {
			f->fd = open(f->temp, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
			if (f->fd >= 0 && temporary_claim(f->fd, f->temp))
				return 0;
			/* Otherwise another export took it for a leftover. */
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

int ctf_open(struct ctf_folder *f, const char *path)
{
	size_t n = strlen(path);

	*f = (struct ctf_folder){.fd = -1};
	while (n > 1 && path[n - 1] == '/')
		n--;
	f->path = strndup(path, n);
	if (!f->path)
		return ENOMEM;
	int error = ctf_check_path(f->path);
	return error ? error : ctf_make_temp(f);
}

static int ctf_put(struct ctf_folder *f, int flags, const struct out *bytes)
{
	int fd = openat(f->fd, f->failed, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
	const char *p = bytes->buf;
	size_t left = bytes->len;
	int error = fd < 0 ? errno : 0;

	while (!error && left) {
		ssize_t put = write(fd, p, left);

		if (put > 0) {
			p += put;
			left -= (size_t)put;
		} else if (put == 0) {
			error = EIO;
		} else if (errno != EINTR) {
			error = errno;
		}
	}
	if (fd >= 0 && close(fd) != 0 && !error && errno != EINTR)
		error = errno;
	return error;
}

int ctf_write_metadata(struct ctf_folder *f, const struct out *text)
{
	snprintf(f->failed, sizeof f->failed, "metadata");
	return ctf_put(f, O_TRUNC, text);
}

int ctf_append(struct ctf_folder *f, unsigned stream, const struct out *packet)
{
	snprintf(f->failed, sizeof f->failed, "stream_%u", stream);
	return ctf_put(f, O_APPEND, packet);
}

int ctf_place(struct ctf_folder *f)
{
	f->failed[0] = '\0';
	if (rename(f->temp, f->path) != 0)
		return errno;
	free(f->temp);
	f->temp = NULL;
	return 0;
}

void ctf_discard(struct ctf_folder *f)
{
	if (f->temp && f->fd >= 0)
		ctf_empty(f->fd);
	if (f->fd >= 0)
		close(f->fd);
	if (f->temp)
		rmdir(f->temp);
	free(f->temp);
	free(f->path);
	*f = (struct ctf_folder){.fd = -1};
}

void ctf_quote(struct out *o, const char *s, size_t n)
{
	size_t begin = o->len;

	escape_utf8(o, s, n);
	for (size_t i = begin; i < o->len; i++)
		if (o->buf[i] == '"' || o->buf[i] == '\\')
			o->buf[i] = '\'';
		else if ((unsigned char)o->buf[i] < ' ')
			o->buf[i] = ' ';
}

void ctf_identifier(struct out *o, const char *s, size_t n)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

	for (size_t i = 0; i < n; i++)
		out_char(o, s[i] && strchr(plain, s[i]) ? s[i] : '_');
}
