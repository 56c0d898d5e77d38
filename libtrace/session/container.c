#include "container.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../core/file.h"
#include "../ring/reader.h"
#include "paths.h"
#include "texts.h"

/* The longest wait for other processes that append. After it, the process's tasks get no name. */
enum { CONTAINER_WAIT_MS = 10 };

/* Writes a number's digits and a terminator; returns where that is. */
static char *container_put_number(char *p, uint32_t number)
{
	session_name(p, "%u", number, 0);
	return p + strlen(p);
}

uint64_t container_proc_device(void)
{
	struct stat st;

	return stat("/proc", &st) == 0 ? st.st_dev : 0;
}

/*
 * Whether this thread's ids are those of the owner's namespace: in the owner's /proc the thread has
 * the same ids as for itself. In a namespace below that can be so by chance, but then no other task
 * there has them. Two lookups in the root of /proc, which make no entries for the process.
 */
static bool container_is_home(const struct shm_control *owner)
{
	int saved_errno = errno;
	char own[32], seen[32], *p = container_put_number(own, (uint32_t)getpid());
	ssize_t length = 0;

	memcpy(p, "/task/", 6);
	p = container_put_number(p + 6, (uint32_t)syscall(SYS_gettid));
	if (owner->proc_device && owner->proc_device == container_proc_device())
		length = readlink("/proc/thread-self", seen, sizeof seen);
	errno = saved_errno;
	return length == p - own && memcmp(own, seen, (size_t)length) == 0;
}

uint32_t container_of_thread(const struct shm_control *owner)
{
	return owner->pid_namespace && container_is_home(owner) ? owner->pid_namespace
								: container_pid_namespace();
}

static uint64_t container_inode(const char *path)
{
	int saved_errno = errno;
	struct stat st;
	uint64_t inode = stat(path, &st) == 0 ? st.st_ino : 0;

	errno = saved_errno;
	return inode;
}

uint32_t container_pid_namespace(void)
{
	return (uint32_t)container_inode("/proc/self/ns/pid");
}

uint64_t container_cgroup_namespace(void)
{
	return container_inode("/proc/self/ns/cgroup");
}

/* ----------------------------------------------------------------------- names */

/* The last path of /proc/self/cgroup that is not the root: that of version 2, or of the hierarchy
 * that was mounted first. Cuts the front of a long path, as its end distinguishes containers. */
static uint32_t path_of_lines(char *lines, uint32_t bytes, const char **path)
{
	uint32_t length = 0;

	for (char *line = lines, *end; line < lines + bytes; line = end + 1) {
		char *from = memchr(line, ':', (size_t)(lines + bytes - line));

		end = memchr(line, '\n', (size_t)(lines + bytes - line));
		if (!end)
			break;
		from = from && from < end ? memchr(from + 1, ':', (size_t)(end - from - 1)) : NULL;
		if (!from || end - from <= 2)
			continue;
		*path = from + 1;
		length = (uint32_t)(end - from - 1);
	}
	if (length > SHM_CGROUP_TEXT_MAX) {
		*path += length - SHM_CGROUP_TEXT_MAX;
		length = SHM_CGROUP_TEXT_MAX;
	}
	return length;
}

/* Points *name to static memory. */
static uint32_t container_read_path(const char **name)
{
	static char lines[4096];
	ssize_t got = file_read_once("/proc/self/cgroup", lines, sizeof lines);
	uint32_t length = got > 0 ? path_of_lines(lines, (uint32_t)got, name) : 0;

	if (length || got <= 0)
		return length;
	*name = "/";
	return 1;
}

/* The same. */
static uint32_t container_read_host(const char **name)
{
	static struct utsname host;

	if (syscall(SYS_uname, &host) != 0)
		return 0;
	*name = host.nodename;
	return (uint32_t)strnlen(host.nodename, sizeof host.nodename);
}

/* Whether the path is that of a cgroup namespace's root, and not of the owner's root. */
static bool container_is_hidden(
	const struct shm_control *owner, bool is_home, const char *path, uint32_t length)
{
	return length == 1 && *path == '/' &&
	       (!is_home || owner->cgroup_namespace != container_cgroup_namespace());
}

/* ----------------------------------------------------------------------- table */

/* The number of a name among the first `used` bytes. 0: it is not there, or they are invalid. */
static uint32_t container_find(int fd, uint32_t used, const char *name, uint32_t length)
{
	static struct shm_cgroup_file file;
	uint32_t at = 0;

	if (!ring_read_at(fd, file.area, used, offsetof(struct shm_cgroup_file, area)))
		return 0;
	while (used - at >= sizeof(struct shm_text)) {
		const struct shm_text *e = (const struct shm_text *)(const void *)(file.area + at);

		if (e->length == 0 || e->length > SHM_CGROUP_TEXT_MAX ||
			shm_text_bytes(e->length) > used - at)
			return 0;
		if (e->length == length && memcmp(e->text, name, length) == 0)
			return at / 8 + 1;
		at += shm_text_bytes(e->length);
	}
	return 0;
}

/* With the file locked. */
static uint32_t container_append(int fd, const char *name, uint32_t length)
{
	uint32_t used = texts_used(fd, SHM_CGROUP_BYTES), number;

	if (used == TEXTS_INVALID)
		return 0;
	number = container_find(fd, used, name, length);
	if (number)
		return number;
	if (shm_text_bytes(length) > SHM_CGROUP_BYTES - used ||
		!texts_append(fd, used, name, length, 0))
		return 0;
	return used / 8 + 1;
}

/* Searches without the lock first: names only come, and `used` follows the text. */
static uint32_t container_number(int fd, const char *name, uint32_t length)
{
	uint32_t used = texts_used(fd, SHM_CGROUP_BYTES), number = 0;

	if (used == TEXTS_INVALID)
		return 0;
	/* Acquire: pairs with texts_append's release. tests/litmus/schema-used.litmus */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	number = container_find(fd, used, name, length);
	if (number == 0 && texts_lock(fd, CONTAINER_WAIT_MS)) {
		number = container_append(fd, name, length);
		texts_unlock(fd);
	}
	return number;
}

uint32_t container_cgroup(int dir, const struct shm_control *owner, bool is_home,
	uint32_t generation, const struct session_location *location)
{
	int saved_errno = errno, fd;
	const char *name = NULL;
	char file[32];
	uint32_t number = 0, length = 0;

	session_name(file, SHM_CGROUPS_FORMAT, generation, 0);
	fd = session_open_file(
		dir, file, O_RDWR, location->owner, S_IWGRP, sizeof(struct shm_cgroup_file), NULL);
	if (fd >= 0) {
		length = container_read_path(&name);
		if (container_is_hidden(owner, is_home, name, length))
			length = container_read_host(&name);
		number = length ? container_number(fd, name, length) : 0;
		if (number == SHM_CGROUP_OWNER && !is_home) {
			length = container_read_host(&name);
			number = length ? container_number(fd, name, length) : 0;
		}
		close(fd);
	}
	errno = saved_errno;
	return number;
}

void container_add_owner(int fd)
{
	const char *name = NULL;
	uint32_t length = container_read_path(&name);

	if (length)
		container_append(fd, name, length);
}
