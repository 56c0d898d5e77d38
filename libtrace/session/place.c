/*
 * Which session a process belongs to.
 */
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

void session_say(struct session_error *error, const char *format, ...)
{
	va_list args;

	if (!error)
		return;
	va_start(args, format);
	vsnprintf(error->text, sizeof error->text, format, args);
	va_end(args);
}

static void place_of(struct session_place *place, uid_t owner, const char *why)
{
	snprintf(place->dir, sizeof place->dir, SHM_DIR_FORMAT, (unsigned)owner);
	place->owner = owner;
	place->why = why;
}

/* 1: SWTRACE_SESSION names a place; 0: it does not; or a PU_ code. */
static int place_of_environment(struct session_place *place, struct session_error *error)
{
	const char *dir = secure_getenv("SWTRACE_SESSION");

	if (!dir || !*dir)
		return 0;
	if (dir[0] != '/' || strlen(dir) >= sizeof place->dir - 64) {
		session_say(error,
			"SWTRACE_SESSION is \"%.200s\": it must be the absolute path of a "
			"session's directory",
			dir);
		return PU_ERROR_INVALID_PARAMETER;
	}
	strcpy(place->dir, dir);
	place->owner = (uid_t)-1;
	place->why = "SWTRACE_SESSION";
	return 1;
}

int session_find_own(struct session_place *place, struct session_error *error)
{
	int rc = place_of_environment(place, error);

	if (rc == 0)
		place_of(place, geteuid(), "your own session");
	return rc < 0 ? rc : 0;
}

int session_find(struct session_place *place, struct session_error *error)
{
	int rc = place_of_environment(place, error);

	if (rc)
		return rc < 0 ? rc : 0;
	place_of(place, 0, "root's session");
	if (geteuid() == 0 || session_check(place, NULL) == 0)
		return 0;
	place_of(place, geteuid(), "your own session");
	return 0;
}

static int open_error(const char *what, const char *name, struct session_error *error)
{
	switch (errno) {
	case ENOENT:
		session_say(error, "%s %s does not exist", what, name);
		return PU_ERROR_DRIVER_NOT_LOADED;
	case EACCES:
	case EPERM:
		session_say(error, "%s %s: you may not use it", what, name);
		return PU_ERROR_ACCESS_DENIED;
	case ELOOP:
	case ENOTDIR:
		session_say(error, "%s %s is a link or no %s: not used", what, name, what);
		return PU_ERROR_ACCESS_DENIED;
	case EMFILE:
	case ENFILE:
		session_say(error, "%s %s: too many open files", what, name);
		return PU_ERROR_INSUFFICIENT_RESOURCES;
	default:
		session_say(error, "%s %s: %s", what, name, strerror(errno));
		return PU_ERR_FILE_ERROR;
	}
}

int session_open_dir(struct session_place *place, struct session_error *error)
{
	int fd = open(place->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return open_error("directory", place->dir, error);
	if (fstat(fd, &st) != 0) {
		int rc = open_error("directory", place->dir, error);
		close(fd);
		return rc;
	}
	if (place->owner == (uid_t)-1)
		place->owner = st.st_uid;
	if (st.st_uid != place->owner) {
		session_say(error,
			"directory %s belongs to user %u, not to user %u: somebody squats on the "
			"name; remove it or set SWTRACE_SESSION",
			place->dir, (unsigned)st.st_uid, (unsigned)place->owner);
		close(fd);
		return PU_ERROR_ACCESS_DENIED;
	}
	if (st.st_mode & (S_IWGRP | S_IWOTH)) {
		session_say(error,
			"directory %s can be written by others (mode %04o): not used; chmod go-w "
			"it",
			place->dir, (unsigned)(st.st_mode & 07777));
		close(fd);
		return PU_ERROR_ACCESS_DENIED;
	}
	return fd;
}

int session_open_file(int dir, const char *name, int flags, uid_t owner, mode_t may_write,
	uint64_t size, struct session_error *error)
{
	/* Nonblocking: a FIFO in its place must not stop us before fstat tells. */
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
		session_say(error, "session file %s is cut off (%lld bytes): swtrace init anew",
			name, (long long)st.st_size);
		close(fd);
		return PU_ERR_FILE_ERROR;
	}
	return fd;
}

