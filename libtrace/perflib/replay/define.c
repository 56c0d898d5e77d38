/*
 * Definitions of countersets, from their hooks. Of several of a GUID the first complete one holds.
 * Excess and malformed definitions are dropped; the others are replayed.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/utf8.h"
#include "definition.h"
#include "fields.h"

/* ------------------------------------------------------------------------------- texts */

/* A text of the trace, cut to fewer than `room` bytes, which is at most COUNTERSET_HELP_BYTES.
 * NULL: too many texts, or out of memory. */
static char *keep_text(struct replay *r, const char *bytes, size_t length, size_t room)
{
	char clean[COUNTERSET_HELP_BYTES], *text;

	if (r->text_bytes + room > REPLAY_TEXT_BYTES)
		return NULL;
	utf8_copy_clean(clean, room - 1, bytes, length);
	text = strdup(clean);
	if (text)
		r->text_bytes += strlen(text) + 1;
	return text;
}

static void drop_text(struct replay *r, const char *text)
{
	if (text)
		r->text_bytes -= strlen(text) + 1;
	free((char *)text);
}

/* ----------------------------------------------------------------------- registrations */

static void drop_names(struct replay *r, const struct counterset_definition *d)
{
	drop_text(r, d->name);
	drop_text(r, d->help);
	drop_text(r, d->provider_name);
}

void replay_forget(struct replay *r, struct replay_set *s)
{
	for (uint32_t i = 0; i < s->counters_read; i++) {
		drop_text(r, s->counter[i].name);
		drop_text(r, s->counter[i].help);
	}
	if (s->has_names)
		drop_names(r, &s->definition);
	free(s->counter);
	s->counter = NULL;
	s->counters_read = 0;
	s->has_names = false;
}

/* A hook's facts on the counterset. */
struct recorded_set {
	uint64_t high, low, hash, provider_high, provider_low, type, detail, counters;
	struct {
		const char *at;
		size_t length;
	} name, help, provider;
};

static void read_recorded_set(struct replay_reader *f, struct recorded_set *t)
{
	struct replay_value v;

	while (replay_field_next(f, &v))
		switch (v.field) {
		case FIELD_SET_HIGH:
			t->high = v.u;
			break;
		case FIELD_SET_LOW:
			t->low = v.u;
			break;
		case FIELD_DEFINITION:
			t->hash = v.u;
			break;
		case FIELD_PROVIDER_HIGH:
			t->provider_high = v.u;
			break;
		case FIELD_PROVIDER_LOW:
			t->provider_low = v.u;
			break;
		case FIELD_TYPE:
			t->type = v.u;
			break;
		case FIELD_DETAIL:
			t->detail = v.u;
			break;
		case FIELD_NUM_COUNTERS:
			t->counters = v.u;
			break;
		case FIELD_NAME:
			t->name.at = v.string;
			t->name.length = v.length;
			break;
		case FIELD_HELP:
			t->help.at = v.string;
			t->help.length = v.length;
			break;
		case FIELD_PROVIDER:
			t->provider.at = v.string;
			t->provider.length = v.length;
			break;
		default:
			break;
		}
}

static bool replay_definition_is_sane(const struct recorded_set *t)
{
	return t->counters && t->counters <= COUNTERSET_COUNTERS && t->name.length && t->help.at &&
	       t->provider.at &&
	       (t->type == PERF_COUNTERSET_SINGLE_INSTANCE ||
		       t->type == PERF_COUNTERSET_MULTI_INSTANCES);
}

static void begin_definition(struct replay *r, struct replay_set *s, const struct recorded_set *t)
{
	struct counterset_definition *d = &s->definition;

	replay_forget(r, s);
	*d = (struct counterset_definition){.guid = guid_of(t->high, t->low),
		.provider = guid_of(t->provider_high, t->provider_low),
		.type = (uint32_t)t->type,
		.detail = (uint32_t)t->detail,
		.ncounters = (uint32_t)t->counters};
	s->hash = t->hash;
	s->counter = calloc(d->ncounters, sizeof *s->counter);
	d->counter = s->counter;
	d->name = keep_text(r, t->name.at, t->name.length, COUNTERSET_NAME_BYTES);
	d->help = keep_text(r, t->help.at, t->help.length, COUNTERSET_HELP_BYTES);
	d->provider_name = keep_text(r, t->provider.at, t->provider.length, COUNTERSET_NAME_BYTES);
	s->has_names = s->counter && d->name && d->help && d->provider_name;
	if (!s->has_names)
		drop_names(r, d);
}

