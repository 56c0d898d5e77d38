/*
 * counters list, instances: what there is.
 */
#include <stdlib.h>
#include <string.h>

#include "../put_json.h"
#include "counters.h"

/* Result of a wildcard query of one set. */
static ULONG try_set(const struct catalogue *c, struct catalogue_set *set, struct block *b)
{
	struct counter_path path = {.set = set, .instance = "*"};
	struct counters_query q = {.catalogue = c, .path = &path, .paths = 1};

	if (!set->many)
		path.instance[0] = 0;
	ULONG status = query_open(&q);
	if (status == ERROR_SUCCESS)
		status = query_sample(&q);
	if (status == ERROR_SUCCESS) {
		*b = path.question->block;
		path.question->block = (struct block){0};
		status = b->status;
	}
	q.path = NULL;
	query_free(&q);
	return status;
}

void catalogue_try(const struct catalogue *c, struct catalogue_set *set)
{
	struct block b = {0};

	set->why = try_set(c, set, &b);
	set->tried = true;
	for (unsigned i = 0; i < set->counters; i++)
		set->counter[i].supplied = block_column(&b, set->counter[i].id) >= 0;
	block_free(&b);
}

/* ---------------------------------------------------------------------------- for people */

enum { TYPE_WIDTH = 35 };

static void print_counter(const struct catalogue_counter *c, size_t width)
{
	const char *name = counter_type_name(c->type);
	char code[16];

	snprintf(code, sizeof code, "0x%08x", c->type);
	printf("%6u  ", c->id);
	put_plain(stdout, c->name);
	printf("%*s%s", (int)(width - strlen(c->name) + 2), "", name ? name : code);
	if (!c->supplied)
		printf("%*s  not here", (int)(TYPE_WIDTH - strlen(name ? name : code)), "");
	putchar('\n');
}

static void print_set(const struct catalogue_set *set)
{
	char guid[40];
	size_t width = 10;

	guid_text(&set->guid, guid);
	put_plain(stdout, set->name);
	printf("  (%s, {%s}, from ", set->many ? "has instances" : "no instances", guid);
	put_plain(stdout, set->provider_name);
	fputs(")\n", stdout);
	if (*set->help) {
		fputs("  ", stdout);
		put_plain(stdout, set->help);
		fputc('\n', stdout);
	}
	if (set->why != ERROR_SUCCESS)
		printf("  not here: %s\n", counters_status(set->why));
	for (unsigned i = 0; i < set->counters; i++)
		if (strlen(set->counter[i].name) > width)
			width = strlen(set->counter[i].name);
	for (unsigned i = 0; i < set->counters; i++)
		print_counter(&set->counter[i], width);
}

/* ------------------------------------------------------------------------- for programs */

static void list_counter_json(struct json *j, const struct catalogue_counter *c)
{
	json_open(j, '{');
	json_member_u64(j, "id", c->id);
	json_member_text(j, "name", c->name);
	json_member_text(j, "type", counter_type_name(c->type));
	json_member_u64(j, "type_code", c->type);
	json_key(j, "base");
	if (c->base == PERF_NO_COUNTER)
		json_null(j);
	else
		json_u64(j, c->base);
	json_member_bool(j, "supplied", c->supplied);
	json_member_text(j, "help", c->help);
	json_close(j, '}');
}

static void print_set_json(const struct catalogue_set *set)
{
	struct put_json_stream stream;
	struct json *j = put_json_begin(&stream, stdout);
	char guid[40];

	json_open(j, '{');
	json_member_text(j, "counterset", set->name);
	guid_text(&set->guid, guid);
	json_member_text(j, "guid", guid);
	json_member_text(j, "provider", set->provider_name);
	guid_text(&set->provider, guid);
	json_member_text(j, "provider_guid", guid);
	json_member_bool(j, "instances", set->many);
	json_member_text(j, "help", set->help);
	json_member_open(j, "counters", '[');
	for (unsigned i = 0; i < set->counters; i++)
		list_counter_json(j, &set->counter[i]);
	json_close(j, ']');
	json_close(j, '}');
	json_end_line(j);
	put_json_end(&stream);
}

int counters_list(
	const struct verb *verb, const struct catalogue *c, struct catalogue_set *set, bool json)
{
	(void)verb;
	for (unsigned i = 0; i < c->sets; i++) {
		if (set && set != &c->set[i])
			continue;
		catalogue_try(c, &c->set[i]);
		if (json) {
			print_set_json(&c->set[i]);
			continue;
		}
		if (i && !set)
			putchar('\n');
		print_set(&c->set[i]);
	}
	return EXIT_FINE;
}

