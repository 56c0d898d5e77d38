/*
 * record: continuous mode in the foreground. With a command, records a private session; without,
 * the user's session.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../formats/base/time_ns.h"
#include "../../include/perfutil.h"
#include "continuous.h"
#include "doctor/keep.h"
#include "private.h"
#include "record.h"
#include "switches.h"
#include "../dump/drain/stream.h"
#include "wake.h"

enum { RECORD_DURATION = DRAIN_OPTIONS, RECORD_STRICT, RECORD_FORCE, RECORD_SWITCHES };

static const struct option options[] = {
	{.help = "With a command: in a session of its own. Without: in your session, whatever traces there;\n"
		 "it makes new trace buffers, turns tracing on, and in the end off, and frees them.\n\n"},
	{DRAIN_FILE, "-o", .value = "FILE",
		.help = "where the hooks go (swtrace.bin); - is standard output, and the command's\n"
			"              own then goes to standard error"},
	{RECORD_DURATION, "--duration", .value = "T",
		.help = "ends the recording after T: seconds, or 500ms, 1.5s, 10m, 2h"},
	DRAIN_OPTION_LIST, INIT_OPTION_SIZE("16"), INIT_OPTION_SECTION, INIT_OPTION_GROUP,
	INIT_OPTION_EVENTS, INIT_OPTION_BEGINS, SWITCHES_OPTION(RECORD_SWITCHES),
	{RECORD_STRICT, "--strict", .help = "exits with 3 if hooks or switches were lost"},
	{RECORD_FORCE, "--force",
		.help = "without a command: discards the hooks that earlier buffers still hold"},
	{.help = "Exits with the command's status; 126 if it cannot be executed, 127 if it is not found,\n"
		 "128 + N if signal N ended it, 1 if it succeeded and the recording failed.\n"},
	{0}};

struct recording {
	const struct verb *verb;
	struct session_config buffers;
	struct drain_config config;
	uint64_t duration; /* ns; 0: no limit */
	bool strict, force, switches, switches_lost;
	uint64_t switch_hooks;	/* that recorders of switches wrote */
	int recorder;		/* its channel; -1: none */
	struct command command; /* words NULL: no command */
	struct private_session private;
	struct session session;
	struct stream stream;
	struct record_progress progress;
	struct drain_status status; /* at the end of the recording */
	bool broke_off; /* tracing was turned off because the file could not be written */
	int code;
};

/* ------------------------------------------------------------------- the recording */

static bool record_is_wanted(void *arg)
{
	struct recording *r = arg;

	if (wake_should_end || (r->command.words && command_ended(&r->command)))
		return false;
	record_progress_show(&r->progress, r->stream.drain);
	return true;
}

static void record_fail_output(struct recording *r)
{
	char why[sizeof r->stream.error.text + 96];

	record_progress_clear(&r->progress);
	snprintf(why, sizeof why, "%s%s", r->stream.error.text,
		r->broke_off ? "; tracing was turned off, and the hooks since then are not recorded"
			     : "");
	r->code = cmd_fail_output(r->verb, r->config.path, why);
}

/* Starts the drain, then opens the gate. The caller holds the session's lock; it is released. */
static int record_open_gate(struct recording *r)
{
	int rc = drain_save(&r->session, &r->config, &r->stream.error);

	session_unlock(&r->session);
	if (rc == 0)
		rc = drain_open(&r->stream.drain, &r->session, &r->config, &r->stream.error);
	if (rc)
		return rc;
	rc = session_lock(&r->session, true, &r->stream.error);
	if (rc == 0) {
		rc = session_on(&r->session, &r->stream.error);
		session_unlock(&r->session);
	}
	if (rc) {
		drain_finish(r->stream.drain, NULL);
		drain_close(r->stream.drain);
	}
	return rc;
}

static void record_begin_switches(struct recording *r)
{
	if (r->switches)
		r->code = switches_begin(
			r->verb, &r->session.location, r->session.generation, false, &r->recorder);
}

static void record_finish_stream(struct recording *r)
{
	if (!switches_end(r->verb, &r->session, r->recorder))
		r->switches_lost = true;
	r->recorder = -1;
	if (r->switches)
		r->switch_hooks += switches_hooks(&r->session);
	if (stream_finish(&r->stream) != 0)
		record_fail_output(r);
	drain_status(r->stream.drain, &r->status);
	drain_close(r->stream.drain);
	r->stream.drain = NULL;
}

