/*
 * stat: parses the list of events.
 */
#include <errno.h>
#include <string.h>

#include "stat.h"

static void events_add_event(
	struct stat_events *events, const struct verb *verb, const char *name, unsigned group)
{
	if (events->count == STAT_EVENTS_MAX)
		cmd_misuse(verb, "-e: more than %d events", STAT_EVENTS_MAX);
	struct count_event *e = &events->event[events->count++];

	*e = (struct count_event){.group = group};
	int rc = event_find(name, &e->event, e->why);
	if (rc == -EINVAL)
		cmd_misuse(verb, "-e: %s; swtrace event list shows all", e->why);
	/* If the name is known but fills nothing in, report it as given. */
	if (rc)
		snprintf(e->event.name, sizeof e->event.name, "%s", name);
	e->error = -rc;
}

/* The modifier behind a group's closing brace applies to each of its events. */
static const char *modifier_of(const char *group)
{
	const char *end = strchr(group, '}');

	return end && end[1] == ':' ? end + 1 : "";
}

static void events_add_named(struct stat_events *events, const struct verb *verb, const char *list,
	const char *modifier, unsigned group)
{
	char name[EVENT_NAME_MAX];
	size_t n = event_name_length(list), more = event_name_length(modifier);

	if (n == 0)
		cmd_misuse(verb, "-e: an event's name is missing before \"%.80s\"", list);
	if (n + more >= sizeof name)
		cmd_misuse(verb, "-e: \"%.40s...\" is longer than an event's name", list);
	snprintf(name, sizeof name, "%.*s%.*s", (int)n, list, (int)more, modifier);
	events_add_event(events, verb, name, group);
}

/* Skips the closing brace of a group, if there is one. */
static const char *end_group(const char *p, const struct verb *verb, unsigned *group)
{
	if (*p != '}')
		return p;
	if (*group == 0)
		cmd_misuse(verb, "-e: a } without a {");
	*group = 0;
	return *++p == ':' ? p + event_name_length(p) : p;
}

void stat_events_add(struct stat_events *events, const struct verb *verb, const char *list)
{
	const char *modifier = "";
	unsigned group = 0;

	for (const char *p = list;; p++) {
		if (*p == '{' && group)
			cmd_misuse(verb, "-e: a { within a { }");
		if (*p == '{') {
			group = ++events->groups;
			modifier = modifier_of(p++);
		}
		events_add_named(events, verb, p, group ? modifier : "", group);
		p = end_group(p + event_name_length(p), verb, &group);
		if (!*p)
			break;
		if (*p != ',')
			cmd_misuse(verb, "-e: a comma is missing before \"%.80s\"", p);
	}
	if (group)
		cmd_misuse(verb, "-e: the } is missing in \"%.80s\"", list);
}

/* With processors, cpu-clock replaces task-clock. */
void stat_events_defaults(struct stat_events *events, const struct verb *verb, bool processors)
{
	stat_events_add(events, verb, processors ? "cpu-clock" : "task-clock");
	stat_events_add(
		events, verb, "context-switches,cpu-migrations,page-faults,cycles,instructions");
}

bool stat_event_is_time(const struct count_event *e)
{
	return e->event.type == PERF_TYPE_SOFTWARE &&
	       (e->event.config == PERF_COUNT_SW_TASK_CLOCK ||
		       e->event.config == PERF_COUNT_SW_CPU_CLOCK) &&
	       e->event.software;
}

/* The kernel's software clocks count in both modes, whatever the attributes say. */
const char *stat_event_name(const struct count_event *e, char name[EVENT_NAME_MAX + 8])
{
	snprintf(name, EVENT_NAME_MAX + 8, "%s%s", e->event.name,
		e->user_only && !stat_event_is_time(e) ? ":u" : "");
	return name;
}
