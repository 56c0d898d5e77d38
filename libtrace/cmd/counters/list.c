/*
 * counters list, instances: lists countersets, counters and instances.
 */
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
	for (unsigned i = 0; i < set->counters; i++)
		set->counter[i].supplied = block_column(&b, set->counter[i].id) >= 0;
	block_free(&b);
}

/* ---------------------------------------------------------------------------- output */

static void list_spell_name(struct out *o, const void *row)
{
	print_plain_out(o, ((const struct catalogue_counter *)row)->name);
}

static struct cell list_get_type(const void *row)
{
	const char *type = counter_type_name(((const struct catalogue_counter *)row)->type);

	return cell_string(type, type ? strlen(type) : 0, type);
}

static void list_spell_type(struct out *o, const void *row)
{
	const ULONG type = ((const struct catalogue_counter *)row)->type;

	if (counter_type_name(type))
		out_str(o, counter_type_name(type));
	else
		out_printf(o, "0x%08x", type);
}

static struct cell list_get_base(const void *row)
{
	const ULONG base = ((const struct catalogue_counter *)row)->base;

	return cell_u64(base, base != PERF_NO_COUNTER);
}

static void list_spell_supplied(struct out *o, const void *row)
{
	out_str(o, ((const struct catalogue_counter *)row)->supplied ? "" : "not here");
}

#define AT(member) COLUMN_AT(struct catalogue_counter, member)
static const struct column counter_columns[] = {
	{"id", "id", AT(id), .width = 6},
	{"name", "name", AT(name), .left = true, .width = 10, .text = list_spell_name},
	{"type", "type", .get = list_get_type, .left = true, .width = 35, .text = list_spell_type},
	{"type_code", AT(type)},
	{"base", .get = list_get_base},
	{"supplied", "supplied", AT(supplied), .left = true, .text = list_spell_supplied},
	{"help", AT(help)},
	{.name = NULL},
};
#undef AT

static void list_write_head(struct document *d, const struct catalogue_set *set)
{
	char guid[GUID_TEXT], provider[GUID_TEXT];

	guid_format(&set->guid, guid);
	guid_format(&set->provider, provider);
	if (d->j) {
		json_member_text(d->j, "counterset", set->name);
		json_member_text(d->j, "guid", guid);
		json_member_text(d->j, "provider", set->provider_name);
		json_member_text(d->j, "provider_guid", provider);
		json_member_bool(d->j, "instances", set->many);
		json_member_text(d->j, "help", set->help);
		return;
	}
	print_plain_out(d->o, set->name);
	out_printf(d->o, "  (%s, {%s}, from ", set->many ? "has instances" : "no instances", guid);
	print_plain_out(d->o, set->provider_name);
	out_str(d->o, *set->help ? ")\n  " : ")\n");
	print_plain_out(d->o, set->help);
	out_str(d->o, *set->help ? "\n" : "");
	if (set->why != ERROR_SUCCESS)
		out_printf(d->o, "  not here: %s\n", counters_status(set->why));
}

/* With a column of names as wide as the longest. */
static void list_write_counters(struct document *d, const struct catalogue_set *set)
{
	struct column columns[sizeof counter_columns / sizeof *counter_columns];
	size_t width = counter_columns[1].width;

	for (unsigned i = 0; i < set->counters; i++)
		if (strlen(set->counter[i].name) > width)
			width = strlen(set->counter[i].name);
	memcpy(columns, counter_columns, sizeof columns);
	columns[1].width = (uint8_t)(width < UINT8_MAX ? width : UINT8_MAX);
	for (document_begin_list(d, "counters", columns, 0); document_pass(d);)
		for (unsigned i = 0; i < set->counters; i++)
			document_add_row(d, &set->counter[i]);
}

int counters_list(const struct catalogue *c, struct catalogue_set *set, bool json)
{
	struct print_stream stream;
	struct document *d;

	for (unsigned i = 0; i < c->sets; i++) {
		if (set && set != &c->set[i])
			continue;
		catalogue_try(c, &c->set[i]);
		if (i && !set && !json)
			putchar('\n');
		d = print_document_begin(&stream, stdout, json);
		d->gap = 2;
		d->has_no_headings = true;
		list_write_head(d, &c->set[i]);
		list_write_counters(d, &c->set[i]);
		print_document_end(&stream);
	}
	return EXIT_FINE;
}

/* ---------------------------------------------------------------------------- instances */

/* Instance names in order; duplicates get a number. */
struct names {
	struct listed_name {
		char *text;
		ULONG id;
		unsigned before; /* equal ones */
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
		n->name[n->count++] = (struct listed_name){copy, id, 0};
	else
		n->failed = true;
}

static void free_names(struct names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->name[i].text);
	free(n->name);
}

static void list_count_equals(struct names *n)
{
	for (size_t i = 0; i < n->count; i++)
		for (size_t k = 0; k < i; k++)
			n->name[i].before += strcmp(n->name[k].text, n->name[i].text) == 0;
}

static void list_spell_instance(struct out *o, const void *row)
{
	const struct listed_name *name = row;

	print_plain_out(o, name->text);
	if (name->before)
		out_printf(o, "#%u", name->before);
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

#define AT(member) COLUMN_AT(struct listed_name, member)
static const struct column instance_columns[] = {
	{"name", "name", AT(text), .left = true, .width = 1, .text = list_spell_instance},
	{"id", AT(id)},
	{.name = NULL},
};
#undef AT

static void list_print_instances(const struct catalogue_set *set, const struct names *n, bool json)
{
	struct print_stream stream;
	struct document *d = print_document_begin(&stream, stdout, json);

	d->has_no_headings = true;
	if (json)
		json_member_text(d->j, "counterset", set->name);
	for (document_begin_list(d, "instances", instance_columns, 0); document_pass(d);)
		for (size_t i = 0; i < n->count; i++)
			document_add_row(d, &n->name[i]);
	print_document_end(&stream);
}

int counters_list_instances(
	const struct verb *verb, const struct catalogue *c, struct catalogue_set *set, bool json)
{
	struct names n = {0};
	int code = set->many ? find_names(verb, c, set, &n, false)
			     : cmd_fail(verb, "the counterset \"%s\" has no instances", set->name);

	if (code)
		return code;
	if (!json)
		list_count_equals(&n);
	list_print_instances(set, &n, json);
	free_names(&n);
	return EXIT_FINE;
}

/* ---------------------------------------------------------------------------- paths */

/* instance NULL: (*) if the set has instances. */
static void print_paths(const struct catalogue_set *set, const struct listed_name *instance)
{
	struct print_stream stream;
	struct out *o = print_stream_begin(&stream, stdout);

	for (unsigned i = 0; i < set->counters; i++) {
		if (counter_is_hidden(&set->counter[i]))
			continue;
		out_char(o, '\\');
		print_plain_out(o, set->name);
		out_str(o, instance ? "(" : set->many ? "(*)" : "");
		if (instance)
			list_spell_instance(o, instance);
		out_str(o, instance ? ")\\" : "\\");
		print_plain_out(o, set->counter[i].name);
		out_char(o, '\n');
	}
	print_stream_end(&stream);
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
			print_paths(s, NULL);
			continue;
		}
		code = find_names(verb, c, s, &n, true);
		if (code)
			return code;
		list_count_equals(&n);
		for (size_t j = 0; j < n.count; j++)
			print_paths(s, &n.name[j]);
		free_names(&n);
	}
	return EXIT_FINE;
}
