/*
 * Sessions in continuous mode.
 */
#include "continuous.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "../../include/perfutil.h"
#include "../dump/losses.h"
#include "../dump/output.h"
#include "../ring/reader.h"
#include "daemon.h"
#include "stream.h"

/* ------------------------------------------------------------------------ options */

static void take_path(struct drain_config *config, const struct arguments *a)
{
	size_t n = 0, size = sizeof config->path;

	if (!*a->value)
		cmd_misuse(a->verb, "the file's name is empty");
	/* The drain does not run where the command was given. */
	if (*a->value != '/' && strcmp(a->value, "-") != 0) {
		if (!getcwd(config->path, size - 1))
			cmd_misuse(a->verb,
				"the working directory has no name: %s; name the file "
				"by its whole path",
				strerror(errno));
		n = strlen(config->path);
		config->path[n++] = '/';
	}
	if (strlen(a->value) >= size - n)
		cmd_misuse(a->verb, "the file's name is too long");
	strcpy(config->path + n, a->value);
}

bool drain_option(struct drain_config *config, const struct arguments *a, int id)
{
	uint64_t n;

	switch (id) {
	case DRAIN_FILE:
		take_path(config, a);
		return true;
	case DRAIN_ROTATE:
		if (!parse_size(a->value, &config->rotate) || config->rotate < 1 << 20)
			cmd_misuse(a->verb,
				"--rotate takes a size of at least 1M (with K, M or G, or in "
				"bytes), "
				"not \"%s\"",
				a->value);
		return true;
	case DRAIN_KEEP:
		if (!parse_number(a->value, false, 1000000, &n) || n == 0)
			cmd_misuse(a->verb,
				"--keep takes a number of files, 1 to 1000000, not \"%s\"",
				a->value);
		config->keep = (uint32_t)n;
		return true;
	case DRAIN_COMPRESS:
		if (!cmd_codec(a->value, &config->codec))
			cmd_misuse(a->verb, "--compress takes none, lz4 or zlib, not \"%s\"",
				a->value);
		return true;
	default:
		return false;
	}
}

int drain_check(const struct verb *verb, const struct drain_config *config)
{
	if (config->keep && !config->rotate)
		cmd_misuse(verb, "--keep is for --rotate");
	if (config->rotate && strcmp(config->path, "-") == 0)
		cmd_misuse(verb, "--rotate: standard output cannot be rotated");
	int code = cmd_check_output(verb, config->path);
	if (code == EXIT_FINE && config->rotate && !output_is_file(config->path))
		return cmd_fail(
			verb, "%s: is no regular file, so it cannot be rotated", config->path);
	return code;
}

/*
 * What two million hooks of eight words a second (112 MB) need on one processor for 140 ms;
 * not more than a quarter of what there is.
 */
void continuous_defaults(struct session_config *config)
{
	struct shm_geometry g;
	struct statvfs v;

	config->mode = SHM_MODE_CONTINUOUS;
	if (config->ring_bytes || session_plan(config, &g, NULL) != 0)
		return;
	config->ring_bytes = 16 << 20;
	if (statvfs(SHM_ROOT, &v) != 0)
		return;
	uint64_t room = (uint64_t)v.f_bavail * v.f_frsize / 4 / g.cpus;
	while (config->ring_bytes > room && config->ring_bytes > 1 << 20)
		config->ring_bytes /= 2;
}

/* ------------------------------------------------------------------------ figures */

bool is_continuous(const struct session *s)
{
	return s->control->state != SHM_NO_RINGS && s->geometry.mode == SHM_MODE_CONTINUOUS;
}

bool continuous_runs(struct session *s)
{
	const struct shm_drain *d = session_drain(s);

	if (geteuid() == 0 || geteuid() == s->place.owner)
		return session_is_drained(s);
	return d->state == SHM_DRAIN_RUNNING && (kill((pid_t)d->pid, 0) == 0 || errno == EPERM);
}

