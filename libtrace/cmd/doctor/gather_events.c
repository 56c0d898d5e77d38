/*
 * doctor: gathers facts on the events that a program started here counts in its intervals.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/text.h"
#include "../../counters/count/count.h"
#include "../../counters/events/set.h"
#include "../cmd.h"
#include "facts.h"

/* False: there is no session here, or it has no list. */
static bool events_of_session(char list[SHM_EVENTS_BYTES])
{
	struct session_location location;
	struct session s;

	list[0] = 0;
	if (session_find(&location, NULL) || session_open(&s, &location, SESSION_READ, NULL))
		return false;
	if (s.control->state != SHM_NO_RINGS)
		memcpy(list, s.control->events, SHM_EVENTS_BYTES);
	list[SHM_EVENTS_BYTES - 1] = 0;
	session_close(&s);
	return list[0] != 0;
}

/* Adds a name to an enumeration; "..." when it is full. */
static void events_append(char *text, size_t size, const char *name, const char *more)
{
	size_t have = strlen(text);

	if (have >= size - 8)
		return;
	if (have + strlen(name) + strlen(more) + 8 > size) {
		text_append(text, size, ", ...");
		return;
	}
	text_append(text, size, "%s%s%s", have ? ", " : "", name, more);
}

static void events_add_missing(
	struct events_facts *e, const struct event_member *m, const struct event_listed *listed)
{
	struct count_event count = {.event = listed->event};

	if (!e->missing[0])
		count_explain(&count, m->error, listed->on_cpus, 0, e->why);
	events_append(e->missing, sizeof e->missing, m->name, "");
}

static void gather_list(struct events_facts *e, const char *list)
{
	struct event_listed listed[INTERVAL_EVENTS_MAX];
	int count = event_list_parse(list, listed, INTERVAL_EVENTS_MAX, e->trouble);

	for (int i = 0; i < count; i++) {
		struct event_member m;

		event_member_choose(&m, &listed[i]);
		if (m.way == EVENT_BY_NOTHING)
			events_add_missing(e, &m, &listed[i]);
		else
			events_append(e->counted, sizeof e->counted, m.name,
				m.user_only ? " (in user mode only)" : "");
	}
}

void gather_events(struct events_facts *e, const char *session)
{
	const char *own = getenv("SWTRACE_EVENTS");
	char list[SHM_EVENTS_BYTES];

	if (own && *own) {
		e->from = "SWTRACE_EVENTS";
		gather_list(e, own);
	} else if (session ? *session != 0 : events_of_session(list)) {
		e->from = "the session's list";
		gather_list(e, session ? session : list);
	}
}
