/*
 * The options that describe a session, of init and of the verbs that make their own.
 */
#include <grp.h>
#include <string.h>

#include "../../formats/base/number.h"
#include "../../formats/interval_hooks.h"
#include "../events/event.h"
#include "cmd.h"

void init_config(struct session_config *config)
{
	*config = (struct session_config){.mode = SHM_MODE_NORMAL, .group = (gid_t)-1};
}

static gid_t parse_group(const struct verb *verb, const char *text)
{
	const struct group *group = getgrnam(text);
	uint64_t number;

	if (group)
		return group->gr_gid;
	if (!number_parse(text, 10, UINT32_MAX - 1, &number))
		cmd_misuse(verb, "-g: there is no group \"%s\"", text);
	return (gid_t)number;
}

static const char *parse_events(const struct verb *verb, const char *list)
{
	struct event_listed listed[INTERVAL_EVENTS_MAX];
	char why[EVENT_WHY_MAX];

	if (event_list_parse(list, listed, INTERVAL_EVENTS_MAX, why) < 0)
		cmd_misuse(verb, "-e: %s; swtrace event list shows all", why);
	return list;
}

bool init_option(struct session_config *config, const struct arguments *a, int id)
{
	uint64_t n;

	switch (id) {
	case INIT_SIZE:
		if (!number_parse(a->value, 10, 65536, &n) || n == 0)
			cmd_misuse(a->verb,
				"-s: \"%s\": expected a whole number of MB per processor, 1 to 65536",
				a->value);
		config->ring_bytes = n << 20;
		return true;
	case INIT_MODE:
		if (strcmp(a->value, "norm") == 0 || strcmp(a->value, "normal") == 0)
			config->mode = SHM_MODE_NORMAL;
		else if (strcmp(a->value, "wrap") == 0)
			config->mode = SHM_MODE_WRAP;
		else
			cmd_misuse(a->verb, "-t: \"%s\": expected norm or wrap", a->value);
		return true;
	case INIT_SECTION:
		if (!number_parse(a->value, 10, 8192, &n) || n < 4)
			cmd_misuse(a->verb, "-ss: \"%s\": expected a whole number of KB, 4 to 8192",
				a->value);
		config->section_bytes = (uint32_t)n << 10;
		return true;
	case INIT_GROUP:
		config->group = parse_group(a->verb, a->value);
		return true;
	case INIT_PREALLOC:
		config->prealloc = true;
		return true;
	case INIT_BEGINS:
		config->begins = true;
		return true;
	case INIT_EVENTS:
		config->events = parse_events(a->verb, a->value);
		return true;
	default:
		return false;
	}
}
