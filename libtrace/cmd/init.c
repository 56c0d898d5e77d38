/*
 * init: new trace buffers.
 */
#include <string.h>

#include "../../include/perfutil.h"
#include "cmd.h"

static const struct option options[] = {INIT_OPTION_LIST, {0, NULL, NULL}};

/* What was asked for, and what a whole number of sections made of it. */
static void report(
	const struct verb *verb, const struct session *s, const struct session_config *asked)
{
	const struct shm_geometry *g = &s->geometry;
	bool rounded = (asked->ring_bytes && asked->ring_bytes != g->ring_size) ||
		       (asked->section_bytes && asked->section_bytes != g->section_size);

	cmd_note(verb, "%u processors with %llu KiB each, sections of %u KiB, mode %s%s, in %s",
		g->cpus, (unsigned long long)g->ring_size >> 10, g->section_size >> 10,
		cmd_mode_name(g->mode), rounded ? " (rounded up)" : "", s->place.dir);
}

/* A member of root's group traces in root's session, whatever is made here. */
static void warn_if_elsewhere(const struct verb *verb, const struct session *s)
{
	struct session_place used;

	if (session_find(&used, NULL) == 0 && strcmp(used.dir, s->place.dir) != 0)
		cmd_note(verb,
			"your programs trace in %s (%s); SWTRACE_SESSION=%s makes them use this "
			"one",
			used.dir, used.why, s->place.dir);
}

static int run(const struct verb *verb, int argc, char **argv)
{
	struct arguments a = {.verb = verb, .options = options, .argc = argc, .argv = argv};
	struct session_error error = {"unknown error"};
	struct session_config config;
	struct session_place place;
	struct session s;
	int id;

	init_config(&config);
	while ((id = arguments_next(&a)))
		init_option(&config, &a, id);
	if (a.operands)
		cmd_misuse(verb, "\"%s\" is one argument too many", argv[1]);
	int rc = session_find_own(&place, &error);
	if (rc == 0)
		rc = session_open(&s, &place, SESSION_CONTROL | SESSION_CREATE, &error);
	if (rc)
		return cmd_fail(verb, "%s", error.text);
	session_reclaim(&s);
	rc = session_init(&s, &config, &error);
	if (rc) {
		session_close(&s);
		return cmd_fail(verb, "%s", error.text);
	}
	report(verb, &s, &config);
	warn_if_elsewhere(verb, &s);
	session_close(&s);
	return EXIT_FINE;
}

const struct verb verb_init = {"init", "init " INIT_OPTION_USAGE,
	"makes new trace buffers; the old ones' hooks are gone",
	INIT_OPTION_HELP "Afterwards every major is enabled and tracing is off.\n", run};
