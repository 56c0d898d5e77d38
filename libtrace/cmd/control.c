/*
 * The verbs on, off, free and install.
 */
#include <unistd.h>

#include "../../include/perfutil.h"
#include "../kernel/recorder.h"
#include "continuous.h"
#include "doctor/keep.h"
#include "switches.h"

static void no_operands(const struct verb *verb, int argc, char **argv)
{
	struct arguments a = {.verb = verb, .argc = argc, .argv = argv};

	arguments_next(&a);
	arguments_expect_no_operand(&a);
}

static int control_close_session(
	const struct verb *verb, struct session *s, int rc, const struct session_error *error)
{
	session_close(s);
	return rc ? cmd_fail(verb, "%s", error->text) : EXIT_FINE;
}

/* -------------------------------------------------------------------------- on */

static int make_buffers(const struct verb *verb, struct session *s, struct session_error *error)
{
	const struct drain_config no_file = {.codec = TF_CODEC_LZ4};
	struct session_config config;

	init_config(&config);
	/* Ignore the file that an earlier init or record left configured. */
	int rc = drain_init(s, &config, &no_file, error);
	if (rc == 0)
		cmd_note(verb,
			"there were no trace buffers: made with the defaults, %llu KiB per processor, mode %s",
			(unsigned long long)s->geometry.ring_size >> 10,
			cmd_mode_name(s->geometry.mode));
	if (rc == 0) {
		cmd_warn_if_short(verb, s);
		doctor_keep(verb->name, s);
	}
	return rc;
}

enum { ON_SWITCHES = 1 };

static int control_record_switches(const struct verb *verb, const struct session *s)
{
	struct shm_kernel figures;
	int channel, code = switches_begin(verb, &s->location, s->generation, true, &channel);

	if (code && !kernel_recorder_is_running(s, &figures))
		cmd_note(verb, "tracing is on, without the kernel's context switches");
	return code;
}

static int run_on(const struct verb *verb, int argc, char **argv)
{
	struct arguments a = {.verb = verb, .argc = argc, .argv = argv};
	struct session_error error = {"unknown error"};
	bool switches = false;
	struct session s;
	int rc = 0, code;

	while (arguments_next(&a) == ON_SWITCHES)
		switches = true;
	arguments_expect_no_operand(&a);
	if (switches && (code = switches_check(verb)))
		return code;
	code = cmd_open(verb, &s, SESSION_CONTROL | SESSION_CREATE);
	if (code)
		return code;
	session_reclaim(&s);
	if (s.control->state == SHM_NO_RINGS)
		rc = make_buffers(verb, &s, &error);
	if (rc == 0 && is_continuous(&s)) {
		code = continuous_on(verb, &s);
		if (code == EXIT_FINE && switches)
			code = control_record_switches(verb, &s);
		session_close(&s);
		return code;
	}
	/* The recorder may have been killed, or was not asked for before. */
	if (rc == 0 && !(switches && s.control->state == SHM_ON))
		rc = session_on(&s, &error);
	if (rc == 0 && switches)
		code = control_record_switches(verb, &s);
	if (rc == 0 && code) {
		session_close(&s);
		return code;
	}
	return control_close_session(verb, &s, rc, &error);
}

static const struct option on_options[] = {SWITCHES_OPTION(ON_SWITCHES),
	{.help = "Without trace buffers it makes some first, with the defaults of init, and says so.\n"
		 "In continuous mode it starts the drain, a process of its own that streams to the file;\n"
		 "if tracing is on and the drain was killed, a new one resumes the file.\n"},
	{0}};
const struct verb verb_on = {"on", "on [--switches]", "turns tracing on", on_options, run_on};

/* ------------------------------------------------------------------------- off */

static void note_if_filled(const struct verb *verb, const struct session *s)
{
	struct drain_status status;

	if (s->control->state == SHM_NO_RINGS || s->geometry.mode != SHM_MODE_NORMAL)
		return;
	continuous_status(s, &status);
	if (status.lost_full)
		cmd_note_filled(verb, "kept the first hooks, ", status.lost_full);
}

static int run_off(const struct verb *verb, int argc, char **argv)
{
	struct session_error error = {"unknown error"};
	struct session s;

	no_operands(verb, argc, argv);
	int code = cmd_open(verb, &s, SESSION_CONTROL);
	if (code)
		return code;
	switches_end(verb, &s, -1);
	if (is_continuous(&s)) {
		code = continuous_off(verb, &s);
		session_close(&s);
		return code;
	}
	int rc = session_off(&s, &error);
	session_reclaim(&s);
	note_if_filled(verb, &s);
	return control_close_session(verb, &s, rc, &error);
}

static const struct option off_options[] = {
	{.help = "In continuous mode it waits until the drain has written the rest and ended its file,\n"
		 "and reports its contents; if the drain was killed, it does that itself.\n"},
	{0}};
const struct verb verb_off = {
	"off", "off", "turns tracing off; the hooks stay in the buffers", off_options, run_off};

/* ------------------------------------------------------------------------ free */

/* Ends a recording without the lock, because it is slow: a `record` may free the buffers meanwhile.
 */
static int end_recording(const struct verb *verb, struct session *s, bool *gone, int *rc,
	struct session_error *error)
{
	int code = continuous_off(verb, s);

	*rc = session_lock(s, true, error);
	*gone = s->control->generation != s->generation;
	return code;
}

static int run_free(const struct verb *verb, int argc, char **argv)
{
	struct session_error error = {"unknown error"};
	struct session s;
	bool gone = false;
	int rc = 0;

	no_operands(verb, argc, argv);
	cmd_sweep();
	int code = cmd_open(verb, &s, SESSION_CONTROL);
	if (code)
		return code;
	switches_end(verb, &s, -1);
	if (continuous_is_open(&s))
		code = end_recording(verb, &s, &gone, &rc, &error);
	else if (cmd_is_on(&s))
		rc = session_off(&s, &error);
	if (rc == 0 && !gone)
		rc = session_free(&s, &error);
	rc = control_close_session(verb, &s, rc, &error);
	return code ? code : rc;
}

static const struct option free_options[] = {
	{.help = "Hooks that were not dumped are gone. The session's control page stays, so that\n"
		 "running programs find the next buffers. Also removes files of a killed\n"
		 "`swtrace run`.\n"},
	{0}};
const struct verb verb_free = {"free", "free",
	"turns tracing off and gives the trace buffers' memory back", free_options, run_free};

/* --------------------------------------------------------------------- install */

static int run_install(const struct verb *verb, int argc, char **argv)
{
	struct session_location location;
	struct session_error error = {"unknown error"};
	struct session s;

	no_operands(verb, argc, argv);
	if (geteuid() != 0)
		return cmd_fail(verb,
			"only root's control page is made ahead of time: run this as root; your own is made by the first program or command that needs it");
	int rc = session_find_own(&location, &error);
	if (rc == 0)
		rc = session_open(&s, &location, SESSION_CONTROL | SESSION_CREATE, &error);
	if (rc)
		return cmd_fail(verb, "%s", error.text);
	session_close(&s);
	return EXIT_FINE;
}

static const struct option install_options[] = {
	{.help = "Programs that start afterwards notice root's `swtrace on` within a second, without\n"
		 "looking for the session again. No memory is taken for trace buffers.\n"},
	{0}};
const struct verb verb_install = {"install", "install",
	"makes root's control page, for the machine's start", install_options, run_install};
