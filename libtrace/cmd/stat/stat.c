/*
 * stat: counts events over a command, processes, threads or processors.
 */
#include <string.h>

#include "stat.h"

#include "../../../formats/base/number.h"
#include "../../../formats/base/time_ns.h"
#include "../../../formats/base/quantity.h"
#include "../../../formats/base/text.h"

enum {
	STAT_EVENTS = 1,
	STAT_PIDS,
	STAT_TIDS,
	STAT_ALL,
	STAT_INTERVAL,
	STAT_PER_CPU,
	STAT_DURATION,
	STAT_CSV_FORMAT,
	STAT_JSON_FORMAT,
	STAT_OUTPUT
};

static const struct option options[] = {
	{.help = "A command is counted from its exec on, with its threads and all children. With -p,\n"
		 "-t or -a these are counted while a command runs; without a command they are counted to\n"
		 "their end, until Ctrl-C or for --duration.\n\n"},
	{STAT_EVENTS, "-e", .value = "EVENTS",
		.help = "names from swtrace event list, separated by commas; {a,b}\n"
			"              counts a and b at the same times; may be given more than once"},
	{STAT_PIDS, "-p", .value = "PIDS",
		.help = "processes: all their threads, and children started from then on"},
	{STAT_TIDS, "-t", .value = "TIDS", .help = "these threads only"},
	{STAT_ALL, "-a", .help = "all processors"},
	{STAT_PER_CPU, "--per-cpu", .help = "also each processor"},
	{STAT_INTERVAL, "-I", .value = "T",
		.help = "also every T: milliseconds, or 100ms, 1.5s, 1m"},
	{STAT_DURATION, "--duration", .value = "T",
		.help = "ends after T: seconds, or 500ms, 1.5s, 10m, 2h"},
	{STAT_CSV_FORMAT, .name = "--csv"},
	{STAT_JSON_FORMAT, "--json",
		.help = "for programs; JSON has one object per line, the total last"},
	{STAT_OUTPUT, "-o", .value = "FILE",
		.help = "where the counts go; - is standard output, and the command's own then goes\n"
			"              to standard error. Without it standard error where there is a command,\n"
			"              standard output where there is none"},
	{.help = "An event that was not counted is n/a, with the reason. (83.3 %) after a count: the event\n"
		 "shared a counter; it was counted 83.3 % of the time and scaled.\n"
		 "Exits with the command's status; 126 if it cannot be executed, 127 if it is not found,\n"
		 "128 + N if signal N ended it; 4 if none of the events can be counted here.\n"},
	{0}};

/* A bare number is in milliseconds, as in perf stat. */
static void stat_parse_interval(struct stat_run *r, const char *text)
{
	uint64_t ms;

	if (number_parse(text, 10, 86400000, &ms))
		r->interval = ms * TIME_MS_NS;
	else if (!quantity_parse_duration(text, strlen(text),
			 QUANTITY_WHOLE_POINT | QUANTITY_ANY_CASE, INT64_MAX / 10, &r->interval))
		r->interval = 0;
	if (r->interval < TIME_MS_NS)
		cmd_misuse(r->verb,
			"-I: \"%s\": expected whole milliseconds, or a time with us, ms, s, m or h, at least 1ms",
			text);
}

static void stat_add_targets(
	struct stat_run *r, const char *option, enum stat_scope scope, const char *text)
{
	if (r->scope != STAT_COMMAND && r->scope != scope)
		cmd_misuse(r->verb, "-p, -t and -a exclude each other");
	r->scope = scope;
	r->targets.threads = scope == STAT_THREADS;
	if (text && !stat_targets_add(&r->targets, text))
		cmd_misuse(r->verb, "%s: \"%.80s\": expected up to %d numbers, separated by commas",
			option, text, STAT_TARGETS_MAX);
}

static void stat_set_format(struct stat_run *r, enum stat_format format)
{
	if (r->printer.format != STAT_TEXT && r->printer.format != format)
		cmd_misuse(r->verb, "--csv and --json exclude each other");
	r->printer.format = format;
}

