/*
 * The common part of dumps on a signal and dumps on a condition.
 */
#include "flight.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../formats/base/number.h"
#include "../../formats/base/signals.h"
#include "../../formats/base/time_ns.h"
#include "../../include/perfutil.h"
#include "../dump/dump.h"
#include "../dump/rotate.h"
#include "../dump/output.h"

uint32_t flight_keep(const struct verb *verb, const char *value)
{
	uint64_t n;

	if (!number_parse(value, 10, UINT32_MAX, &n) || n == 0)
		cmd_misuse(verb, "--keep: \"%s\": expected a whole number above 0", value);
	return (uint32_t)n;
}

static void block_enders(struct flight *f)
{
	static const int enders[] = {SIGINT, SIGTERM, SIGHUP};

	f->enders = signals_catch(enders, sizeof enders / sizeof *enders, NULL);
	sigprocmask(SIG_BLOCK, &f->enders, NULL);
}

static int no_buffers(const struct flight *f)
{
	return cmd_fail(f->verb, "%s has no trace buffers; swtrace init makes them",
		f->session.location.dir);
}

int flight_begin(struct flight *f)
{
	if (!output_is_file(f->path))
		return cmd_fail(
			f->verb, "%s: not a regular file: older dumps cannot be kept", f->path);
	if (!output_resolve(f->path, f->file))
		return cmd_fail(f->verb, "%s: %s", f->path, strerror(errno));
	int code = cmd_check_output(f->verb, f->file);
	if (code)
		return code;
	code = cmd_open(f->verb, &f->session, SESSION_READ);
	if (code)
		return code;
	if (f->session.rings_fd < 0) {
		code = no_buffers(f);
		session_close(&f->session);
		return code;
	}
	block_enders(f);
	return EXIT_FINE;
}

void flight_end(struct flight *f)
{
	session_close(&f->session);
}

int flight_wait(const struct flight *f, const sigset_t *more, uint64_t ns)
{
	const struct timespec t = time_of_ns(ns);
	sigset_t all = f->enders;

	if (more)
		sigorset(&all, &all, more);
	int signal = sigtimedwait(&all, NULL, &t);
	return signal > 0 ? signal : 0;
}

enum flight_rings flight_check_rings(const struct session *s)
{
	uint32_t now = session_load_generation(s->control);

	if (now == s->generation)
		return RINGS_SAME;
	if (now == 0 && __atomic_load_n(&s->control->state, __ATOMIC_RELAXED) != SHM_NO_RINGS)
		return RINGS_SAME; /* an init is under way */
	return now ? RINGS_NEW : RINGS_GONE;
}

enum flight_rings flight_follow(struct flight *f)
{
	struct session *s = &f->session;
	enum flight_rings now = flight_check_rings(s);

	if (now == RINGS_SAME)
		return RINGS_SAME;
	if (now == RINGS_GONE) {
		cmd_fail(f->verb, "%s: its trace buffers were freed", s->location.dir);
		return RINGS_GONE;
	}
	session_close(s);
	if (cmd_open(f->verb, s, SESSION_READ) != EXIT_FINE)
		return RINGS_GONE;
	if (s->rings_fd < 0) {
		no_buffers(f);
		return RINGS_GONE;
	}
	cmd_note(f->verb, "%s has new trace buffers: continuing with them", s->location.dir);
	return RINGS_NEW;
}

/* ------------------------------------------------------------------------- dump */

static void tell_before(
	const struct flight *f, const struct dump_reason *reason, const struct dump_result *r)
{
	if (reason && reason->start && r->before_ns < reason->before_ns)
		cmd_note(f->verb,
			"of the %.3f s before the event that --before asks for, the buffers still had %.3f s (%.0f %%): make them larger (init -s)",
			time_seconds(reason->before_ns), time_seconds(r->before_ns),
			100 * (double)r->before_ns / (double)reason->before_ns);
}

static int write_beside(struct flight *f, const char *fresh, const struct dump_reason *reason,
	struct session_error *error)
{
	struct dump_options options = {.path = fresh, .codec = f->codec, .reason = reason};
	struct dump_result result;
	int rc = cmd_write_dump(f->verb, &f->session, f->format, &options, &result, error);

	if (rc)
		return rc;
	rc = rotate_shift(f->file, fresh, f->keep, error);
	if (rc) {
		unlink(fresh);
	} else {
		cmd_report_dump(f->verb, f->path, &result);
		tell_before(f, reason, &result);
	}
	return rc;
}

/* Writes the new dump to a temporary file, then rotates the earlier ones and renames it. */
int flight_dump(struct flight *f, const struct dump_reason *reason)
{
	struct session_error error = {"the file's name is too long"};
	char fresh[PATH_MAX];
	int rc = PU_ERR_FILE_ERROR;

	cmd_reclaim();
	f->dumps++;
	if (output_temporary_name(f->file, (uint32_t)getpid(), fresh))
		rc = write_beside(f, fresh, reason, &error);
	if (rc == 0)
		return EXIT_FINE;
	f->failed++;
	size_t n = strlen(fresh);
	/* Name the requested file in the message, not the temporary one. */
	if (strncmp(error.text, fresh, n) == 0)
		return cmd_fail(f->verb, "%s%s", f->path, error.text + n);
	return cmd_fail(f->verb, "%s", error.text);
}
