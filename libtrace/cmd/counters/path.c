/*
 * counters: parses \Set(instance)\Counter and \\host\Set(instance)\Counter.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../../formats/base/nearest.h"
#include "../../../formats/base/number.h"
#include "counters.h"

struct parts {
	const char *host, *set, *instance, *counter;	 /* host NULL: the path has no host */
	size_t host_length, set_length, instance_length; /* the counter's name extends to the end */
};

/* ---------------------------------------------------------------------------- nearest */

static void path_keep_nearest(
	const char *name, const char *candidate, const char **best, unsigned *least)
{
	if (nearest_improves(name, strlen(name), candidate, strlen(candidate), least))
		*best = candidate;
}

const char *nearest_set(const struct catalogue *c, const char *name)
{
	const char *best = NULL;
	unsigned least = NEAREST_NONE;

	for (unsigned i = 0; i < c->sets; i++)
		path_keep_nearest(name, c->set[i].name, &best, &least);
	return best;
}

static const char *nearest_counter(const struct catalogue_set *set, const char *name)
{
	const char *best = NULL;
	unsigned least = NEAREST_NONE;

	for (unsigned i = 0; i < set->counters; i++)
		path_keep_nearest(name, set->counter[i].name, &best, &least);
	return best;
}

/* ------------------------------------------------------------------------------- paths */

/* Finds the end of an instance: its name may contain anything, so the last ")\" ends it. */
static const char *instance_end(const char *text)
{
	const char *end = NULL;

	for (const char *p = text; (p = strstr(p, ")\\")); p++)
		end = p;
	return end;
}

/* Splits a path. Returns NULL or the error. set_length 0: the set's name ends at the first
 * parenthesis or backslash. */
static const char *path_split_parts(const char *text, size_t set_length, struct parts *p)
{
	if (*text != '\\')
		return "it does not begin with a backslash (quote it for the shell)";
	*p = (struct parts){.set = text + 1};
	if (*p->set == '\\') {
		p->host = text + 2;
		p->host_length = strcspn(p->host, "\\");
		if (!p->host_length)
			return "the machine's name is missing";
		p->set = p->host + p->host_length + (p->host[p->host_length] == '\\');
	}
	p->set_length = set_length ? set_length : strcspn(p->set, "(\\");
	if (!p->set_length)
		return "the counterset's name is missing";
	const char *at = p->set + p->set_length;
	if (*at == '(') {
		p->instance = at + 1;
		at = instance_end(p->instance);
		if (!at)
			return strchr(p->instance, ')') ? "the counter is missing"
							: "the ) after the instance is missing";
		p->instance_length = (size_t)(at - p->instance);
		if (!p->instance_length)
			return "the instance's name is missing";
		if (p->instance_length >= PERF_MAX_INSTANCE_NAME)
			return "the instance's name is too long";
		at++;
	}
	p->counter = *at ? at + 1 : at;
	return *p->counter ? NULL : "the counter is missing";
}

void path_check(const struct verb *verb, const char *text)
{
	struct parts p;
	const char *wrong = path_split_parts(text, 0, &p);

	if (wrong)
		cmd_misuse(
			verb, "\"%.200s\" is not a path \\Set(instance)\\Counter: %s", text, wrong);
}

/* Finds the set whose name begins the path, even if that name has a parenthesis. */
static const struct catalogue_set *path_find_set(const struct catalogue *c, const char *name)
{
	const struct catalogue_set *best = NULL;
	size_t length = 0;

	for (unsigned i = 0; i < c->sets; i++) {
		size_t n = strlen(c->set[i].name);

		if (n > length && strncasecmp(c->set[i].name, name, n) == 0 &&
			(name[n] == '(' || name[n] == '\\')) {
			best = &c->set[i];
			length = n;
		}
	}
	return best;
}

/* Skips blanks around a slash. */
static const char *skip_blanks_at_slash(const char *name, char before)
{
	const char *end = name + strspn(name, " ");

	return *end == '/' || before == '/' ? end : name;
}

