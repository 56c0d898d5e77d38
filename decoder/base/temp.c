#include "temp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int temp_in(const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	/* Not every file system knows O_TMPFILE. */
	char name[4096];
	static const char tail[] = "/cpidecode.XXXXXX";
	size_t n = strlen(dir);
	if (n + sizeof tail > sizeof name) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(name, dir, n);
	memcpy(name + n, tail, sizeof tail);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

int io_temp_file(void)
{
	const char *dir = secure_getenv("TMPDIR");
	if (dir && *dir)
		return temp_in(dir);
	int fd = temp_in("/var/tmp");
	return fd >= 0 ? fd : temp_in("/tmp");
}
