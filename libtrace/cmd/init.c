/*
 * init: makes new trace buffers.
 */
#include <string.h>
#include <sys/stat.h>

#include "../../include/perfutil.h"
#include "continuous.h"
#include "doctor/keep.h"

static const struct option options[] = {INIT_OPTION_SIZE("3; with cont 16"),
	{INIT_MODE, "-t", .value = "MODE", .words = "norm|wrap|cont",
		.help = "norm: stop when full (default); wrap: overwrite the oldest; cont: a drain\n"
			"              streams to FILE from `swtrace on` to `swtrace off`"},
	INIT_OPTION_SECTION, INIT_OPTION_GROUP, INIT_OPTION_EVENTS, INIT_OPTION_BEGINS,
	{INIT_PREALLOC, "--prealloc",
		.help = "all memory now, or refuse; without it a section gets its memory when it is\n"
			"              first written to"},
	{DRAIN_FILE, "-f", .value = "FILE",
		.help = "with -t cont, where the hooks go; else what `swtrace dump` writes unless it\n"
			"              is given a name"},
	{.help = "With -t cont:\n"}, DRAIN_OPTION_LIST,
	{.help = "Afterwards every major is enabled and tracing is off.\n"}, {0}};

/* The command line. */
struct request {
	struct session_config buffers;
	struct drain_config drain;
	bool streams; /* an option of continuous mode was given */
};

/* Reports the buffers' final geometry, after rounding to whole sections. */
static void init_note_geometry(
	const struct verb *verb, const struct session *s, const struct request *r)
{
	const struct session_config *asked = &r->buffers;
	const struct shm_geometry *g = &s->geometry;
	bool rounded = (asked->ring_bytes && asked->ring_bytes != g->ring_size) ||
		       (asked->section_bytes && asked->section_bytes != g->section_size);

	cmd_note(verb, "%u processors with %llu KiB each, sections of %u KiB, mode %s%s, in %s",
		g->cpus, (unsigned long long)g->ring_size >> 10, g->section_size >> 10,
		cmd_mode_name(g->mode), rounded ? " (rounded up)" : "", s->location.dir);
	if (g->mode == SHM_MODE_CONTINUOUS)
		cmd_note(verb, "swtrace on begins %s", r->drain.path);
	else if (r->drain.path[0])
		cmd_note(verb, "swtrace dump writes %s unless it is given another name",
			r->drain.path);
}

static void init_parse_mode(struct request *r, const struct arguments *a)
{
	if (strcmp(a->value, "cont") == 0)
		r->buffers.mode = SHM_MODE_CONTINUOUS;
	else if (strcmp(a->value, "norm") == 0 || strcmp(a->value, "normal") == 0 ||
		 strcmp(a->value, "wrap") == 0)
		init_option(&r->buffers, a, INIT_MODE);
	else
		cmd_misuse(a->verb, "-t: \"%s\": expected norm, wrap or cont", a->value);
}

/* Returns an exit code. Checks already here that the file can be written. */
static int init_parse_arguments(struct request *r, int argc, char **argv, const struct verb *verb)
{
	struct arguments a = {.verb = verb, .argc = argc, .argv = argv};
	struct stat st;
	int id;

	init_config(&r->buffers);
	while ((id = arguments_next(&a))) {
		if (id == INIT_MODE)
			init_parse_mode(r, &a);
		else if (drain_option(&r->drain, &a, id))
			r->streams = r->streams || id != DRAIN_FILE;
		else
			init_option(&r->buffers, &a, id);
	}
	arguments_expect_no_operand(&a);
	if (r->buffers.mode != SHM_MODE_CONTINUOUS && r->streams)
		cmd_misuse(
			verb, "--rotate, --keep, --compress and --drain-threads are for -t cont");
	if (strcmp(r->drain.path, "-") == 0)
		cmd_misuse(verb,
			"-f takes a file: only swtrace record and dump write to standard output");
	if (r->buffers.mode != SHM_MODE_CONTINUOUS)
		return r->drain.path[0] ? cmd_check_output(verb, r->drain.path) : EXIT_FINE;
	if (!r->drain.path[0])
		cmd_misuse(verb, "-t cont needs -f FILE, where the hooks go");
	continuous_defaults(&r->buffers);
	/* Opening a FIFO would block the drain until it has a reader, and `swtrace on` with it. */
	if (stat(r->drain.path, &st) == 0 && S_ISFIFO(st.st_mode))
		return cmd_fail(
			verb, "%s: is a FIFO; swtrace record -o writes to one", r->drain.path);
	return drain_check(verb, &r->drain);
}

static int init_run(const struct verb *verb, int argc, char **argv)
{
	struct session_error error = {"unknown error"};
	struct request r = {.drain.codec = TF_CODEC_LZ4};
	struct session_location location;
	struct session s;
	int code = init_parse_arguments(&r, argc, argv, verb);

	if (code)
		return code;
	int rc = session_find_own(&location, &error);
	if (rc == 0)
		rc = session_open(&s, &location, SESSION_CONTROL | SESSION_CREATE, &error);
	if (rc)
		return cmd_fail(verb, "%s", error.text);
	rc = drain_init(&s, &r.buffers, &r.drain, &error);
	if (rc) {
		session_close(&s);
		return cmd_fail(verb, "%s", error.text);
	}
	doctor_keep(verb->name, &s);
	init_note_geometry(verb, &s, &r);
	cmd_warn_if_short(verb, &s);
	cmd_warn_if_elsewhere(verb, &s);
	session_close(&s);
	return EXIT_FINE;
}

const struct verb verb_init = {"init",
	"init [-s MB] [-t norm|wrap|cont] [-ss KB] [-g GROUP] [-e LIST] [--begins] [--prealloc] [-f FILE] " DRAIN_OPTION_USAGE,
	"makes new trace buffers; the old ones' hooks are gone", options, init_run};