/* A program of the command turned tracing off: waits until it is turned on again. A drain that
 * `swtrace on` started meanwhile is not this recording's. */
static bool is_resumed(struct recording *r)
{
	struct stream *s = &r->stream;

	while (!command_ended(&r->command) && (!s->until || time_ns_monotonic() < s->until)) {
		if (cmd_is_on(&r->session) && !session_is_drained(&r->session))
			return true;
		stream_sleep(s->wake, 20000000);
	}
	return false;
}

/* Follows the recording from the open gate to the end of the file. */
static void record_follow_hooks(struct recording *r)
{
	bool by_others;

	if (r->duration)
		r->stream.until = time_ns_monotonic() + r->duration;
	record_progress_begin(&r->progress, r->verb);
	do {
		r->broke_off = stream_follow(&r->stream) != 0;
		by_others = !r->broke_off && !cmd_is_on(&r->session);
		record_finish_stream(r);
		if (!by_others || r->code || !r->command.words || !is_resumed(r))
			break;
		if (drain_open(&r->stream.drain, &r->session, &r->config, &r->stream.error))
			record_fail_output(r);
		else
			record_begin_switches(r);
	} while (r->stream.drain);
	record_progress_clear(&r->progress);
	continuous_report(r->verb, r->config.path, &r->status);
}

static void note_if_untraced(const struct recording *r)
{
	const struct drain_status *s = &r->status;

	if (r->code == EXIT_FINE &&
		s->hooks + s->torn + s->lost_full + s->lost_other + s->lost_unwritten <=
			r->switch_hooks)
		cmd_note_untraced(r->verb, r->config.command);
}

static int exit_code(const struct recording *r)
{
	const struct drain_status *s = &r->status;

	if (r->command.words && command_exit_code(&r->command))
		return command_exit_code(&r->command);
	if (r->code)
		return r->code;
	if (!r->strict)
		return EXIT_FINE;
	return r->switches_lost || s->lost_full + s->lost_other + s->lost_unwritten ? EXIT_LOST
										    : EXIT_FINE;
}

/* ------------------------------------------------------------------- with a command */

static void remove_session(struct recording *r)
{
	session_lock(&r->session, true, NULL);
	/* If the command started a drain itself, finish that drain's file. */
	if (continuous_is_open(&r->session))
		continuous_off(r->verb, &r->session);
	session_remove(&r->session);
	session_close(&r->session);
}

static int record_command(struct recording *r)
{
	char *line = command_line(r->command.words);

	snprintf(r->config.command, sizeof r->config.command, "%s", line ? line : "");
	free(line);
	r->command.output_is_ours = strcmp(r->config.path, "-") == 0;
	/* Check the command before truncating the file: a typo must not cost an earlier trace. */
	int failure = command_find(&r->command);
	if (failure)
		return command_failed(r->verb, &r->command, failure);
	int code = private_make(r->verb, &r->private, &r->session, &r->buffers);
	if (code)
		return code;
	if (record_open_gate(r) != 0) {
		record_fail_output(r);
		remove_session(r);
		return r->code;
	}
	record_begin_switches(r);
	failure = r->code ? 0 : command_start(&r->command, &r->private.location);
	if (failure == 0 && !r->code) {
		record_follow_hooks(r);
		command_wait(&r->command);
		private_note_left(r->verb, &r->session);
		note_if_untraced(r);
	} else {
		record_finish_stream(r);
	}
	remove_session(r);
	return failure ? command_failed(r->verb, &r->command, failure) : exit_code(r);
}

/* ---------------------------------------------------------------- without a command */

/* Why these buffers must not be replaced; NULL if they may be. */
static const char *in_use(const struct recording *r, struct session *s)
{
	if (cmd_is_on(s))
		return "tracing is on already; swtrace off first";
	if (session_is_drained(s))
		return "a drain still finishes its file; swtrace off waits for it";
	if (!r->force && session_holds_hooks(s))
		return "its buffers hold an earlier trace: swtrace dump writes it, swtrace free or --force discards it";
	return NULL;
}

