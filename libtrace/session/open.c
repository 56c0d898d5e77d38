/*
 * A session opened by a command.
 */
#include "session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../include/perfutil.h"
#include "../ring/layout.h"
#include "paths.h"

static void session_clear(struct session *s)
{
	memset(s, 0, sizeof *s);
	s->dir = s->control_fd = s->lock_fd = -1;
	s->rings_fd = s->tasks_fd = s->schemas_fd = s->labels_fd = s->cgroups_fd = -1;
}

int session_lock(struct session *s, bool wait, struct session_error *error)
{
	const struct timespec pause = {.tv_nsec = 10000000};

	for (int i = 0; i < (wait ? 1000 : 1); i++) {
		if (flock(s->lock_fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (wait)
			nanosleep(&pause, NULL);
	}
	session_say(error, "%s: another swtrace command has been busy with it%s; try again",
		s->location.dir, wait ? " for 10 s" : "");
	return PU_ERROR_FACILITY_BUSY;
}

void session_unlock(struct session *s)
{
	flock(s->lock_fd, LOCK_UN);
}

const struct shm_drain *session_drain(const struct session *s)
{
	static const struct shm_drain none;
	const struct shm_drain *d = &s->control->drain;

	return __atomic_load_n(&d->generation, __ATOMIC_ACQUIRE) == s->generation ? d : &none;
}

void session_publish_drain(struct session *s, const struct shm_drain *from)
{
	struct shm_drain *to = &s->control->drain;
	const size_t rest = offsetof(struct shm_drain, pid);

	/* Stored first: after an init in between, no reader mistakes the rest for the new rings'
	 * status. */
	__atomic_store_n(&to->generation, from->generation, __ATOMIC_RELEASE);
	memcpy((uint8_t *)to + rest, (const uint8_t *)from + rest, sizeof *to - rest);
	__atomic_store_n(&to->state, from->state, __ATOMIC_RELEASE);
}

bool session_is_drained(struct session *s)
{
	int fd = openat(s->dir, SHM_DRAIN_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

	/* Another user's file: only the drain's own status is available. */
	if (fd < 0)
		return errno != ENOENT && __atomic_load_n(&session_drain(s)->state,
						  __ATOMIC_ACQUIRE) == SHM_DRAIN_RUNNING;
	bool drained = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;

	close(fd);
	return drained;
}

/* Opens or creates the lock file, owned by the session's owner even if root comes first. */
static int open_lock(struct session *s)
{
	const int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
	int fd = openat(s->dir, SHM_LOCK_NAME, flags);

	if (fd >= 0 || errno != ENOENT)
		return fd;
	fd = openat(s->dir, SHM_LOCK_NAME, flags | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return errno == EEXIST ? openat(s->dir, SHM_LOCK_NAME, flags) : -1;
	/* The umask may have cleared bits that the owner's next command needs. */
	if (fchmod(fd, 0600) != 0 ||
		(s->location.owner != geteuid() && fchown(fd, s->location.owner, (gid_t)-1) != 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* One command at a time changes a session; the kernel drops a dead command's lock. */
static int session_acquire_lock(struct session *s, struct session_error *error)
{
	struct stat st;

	s->lock_fd = open_lock(s);
	if (s->lock_fd < 0 && errno == ELOOP) {
		session_say(error, "%s/%s is a link: not used", s->location.dir, SHM_LOCK_NAME);
		return PU_ERROR_ACCESS_DENIED;
	}
	if (s->lock_fd < 0) {
		session_say(error, "%s/%s: %s", s->location.dir, SHM_LOCK_NAME, strerror(errno));
		return errno == EACCES ? PU_ERROR_ACCESS_DENIED : PU_ERR_FILE_ERROR;
	}
	if (fstat(s->lock_fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != s->location.owner ||
		(st.st_mode & (S_IWGRP | S_IWOTH))) {
		session_say(error, "%s/%s has the wrong owner, type or mode: not used",
			s->location.dir, SHM_LOCK_NAME);
		return PU_ERROR_ACCESS_DENIED;
	}
	return session_lock(s, true, error);
}

static int session_map_control(struct session *s, int flags, struct session_error *error)
{
	int control = flags & SESSION_CONTROL;
	void *p;

	s->control_fd = session_open_file(s->dir, SHM_CONTROL_NAME, control ? O_RDWR : O_RDONLY,
		s->location.owner, 0, SHM_CONTROL_SIZE, error);
	if (s->control_fd < 0)
		return s->control_fd;
	p = mmap(NULL, SHM_CONTROL_SIZE, control ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
		s->control_fd, 0);
	if (p == MAP_FAILED) {
		session_say(error, "%s/%s: %s", s->location.dir, SHM_CONTROL_NAME, strerror(errno));
		return PU_ERROR_CANNOT_MAP_BUFFER;
	}
	s->control = p;
	if (s->control->magic != SHM_MAGIC || s->control->version != SHM_VERSION) {
		session_say(error,
			"%s/%s is of another version of swtrace; remove the directory when nothing traces there",
			s->location.dir, SHM_CONTROL_NAME);
		return PU_ERR_FILE_ERROR;
	}
	return 0;
}

static int open_generation(struct session *s, const char *format, struct session_error *error)
{
	char name[32];

	snprintf(name, sizeof name, format, s->generation);
	return session_open_file(s->dir, name, s->writable ? O_RDWR : O_RDONLY, s->location.owner,
		S_IWGRP, 0, error);
}

/* Opens the rings of the current generation, if any. Also opens a file that a member truncated:
 * the reader reports the short reads. */
static int session_open_rings(struct session *s, struct session_error *error)
{
	s->generation = session_load_generation(s->control);
	s->geometry = s->control->geometry;
	if (s->control->state == SHM_NO_RINGS)
		return 0;
	if (!geometry_sane(&s->geometry)) {
		session_say(error, "%s: its control file makes no sense; swtrace free, then init",
			s->location.dir);
		return PU_ERR_FILE_ERROR;
	}
	s->rings_fd = open_generation(s, SHM_RINGS_FORMAT, error);
	s->tasks_fd = open_generation(s, SHM_TASKS_FORMAT, error);
	s->schemas_fd = open_generation(s, SHM_SCHEMAS_FORMAT, error);
	s->labels_fd = open_generation(s, SHM_LABELS_FORMAT, NULL);
	s->cgroups_fd = open_generation(s, SHM_CGROUPS_FORMAT, NULL);
	return s->rings_fd < 0	   ? s->rings_fd
	       : s->tasks_fd < 0   ? s->tasks_fd
	       : s->schemas_fd < 0 ? s->schemas_fd
				   : 0;
}

int session_open(struct session *s, const struct session_location *location, int flags,
	struct session_error *error)
{
	int rc;

	session_clear(s);
	s->location = *location;
	if (flags & SESSION_CREATE) {
		rc = session_make(&s->location, error);
		if (rc)
			return rc;
	}
	s->dir = session_open_dir(&s->location, error);
	rc = s->dir < 0 ? s->dir : 0;
	if (!rc && (flags & SESSION_CONTROL) && s->location.owner != geteuid() && geteuid() != 0) {
		session_say(error,
			"%s belongs to user %u: only its owner may control it (SWTRACE_SESSION=DIR uses a session of your own)",
			s->location.dir, (unsigned)s->location.owner);
		rc = PU_ERROR_ACCESS_DENIED;
	}
	/* Leaves no lock file in a directory that is no session's. */
	if (!rc && (flags & SESSION_CONTROL))
		rc = session_check(&s->location, error);
	if (!rc && (flags & SESSION_CONTROL)) {
		s->writable = true;
		rc = session_acquire_lock(s, error);
	}
	if (!rc)
		rc = session_map_control(s, flags, error);
	if (!rc)
		rc = session_open_rings(s, error);
	if (rc)
		session_close(s);
	return rc;
}

void session_close(struct session *s)
{
	int *fds[] = {&s->rings_fd, &s->tasks_fd, &s->schemas_fd, &s->labels_fd, &s->cgroups_fd,
		&s->control_fd, &s->lock_fd, &s->dir};

	if (s->control)
		munmap(s->control, SHM_CONTROL_SIZE);
	s->control = NULL;
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

/* Cleans up after a failed open. */
static void drop_private(const struct session_location *location)
{
	static const char *const names[] = {SHM_CONTROL_NAME, SHM_LOCK_NAME};
	int dir = open(location->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	for (size_t i = 0; dir >= 0 && i < sizeof names / sizeof *names; i++)
		unlinkat(dir, names[i], 0);
	if (dir >= 0)
		close(dir);
	rmdir(location->dir);
}

int session_create_private(struct session *s, struct session_error *error)
{
	struct session_location location = {.owner = geteuid(), .why = "a private session"};

	snprintf(location.dir, sizeof location.dir, SHM_DIR_FORMAT ".run.XXXXXX",
		(unsigned)geteuid());
	session_clear(s);
	if (!mkdtemp(location.dir)) {
		session_say(error, "no private session in " SHM_ROOT ": %s", strerror(errno));
		return errno == ENOSPC ? PU_ERROR_INSUFFICIENT_RESOURCES : PU_ERR_FILE_ERROR;
	}
	/* The umask may have cleared bits that we need. */
	int rc = chmod(location.dir, 0700) ? PU_ERR_FILE_ERROR : 0;
	if (rc)
		session_say(error, "%s: %s", location.dir, strerror(errno));
	else
		rc = session_open(s, &location, SESSION_CONTROL | SESSION_CREATE, error);
	if (rc)
		drop_private(&location);
	return rc;
}

int session_remove(struct session *s)
{
	int copy = dup(s->dir), rc = 0;
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *e;

	if (!d) {
		if (copy >= 0)
			close(copy);
		return PU_ERR_FILE_ERROR;
	}
	/* Closes the gate: programs that outlive the session would find it open for ever. */
	if (s->writable && s->control->state != SHM_NO_RINGS)
		session_free(s, NULL);
	rewinddir(d);
	/* A session has only files. A directory in it is not ours: keep it, and the session's
	 * directory. */
	while ((e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			unlinkat(s->dir, e->d_name, 0);
	}
	closedir(d);
	if (rmdir(s->location.dir) != 0)
		rc = PU_ERR_FILE_ERROR;
	return rc;
}
