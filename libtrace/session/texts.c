#include "texts.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "../../formats/base/time_ns.h"
#include "paths.h"

_Static_assert(
	offsetof(struct shm_schema_file, used) == offsetof(struct shm_label_file, used) &&
		offsetof(struct shm_schema_file, area) == offsetof(struct shm_label_file, area),
	"one head");

int texts_open(uint32_t generation, const struct session_location *location, const char *format,
	uint64_t size)
{
	uid_t owner = location->owner;
	int dir = session_open_path(location->dir, &owner, NULL), fd;
	char name[32];

	if (dir < 0)
		return dir;
	session_name(name, format, generation, 0);
	fd = session_open_file(dir, name, O_RDWR, owner, S_IWGRP, size, NULL);
	close(dir);
	return fd;
}

static bool texts_set_lock(int fd, short type)
{
	struct flock fl = {.l_type = type, .l_whence = SEEK_SET, .l_len = 1};

	return fcntl(fd, F_OFD_SETLK, &fl) == 0;
}

void texts_unlock(int fd)
{
	texts_set_lock(fd, F_UNLCK);
}

bool texts_lock(int fd, int wait_ms)
{
	const struct timespec wait = {.tv_nsec = TIME_MS_NS};

	for (int i = 0; i < wait_ms; i++) {
		if (texts_set_lock(fd, F_WRLCK))
			return true;
		nanosleep(&wait, NULL);
	}
	return false;
}

uint32_t texts_used(int fd, uint32_t area_bytes)
{
	uint32_t used;

	if (pread(fd, &used, sizeof used, offsetof(struct shm_schema_file, used)) != sizeof used ||
		used > area_bytes || used % 8)
		return TEXTS_INVALID;
	return used;
}

/* Written by system calls: a store to a page that cannot be allocated would be a SIGBUS. `used`
 * follows the text, so that a writer that dies in between has appended nothing. */
bool texts_append(int fd, uint32_t used, const char *text, uint32_t length, uint32_t hash)
{
	static const uint8_t zeros[8];
	const struct shm_text head = {.length = length, .hash = hash};
	uint32_t bytes = shm_text_bytes(length), next = used + bytes;
	struct rlimit limit;
	const struct iovec parts[] = {{(void *)(uintptr_t)&head, sizeof head},
		{(void *)(uintptr_t)text, length},
		{(void *)(uintptr_t)zeros, bytes - sizeof head - length}};

	/* A write beyond the limit would be a SIGXFSZ. */
	if (getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
		limit.rlim_cur < offsetof(struct shm_schema_file, area) + next)
		return false;
	if (pwritev(fd, parts, 3, offsetof(struct shm_schema_file, area) + used) != (ssize_t)bytes)
		return false;
	/* Release: pairs with the acquire of the next reader of `used`.
	 * tests/litmus/schema-used.litmus */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	return pwrite(fd, &next, sizeof next, offsetof(struct shm_schema_file, used)) ==
	       sizeof next;
}