/* ---------------------------------------------------------------------------- instances */

/* Names in the order of their instances, with a number where one is there before. */
struct names {
	char **name;
	ULONG *id;
	size_t count;
	bool failed;
};

static void keep_name(void *arg, const char *name, ULONG id)
{
	struct names *n = arg;
	char **more = realloc(n->name, (n->count + 1) * sizeof *more);

	if (more)
		n->name = more;
	ULONG *ids = more ? realloc(n->id, (n->count + 1) * sizeof *ids) : NULL;
	if (ids)
		n->id = ids;
	char *copy = ids ? strdup(name) : NULL;
	if (!copy) {
		n->failed = true;
		return;
	}
	n->id[n->count] = id;
	n->name[n->count++] = copy;
}

static void free_names(struct names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->name[i]);
	free(n->name);
	free(n->id);
}

static void print_name(const struct names *n, size_t which)
{
	unsigned before = 0;

	for (size_t i = 0; i < which; i++)
		before += strcmp(n->name[i], n->name[which]) == 0;
	put_plain(stdout, n->name[which]);
	if (before)
		printf("#%u", before);
}

/* EXIT_FINE and the names, which the caller frees; or an exit code, told. may_lack: none at all is
 * fine. */
static int find_names(const struct verb *verb, const struct catalogue *c,
	const struct catalogue_set *set, struct names *n, bool may_lack)
{
	ULONG status = catalogue_instances(c, set, keep_name, n);

	if (status == ERROR_SUCCESS && n->failed)
		status = ERROR_OUTOFMEMORY;
	if (status == ERROR_SUCCESS || (may_lack && status == ERROR_WMI_INSTANCE_NOT_FOUND))
		return EXIT_FINE;
	free_names(n);
	return cmd_fail(verb, "the counterset \"%s\": %s", set->name, counters_status(status));
}

static void list_instances_json(const struct catalogue_set *set, const struct names *n)
{
	struct put_json_stream stream;
	struct json *j = put_json_begin(&stream, stdout);

	json_open(j, '{');
	json_member_text(j, "counterset", set->name);
	json_member_open(j, "instances", '[');
	for (size_t i = 0; i < n->count; i++) {
		json_open(j, '{');
		json_member_text(j, "name", n->name[i]);
		json_member_u64(j, "id", n->id[i]);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
	json_end_line(j);
	put_json_end(&stream);
}

int counters_list_instances(
	const struct verb *verb, const struct catalogue *c, struct catalogue_set *set, bool json)
{
	struct names n = {0};
	int code = set->many ? find_names(verb, c, set, &n, false)
			     : cmd_fail(verb, "the counterset \"%s\" has no instances", set->name);

	if (code)
		return code;
	if (json)
		list_instances_json(set, &n);
	for (size_t i = 0; !json && i < n.count; i++) {
		print_name(&n, i);
		putchar('\n');
	}
	free_names(&n);
	return EXIT_FINE;
}

/* ---------------------------------------------------------------------------- paths */

/* names NULL: (*) where there are instances. */
static void print_paths(const struct catalogue_set *set, const struct names *names, size_t which)
{
	for (unsigned i = 0; i < set->counters; i++) {
		if (counter_is_hidden(&set->counter[i]))
			continue;
		putchar('\\');
		put_plain(stdout, set->name);
		if (names) {
			putchar('(');
			print_name(names, which);
			putchar(')');
		} else if (set->many) {
			fputs("(*)", stdout);
		}
		putchar('\\');
		put_plain(stdout, set->counter[i].name);
		putchar('\n');
	}
}

int counters_list_paths(const struct verb *verb, const struct catalogue *c,
	struct catalogue_set *set, bool instances)
{
	for (unsigned i = 0; i < c->sets; i++) {
		const struct catalogue_set *s = &c->set[i];
		struct names n = {0};
		int code = EXIT_FINE;

		if (set && set != s)
			continue;
		if (!s->many || !instances) {
			print_paths(s, NULL, 0);
			continue;
		}
		code = find_names(verb, c, s, &n, true);
		if (code)
			return code;
		for (size_t j = 0; j < n.count; j++)
			print_paths(s, &n, j);
		free_names(&n);
	}
	return EXIT_FINE;
}
