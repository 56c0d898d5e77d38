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

#include "../../formats/base/number.h"
#include "../../formats/base/text.h"
#include "../../include/perfutil.h"
#include "../dump/output.h"
#include "../ring/reader.h"

/* ------------------------------------------------------------------------ options */

bool drain_option(struct drain_config *config, const struct arguments *a, int id)
{
	struct session_error error;
	uint64_t n;

	switch (id) {
	case DRAIN_FILE:
		if (drain_set_path(config, a->value, &error))
			cmd_misuse(a->verb, "%s", error.text);
		return true;
	case DRAIN_ROTATE:
		if (!parse_size(a->value, &config->rotate) || config->rotate < 1 << 20)
			cmd_misuse(a->verb,
				"--rotate: \"%s\": expected a size of at least 1M (in bytes, or with K, M or G)",
				a->value);
		return true;
	case DRAIN_KEEP:
		if (!number_parse(a->value, 10, 1000000, &n) || n == 0)
			cmd_misuse(a->verb,
				"--keep: \"%s\": expected a number of files, 1 to 1000000",
				a->value);
		config->keep = (uint32_t)n;
		return true;
	case DRAIN_THREADS:
		if (!number_parse(a->value, 10, DRAIN_THREADS_MAX, &n) || n == 0)
			cmd_misuse(a->verb, "--drain-threads: \"%s\": expected a number, 1 to %d",
				a->value, DRAIN_THREADS_MAX);
		config->threads = (uint32_t)n;
		return true;
	case DRAIN_COMPRESS:
		config->codec = cmd_codec(a);
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
		return cmd_fail(verb, "%s: not a regular file: cannot be rotated", config->path);
	return code;
}

void continuous_defaults(struct session_config *config)
{
	config->mode = SHM_MODE_CONTINUOUS;
	drain_size_rings(config);
}

/* ------------------------------------------------------------------------ figures */

bool is_continuous(const struct session *s)
{
	return session_is_continuous(s);
}

bool continuous_runs(struct session *s)
{
	const struct shm_drain *d = session_drain(s);

	if (geteuid() == 0 || geteuid() == s->location.owner)
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
		status->lost_other += shm_losses_sum(ledger.loss) - ledger.loss[SHM_LOST_FULL];
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
		text_plural(d->hooks), (unsigned long long)d->bytes, (unsigned long long)lost,
		causes, (unsigned long long)d->torn, (unsigned long long)d->rotations);
	if (d->damaged)
		cmd_note(verb,
			"a program truncated or overwrote %u rings: the file holds their readable part",
			d->damaged);
}

/* ----------------------------------------------------------------------------- on */

int continuous_on(const struct verb *verb, struct session *s)
{
	struct session_error error = {"unknown error"};
	struct drain_config config;
	bool resumed;

	if (drain_on(s, &resumed, &error))
		return cmd_fail(verb, "%s", error.text);
	if (resumed && drain_load(s, &config, NULL) == 0)
		cmd_note(verb, "the drain had ended: a new one resumed %s", config.path);
	return EXIT_FINE;
}

/* ---------------------------------------------------------------------------- off */

bool continuous_is_open(const struct session *s)
{
	return is_continuous(s) && (cmd_is_on(s) || session_drain(s)->state == SHM_DRAIN_RUNNING);
}

int continuous_off(const struct verb *verb, struct session *s)
{
	struct session_error error = {"unknown error"};
	const struct shm_drain *d = session_drain(s);
	struct drain_config config;
	struct drain_status status;
	int code = EXIT_FINE;
	bool finished;

	if (!continuous_is_open(s) && d->state == SHM_DRAIN_FAILED)
		return cmd_fail(
			verb, "tracing was turned off when the drain failed: %.255s", d->why);
	if ((cmd_is_on(s) || !continuous_is_open(s)) && session_off(s, &error))
		return cmd_fail(verb, "%s", error.text);
	if (drain_load(s, &config, &error)) {
		session_unlock(s);
		return cmd_fail(verb, "%s", error.text);
	}
	int rc = drain_end(s, &config, &finished, &error);
	if (rc)
		code = cmd_fail(verb, "%s", error.text);
	if (finished)
		cmd_note(verb, "the drain had ended: its file was recovered and finished");
	if (rc == PU_ERROR_FACILITY_BUSY)
		return code;
	continuous_status(s, &status);
	continuous_report(verb, config.path, &status);
	return d->state == SHM_DRAIN_FAILED ? cmd_fail(verb, "%.255s", d->why) : code;
}