/* Compares names without regard to case and to blanks around slashes: Windows has "Interrupts/sec",
 * PerfLib's documentation "Interrupts / sec". */
static bool is_spelled_alike(const char *a, const char *b)
{
	for (char before = 0;; before = *a++, b++) {
		a = skip_blanks_at_slash(a, before);
		b = skip_blanks_at_slash(b, before);
		if (strncasecmp(a, b, 1) != 0)
			return false;
		if (!*a)
			return true;
	}
}

static const struct catalogue_counter *find_counter(
	const struct catalogue_set *set, const char *name)
{
	for (unsigned i = 0; i < set->counters; i++)
		if (strcmp(set->counter[i].name, name) == 0)
			return &set->counter[i];
	for (unsigned i = 0; i < set->counters; i++)
		if (strcasecmp(set->counter[i].name, name) == 0)
			return &set->counter[i];
	for (unsigned i = 0; i < set->counters; i++)
		if (is_spelled_alike(set->counter[i].name, name))
			return &set->counter[i];
	return NULL;
}

static bool is_host(const struct catalogue *c, const struct parts *p)
{
	return !p->host || (strlen(c->host) == p->host_length &&
				   strncasecmp(c->host, p->host, p->host_length) == 0);
}

static int no_set(const struct verb *verb, const struct catalogue *c, const struct parts *p)
{
	char *name = strndup(p->set, p->set_length);
	const char *near = name ? nearest_set(c, name) : NULL;
	int code;

	if (near)
		code = cmd_fail(verb, "there is no counterset \"%.200s\"; the nearest is \"%s\"",
			name, near);
	else
		code = cmd_fail(verb,
			"there is no counterset \"%.200s\"; swtrace counters list shows them",
			name ? name : "");
	free(name);
	return code;
}

static int no_counter(const struct verb *verb, const struct catalogue_set *set, const char *counter)
{
	const char *near = nearest_counter(set, counter);

	if (near)
		return cmd_fail(verb,
			"the counterset \"%s\" has no counter \"%.200s\"; the nearest is \"%s\"",
			set->name, counter, near);
	return cmd_fail(verb,
		"the counterset \"%s\" has no counter \"%.200s\"; swtrace counters list \"%s\" shows them",
		set->name, counter, set->name);
}

int path_resolve(const struct verb *verb, const struct catalogue *c, const char *text,
	struct counter_path *path)
{
	struct parts p;

	path_split_parts(text, 0, &p);
	if (!is_host(c, &p))
		cmd_misuse(verb,
			"\"%.200s\" names another machine: only values of \\\\%s are available",
			text, c->host);
	*path = (struct counter_path){.text = text, .set = path_find_set(c, p.set)};
	if (!path->set)
		return no_set(verb, c, &p);
	const char *wrong = path_split_parts(text, strlen(path->set->name), &p);
	if (wrong)
		return cmd_fail(verb, "\"%.200s\": %s", text, wrong);
	if (path->set->many && !p.instance)
		return cmd_fail(verb,
			"\"%.200s\": the counterset has instances; (*) after its name takes all",
			text);
	if (!path->set->many && p.instance)
		return cmd_fail(verb,
			"\"%.200s\": the counterset has no instances; leave (%.*s) out", text,
			(int)p.instance_length, p.instance);
	if (p.instance)
		memcpy(path->instance, p.instance, p.instance_length);
	if (strcmp(p.counter, "*") == 0)
		return EXIT_FINE;
	path->counter = find_counter(path->set, p.counter);
	return path->counter ? EXIT_FINE : no_counter(verb, path->set, p.counter);
}

bool path_is_pattern(const char *instance)
{
	return strpbrk(instance, "*?") != NULL;
}

bool path_is_numbered(const char *instance, size_t *length, unsigned *number)
{
	const char *mark = strrchr(instance, '#');
	uint64_t n;

	if (!mark || mark == instance || mark[1] == '0' || path_is_pattern(instance) ||
		!number_parse(mark + 1, 10, 99999, &n))
		return false;
	*length = (size_t)(mark - instance);
	*number = (unsigned)n;
	return true;
}