int session_check(const struct session_place *place, struct session_error *error)
{
	struct session_place p = *place;
	int dir = session_open_dir(&p, error), fd;

	if (dir < 0)
		return dir;
	fd = session_open_file(
		dir, SHM_CONTROL_NAME, O_RDONLY, p.owner, 0, SHM_CONTROL_SIZE, error);
	close(dir);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* --------------------------------------------------------------- making one */

static int make_dir(struct session_place *place, struct session_error *error)
{
	if (mkdir(place->dir, 0700) == 0) {
		/* The umask may have taken what the owner needs. */
		if (chmod(place->dir, 0700) == 0)
			return 0;
	} else if (errno == EEXIST) {
		return 0; /* whoever's it is: session_open_dir looks */
	}
	return open_error("directory", place->dir, error);
}

int session_allocate(int fd, uint64_t size)
{
	struct rlimit limit;

	/* The kernel would send SIGXFSZ, and tracing is no reason for a program to end. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size)
		return EFBIG;
	/* A signal ends it half-way, where the space is taken page by page. */
	for (;;) {
		int rc = posix_fallocate(fd, 0, (off_t)size);
		if (rc != EINTR)
			return rc;
	}
}

static int fill_control(int fd)
{
	static const uint64_t magic = SHM_MAGIC;
	static const uint32_t version = SHM_VERSION, nobody = UINT32_MAX;
	uint32_t owner = geteuid();
	uint8_t majors[SHM_MAJORS];
	int rc = session_allocate(fd, SHM_CONTROL_SIZE);

	if (rc) {
		errno = rc;
		return -1;
	}
	memset(majors, 1, sizeof majors);
	if (pwrite(fd, majors, sizeof majors, offsetof(struct shm_control, majors)) < 0 ||
		pwrite(fd, &version, 4, offsetof(struct shm_control, version)) < 0 ||
		pwrite(fd, &owner, 4, offsetof(struct shm_control, owner)) < 0 ||
		pwrite(fd, &nobody, 4, offsetof(struct shm_control, group)) < 0 ||
		pwrite(fd, &magic, 8, offsetof(struct shm_control, magic)) < 0)
		return -1;
	return fchmod(fd, 0600);
}

static int make_control(int dir, struct session_error *error)
{
	char name[64];
	int fd, rc = 0;

	snprintf(name, sizeof name, "new.%ld.%llx", (long)getpid(),
		(unsigned long long)(uintptr_t)&fd);
	unlinkat(dir, name, 0);
	fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return open_error("session file", name, error);
	if (fill_control(fd) != 0) {
		session_say(error, "no room for a session's control file: %s", strerror(errno));
		rc = errno == ENOSPC || errno == EFBIG ? PU_ERROR_INSUFFICIENT_RESOURCES
						       : PU_ERR_FILE_ERROR;
	} else if (linkat(dir, name, dir, SHM_CONTROL_NAME, 0) != 0 && errno != EEXIST) {
		rc = open_error("session file", SHM_CONTROL_NAME, error);
	}
	unlinkat(dir, name, 0);
	close(fd);
	return rc;
}

/*
 * A directory with other things in it is no session's, whoever named it: making it one would
 * close it to others. What two makers at once leave there begins with "new.".
 */
static int check_empty(const struct session_place *place, int dir, struct session_error *error)
{
	static const char *const ours[] = {"new.", "rings.", "tasks.", "schemas.", "locks."};
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *e;

	if (!d) {
		if (copy >= 0)
			close(copy);
		return open_error("directory", place->dir, error);
	}
	while (rc == 0 && (e = readdir(d)) != NULL) {
		bool known = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
			     strcmp(e->d_name, SHM_CONTROL_NAME) == 0 ||
			     strcmp(e->d_name, SHM_LOCK_NAME) == 0 ||
			     strcmp(e->d_name, SHM_DRAIN_NAME) == 0;

		for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
			known = known || strncmp(e->d_name, ours[i], strlen(ours[i])) == 0;
		if (!known) {
			session_say(error,
				"directory %s has other files in it (%s): name one that is empty, "
				"or that does not exist yet",
				place->dir, e->d_name);
			rc = PU_ERROR_ACCESS_DENIED;
		}
	}
	closedir(d);
	return rc;
}

int session_make(struct session_place *place, struct session_error *error)
{
	int rc = make_dir(place, error), dir;

	if (rc)
		return rc;
	dir = session_open_dir(place, error);
	if (dir < 0)
		return dir;
	if (place->owner != geteuid()) {
		rc = 0; /* another's: it has a control file or is none */
	} else if (faccessat(dir, SHM_CONTROL_NAME, F_OK, AT_SYMLINK_NOFOLLOW) != 0) {
		rc = check_empty(place, dir, error);
		if (!rc)
			rc = make_control(dir, error);
	}
	close(dir);
	return rc;
}