bool session_holds_hooks(const struct session *s)
{
	const struct shm_control *c = s->control;
	struct ring_reader reader;
	struct ring_ledger ledger;
	bool holds = false;

	if (c->state == SHM_NO_RINGS)
		return false;
	if (is_continuous(s))
		return session_drain(s)->state == SHM_DRAIN_RUNNING;
	if (ring_reader_open(&reader, s->rings_fd, &s->geometry, c->ring) != 0)
		return false;
	for (uint32_t i = 0; i < ring_reader_rings(&reader); i++) {
		ring_reader_ledger(&reader, i, &ledger);
		holds = holds || ledger.head > c->ring[i].start;
	}
	ring_reader_close(&reader);
	return holds;
}

void continuous_status(const struct session *s, struct drain_status *status)
{
	const struct shm_drain *d = session_drain(s);
	struct ring_reader reader;
	struct ring_ledger ledger;

	*status = (struct drain_status){.bytes = d->bytes,
		.hooks = d->hooks,
		.torn = d->torn,
		.lost_unwritten = d->lost,
		.rotations = d->rotations};
	if (ring_reader_open(&reader, s->rings_fd, &s->geometry, s->control->ring) != 0)
		return;
	for (uint32_t i = 0; i < ring_reader_rings(&reader); i++) {
		ring_reader_ledger(&reader, i, &ledger);
		status->damaged += ledger.damaged;
		status->lost_full += ledger.loss[SHM_LOST_FULL];
		status->lost_other += losses_sum(ledger.loss) - ledger.loss[SHM_LOST_FULL];
	}
	ring_reader_close(&reader);
}

void continuous_report(const struct verb *verb, const char *path, const struct drain_status *d)
{
	uint64_t lost = d->lost_full + d->lost_other + d->lost_unwritten;
	char causes[128] = "";

	if (lost)
		snprintf(causes, sizeof causes, " (full %llu, unwritten %llu, other %llu)",
			(unsigned long long)d->lost_full, (unsigned long long)d->lost_unwritten,
			(unsigned long long)d->lost_other);
	cmd_note(verb, "%s: %llu hook%s, %llu bytes; lost %llu%s, torn %llu, rotations %llu",
		strcmp(path, "-") == 0 ? "standard output" : path, (unsigned long long)d->hooks,
		d->hooks == 1 ? "" : "s", (unsigned long long)d->bytes, (unsigned long long)lost,
		causes, (unsigned long long)d->torn, (unsigned long long)d->rotations);
	if (d->damaged)
		cmd_note(verb,
			"%u rings were cut off or written over by a program: the file holds "
			"what could be read of them",
			d->damaged);
}

/* ----------------------------------------------------------------------------- on */

static int load(const struct verb *verb, struct session *s, struct drain_config *config)
{
	struct session_error error = {"unknown error"};
	int rc = drain_load(s, config, &error);

	if (rc == PU_ERROR_NO_BUFFER)
		return cmd_fail(verb, "no file is named for %s; swtrace init -t cont -f FILE does",
			s->place.dir);
	if (rc)
		return cmd_fail(verb, "%s", error.text);
	return EXIT_FINE;
}

static int open_gate(const struct verb *verb, struct session *s, struct session_error *error)
{
	int rc = session_lock(s, true, error);

	if (rc == 0 && s->control->generation != s->generation)
		return cmd_fail(verb, "%s got new trace buffers just now; try again", s->place.dir);
	if (rc == 0)
		rc = session_on(s, error);
	return rc ? cmd_fail(verb, "%s", error->text) : EXIT_FINE;
}

static int start(const struct verb *verb, struct session *s, const struct drain_config *config)
{
	struct session_error error = {"unknown error"};
	bool was_on = cmd_is_on(s);
	int code = EXIT_FINE, go;

	session_unlock(s); /* the drain opens the session itself */
	if (daemon_start(s, config, &go, &error))
		return cmd_fail(verb, "%s", error.text);
	if (was_on)
		cmd_note(verb, "no drain ran any more: a new one took %s up again", config->path);
	else
		code = open_gate(verb, s, &error);
	daemon_go(go);
	return code;
}

