/* Finds the session that a process uses. */
#include "paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../include/perfutil.h"

void session_name(char *name, const char *format, uint32_t first, uint32_t second)
{
	uint32_t number = first;

	for (; *format; format++) {
		char digits[10];
		int n = 0;

		if (*format != '%') {
			*name++ = *format;
			continue;
		}
		format++; /* the u */
		do {
			digits[n++] = (char)('0' + number % 10);
			number /= 10;
		} while (number);
		while (n)
			*name++ = digits[--n];
		number = second;
	}
	*name = 0;
}

void session_say(struct session_error *error, const char *format, ...)
{
	va_list args;

	if (!error)
		return;
	va_start(args, format);
	vsnprintf(error->text, sizeof error->text, format, args);
	va_end(args);
}

static void location_init_for_owner(struct session_location *location, uid_t owner, const char *why)
{
	session_name(location->dir, SHM_DIR_FORMAT, owner, 0);
	location->owner = owner;
	location->why = why;
}

/* 1: SWTRACE_SESSION names a location; 0: it does not; or a PU_ code. */
static int location_of_environment(struct session_location *location, struct session_error *error)
{
	const char *dir = secure_getenv("SWTRACE_SESSION");

	if (!dir || !*dir)
		return 0;
	if (dir[0] != '/' || strlen(dir) >= sizeof location->dir - 64) {
		session_say(error,
			"SWTRACE_SESSION is \"%.200s\": it must be the absolute path of a session's directory, of less than %d bytes",
			dir, SESSION_DIR_BYTES - 64);
		return PU_ERROR_INVALID_PARAMETER;
	}
	strcpy(location->dir, dir);
	location->owner = (uid_t)-1;
	location->why = "SWTRACE_SESSION";
	return 1;
}

int session_find_own(struct session_location *location, struct session_error *error)
{
	int rc = location_of_environment(location, error);

	if (rc == 0)
		location_init_for_owner(location, geteuid(), "your own session");
	return rc < 0 ? rc : 0;
}

int session_find(struct session_location *location, struct session_error *error)
{
	int rc = location_of_environment(location, error);

	if (rc)
		return rc < 0 ? rc : 0;
	location_init_for_owner(location, 0, "root's session");
	if (geteuid() == 0)
		return 0;
	rc = session_check(location, error);
	/* Without a descriptor nothing is known of the session: keep it, do not fall back to
	 * another. */
	if (rc == 0 || session_is_shortage(rc))
		return rc;
	location_init_for_owner(location, geteuid(), "your own session");
	return 0;
}

bool session_is_shortage(int rc)
{
	return rc == PU_ERROR_INSUFFICIENT_RESOURCES || rc == PU_ERROR_NOT_ENOUGH_MEMORY ||
	       rc == PU_ERROR_CANNOT_MAP_BUFFER;
}

static int open_error(const char *what, const char *name, struct session_error *error)
{
	switch (errno) {
	case ENOENT:
		session_say(error, "%s %s does not exist", what, name);
		return PU_ERROR_DRIVER_NOT_LOADED;
	case EACCES:
	case EPERM:
		session_say(error, "%s %s: permission denied (see -g of swtrace init)", what, name);
		return PU_ERROR_ACCESS_DENIED;
	case ELOOP:
	case ENOTDIR:
		session_say(error, "%s %s is a link or not a %s: not used", what, name, what);
		return PU_ERROR_ACCESS_DENIED;
	case EMFILE:
	case ENFILE:
		session_say(error, "%s %s: too many open files", what, name);
		return PU_ERROR_INSUFFICIENT_RESOURCES;
	case ENOMEM:
		session_say(error, "%s %s: out of memory", what, name);
		return PU_ERROR_NOT_ENOUGH_MEMORY;
	default:
		if (error)
			session_say(error, "%s %s: %s", what, name, strerror(errno));
		return PU_ERR_FILE_ERROR;
	}
}

int session_open_path(const char *path, uid_t *owner, struct session_error *error)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return open_error("directory", path, error);
	if (fstat(fd, &st) != 0) {
		int rc = open_error("directory", path, error);

		close(fd);
		return rc;
	}
	if (*owner == (uid_t)-1)
		*owner = st.st_uid;
	if (st.st_uid != *owner) {
		session_say(error,
			"directory %s belongs to user %u, not to user %u: that user squats on the name; remove it or set SWTRACE_SESSION",
			path, (unsigned)st.st_uid, (unsigned)*owner);
		close(fd);
		return PU_ERROR_ACCESS_DENIED;
	}
	if (st.st_mode & (S_IWGRP | S_IWOTH)) {
		session_say(error,
			"directory %s can be written by others (mode %04o): not used; chmod go-w it",
			path, (unsigned)(st.st_mode & 07777));
		close(fd);
		return PU_ERROR_ACCESS_DENIED;
	}
	return fd;
}

int session_open_dir(struct session_location *location, struct session_error *error)
{
	return session_open_path(location->dir, &location->owner, error);
}

int session_open_file(int dir, const char *name, int flags, uid_t owner, mode_t may_write,
	uint64_t size, struct session_error *error)
{
	/* O_NONBLOCK: opening a FIFO in its place must not block. */
	int fd = openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	mode_t forbidden = (S_IWGRP | S_IWOTH) & ~may_write;
	struct stat st;

	if (fd < 0)
		return open_error("session file", name, error);
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != owner ||
		(st.st_mode & forbidden)) {
		session_say(
			error, "session file %s has the wrong owner, type or mode: not used", name);
		close(fd);
		return PU_ERROR_ACCESS_DENIED;
	}
	if ((uint64_t)st.st_size < size) {
		session_say(error,
			"session file %s is cut off (%lld bytes): run swtrace init again", name,
			(long long)st.st_size);
		close(fd);
		return PU_ERR_FILE_ERROR;
	}
	return fd;
}

