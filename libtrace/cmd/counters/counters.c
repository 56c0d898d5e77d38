/*
 * counters: lists countersets and instances, and queries values of counters.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../../formats/base/array.h"
#include "../../../formats/base/number.h"
#include "../../../formats/base/quantity.h"
#include "../../../formats/base/time_ns.h"
#include "counters.h"

enum {
	COUNTERS_INTERVAL = 1,
	COUNTERS_SAMPLES,
	COUNTERS_FORMAT,
	COUNTERS_OUTPUT,
	COUNTERS_PATHS,
	COUNTERS_YES,
	COUNTERS_LIST_PATHS,
	COUNTERS_LIST_ALL,
	COUNTERS_FROM,
	COUNTERS_TRACE,
	COUNTERS_AS_JSON
};

static const struct option options[] = {
	{.help = "  list        countersets and their counters; those that this machine cannot supply\n"
		 "              are marked\n"
		 "  instances   the instances of a counterset\n"
		 "  query       values of counters, one row per sample. A PATH is\n"
		 "              '\\Counterset(instance)\\Counter', or '\\Counterset\\Counter', after\n"
		 "              '\\\\HOST' of this machine (--from: of the trace), or without; instances may\n"
		 "              have * and ?, the counter may be *. The columns are those of the first\n"
		 "              sample (of a trace: of any sample)\n\n"},
	{COUNTERS_LIST_PATHS, .name = "-q"},
	{COUNTERS_LIST_ALL, "-qx",
		.help = "list: paths for query; -qx: with the present instances"},
	{COUNTERS_INTERVAL, "-si", .value = "TIME",
		.help = "between samples: seconds, or [HH:]MM:SS (1)"},
	{COUNTERS_SAMPLES, "-sc", .value = "COUNT",
		.help = "ends after so many rows; without it, at Ctrl-C"},
	{COUNTERS_FORMAT, "-f", .value = "FORMAT", .words = "csv|tsv|json",
		.help = "csv (default), tsv or json; --json is -f json"},
	{COUNTERS_OUTPUT, "-o", .value = "FILE",
		.help = "instead of standard output; -y is accepted"},
	{COUNTERS_PATHS, "-cf", .value = "FILE",
		.help = "paths from a file, one per line; - is standard input"},
	{COUNTERS_FROM, "--from", .value = "TRACE",
		.help = "samples recorded in a trace file, instead of this machine's"},
	{COUNTERS_TRACE, "--trace",
		.help = "writes the samples into the trace session, too (major 0xC9)"},
	{COUNTERS_YES, "-y", .help = ""}, {COUNTERS_AS_JSON, "--json", .help = ""},
	{.help = "A value that is not available is \" \", and null in JSON.\n"
		 "Exit codes: 0; 1 it failed, or there is no such counter; 2 wrong usage; 4 none of the\n"
		 "counters can be supplied.\n"},
	{0}};

enum action { ACTION_LIST = 1, ACTION_INSTANCES = 2, ACTION_QUERY = 4 };

/* Which options each subcommand accepts. */
static const struct {
	int id;
	unsigned actions;
} allowed[] = {{COUNTERS_INTERVAL, ACTION_QUERY}, {COUNTERS_SAMPLES, ACTION_QUERY},
	{COUNTERS_FORMAT, ACTION_QUERY}, {COUNTERS_OUTPUT, ACTION_QUERY},
	{COUNTERS_PATHS, ACTION_QUERY}, {COUNTERS_YES, ACTION_QUERY},
	{COUNTERS_LIST_PATHS, ACTION_LIST}, {COUNTERS_LIST_ALL, ACTION_LIST},
	{COUNTERS_TRACE, ACTION_QUERY},
	{COUNTERS_FROM, ACTION_LIST | ACTION_INSTANCES | ACTION_QUERY},
	{COUNTERS_AS_JSON, ACTION_LIST | ACTION_INSTANCES | ACTION_QUERY}};

struct asked {
	const struct verb *verb;
	unsigned given; /* a bit per option id */
	const char *from, *paths_file;
	char **path; /* from operands and -cf, each separately allocated */
	unsigned paths;
	size_t path_room;
	struct counters_run run;
};

