#include "control.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "../../../formats/base/time_ns.h"
#include "../../../include/perfutil.h"
#include "daemon.h"
#include "../../session/fail.h"
#include "stream.h"

/* ----------------------------------------------------------------------------- init */

int drain_set_path(struct drain_config *config, const char *path, struct session_error *error)
{
	size_t n = 0, size = sizeof config->path;

	if (!*path)
		return session_fail(error, PU_ERROR_INVALID_PARAMETER, "the file's name is empty");
	if (*path != '/' && strcmp(path, "-") != 0) {
		if (!getcwd(config->path, size - 1))
			return session_fail(error, PU_ERR_FILE_ERROR,
				"the working directory has no name: %s; name the file by its whole path",
				strerror(errno));
		n = strlen(config->path);
		config->path[n++] = '/';
	}
	if (strlen(path) >= size - n)
		return session_fail(
			error, PU_ERROR_INVALID_PARAMETER, "the file's name is too long");
	strcpy(config->path + n, path);
	return 0;
}

/*
 * Holds two million hooks of eight words a second (112 MB) on one processor for 140 ms; at most
 * a quarter of the free space.
 */
void drain_size_rings(struct session_config *config)
{
	struct shm_geometry g;
	struct statvfs v;

	if (config->ring_bytes || session_plan(config, &g, NULL) != 0)
		return;
	config->ring_bytes = 16 << 20;
	if (statvfs(SHM_ROOT, &v) != 0)
		return;
	uint64_t room = (uint64_t)v.f_bavail * v.f_frsize / 4 / g.cpus;
	while (config->ring_bytes > room && config->ring_bytes > 1 << 20)
		config->ring_bytes /= 2;
}

/* ------------------------------------------------------------------------------- on */

static int drain_open_gate(struct session *s, struct session_error *error)
{
	int rc = session_lock(s, true, error);

	if (rc == 0 && s->control->generation != s->generation)
		return session_fail(error, PU_ERROR_INCORRECT_STATE,
			"%.300s got new trace buffers just now; try again", s->location.dir);
	return rc ? rc : session_on(s, error);
}

static int drain_start_daemon(struct session *s, const struct drain_config *config, bool was_on,
	struct session_error *error)
{
	int go;

	session_unlock(s); /* the drain opens the session itself */
	int rc = daemon_start(s, config, &go, error);
	if (rc)
		return rc;
	if (!was_on)
		rc = drain_open_gate(s, error);
	daemon_go(go);
	return rc;
}

int drain_on(struct session *s, bool *resumed, struct session_error *error)
{
	struct drain_config config;
	bool was_on = session_is_on(s);

	*resumed = false;
	if (session_is_drained(s) && !was_on)
		return session_fail(error, PU_ERROR_FACILITY_BUSY,
			"the drain of %.300s still finishes its file; swtrace off waits for it",
			s->location.dir);
	if (session_is_drained(s))
		return session_on(s, error);
	int rc = drain_load(s, &config, error);
	if (rc)
		return rc;
	if (strcmp(config.path, "-") == 0)
		return session_fail(error, PU_ERROR_INCORRECT_STATE,
			"%.300s was drained to the standard output of a swtrace record that is gone; swtrace free, then init",
			s->location.dir);
	rc = drain_start_daemon(s, &config, was_on, error);
	*resumed = rc == 0 && was_on;
	return rc;
}

/* ------------------------------------------------------------------------------ off */

/* A drain without progress for this long will not finish. */
#define PATIENCE_NS (10 * TIME_SECOND_NS)
#define LOOK_NS 10000000u

static uint64_t control_drain_progress(const struct session *s)
{
	const struct shm_drain *d = session_drain(s);

	return d->bytes + d->hooks + d->torn + d->lost + d->rotations;
}

/* Waits until the drain has ended; false: it makes no progress. */
static bool wait_for_drain(struct session *s)
{
	uint64_t seen = control_drain_progress(s), since = time_ns_monotonic();

	while (session_is_drained(s)) {
		if (control_drain_progress(s) != seen) {
			seen = control_drain_progress(s);
			since = time_ns_monotonic();
		} else if (time_ns_monotonic() - since > PATIENCE_NS) {
			return false;
		}
		stream_sleep(-1, LOOK_NS);
	}
	return true;
}

/* Writes what a killed drain left in the rings to its file. */
static int finish_for_it(
	struct session *s, const struct drain_config *config, struct session_error *error)
{
	struct drain *drain;

	if (strcmp(config->path, "-") == 0)
		return session_fail(error, PU_ERROR_INCORRECT_STATE,
			"the drain that wrote to standard output was killed; swtrace dump writes the rest of the buffers of %.300s",
			s->location.dir);
	int rc = drain_open(&drain, s, config, error);
	if (rc == 0) {
		rc = drain_finish(drain, error);
		drain_close(drain);
	}
	return rc;
}

int drain_end(struct session *s, const struct drain_config *config, bool *finished,
	struct session_error *error)
{
	const struct shm_drain *d = session_drain(s);
	bool ran = session_is_drained(s);
	int rc = 0;

	*finished = false;
	session_unlock(s);
	if (!wait_for_drain(s))
		return session_fail(error, PU_ERROR_FACILITY_BUSY,
			"the drain (process %u) has written nothing for 10 s; it goes on, and swtrace off waits for it again",
			d->pid);
	if (!ran || d->state == SHM_DRAIN_RUNNING) {
		rc = finish_for_it(s, config, error);
		*finished = rc == 0;
	}
	return rc;
}
