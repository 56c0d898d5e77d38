#include "hook_names.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/scope_hooks.h"
#include "../../base/grow.h"
#include "../../model/trace/labels.h"
#include "../../sink/escapes.h"
#include "columns.h"

enum role {
	ROLE_NONE,
	ROLE_KNOWN,
	ROLE_LABEL,
	ROLE_NAME,
	ROLE_TYPE,
	ROLE_VALUE,
	ROLE_EVENT_NAME,
	ROLE_EVENT_FLAGS,
	ROLE_EVENT_VALUE,
	ROLE_TEXT
};

static void names_find_roles(struct hook_names *n, const struct schema_hook *schema)
{
	static const char *const names[] = {[ROLE_KNOWN] = "known",
		[ROLE_LABEL] = "label_number",
		[ROLE_NAME] = "arg_name",
		[ROLE_TYPE] = "arg_type",
		[ROLE_VALUE] = "arg_value",
		[ROLE_EVENT_NAME] = "event_name",
		[ROLE_EVENT_FLAGS] = "event_flags",
		[ROLE_EVENT_VALUE] = "event_value",
		[ROLE_TEXT] = "text"};
	unsigned count;
	const struct schema_field *fields = schema_hook_fields(schema, &count);

	if (n->schema == schema)
		return;
	n->schema = schema;
	n->has_label = n->has_arguments = n->has_events = false;
	n->tells_label = n->tells_arguments = true;
	for (unsigned i = 0; i < count; i++) {
		n->roles[i] = ROLE_NONE;
		for (uint8_t role = ROLE_KNOWN; role <= ROLE_TEXT; role++)
			if (strcmp(fields[i].name, names[role]) == 0 &&
				(fields[i].type == FIELD_STRING) == (role == ROLE_TEXT))
				n->roles[i] = role;
		n->tells_label &= strcmp(fields[i].name, "label") != 0;
		n->tells_arguments &= strcmp(fields[i].name, "args") != 0 &&
				      strcmp(fields[i].name, "counts") != 0;
		n->has_label |= n->roles[i] == ROLE_LABEL;
		n->has_events |= n->roles[i] == ROLE_EVENT_NAME;
		n->has_arguments |= n->roles[i] == ROLE_NAME || n->has_events;
	}
}

static struct hook_text names_find_label(const struct trace_file *f, uint64_t number)
{
	const struct label *label = number <= UINT32_MAX ? trace_label(f, (uint32_t)number) : NULL;

	return label ? (struct hook_text){label->text, label->length} : (struct hook_text){0};
}

/* The argument of a turn; NULL: no memory. */
static struct hook_argument *names_of_turn(struct hook_names *n, uint32_t turn)
{
	if (!array_reserve(&n->arguments, &n->room, (size_t)turn + 1, sizeof *n->arguments))
		return NULL;
	while (n->count <= turn)
		n->arguments[n->count++] = (struct hook_argument){0};
	return &n->arguments[turn];
}

static void argument_set_value(struct hook_argument *a, uint64_t bits)
{
	switch (a->type) {
	case INTERVAL_ARG_U64:
		a->value = cell_u64(bits, true);
		break;
	case INTERVAL_ARG_I64:
		a->value = (struct cell){.kind = CELL_I64, .i = (int64_t)bits};
		break;
	case INTERVAL_ARG_F64:
		a->value = (struct cell){.kind = CELL_DOUBLE};
		memcpy(&a->value.real, &bits, sizeof bits);
		break;
	case INTERVAL_ARG_TEXT:
		a->lacks_text = true;
		break;
	}
}

/* The next string of the hook. */
static void names_add_text(struct hook_names *n, size_t *next, const struct field_value *v)
{
	for (; *next < n->count; ++*next) {
		struct hook_argument *a = &n->arguments[*next];

		if (a->lacks_name) {
			a->name = (struct hook_text){v->string, v->length};
			a->lacks_name = false;
			return;
		}
		if (a->lacks_text) {
			a->value = cell_string(v->string, v->length, true);
			a->lacks_text = false;
			return;
		}
	}
}

bool hook_names_read(struct hook_names *n, const struct trace *t, const struct hook *h)
{
	const struct trace_file *f = trace_file(t, h->file);
	struct field_cursor c;
	struct field_value v;
	size_t next = 0;
	bool label_is_text = false;

	if (!h->schema || (h->major != SCOPE_MAJOR && h->major != INTERVAL_MAJOR))
		return false;
	names_find_roles(n, h->schema);
	n->label = (struct hook_text){0};
	n->count = 0;
	if (!n->has_label && !n->has_arguments)
		return false;
	field_start(&c, h);
	while (field_next(&c, &v)) {
		const uint8_t role = n->roles[v.index];
		struct hook_argument *a = role >= ROLE_NAME && role <= ROLE_EVENT_VALUE
						  ? names_of_turn(n, v.turn)
						  : NULL;

		if (role == ROLE_KNOWN) {
			label_is_text = v.u & SCOPE_KNOWN_TEXT;
		} else if (role == ROLE_LABEL) {
			n->label = names_find_label(f, v.u);
		} else if (role == ROLE_TEXT && label_is_text) {
			n->label = (struct hook_text){v.string, v.length};
			label_is_text = false;
		} else if (role == ROLE_TEXT) {
			names_add_text(n, &next, &v);
		} else if (a && (role == ROLE_NAME || role == ROLE_EVENT_NAME)) {
			a->name = names_find_label(f, v.u);
			a->lacks_name = !v.u;
		} else if (a && role == ROLE_TYPE) {
			a->type = (uint32_t)v.u;
		} else if (a && role == ROLE_EVENT_FLAGS) {
			a->type = v.u & INTERVAL_EVENT_KNOWN ? INTERVAL_ARG_U64 : 0;
		} else if (a) {
			argument_set_value(a, v.u);
		}
	}
	return true;
}

void hook_names_spell(const struct hook_names *n, struct out *o)
{
	if (n->label.at) {
		out_str(o, " label=");
		escape_quoted(o, n->label.at, n->label.length);
	}
	for (size_t i = 0; i < n->count; i++) {
		const struct hook_argument *a = &n->arguments[i];

		out_char(o, ' ');
		if (a->name.at)
			value_spell_text(o, a->name.at, a->name.length);
		else
			out_str(o, "n/a");
		out_char(o, '=');
		value_spell(o, a->value);
	}
}

static void names_write_text(struct json *j, struct hook_text text)
{
	if (text.at)
		json_string(j, text.at, text.length);
	else
		json_null(j);
}

void hook_names_write(const struct hook_names *n, struct json *j)
{
	if (n->has_label && n->tells_label) {
		json_key(j, "label");
		names_write_text(j, n->label);
	}
	if (!n->has_arguments || !n->tells_arguments)
		return;
	json_member_open(j, n->has_events ? "counts" : "args", '[');
	for (size_t i = 0; i < n->count; i++) {
		json_open(j, '{');
		json_key(j, "name");
		names_write_text(j, n->arguments[i].name);
		json_key(j, "value");
		cell_write_json(j, n->arguments[i].value);
		json_close(j, '}');
	}
	json_close(j, ']');
}

void hook_names_free(struct hook_names *n)
{
	free(n->arguments);
}
