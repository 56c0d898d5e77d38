#include "directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../formats/base/number.h"
#include "../guid.h"

int directory_of_environment(struct session_location *location)
{
	const char *dir = secure_getenv("SWTRACE_COUNTERSETS");

	if (!dir || !*dir)
		return 0;
	if (dir[0] != '/' || strlen(dir) >= sizeof location->dir - DIRECTORY_NAME_BYTES)
		return -1;
	strcpy(location->dir, dir);
	location->owner = (uid_t)-1;
	location->why = "SWTRACE_COUNTERSETS";
	return 1;
}

void directory_of_user(struct session_location *location, uid_t owner)
{
	snprintf(location->dir, sizeof location->dir, PROV_DIR_FORMAT, (unsigned)owner);
	location->owner = owner;
	location->why = "a user's providers";
}

void directory_file_name(
	char name[DIRECTORY_NAME_BYTES], const GUID *provider, pid_t pid, int again)
{
	char id[GUID_TEXT];

	guid_format(provider, id);
	if (again)
		snprintf(name, DIRECTORY_NAME_BYTES, "%s.%u.%d", id, (unsigned)pid, again);
	else
		snprintf(name, DIRECTORY_NAME_BYTES, "%s.%u", id, (unsigned)pid);
}

static bool directory_is_file_name(const char *name)
{
	size_t length = strlen(name);
	char id[GUID_TEXT];
	GUID guid;

	if (length <= GUID_TEXT || length >= DIRECTORY_NAME_BYTES || name[GUID_TEXT - 1] != '.')
		return false;
	memcpy(id, name, GUID_TEXT - 1);
	id[GUID_TEXT - 1] = 0;
	for (name += GUID_TEXT; number_digit(*name, 10) >= 0 || *name == '.'; name++)
		;
	return guid_parse(id, &guid) && !*name;
}

void directory_each_file(int dir, bool (*call)(void *ctx, int dir, const char *name), void *ctx)
{
	int again = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = again < 0 ? NULL : fdopendir(again);
	struct dirent *e;

	if (!d) {
		if (again >= 0)
			close(again);
		return;
	}
	for (int i = 0; i < DIRECTORY_NAMES && (e = readdir(d)) != NULL; i++)
		if (directory_is_file_name(e->d_name) && !call(ctx, dir, e->d_name))
			break;
	closedir(d);
}

bool directory_is_alive(int fd)
{
	struct flock fl = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};

	return fcntl(fd, F_OFD_GETLK, &fl) == 0 && fl.l_type == F_WRLCK;
}

bool directory_lock_file(int fd)
{
	struct flock fl = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};

	return fcntl(fd, F_OFD_SETLK, &fl) == 0;
}

bool directory_is_named(int dir, const char *name, int fd)
{
	struct stat named, open;

	return fstatat(dir, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &open) == 0 &&
	       named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}