static bool is_given(const struct asked *a, int id)
{
	return a->given >> id & 1;
}

/* ---------------------------------------------------------------------------- options */

/* Parses seconds, MM:SS or HH:MM:SS; the seconds may have decimals. */
static bool parse_interval(const char *text, uint64_t *ns)
{
	const char *last = strrchr(text, ':'), *end = text + strlen(text);
	uint64_t minutes = 0, field, seconds;

	for (unsigned fields = 1; last && text <= last; fields++, text++) {
		if (fields > 2 || !number_scan(&text, last, 10, 9999, &field) || *text != ':')
			return false;
		minutes = minutes * 60 + field;
	}
	if (!quantity_scan_decimal(
		    &text, end, QUANTITY_WHOLE_POINT, TIME_SECOND_NS, INT64_MAX / 10, &seconds) ||
		text < end)
		return false;
	*ns = minutes * 60000000000u + seconds;
	return *ns >= 10000000 && *ns <= 86400000000000u;
}

static void counters_parse_format(struct asked *a, const char *name)
{
	static const char *const names[] = {"csv", "tsv", "json"};

	for (unsigned i = 0; i < 3; i++)
		if (strcmp(names[i], name) == 0) {
			a->run.format = (enum counters_format)i;
			return;
		}
	cmd_misuse(a->verb, "-f: \"%.80s\": expected csv, tsv or json", name);
}

static void counters_parse_option(struct asked *a, int id, const char *value)
{
	a->given |= 1u << id;
	switch (id) {
	case COUNTERS_INTERVAL:
		if (!parse_interval(value, &a->run.interval))
			cmd_misuse(a->verb,
				"-si: \"%.80s\": expected seconds or [HH:]MM:SS, from 0.01 s to a day",
				value);
		break;
	case COUNTERS_SAMPLES:
		if (!number_parse(value, 10, UINT32_MAX, &a->run.samples) || !a->run.samples)
			cmd_misuse(
				a->verb, "-sc: \"%.80s\": expected a whole number above 0", value);
		break;
	case COUNTERS_FORMAT:
		counters_parse_format(a, value);
		break;
	case COUNTERS_OUTPUT:
		if (!*value)
			cmd_misuse(a->verb, "-o: the file's name is empty");
		a->run.path = value;
		break;
	case COUNTERS_PATHS:
		a->paths_file = value;
		break;
	case COUNTERS_FROM:
		if (!*value)
			cmd_misuse(a->verb, "--from: the trace's name is empty");
		a->from = value;
		break;
	case COUNTERS_TRACE:
		a->run.traced = true;
		break;
	case COUNTERS_AS_JSON:
		a->run.format = COUNTERS_JSON;
		break;
	}
}

static unsigned counters_parse_action(const struct asked *a, const char *name)
{
	static const char *const names[] = {"list", "instances", "query"};

	for (unsigned i = 0; i < 3; i++)
		if (strcmp(names[i], name) == 0)
			return 1u << i;
	cmd_misuse(a->verb, "unknown action \"%.80s\": expected list, instances or query", name);
}

static void counters_check_options(const struct asked *a, unsigned action, const char *name)
{
	for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
		for (const struct option *o = options; o->name || o->help; o++)
			if (o->id == allowed[i].id && is_given(a, o->id) &&
				!(allowed[i].actions & action))
				cmd_misuse(a->verb, "%s does not go with %s", o->name, name);
	if (is_given(a, COUNTERS_AS_JSON) && is_given(a, COUNTERS_FORMAT))
		cmd_misuse(a->verb, "-f and --json exclude each other");
	if (is_given(a, COUNTERS_LIST_PATHS) + is_given(a, COUNTERS_LIST_ALL) +
			is_given(a, COUNTERS_AS_JSON) >
		(action == ACTION_LIST ? 1 : 3))
		cmd_misuse(a->verb, "-q, -qx and --json exclude each other");
	if (a->from && is_given(a, COUNTERS_INTERVAL))
		cmd_misuse(a->verb, "-si is for this machine: a trace's samples have their times");
	if (a->from && a->run.traced)
		cmd_misuse(a->verb, "--trace is for this machine's samples, --from has a trace's");
}