static const char *stat_parse_option(struct stat_run *r, const struct arguments *a, int id)
{
	switch (id) {
	case STAT_EVENTS:
		stat_events_add(&r->events, r->verb, a->value);
		break;
	case STAT_PIDS:
		stat_add_targets(r, "-p", STAT_PROCESSES, a->value);
		break;
	case STAT_TIDS:
		stat_add_targets(r, "-t", STAT_THREADS, a->value);
		break;
	case STAT_ALL:
		stat_add_targets(r, "-a", STAT_PROCESSORS, NULL);
		break;
	case STAT_INTERVAL:
		stat_parse_interval(r, a->value);
		break;
	case STAT_PER_CPU:
		r->printer.per_cpu = true;
		break;
	case STAT_DURATION:
		if (!parse_time(a->value, &r->duration) || r->duration == 0)
			cmd_misuse(r->verb,
				"--duration: \"%s\": expected " CMD_TIME_HELP ", above 0",
				a->value);
		break;
	case STAT_CSV_FORMAT:
		stat_set_format(r, STAT_CSV);
		break;
	case STAT_JSON_FORMAT:
		stat_set_format(r, STAT_JSON);
		break;
	}
	return id == STAT_OUTPUT ? a->value : NULL;
}

static void stat_check_options(const struct stat_run *r, bool has_command, const char *path)
{
	if (r->scope == STAT_COMMAND && !has_command)
		cmd_misuse(r->verb, "a target is missing: a command, -p, -t or -a");
	if (r->printer.per_cpu && r->scope != STAT_PROCESSORS)
		cmd_misuse(r->verb, "--per-cpu is for -a");
	if (r->duration && has_command)
		cmd_misuse(r->verb,
			"--duration is for -p, -t and -a without a command, whose run time is used otherwise");
	if (path && !*path)
		cmd_misuse(r->verb, "-o: the file's name is empty");
}

/* Names the target in the report. */
static void name_target(struct stat_run *r)
{
	char *text = r->target;
	size_t room = sizeof r->target;

	if (r->scope == STAT_COMMAND) {
		snprintf(text, room, "command");
		for (char **word = r->command.words; *word; word++)
			text_append(text, room, " %s", *word);
		return;
	}
	if (r->scope == STAT_PROCESSORS) {
		snprintf(text, room, "all processors");
		return;
	}
	snprintf(text, room, r->scope == STAT_THREADS ? "thread" : "process");
	for (unsigned i = 0; i < r->targets.count; i++)
		text_append(text, room, "%s %d", i ? "," : "", (int)r->targets.pid[i]);
}

static int stat_run_verb(const struct verb *verb, int argc, char **argv)
{
	static struct stat_run r; /* static: its events are large */
	struct arguments a = {.verb = verb, .stop = true, .argc = argc, .argv = argv};
	const char *path = NULL;
	int id;

	r.verb = r.printer.verb = verb;
	while ((id = arguments_next(&a))) {
		const char *value = stat_parse_option(&r, &a, id);

		path = value ? value : path;
	}
	stat_check_options(&r, a.operands > 0, path);
	if (a.operands) {
		r.command.words = argv + 1;
		argv[1 + a.operands] = NULL;
	} else if (!path) {
		path = "-";
	}
	r.command.output_is_ours = path && strcmp(path, "-") == 0;
	if (r.events.count == 0)
		stat_events_defaults(&r.events, verb, r.scope == STAT_PROCESSORS);
	name_target(&r);
	int code = stat_printer_open(&r.printer, path);
	return code ? code : stat_follow(&r);
}

const struct verb verb_stat = {"stat",
	"stat [-e EVENTS] [-I T] [--csv|--json] [-o FILE]\n"
	"                    [-p PIDS | -t TIDS | -a [--per-cpu]] [--duration T] [-- COMMAND ...]",
	"counts events of a command, of processes or of processors", options, stat_run_verb};