int continuous_on(const struct verb *verb, struct session *s)
{
	struct drain_config config;
	struct session_error error = {"unknown error"};

	if (session_is_drained(s)) {
		if (!cmd_is_on(s))
			return cmd_fail(verb,
				"the drain of %s still finishes its file; swtrace off "
				"waits for it",
				s->place.dir);
		return session_on(s, &error) ? cmd_fail(verb, "%s", error.text) : EXIT_FINE;
	}
	int code = load(verb, s, &config);
	if (code)
		return code;
	if (strcmp(config.path, "-") == 0)
		return cmd_fail(verb,
			"%s was drained to the standard output of a swtrace record "
			"that is gone; swtrace free, then init",
			s->place.dir);
	return start(verb, s, &config);
}

/* ---------------------------------------------------------------------------- off */

/* So long without progress, and it is not going to be finished. */
#define PATIENCE_NS 10000000000u

bool continuous_is_open(const struct session *s)
{
	return is_continuous(s) && (cmd_is_on(s) || session_drain(s)->state == SHM_DRAIN_RUNNING);
}

static uint64_t progress(const struct session *s)
{
	const struct shm_drain *d = session_drain(s);

	return d->bytes + d->hooks + d->torn + d->lost + d->rotations;
}

/* Until there is no drain any more; false: it does nothing. */
static bool wait_for_drain(struct session *s)
{
	uint64_t seen = progress(s), since = stream_now();

	while (session_is_drained(s)) {
		if (progress(s) != seen) {
			seen = progress(s);
			since = stream_now();
		} else if (stream_now() - since > PATIENCE_NS) {
			return false;
		}
		stream_sleep(-1, 10000000);
	}
	return true;
}

/* What a killed drain left in the rings goes to its file. */
static int finish_for_it(
	const struct verb *verb, struct session *s, const struct drain_config *config)
{
	struct session_error error = {"unknown error"};
	struct drain *drain;

	if (strcmp(config->path, "-") == 0)
		return cmd_fail(verb,
			"the drain was killed that wrote to standard output; swtrace "
			"dump writes what is left in the buffers of %s",
			s->place.dir);
	stream_catch_signals();
	int rc = drain_open(&drain, s, config, &error);
	if (rc == 0) {
		rc = drain_finish(drain, &error);
		drain_close(drain);
	}
	if (rc)
		return cmd_fail(verb, "%s", error.text);
	cmd_note(verb, "no drain ran any more: its file was taken up and finished");
	return EXIT_FINE;
}

int continuous_off(const struct verb *verb, struct session *s)
{
	struct session_error error = {"unknown error"};
	const struct shm_drain *d = session_drain(s);
	struct drain_config config;
	struct drain_status status;

	if (!continuous_is_open(s) && d->state == SHM_DRAIN_FAILED)
		return cmd_fail(
			verb, "tracing was turned off when the drain failed: %.255s", d->why);
	if ((cmd_is_on(s) || !continuous_is_open(s)) && session_off(s, &error))
		return cmd_fail(verb, "%s", error.text);
	bool ran = session_is_drained(s);
	int code = load(verb, s, &config);
	session_unlock(s);
	if (code)
		return code;
	if (!wait_for_drain(s))
		return cmd_fail(verb,
			"the drain (process %u) has written nothing for 10 s; it goes "
			"on, and swtrace off waits for it again",
			d->pid);
	if (!ran || d->state == SHM_DRAIN_RUNNING)
		code = finish_for_it(verb, s, &config);
	continuous_status(s, &status);
	continuous_report(verb, config.path, &status);
	return d->state == SHM_DRAIN_FAILED ? cmd_fail(verb, "%.255s", d->why) : code;
}