/* ---------------------------------------------------------------------------- paths */

static bool keep_path(struct asked *a, const char *text)
{
	if (!array_reserve(&a->path, &a->path_room, a->paths + 1, sizeof *a->path))
		return false;
	a->path[a->paths] = strdup(text);
	return a->path[a->paths++] != NULL;
}

/* Replaces doubled quotes by single ones, the reverse of query's output. */
static void undouble_quotes(char *text)
{
	char *to = text;

	for (; *text; text++) {
		*to++ = *text;
		text += text[0] == '"' && text[1] == '"';
	}
	*to = 0;
}

/* Parses a line with one path, quoted or not. Skips empty lines and comments, which begin with
 * ;. */
static bool keep_line(struct asked *a, char *line)
{
	char *end = line + strlen(line);

	while (end > line && isspace((unsigned char)end[-1]))
		*--end = 0;
	while (isspace((unsigned char)*line))
		line++;
	if (!*line || *line == ';')
		return true;
	if (*line == '"' && end - line > 1 && end[-1] == '"') {
		end[-1] = 0;
		line++;
		undouble_quotes(line);
	}
	path_check(a->verb, line);
	return keep_path(a, line);
}

static int read_paths(struct asked *a)
{
	FILE *f = strcmp(a->paths_file, "-") == 0 ? stdin : fopen(a->paths_file, "re");
	char *line = NULL;
	size_t room = 0;
	bool kept = true;

	if (!f)
		return cmd_fail(a->verb, "-cf: %s: %s", a->paths_file, strerror(errno));
	while (kept && getline(&line, &room, f) >= 0)
		kept = keep_line(a, line);
	bool failed = ferror(f);
	int why = errno;
	free(line);
	if (f != stdin)
		fclose(f);
	if (failed)
		return cmd_fail(a->verb, "-cf: %s: %s", a->paths_file, strerror(why));
	return kept ? EXIT_FINE : cmd_fail(a->verb, "-cf: %s: not enough memory", a->paths_file);
}

static int counters_collect_paths(struct asked *a, int n, char **operand)
{
	for (int i = 0; i < n; i++)
		path_check(a->verb, operand[i]);
	for (int i = 0; i < n; i++)
		if (!keep_path(a, operand[i]))
			return cmd_fail(a->verb, "\"%.200s\": not enough memory", operand[i]);
	int code = a->paths_file ? read_paths(a) : EXIT_FINE;
	if (!code && !a->paths)
		cmd_misuse(a->verb,
			"query needs a path, such as '\\Processor Information(*)\\%% Processor Time'");
	return code;
}

/* ---------------------------------------------------------------------------- the verb */

static int counters_load_catalogue(struct asked *a)
{
	/* PerfLib reads a name without a slash as a machine's. */
	static char from[4096];
	struct stat st;

	if (a->from && (size_t)snprintf(from, sizeof from, "%s%s", strchr(a->from, '/') ? "" : "./",
			       a->from) >= sizeof from)
		return cmd_fail(a->verb, "--from: the trace's name is too long");
	if (a->from && stat(from, &st) == 0 && S_ISFIFO(st.st_mode))
		return cmd_fail(a->verb,
			"%s: is a pipe, but the trace is read several times; copy it to a file first",
			a->from);
	ULONG status = catalogue_load(&a->run.catalogue, a->from ? from : NULL);
	if (status == ERROR_SUCCESS) {
		if (a->from)
			counters_ask_trace(&a->run);
		else
			counters_name_machine(&a->run);
		return EXIT_FINE;
	}
	if (a->from && status == ERROR_INVALID_DATA)
		return cmd_fail(a->verb,
			"%s: not a trace that this version reads; swtrace dump writes one",
			a->from);
	return cmd_fail(a->verb, "%s: %s", a->from ? a->from : "this machine",
		status == ERROR_READ_FAULT ? strerror(errno) : counters_status(status));
}