static int open_own(struct recording *r)
{
	struct session_error error = {"unknown error"};
	struct session_location location;
	int rc = session_find_own(&location, &error);

	if (rc == 0)
		rc = session_open(&r->session, &location, SESSION_CONTROL | SESSION_CREATE, &error);
	if (rc)
		return cmd_fail(r->verb, "%s", error.text);
	session_reclaim(&r->session);
	const char *why = in_use(r, &r->session);
	if (why)
		cmd_fail(r->verb, "%s: %s", location.dir, why);
	else if (session_init(&r->session, &r->buffers, &error))
		cmd_fail(r->verb, "%s", error.text);
	else {
		cmd_warn_if_short(r->verb, &r->session);
		doctor_keep(r->verb->name, &r->session);
		return EXIT_FINE;
	}
	session_close(&r->session);
	return EXIT_FAILED;
}

/* Frees the buffers unless another process has replaced them. */
static void free_own(struct recording *r)
{
	if (session_lock(&r->session, true, NULL) == 0 &&
		r->session.control->generation == r->session.generation && !cmd_is_on(&r->session))
		session_free(&r->session, NULL);
	session_close(&r->session);
}

static int record_own(struct recording *r)
{
	int code = open_own(r);

	if (code)
		return code;
	cmd_warn_if_elsewhere(r->verb, &r->session);
	if (record_open_gate(r) == 0) {
		record_begin_switches(r);
		if (r->code)
			record_finish_stream(r);
		else
			record_follow_hooks(r);
	} else {
		record_fail_output(r);
	}
	free_own(r);
	return exit_code(r);
}

/* ---------------------------------------------------------------------------- verb */

static void record_parse_option(struct recording *r, const struct arguments *a, int id)
{
	if (id == RECORD_STRICT)
		r->strict = true;
	else if (id == RECORD_FORCE)
		r->force = true;
	else if (id == RECORD_SWITCHES)
		r->switches = true;
	else if (id == RECORD_DURATION && (!parse_time(a->value, &r->duration) || r->duration == 0))
		cmd_misuse(a->verb, "--duration: \"%s\": expected " CMD_TIME_HELP ", above 0",
			a->value);
	else if (id != RECORD_DURATION && !drain_option(&r->config, a, id))
		init_option(&r->buffers, a, id);
}

static int record_run(const struct verb *verb, int argc, char **argv)
{
	struct arguments a = {.verb = verb, .stop = true, .argc = argc, .argv = argv};
	struct arguments unnamed = {.verb = verb, .value = "swtrace.bin"};
	struct recording r = {
		.verb = verb, .config.codec = TF_CODEC_LZ4, .private.lock = -1, .recorder = -1};
	int id;

	r.stream = (struct stream){.session = &r.session, .wanted = record_is_wanted, .arg = &r};
	init_config(&r.buffers);
	while ((id = arguments_next(&a)))
		record_parse_option(&r, &a, id);
	if (!r.config.path[0])
		drain_option(&r.config, &unnamed, DRAIN_FILE);
	if (strcmp(r.config.path, "-") == 0 && isatty(STDOUT_FILENO))
		cmd_misuse(verb, "a trace is not text: send standard output to a file or a pipe");
	if (a.operands && r.force)
		cmd_misuse(verb, "--force is for your own session; a command has a new one");
	if (a.operands) {
		r.command.words = argv + 1;
		argv[1 + a.operands] = NULL;
	}
	continuous_defaults(&r.buffers);
	int code = drain_check(verb, &r.config);
	if (code == EXIT_FINE && r.switches)
		code = switches_check(verb);
	if (code == EXIT_FINE)
		code = wake_catch_signals(verb, !r.command.words, &r.stream.wake);
	if (code)
		return code;
	return a.operands ? record_command(&r) : record_own(&r);
}

const struct verb verb_record = {"record",
	"record [-o FILE] [--duration T] " DRAIN_OPTION_USAGE
	" [-s MB] [-ss KB] [-g GROUP] [-e LIST] [--begins] [--switches] [--strict] [--force] [-- COMMAND ...]",
	"streams hooks to a file while a command runs, or until Ctrl-C", options, record_run};
