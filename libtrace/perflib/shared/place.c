#include "place.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../formats/base/number.h"
#include "../guid.h"

int place_of_environment(struct session_place *place)
{
	const char *dir = secure_getenv("SWTRACE_COUNTERSETS");

	if (!dir || !*dir)
		return 0;
	if (dir[0] != '/' || strlen(dir) >= sizeof place->dir - PLACE_NAME_BYTES)
		return -1;
	strcpy(place->dir, dir);
	place->owner = (uid_t)-1;
	place->why = "SWTRACE_COUNTERSETS";
	return 1;
}

void place_of_user(struct session_place *place, uid_t owner)
{
	snprintf(place->dir, sizeof place->dir, PROV_DIR_FORMAT, (unsigned)owner);
	place->owner = owner;
	place->why = "a user's providers";
}

void place_file_name(char name[PLACE_NAME_BYTES], const GUID *provider, pid_t pid, int again)
{
	char id[GUID_TEXT];

	guid_format(provider, id);
	if (again)
		snprintf(name, PLACE_NAME_BYTES, "%s.%u.%d", id, (unsigned)pid, again);
	else
		snprintf(name, PLACE_NAME_BYTES, "%s.%u", id, (unsigned)pid);
}

bool place_is_file_name(const char *name)
{
	size_t length = strlen(name);
	char id[GUID_TEXT];
	GUID guid;

	if (length <= GUID_TEXT || length >= PLACE_NAME_BYTES || name[GUID_TEXT - 1] != '.')
		return false;
	memcpy(id, name, GUID_TEXT - 1);
	id[GUID_TEXT - 1] = 0;
	for (name += GUID_TEXT; number_digit(*name, 10) >= 0 || *name == '.'; name++)
		;
	return guid_parse(id, &guid) && !*name;
}

void place_each_file(int dir, bool (*call)(void *ctx, int dir, const char *name), void *ctx)
{
	int again = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = again < 0 ? NULL : fdopendir(again);
	struct dirent *e;

	if (!d) {
		if (again >= 0)
			close(again);
		return;
	}
	for (int i = 0; i < PLACE_NAMES && (e = readdir(d)) != NULL; i++)
		if (place_is_file_name(e->d_name) && !call(ctx, dir, e->d_name))
			break;
	closedir(d);
}

bool place_is_alive(int fd)
{
	struct flock fl = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};

	return fcntl(fd, F_OFD_GETLK, &fl) == 0 && fl.l_type == F_WRLCK;
}

bool place_take_life(int fd)
{
	struct flock fl = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};

	return fcntl(fd, F_OFD_SETLK, &fl) == 0;
}

bool place_is_named(int dir, const char *name, int fd)
{
	struct stat named, open;

	return fstatat(dir, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &open) == 0 &&
	       named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}
