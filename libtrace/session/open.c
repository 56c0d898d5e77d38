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

static void empty(struct session *s)
{
	memset(s, 0, sizeof *s);
	s->dir = s->control_fd = s->lock_fd = -1;
	s->rings_fd = s->tasks_fd = s->schemas_fd = -1;
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
		s->place.dir, wait ? " for 10 s" : "");
	return PU_ERROR_FACILITY_BUSY;
}

void session_unlock(struct session *s)
{
	flock(s->lock_fd, LOCK_UN);
}

/* One command at a time changes a session; a dead one's lock is gone with it. */
static int take_lock(struct session *s, struct session_error *error)
{
	s->lock_fd = openat(s->dir, SHM_LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (s->lock_fd < 0) {
		session_say(error, "%s/%s: %s", s->place.dir, SHM_LOCK_NAME, strerror(errno));
		return errno == EACCES ? PU_ERROR_ACCESS_DENIED : PU_ERR_FILE_ERROR;
	}
	/* The umask may have taken what the owner's next command needs. */
	if (fchmod(s->lock_fd, 0600) != 0) {
		session_say(error, "%s/%s: %s", s->place.dir, SHM_LOCK_NAME, strerror(errno));
		return PU_ERROR_ACCESS_DENIED;
	}
	return session_lock(s, true, error);
}

static int map_control(struct session *s, int flags, struct session_error *error)
{
	int control = flags & SESSION_CONTROL;
	void *p;

	s->control_fd = session_open_file(s->dir, SHM_CONTROL_NAME, control ? O_RDWR : O_RDONLY,
		s->place.owner, 0, SHM_CONTROL_SIZE, error);
	if (s->control_fd < 0)
		return s->control_fd;
	p = mmap(NULL, SHM_CONTROL_SIZE, control ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
		s->control_fd, 0);
	if (p == MAP_FAILED) {
		session_say(error, "%s/%s: %s", s->place.dir, SHM_CONTROL_NAME, strerror(errno));
		return PU_ERROR_CANNOT_MAP_BUFFER;
	}
	s->control = p;
	if (s->control->magic != SHM_MAGIC || s->control->version != SHM_VERSION) {
		session_say(error,
			"%s/%s is of another version of swtrace; remove the directory when nothing "
			"traces there",
			s->place.dir, SHM_CONTROL_NAME);
		return PU_ERR_FILE_ERROR;
	}
	return 0;
}

static int open_generation(
	struct session *s, const char *format, uint64_t size, struct session_error *error)
{
	char name[32];

	snprintf(name, sizeof name, format, s->generation);
	return session_open_file(s->dir, name, s->writable ? O_RDWR : O_RDONLY, s->place.owner,
		S_IWGRP, size, error);
}

/* The rings of the present generation, if there are any. A file that a member cut off is
 * opened all the same: reading it comes up short, and that is said there. */
static int open_rings(struct session *s, struct session_error *error)
{
	s->generation = __atomic_load_n(&s->control->generation, __ATOMIC_ACQUIRE);
	s->geometry = s->control->geometry;
	if (s->control->state == SHM_NO_RINGS)
		return 0;
	if (!geometry_sane(&s->geometry)) {
		session_say(error, "%s: its control file makes no sense; swtrace free, then init",
			s->place.dir);
		return PU_ERR_FILE_ERROR;
	}
	s->rings_fd = open_generation(s, SHM_RINGS_FORMAT, 0, error);
	s->tasks_fd = open_generation(s, SHM_TASKS_FORMAT, 0, error);
	s->schemas_fd = open_generation(s, SHM_SCHEMAS_FORMAT, 0, error);
	return s->rings_fd < 0	   ? s->rings_fd
	       : s->tasks_fd < 0   ? s->tasks_fd
	       : s->schemas_fd < 0 ? s->schemas_fd
				   : 0;
}

int session_open(struct session *s, const struct session_place *place, int flags,
	struct session_error *error)
{
	int rc;

	empty(s);
	s->place = *place;
	if (flags & SESSION_CREATE) {
		rc = session_make(&s->place, error);
		if (rc)
			return rc;
	}
	s->dir = session_open_dir(&s->place, error);
	rc = s->dir < 0 ? s->dir : 0;
	if (!rc && (flags & SESSION_CONTROL) && s->place.owner != geteuid() && geteuid() != 0) {
		session_say(error,
			"%s belongs to user %u: only its owner may control it (SWTRACE_SESSION=DIR "
			"uses a session of your own)",
			s->place.dir, (unsigned)s->place.owner);
		rc = PU_ERROR_ACCESS_DENIED;
	}
	if (!rc && (flags & SESSION_CONTROL)) {
		s->writable = true;
		rc = take_lock(s, error);
	}
	if (!rc)
		rc = map_control(s, flags, error);
	if (!rc)
		rc = open_rings(s, error);
	if (rc)
		session_close(s);
	return rc;
}

void session_close(struct session *s)
{
	int *fds[] = {
		&s->rings_fd, &s->tasks_fd, &s->schemas_fd, &s->control_fd, &s->lock_fd, &s->dir};

	if (s->control)
		munmap(s->control, SHM_CONTROL_SIZE);
	s->control = NULL;
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

int session_create_private(struct session *s, struct session_error *error)
{
	struct session_place place = {.owner = geteuid(), .why = "a private session"};

	snprintf(place.dir, sizeof place.dir, SHM_DIR_FORMAT ".run.XXXXXX", (unsigned)geteuid());
	if (!mkdtemp(place.dir)) {
		session_say(error, "no private session in " SHM_ROOT ": %s", strerror(errno));
		empty(s);
		return errno == ENOSPC ? PU_ERROR_INSUFFICIENT_RESOURCES : PU_ERR_FILE_ERROR;
	}
	return session_open(s, &place, SESSION_CONTROL | SESSION_CREATE, error);
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
	/* Programs that outlive it would find the gate open for ever. */
	if (s->writable && s->control->state != SHM_NO_RINGS)
		session_free(s, NULL);
	rewinddir(d);
	/* Only files can be here; a directory that somebody put here stays, and so does ours. */
	while ((e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			unlinkat(s->dir, e->d_name, 0);
	}
	closedir(d);
	if (rmdir(s->place.dir) != 0)
		rc = PU_ERR_FILE_ERROR;
	return rc;
}