static int counters_run_query(struct asked *a)
{
	struct counters_query *q = &a->run.query;

	q->verb = a->verb;
	q->catalogue = &a->run.catalogue;
	q->path = calloc(a->paths, sizeof *q->path);
	if (!q->path)
		return cmd_fail(a->verb, "paths: not enough memory");
	for (q->paths = 0; q->paths < a->paths; q->paths++) {
		int code =
			path_resolve(a->verb, q->catalogue, a->path[q->paths], &q->path[q->paths]);

		if (code)
			return code;
	}
	return counters_follow(&a->run);
}

static int counters_find_set(const struct asked *a, const char *name, struct catalogue_set **set)
{
	*set = catalogue_find(&a->run.catalogue, name);
	if (*set)
		return EXIT_FINE;
	const char *near = nearest_set(&a->run.catalogue, name);
	if (near)
		return cmd_fail(a->verb, "there is no counterset \"%.200s\"; the nearest is \"%s\"",
			name, near);
	return cmd_fail(a->verb,
		"there is no counterset \"%.200s\"; swtrace counters list shows them", name);
}

static int counters_show_set(struct asked *a, unsigned action, const char *name)
{
	struct catalogue_set *set = NULL;
	const struct catalogue *c = &a->run.catalogue;
	const bool json = a->run.format == COUNTERS_JSON;
	int code = name ? counters_find_set(a, name, &set) : EXIT_FINE;

	if (code)
		return code;
	if (a->from && !c->sets)
		cmd_note(a->verb, "%s: the trace has no countersets", a->from);
	if (action == ACTION_INSTANCES)
		return counters_list_instances(a->verb, c, set, json);
	if (is_given(a, COUNTERS_LIST_PATHS) || is_given(a, COUNTERS_LIST_ALL))
		return counters_list_paths(a->verb, c, set, is_given(a, COUNTERS_LIST_ALL));
	return counters_list(c, set, json);
}

static int counters_run_action(struct asked *a, unsigned action, int n, char **operand)
{
	int code = EXIT_FINE;

	if (action == ACTION_QUERY)
		code = counters_collect_paths(a, n, operand);
	else if (n > 1)
		cmd_misuse(a->verb, "takes one counterset: quote a name that has spaces");
	else if (n == 0 && action == ACTION_INSTANCES)
		cmd_misuse(a->verb, "instances needs the name of a counterset");
	if (!code)
		code = counters_load_catalogue(a);
	if (!code)
		code = action == ACTION_QUERY ? counters_run_query(a)
					      : counters_show_set(a, action, n ? operand[0] : NULL);
	query_free(&a->run.query);
	catalogue_free(&a->run.catalogue);
	for (unsigned i = 0; i < a->paths; i++)
		free(a->path[i]);
	free(a->path);
	return code;
}

static int counters_run_verb(const struct verb *verb, int argc, char **argv)
{
	struct arguments args = {.verb = verb, .argc = argc, .argv = argv};
	static struct asked a; /* static: its output is large */
	int id;

	a.verb = a.run.verb = verb;
	a.run.interval = TIME_SECOND_NS;
	a.run.path = "-";
	while ((id = arguments_next(&args)))
		counters_parse_option(&a, id, args.value);
	if (!args.operands)
		cmd_misuse(verb, "list, instances or query is missing");
	unsigned action = counters_parse_action(&a, argv[1]);
	counters_check_options(&a, action, argv[1]);
	return counters_run_action(&a, action, args.operands - 1, argv + 2);
}

/* For list SET and instances SET. */
void counters_complete_set(int argc, char **argv)
{
	const char *text = argv[argc - 1];
	struct catalogue c = {0};

	if (argc == 3 && text[0] != '-' && strcmp(argv[1], "query") != 0 &&
		catalogue_load(&c, NULL) == ERROR_SUCCESS)
		for (ULONG i = 0; i < c.sets; i++)
			if (strncmp(c.set[i].name, text, strlen(text)) == 0)
				puts(c.set[i].name);
	catalogue_free(&c);
}

const struct verb verb_counters = {"counters",
	"counters list [SET] [-q|-qx] | instances SET | query PATH ... [-cf FILE]\n"
	"                        [-si SECONDS] [-sc COUNT] [-f csv|tsv|json] [-o FILE] [--trace]\n"
	"                        [--from TRACE] [--json]",
	"lists countersets and queries their counters", options, counters_run_verb};
