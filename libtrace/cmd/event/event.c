/*
 * event: names of events, and how counters are programmed for them.
 */
#include "verb.h"

#include <string.h>
#include <sys/stat.h>

#include "p4.h"

enum { EVENT_JSON = 1, EVENT_CPU, EVENT_SYSFS_DIR, EVENT_TRY };

static const struct option options[] = {
	{.help = "  list        the events that are known, or those whose name matches a GLOB\n"
		 "              (a word without *, ? and [ matches names that hold it)\n"
		 "  show        what an event counts, its unit masks, terms and modifiers\n"
		 "  encode      for perf_event_open, as perf spells it, and the register writes; several\n"
		 "              events go to several counters\n"},
	{EVENT_TRY, "--try",
		.help = "list: counts each for a moment to see whether this machine can"},
	{EVENT_CPU, "--cpu", .value = "CPU", .words = "intel|amd|arm|p4|netburst|netburst_p",
		.help = "another processor: intel, amd, arm (their common events), or a PMU's name of\n"
			"              libpfm4, such as skl or amd64_fam19h_zen4"},
	{.help = EVENT_P4_HELP},
	{EVENT_SYSFS_DIR, "--sysfs", .value = "DIR",
		.help = "a copy of another machine's /sys, for its PMUs and events"},
	{EVENT_JSON, "--json", .help = "one JSON object"},
	{.help = "Exits with 1 if a name is not known or cannot be encoded, with 4 if nothing that --try\n"
		 "tried counts here.\n"},
	{0}};

static const struct action {
	const char *name;
	int (*run)(const struct event_asked *a);
	int (*p4)(
		const struct verb *verb, const char *cpu, bool json, int operands, char **operand);
	bool needs_names;
} actions[] = {
	{"list", event_list, event_p4_list, false},
	{"show", event_show, event_p4_show, true},
	{"encode", event_encode, event_p4_encode, true},
};

static const struct action *find_action(const struct verb *verb, const char *name)
{
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		if (strcmp(actions[i].name, name) == 0)
			return &actions[i];
	cmd_misuse(verb, "unknown action \"%s\": expected list, show or encode", name);
}

static void use_sysfs(const struct verb *verb, const char *dir)
{
	struct stat st;
	char path[4096];

	int n = snprintf(path, sizeof path, "%s/bus/event_source/devices", dir);
	if (n >= 3000 || stat(path, &st) || !S_ISDIR(st.st_mode))
		cmd_misuse(verb,
			"--sysfs takes a copy of /sys; %.200s has no bus/event_source/devices",
			dir);
	event_sysfs_set(dir);
}

static int event_run(const struct verb *verb, int argc, char **argv)
{
	struct arguments args = {.verb = verb, .argc = argc, .argv = argv};
	struct event_asked a = {.verb = verb};
	const char *sysfs = NULL;
	char why[EVENT_WHY_MAX];
	int id;

	while ((id = arguments_next(&args))) {
		if (id == EVENT_CPU)
			a.cpu_name = args.value;
		else if (id == EVENT_SYSFS_DIR)
			sysfs = args.value;
		a.json = a.json || id == EVENT_JSON;
		a.try = a.try || id == EVENT_TRY;
	}
	if (!args.operands)
		cmd_misuse(verb, "list, show or encode is missing");
	const struct action *action = find_action(verb, argv[1]);
	a.operands = args.operands - 1;
	a.operand = argv + 2;
	if (action->needs_names && !a.operands)
		cmd_misuse(verb, "%s needs the name of an event", action->name);
	if (a.try && (action->run != event_list || sysfs || a.cpu_name))
		cmd_misuse(verb, "--try goes with list, for this machine only");
	if (a.cpu_name && sysfs)
		cmd_misuse(verb, "--cpu and --sysfs are two processors; give one");
	if (sysfs)
		use_sysfs(verb, sysfs);
	if (a.cpu_name && event_p4_is(a.cpu_name))
		return action->p4(verb, a.cpu_name, a.json, a.operands, a.operand);
	if (a.cpu_name)
		event_pfm_want_all();
	if (event_cpu_find(a.cpu_name, &a.cpu, why))
		cmd_misuse(verb, "--cpu: %s", why);
	return action->run(&a);
}

const struct verb verb_event = {"event",
	"event list [GLOB ...] [--try] | show NAME ... | encode NAME ... [--cpu CPU] [--sysfs DIR] [--json]",
	"lists and describes events, and shows how counters are programmed for them", options,
	event_run};