int session_check(const struct session_location *location, struct session_error *error)
{
	uid_t owner = location->owner;
	int dir = session_open_path(location->dir, &owner, error), fd;

	if (dir < 0)
		return dir;
	fd = session_open_file(dir, SHM_CONTROL_NAME, O_RDONLY, owner, 0, SHM_CONTROL_SIZE, error);
	close(dir);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* --------------------------------------------------------------- making one */

static int make_dir(struct session_location *location, struct session_error *error)
{
	if (mkdir(location->dir, 0700) == 0) {
		/* The umask may have cleared bits that the owner needs. */
		if (chmod(location->dir, 0700) == 0)
			return 0;
	} else if (errno == EEXIST) {
		return 0; /* session_open_dir checks its owner */
	}
	return open_error("directory", location->dir, error);
}

/* Check first: the kernel would send SIGXFSZ, and tracing must not end a program. */
static bool is_beyond_limit(uint64_t size)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size;
}

int session_allocate(int fd, uint64_t offset, uint64_t bytes)
{
	if (is_beyond_limit(offset + bytes))
		return EFBIG;
	/* A signal interrupts it on file systems that allocate page by page. */
	for (;;) {
		int rc = posix_fallocate(fd, (off_t)offset, (off_t)bytes);

		if (rc != EINTR)
			return rc;
	}
}

int session_resize(int fd, uint64_t size)
{
	if (is_beyond_limit(size))
		return EFBIG;
	return ftruncate(fd, (off_t)size) == 0 ? 0 : errno;
}

static int fill_control(int fd)
{
	static const uint64_t magic = SHM_MAGIC;
	static const uint32_t version = SHM_VERSION, no_group = UINT32_MAX;
	static const uint8_t majors[SHM_MAJORS] = {[0 ... SHM_MAJORS - 1] = 1};
	uint32_t owner = geteuid();
	int rc = session_allocate(fd, 0, SHM_CONTROL_SIZE);

	if (rc) {
		errno = rc;
		return -1;
	}
	if (pwrite(fd, majors, sizeof majors, offsetof(struct shm_control, majors)) < 0 ||
		pwrite(fd, &version, 4, offsetof(struct shm_control, version)) < 0 ||
		pwrite(fd, &owner, 4, offsetof(struct shm_control, owner)) < 0 ||
		pwrite(fd, &no_group, 4, offsetof(struct shm_control, group)) < 0 ||
		pwrite(fd, &magic, 8, offsetof(struct shm_control, magic)) < 0)
		return -1;
	return fchmod(fd, 0600);
}

static int make_control(int dir, struct session_error *error)
{
	char name[64];
	int fd, rc = 0;

	session_name(name, "new.%u.%u", (uint32_t)getpid(), (uint32_t)((uintptr_t)&fd >> 4));
	unlinkat(dir, name, 0);
	fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return open_error("session file", name, error);
	if (fill_control(fd) != 0) {
		rc = errno == ENOSPC || errno == EFBIG ? PU_ERROR_INSUFFICIENT_RESOURCES
						       : PU_ERR_FILE_ERROR;
		if (error)
			session_say(
				error, "no room for a session's control file: %s", strerror(errno));
	} else if (linkat(dir, name, dir, SHM_CONTROL_NAME, 0) != 0 && errno != EEXIST) {
		rc = open_error("session file", SHM_CONTROL_NAME, error);
	}
	unlinkat(dir, name, 0);
	close(fd);
	return rc;
}

static bool location_is_session_file(const char *name)
{
	static const char *const names[] = {
		".", "..", SHM_CONTROL_NAME, SHM_LOCK_NAME, SHM_DRAIN_NAME, SHM_KERNEL_NAME};
	static const char *const prefixes[] = {
		"new.", "rings.", "tasks.", "schemas.", "labels.", "cgroups.", "locks."};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	}
	return false;
}

/*
 * A directory with other files is no session's, even if the user named it: turning it into one
 * would close it to others. Files left there by two concurrent makers begin with "new.".
 * getdents64, not opendir: a program's first hook comes here, and may not allocate.
 */
static int check_empty(
	const struct session_location *location, int dir, struct session_error *error)
{
	_Alignas(struct dirent64) char buf[320]; /* the longest entry has 280 bytes */
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
	ssize_t got;

	if (fd < 0)
		return open_error("directory", location->dir, error);
	while (rc == 0 && (got = getdents64(fd, buf, sizeof buf)) > 0) {
		for (ssize_t at = 0; at < got;) {
			const struct dirent64 *e = (const struct dirent64 *)(buf + at);

			at += e->d_reclen;
			if (location_is_session_file(e->d_name))
				continue;
			session_say(error,
				"directory %s has other files in it (%s): name one that is empty, or that does not exist yet",
				location->dir, e->d_name);
			rc = PU_ERROR_ACCESS_DENIED;
		}
	}
	close(fd);
	return rc;
}

int session_make(struct session_location *location, struct session_error *error)
{
	int rc = make_dir(location, error), dir;

	if (rc)
		return rc;
	dir = session_open_dir(location, error);
	if (dir < 0)
		return dir;
	if (location->owner != geteuid()) {
		rc = 0; /* another user's: it has a control file, or is no session */
	} else if (faccessat(dir, SHM_CONTROL_NAME, F_OK, AT_SYMLINK_NOFOLLOW) != 0) {
		rc = check_empty(location, dir, error);
		if (!rc)
			rc = make_control(dir, error);
	}
	close(dir);
	return rc;
}