void replay_read_set(struct replay *r, struct replay_reader *f)
{
	struct recorded_set t = {0};
	struct replay_set *s;
	GUID id;

	read_recorded_set(f, &t);
	id = guid_of(t.high, t.low);
	if (!replay_definition_is_sane(&t))
		return;
	s = replay_find(r, &id);
	if (s && s->whole)
		return;
	if (!s)
		s = replay_add(r);
	if (s)
		begin_definition(r, s, &t);
}

/* Which counterset a hook of counters is of, and from which of them on; false: none that waits. */
struct recorded_counters {
	uint64_t high, low, hash, first;
	struct replay_set *set;
	bool refused;
	struct {
		uint64_t id, type, attrib, detail, scale, base, aggregate;
		const char *name;
		size_t name_length;
	} turn;
};

static bool waits_for(struct replay *r, struct recorded_counters *t)
{
	GUID id = guid_of(t->high, t->low);

	t->set = replay_find(r, &id);
	return t->set && !t->set->whole && t->set->has_names && t->set->hash == t->hash &&
	       t->set->counters_read == t->first;
}

/* The last field of a turn. */
static bool add_counter(
	struct replay *r, struct recorded_counters *t, const char *help, size_t help_length)
{
	struct replay_set *s = t->set;
	struct counter_definition *c = &s->counter[s->counters_read];

	if (s->counters_read == s->definition.ncounters || !t->turn.name || !t->turn.name_length ||
		t->turn.id >= PERF_WILDCARD_COUNTER ||
		(s->counters_read && t->turn.id <= s->counter[s->counters_read - 1].id))
		return false;
	*c = (struct counter_definition){.id = (uint32_t)t->turn.id,
		.type = (uint32_t)t->turn.type,
		.attrib = t->turn.attrib & ~(uint64_t)PERF_ATTRIB_BY_REFERENCE,
		.detail = (uint32_t)t->turn.detail,
		.scale = (int32_t)t->turn.scale,
		.base = (uint32_t)t->turn.base,
		.aggregate = (uint32_t)t->turn.aggregate};
	c->name = keep_text(r, t->turn.name, t->turn.name_length, COUNTERSET_NAME_BYTES);
	c->help = keep_text(r, help, help_length, COUNTERSET_HELP_BYTES);
	if (!c->name || !c->help) {
		drop_text(r, c->name);
		drop_text(r, c->help);
		return false;
	}
	memset(&t->turn, 0, sizeof t->turn);
	s->counters_read++;
	return true;
}

static void define_read_turn(
	struct replay *r, struct recorded_counters *t, const struct replay_value *v)
{
	if (!t->set && !waits_for(r, t))
		t->refused = true;
	if (t->refused)
		return;
	switch (v->field) {
	case FIELD_ID:
		t->turn.id = v->u;
		break;
	case FIELD_COUNTER_TYPE:
		t->turn.type = v->u;
		break;
	case FIELD_ATTRIB:
		t->turn.attrib = v->u;
		break;
	case FIELD_COUNTER_DETAIL:
		t->turn.detail = v->u;
		break;
	case FIELD_SCALE:
		t->turn.scale = v->u;
		break;
	case FIELD_BASE:
		t->turn.base = v->u;
		break;
	case FIELD_AGGREGATE:
		t->turn.aggregate = v->u;
		break;
	case FIELD_COUNTER_NAME:
		t->turn.name = v->string;
		t->turn.name_length = v->length;
		break;
	case FIELD_COUNTER_HELP:
		t->refused = !add_counter(r, t, v->string, v->length);
		break;
	default:
		break;
	}
}

/* Bases that are not there are none. */
static void replay_finish_definition(struct replay_set *s)
{
	s->whole = true;
	for (uint32_t i = 0; i < s->definition.ncounters; i++)
		if (counterset_column(&s->definition, s->counter[i].base) < 0)
			s->counter[i].base = PERF_NO_COUNTER;
}

void replay_read_counters(struct replay *r, struct replay_reader *f)
{
	struct recorded_counters t = {0};
	struct replay_value v;

	while (replay_field_next(f, &v))
		switch (v.field) {
		case FIELD_SET_HIGH:
			t.high = v.u;
			break;
		case FIELD_SET_LOW:
			t.low = v.u;
			break;
		case FIELD_DEFINITION:
			t.hash = v.u;
			break;
		case FIELD_FIRST:
			t.first = v.u;
			break;
		default:
			if (v.field >= FIELD_ID && v.field <= FIELD_COUNTER_HELP)
				define_read_turn(r, &t, &v);
			break;
		}
	if (t.set && !t.refused && t.set->counters_read == t.set->definition.ncounters)
		replay_finish_definition(t.set);
}
