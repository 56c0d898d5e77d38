/*
 * counters list, instances: lists countersets, counters and instances.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/array.h"
#include "../../perflib/guid.h"
#include "../print_stream.h"
#include "counters.h"

/* Queries all counters of one set. */
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

/* Queries all counters of a set once, to see which are supplied. */
static void catalogue_try(const struct catalogue *c, struct catalogue_set *set)
{
	struct block b = {0};

	set->why = try_set(c, set, &b);
	set->tried = true;
	for (unsigned i = 0; i < set->counters; i++)
		set->counter[i].supplied = block_column(&b, set->counter[i].id) >= 0;
	block_free(&b);
}

/* ---------------------------------------------------------------------------- human-readable */

static void print_counter(struct table *t, const struct catalogue_counter *c)
{
	const char *type = counter_type_name(c->type);

	out_u64(table_right(t), c->id);
	print_plain_out(table_left(t), c->name);
	if (type)
		table_text(t, type);
	else
		out_printf(table_left(t), "0x%08x", c->type);
	if (!c->supplied)
		table_text(t, "not here");
	table_end_row(t);
}

static void list_print_counters(const struct catalogue_set *set)
{
	unsigned widths[] = {6, 10, 35, 0}; /* id, name, type */
	struct print_stream stream;

	for (unsigned i = 0; i < set->counters; i++)
		if (strlen(set->counter[i].name) > widths[1])
			widths[1] = (unsigned)strlen(set->counter[i].name);
	struct table *t = print_table_begin(&stream, stdout, widths, 2);
	for (unsigned i = 0; i < set->counters; i++)
		print_counter(t, &set->counter[i]);
	print_stream_end(&stream);
}

static void print_set(const struct catalogue_set *set)
{
	char guid[GUID_TEXT];

	guid_format(&set->guid, guid);
	print_plain(stdout, set->name);
	printf("  (%s, {%s}, from ", set->many ? "has instances" : "no instances", guid);
	print_plain(stdout, set->provider_name);
	fputs(")\n", stdout);
	if (*set->help) {
		fputs("  ", stdout);
		print_plain(stdout, set->help);
		fputc('\n', stdout);
	}
	if (set->why != ERROR_SUCCESS)
		printf("  not here: %s\n", counters_status(set->why));
	list_print_counters(set);
}

/* ------------------------------------------------------------------------- for programs */

static void list_counter_json(struct json *j, const struct catalogue_counter *c)
{
	json_open(j, '{');
	json_member_u64(j, "id", c->id);
	json_member_text(j, "name", c->name);
	json_member_text(j, "type", counter_type_name(c->type));
	json_member_u64(j, "type_code", c->type);
	json_member_count(j, "base", c->base != PERF_NO_COUNTER, c->base);
	json_member_bool(j, "supplied", c->supplied);
	json_member_text(j, "help", c->help);
	json_close(j, '}');
}

static void print_set_json(const struct catalogue_set *set)
{
	struct print_stream stream;
	struct json *j = print_json_begin(&stream, stdout);
	char guid[GUID_TEXT];

	json_open(j, '{');
	json_member_text(j, "counterset", set->name);
	guid_format(&set->guid, guid);
	json_member_text(j, "guid", guid);
	json_member_text(j, "provider", set->provider_name);
	guid_format(&set->provider, guid);
	json_member_text(j, "provider_guid", guid);
	json_member_bool(j, "instances", set->many);
	json_member_text(j, "help", set->help);
	json_member_open(j, "counters", '[');
	for (unsigned i = 0; i < set->counters; i++)
		list_counter_json(j, &set->counter[i]);
	json_close(j, ']');
	json_close(j, '}');
	json_end_line(j);
	print_stream_end(&stream);
}

int counters_list(const struct catalogue *c, struct catalogue_set *set, bool json)
{
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

/* Instance names in order; duplicates get a number. */
struct names {
	struct listed_name {
		char *text;
		ULONG id;
	} * name;
	size_t count, room;
	bool failed;
};

static void keep_name(void *arg, const char *name, ULONG id)
{
	struct names *n = arg;
	bool has_room = array_reserve(&n->name, &n->room, n->count + 1, sizeof *n->name);
	char *copy = has_room ? strdup(name) : NULL;

	if (copy)
		n->name[n->count++] = (struct listed_name){copy, id};
	else
		n->failed = true;
}

static void free_names(struct names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->name[i].text);
	free(n->name);
}

static void print_name(const struct names *n, size_t which)
{
	unsigned before = 0;

	for (size_t i = 0; i < which; i++)
		before += strcmp(n->name[i].text, n->name[which].text) == 0;
	print_plain(stdout, n->name[which].text);
	if (before)
		printf("#%u", before);
}

/* Finds the names, which the caller frees. Returns EXIT_FINE, or an exit code after reporting the
 * error. may_lack: no instances is fine. */
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
	struct print_stream stream;
	struct json *j = print_json_begin(&stream, stdout);

	json_open(j, '{');
	json_member_text(j, "counterset", set->name);
	json_member_open(j, "instances", '[');
	for (size_t i = 0; i < n->count; i++) {
		json_open(j, '{');
		json_member_text(j, "name", n->name[i].text);
		json_member_u64(j, "id", n->name[i].id);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
	json_end_line(j);
	print_stream_end(&stream);
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

/* names NULL: prints (*) if the set has instances. */
static void print_paths(const struct catalogue_set *set, const struct names *names, size_t which)
{
	for (unsigned i = 0; i < set->counters; i++) {
		if (counter_is_hidden(&set->counter[i]))
			continue;
		putchar('\\');
		print_plain(stdout, set->name);
		if (names) {
			putchar('(');
			print_name(names, which);
			putchar(')');
		} else if (set->many) {
			fputs("(*)", stdout);
		}
		putchar('\\');
		print_plain(stdout, set->counter[i].name);
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
