/* Lists of events. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "private.h"

size_t event_name_length(const char *list)
{
	bool terms = false;
	size_t n = 0;

	for (; list[n]; n++) {
		if (list[n] == '/')
			terms = !terms;
		else if (!terms && strchr(",{}", list[n]))
			break;
	}
	return n;
}

static int list_check_end(const char *end, char why[EVENT_WHY_MAX])
{
	if (*end == '{' || *end == '}')
		return event_refuse(why, -EINVAL,
			"a %c before \"%.40s\": a list of an interval's events has no groups", *end,
			end + 1);
	if (*end && !end[1])
		return event_refuse(
			why, -EINVAL, "an event's name is missing behind the last comma");
	return 0;
}

/* Strips an `a` from the modifiers at the end of the name: "cycles:a", "cycles:ua", "cpu/cycles/a".
 * No event's own name ends so. */
static bool list_cut_all(char *name)
{
	char *last = strrchr(name, '/'), *modifiers = last ? last : strrchr(name, ':');
	char *a = modifiers ? strchr(modifiers + 1, 'a') : NULL;

	if (!a || strspn(modifiers + 1, "uka") != strlen(modifiers + 1) || strchr(a + 1, 'a') ||
		modifiers == name)
		return false;
	memmove(a, a + 1, strlen(a));
	if (modifiers[1] == 0 && *modifiers == ':')
		*modifiers = 0;
	return true;
}

static int list_parse_name(
	const char *name, size_t n, struct event_listed *listed, char why[EVENT_WHY_MAX])
{
	char text[EVENT_NAME_MAX], full[EVENT_NAME_MAX];
	int rc;

	if (n >= sizeof text)
		return event_refuse(why, -EINVAL,
			"the event's name \"%.40s...\" is longer than %d bytes", name,
			EVENT_NAME_MAX - 1);
	snprintf(text, sizeof text, "%.*s", (int)n, name);
	memcpy(full, text, sizeof full);
	listed->on_cpus = list_cut_all(text);
	rc = event_find(text, &listed->event, why);
	listed->is_foreign = rc == -ENOTSUP;
	if (rc && !listed->is_foreign)
		return rc;
	/* An event that was not found has no name. */
	snprintf(listed->event.name, sizeof listed->event.name, "%s", full);
	why[0] = 0;
	return 0;
}

static bool list_has(const struct event_listed listed[], int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (strcmp(listed[i].event.name, name) == 0)
			return true;
	return false;
}

int event_list_parse(
	const char *list, struct event_listed listed[], unsigned max, char why[EVENT_WHY_MAX])
{
	unsigned count = 0;
	size_t n;
	int rc;

	why[0] = 0;
	for (const char *p = list;; p += n + 1) {
		n = event_name_length(p);
		if (n == 0 && !strchr("{}", *p))
			return event_refuse(
				why, -EINVAL, "an event's name is missing before \"%.40s\"", p);
		if (count == max)
			return event_refuse(why, -EINVAL, "more than %u events", max);
		rc = list_check_end(p + n, why);
		if (!rc)
			rc = list_parse_name(p, n, &listed[count], why);
		if (rc)
			return -EINVAL;
		if (list_has(listed, (int)count, listed[count].event.name))
			return event_refuse(
				why, -EINVAL, "\"%s\" comes twice", listed[count].event.name);
		count++;
		if (!p[n])
			return (int)count;
	}
}
