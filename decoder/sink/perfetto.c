#include "perfetto.h"

#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>

#include "../../formats/base/array.h"

/* Fields of Perfetto's messages that are written here. */
enum {
	TRACE_PACKET = 1,

	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_CLOCK = 58,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60,

	SNAPSHOT_CLOCKS = 1,
	SNAPSHOT_PRIMARY = 2,
	CLOCK_ID = 1,
	CLOCK_TIME = 2,
	CLOCK_INCREMENTAL = 3,

	DEFAULTS_TRACK_EVENT = 11,
	DEFAULTS_CLOCK = 58,

	INTERNED_EVENT_NAMES = 2,
	INTERNED_ARGUMENT_NAMES = 3,
	INTERNED_ARGUMENT_WORDS = 29,
	INTERNED_NUMBER = 1,
	INTERNED_TEXT = 2,

	EVENT_ARGUMENTS = 4,
	EVENT_TYPE = 9,
	EVENT_NAME = 10,
	EVENT_TRACK = 11,
	EVENT_VALUES = 12,
	EVENT_COUNT = 30,
	EVENT_COUNTERS = 31,
	EVENT_REAL = 44,
	EVENT_REAL_COUNTERS = 45,
	EVENT_REALS = 46,

	ARGUMENT_NAME = 1,
	ARGUMENT_UINT = 3,
	ARGUMENT_INT = 4,
	ARGUMENT_DOUBLE = 5,
	ARGUMENT_TEXT = 6,
	ARGUMENT_WORD = 17,

	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	TRACK_MERGE = 15,

	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
	COUNTER_UNIT = 3,
};

enum {
	CLOCK_REALTIME_ID = 1,
	CLOCK_SEQUENCE_ID = 64, /* the first of those that each sequence has for itself */
	FLAG_CLEARED = 1,
	SEQUENCE_DESCRIPTORS = 1,
	MERGE_NONE = 2, /* tracks of one name stay apart */
};

/* A sequence that knows more names forgets them, so that memory is bounded. */
enum { NAMES_MAX = 1024, NAMES_TEXT_MAX = 1 << 18 };

static void perfetto_put_clock(struct perfetto *p, unsigned id, int64_t t, bool incremental)
{
	protobuf_open(&p->packet, SNAPSHOT_CLOCKS);
	protobuf_uint(&p->packet, CLOCK_ID, id);
	protobuf_int(&p->packet, CLOCK_TIME, t);
	if (incremental)
		protobuf_uint(&p->packet, CLOCK_INCREMENTAL, 1);
	protobuf_close(&p->packet);
}

static void perfetto_end_packet(struct perfetto *p)
{
	protobuf_close(&p->packet);
	protobuf_flush(&p->packet, p->out);
}

void perfetto_open(struct perfetto *p, struct out *out, int64_t base)
{
	*p = (struct perfetto){.out = out, .base = base, .sequences = SEQUENCE_DESCRIPTORS};
	protobuf_init(&p->packet);
	protobuf_init(&p->names);
	protobuf_open(&p->packet, TRACE_PACKET);
	protobuf_uint(&p->packet, PACKET_SEQUENCE, SEQUENCE_DESCRIPTORS);
	protobuf_open(&p->packet, PACKET_CLOCK_SNAPSHOT);
	perfetto_put_clock(p, CLOCK_REALTIME_ID, base, false);
	protobuf_uint(&p->packet, SNAPSHOT_PRIMARY, CLOCK_REALTIME_ID);
	protobuf_close(&p->packet);
	perfetto_end_packet(p);
}

void perfetto_close(struct perfetto *p)
{
	protobuf_free(&p->packet);
	protobuf_free(&p->names);
}

static void perfetto_put_text(struct perfetto *p, unsigned field, const struct perfetto_track *t)
{
	if (t->name)
		protobuf_string(&p->packet, field, t->name, t->name_length);
}

void perfetto_describe(struct perfetto *p, const struct perfetto_track *t)
{
	struct protobuf *to = &p->packet;

	protobuf_open(to, TRACE_PACKET);
	protobuf_uint(to, PACKET_SEQUENCE, SEQUENCE_DESCRIPTORS);
	protobuf_open(to, PACKET_TRACK);
	protobuf_uint(to, TRACK_UUID, t->uuid);
	if (t->parent)
		protobuf_uint(to, TRACK_PARENT, t->parent);
	switch (t->kind) {
	case PERFETTO_PROCESS:
		protobuf_open(to, TRACK_PROCESS);
		protobuf_uint(to, PROCESS_PID, t->pid);
		perfetto_put_text(p, PROCESS_NAME, t);
		protobuf_close(to);
		break;
	case PERFETTO_THREAD:
		protobuf_open(to, TRACK_THREAD);
		protobuf_uint(to, THREAD_PID, t->pid);
		protobuf_uint(to, THREAD_TID, t->tid);
		perfetto_put_text(p, THREAD_NAME, t);
		protobuf_close(to);
		break;
	case PERFETTO_COUNTER_TRACK:
		perfetto_put_text(p, TRACK_NAME, t);
		protobuf_open(to, TRACK_COUNTER);
		if (t->unit)
			protobuf_uint(to, COUNTER_UNIT, t->unit);
		protobuf_close(to);
		break;
	case PERFETTO_PLAIN:
		perfetto_put_text(p, TRACK_NAME, t);
		protobuf_uint(to, TRACK_MERGE, MERGE_NONE);
		break;
	}
	protobuf_close(to);
	perfetto_end_packet(p);
}

static void perfetto_put_defaults(struct perfetto *p, const struct perfetto_sequence *s)
{
	struct protobuf *to = &p->packet;

	protobuf_open(to, PACKET_DEFAULTS);
	protobuf_uint(to, DEFAULTS_CLOCK, CLOCK_SEQUENCE_ID);
	protobuf_open(to, DEFAULTS_TRACK_EVENT);
	protobuf_uint(to, EVENT_TRACK, s->track);
	for (unsigned i = 0; i < s->ncounters; i++)
		protobuf_uint(to, s->counters[i].is_real ? EVENT_REAL_COUNTERS : EVENT_COUNTERS,
			s->counters[i].track);
	protobuf_close(to);
	protobuf_close(to);
}

void perfetto_begin_sequence(struct perfetto *p, struct perfetto_sequence *s, uint64_t track)
{
	struct protobuf *to = &p->packet;

	s->id = ++p->sequences;
	s->track = track;
	s->clock = p->base;
	protobuf_open(to, TRACE_PACKET);
	protobuf_uint(to, PACKET_SEQUENCE, s->id);
	protobuf_uint(to, PACKET_FLAGS, FLAG_CLEARED);
	protobuf_open(to, PACKET_CLOCK_SNAPSHOT);
	perfetto_put_clock(p, CLOCK_REALTIME_ID, p->base, false);
	perfetto_put_clock(p, CLOCK_SEQUENCE_ID, p->base, true);
	protobuf_uint(to, SNAPSHOT_PRIMARY, CLOCK_REALTIME_ID);
	protobuf_close(to);
	perfetto_put_defaults(p, s);
	perfetto_end_packet(p);
}

static void names_free(struct perfetto_names *n)
{
	free(n->entries);
	free(n->text);
	hash_index_free(&n->index);
	*n = (struct perfetto_names){0};
}

void perfetto_free_sequence(struct perfetto_sequence *s)
{
	names_free(&s->names);
	names_free(&s->arguments);
	names_free(&s->words);
}

unsigned perfetto_fit(const struct perfetto_value *values, unsigned n)
{
	bool zero_count = false, zero_real = false, any_real = false;
	unsigned i;

	for (i = 0; i < n && i < PERFETTO_VALUES_MAX; i++) {
		const struct perfetto_value *v = &values[i];

		if (v->is_real) {
			bool zero = fpclassify(v->real) == FP_ZERO;

			if (!zero && (zero_count || zero_real))
				break;
			zero_real |= zero;
			any_real |= !zero;
		} else {
			if (v->count ? zero_count : any_real)
				break;
			zero_count |= !v->count;
		}
	}
	return i;
}

static void perfetto_set_defaults(struct perfetto *p, struct perfetto_sequence *s, uint64_t track,
	const struct perfetto_value *values, unsigned n, unsigned used)
{
	bool same = track == s->track && used <= s->ncounters;

	for (unsigned i = 0; i < used && same; i++)
		same = values[i].track == s->counters[i].track &&
		       values[i].is_real == s->counters[i].is_real;
	if (same)
		return;
	s->ncounters = n < PERFETTO_VALUES_MAX ? n : PERFETTO_VALUES_MAX;
	memcpy(s->counters, values, s->ncounters * sizeof *values);
	s->track = track;
	protobuf_open(&p->packet, TRACE_PACKET);
	protobuf_uint(&p->packet, PACKET_SEQUENCE, s->id);
	perfetto_put_defaults(p, s);
	perfetto_end_packet(p);
}

void perfetto_set_counters(struct perfetto *p, struct perfetto_sequence *s,
	const struct perfetto_value *values, unsigned n, unsigned used)
{
	perfetto_set_defaults(p, s, s->track, values, n, used);
}

static void names_forget(struct perfetto_names *n)
{
	hash_index_free(&n->index);
	memset(n->recent, 0, sizeof n->recent);
	n->count = n->text_used = 0;
}

static bool names_are_full(const struct perfetto_names *n)
{
	return n->count >= NAMES_MAX || n->text_used >= NAMES_TEXT_MAX;
}

/* The names that a sequence knew are gone for its reader too. */
static void perfetto_restart(struct perfetto *p, struct perfetto_sequence *s)
{
	names_forget(&s->names);
	names_forget(&s->arguments);
	names_forget(&s->words);
	protobuf_open(&p->packet, TRACE_PACKET);
	protobuf_uint(&p->packet, PACKET_SEQUENCE, s->id);
	protobuf_uint(&p->packet, PACKET_FLAGS, FLAG_CLEARED);
	perfetto_put_defaults(p, s);
	perfetto_end_packet(p);
}

static unsigned names_slot(const char *name, size_t length)
{
	unsigned sum = (unsigned)length;

	if (length > 1)
		sum += (unsigned char)name[0] + 2u * (unsigned char)name[1] +
		       4u * (unsigned char)name[length - 1];
	return sum % PERFETTO_RECENT_NAMES;
}

static bool names_is(
	const struct perfetto_names *n, uint32_t number, const char *name, size_t length)
{
	const struct perfetto_name *e = &n->entries[number - 1];

	return e->length == length && (!length || memcmp(n->text + e->at, name, length) == 0);
}

/* The number of a name; *added: it is new. 0: out of memory. */
static uint32_t names_find_hashed(
	struct perfetto_names *n, const char *name, size_t length, bool *added)
{
	uint64_t hash = XXH3_64bits(name, length), at = hash;
	size_t i;

	for (uint32_t found; (found = hash_index_next(&n->index, &at));)
		if (n->entries[found - 1].hash == hash && names_is(n, found, name, length))
			return found;
	if (!array_reserve(&n->entries, &n->room, n->count + 1, sizeof *n->entries) ||
		!array_reserve(&n->text, &n->text_room, n->text_used + length + 1, 1) ||
		!hash_index_grow(&n->index, n->count + 1, &i))
		return 0;
	n->entries[n->count++] = (struct perfetto_name){
		.hash = hash, .at = (uint32_t)n->text_used, .length = (uint32_t)length};
	if (length)
		memcpy(n->text + n->text_used, name, length);
	n->text_used += length;
	for (; i < n->count; i++)
		hash_index_add(&n->index, n->entries[i].hash, (uint32_t)i);
	*added = true;
	return (uint32_t)n->count;
}

static uint32_t names_find(struct perfetto_names *n, const char *name, size_t length, bool *added)
{
	uint32_t *recent = &n->recent[names_slot(name, length)];

	*added = false;
	if (!*recent || !names_is(n, *recent, name, length))
		*recent = names_find_hashed(n, name, length, added);
	return *recent;
}

static uint32_t perfetto_intern(struct perfetto *p, struct perfetto_names *n, unsigned field,
	const char *name, size_t length)
{
	bool added;
	uint32_t number = names_find(n, name, length, &added);

	if (!number && !p->out->error)
		p->out->error = ENOMEM;
	if (added) {
		protobuf_open(&p->names, field);
		protobuf_uint(&p->names, INTERNED_NUMBER, number);
		protobuf_string(&p->names, INTERNED_TEXT, name, length);
		protobuf_close(&p->names);
	}
	return number;
}

static void perfetto_put_time(struct perfetto *p, struct perfetto_sequence *s, int64_t t)
{
	protobuf_uint(&p->packet, PACKET_SEQUENCE, s->id);
	if (t >= s->clock) {
		protobuf_uint(&p->packet, PACKET_TIMESTAMP, (uint64_t)t - (uint64_t)s->clock);
		s->clock = t;
	} else {
		/* The sequence's clock cannot go back. */
		protobuf_int(&p->packet, PACKET_TIMESTAMP, t);
		protobuf_uint(&p->packet, PACKET_CLOCK, CLOCK_REALTIME_ID);
	}
}

void perfetto_begin_event(
	struct perfetto *p, struct perfetto_sequence *s, enum perfetto_event_type type, int64_t t)
{
	if (names_are_full(&s->names) || names_are_full(&s->arguments) || names_are_full(&s->words))
		perfetto_restart(p, s);
	protobuf_open(&p->packet, TRACE_PACKET);
	perfetto_put_time(p, s, t);
	protobuf_open(&p->packet, PACKET_TRACK_EVENT);
	protobuf_uint(&p->packet, EVENT_TYPE, type);
}

void perfetto_name(struct perfetto *p, struct perfetto_sequence *s, const char *name, size_t n)
{
	protobuf_uint(&p->packet, EVENT_NAME,
		perfetto_intern(p, &s->names, INTERNED_EVENT_NAMES, name, n));
}

static void perfetto_put_value(
	struct perfetto *p, const struct perfetto_value *v, unsigned count, unsigned real)
{
	if (v->is_real)
		protobuf_double(&p->packet, real, v->real);
	else
		protobuf_int(&p->packet, count, v->count);
}

void perfetto_values(struct perfetto *p, const struct perfetto_value *values, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		perfetto_put_value(p, &values[i], EVENT_VALUES, EVENT_REALS);
}

static void perfetto_open_argument(
	struct perfetto *p, struct perfetto_sequence *s, const char *name, size_t n)
{
	protobuf_open(&p->packet, EVENT_ARGUMENTS);
	protobuf_uint(&p->packet, ARGUMENT_NAME,
		perfetto_intern(p, &s->arguments, INTERNED_ARGUMENT_NAMES, name, n));
}

void perfetto_argument_uint(
	struct perfetto *p, struct perfetto_sequence *s, const char *name, size_t n, uint64_t v)
{
	perfetto_open_argument(p, s, name, n);
	protobuf_uint(&p->packet, ARGUMENT_UINT, v);
	protobuf_close(&p->packet);
}

void perfetto_argument_int(
	struct perfetto *p, struct perfetto_sequence *s, const char *name, size_t n, int64_t v)
{
	perfetto_open_argument(p, s, name, n);
	protobuf_int(&p->packet, ARGUMENT_INT, v);
	protobuf_close(&p->packet);
}

void perfetto_argument_double(
	struct perfetto *p, struct perfetto_sequence *s, const char *name, size_t n, double v)
{
	perfetto_open_argument(p, s, name, n);
	protobuf_double(&p->packet, ARGUMENT_DOUBLE, v);
	protobuf_close(&p->packet);
}

void perfetto_argument_text(struct perfetto *p, struct perfetto_sequence *s, const char *name,
	size_t n, const char *v, size_t length)
{
	perfetto_open_argument(p, s, name, n);
	protobuf_string(&p->packet, ARGUMENT_TEXT, v, length);
	protobuf_close(&p->packet);
}

void perfetto_argument_word(struct perfetto *p, struct perfetto_sequence *s, const char *name,
	size_t n, const char *v, size_t length)
{
	perfetto_open_argument(p, s, name, n);
	protobuf_uint(&p->packet, ARGUMENT_WORD,
		perfetto_intern(p, &s->words, INTERNED_ARGUMENT_WORDS, v, length));
	protobuf_close(&p->packet);
}

void perfetto_end_event(struct perfetto *p)
{
	protobuf_close(&p->packet);
	if (p->names.bytes.len || p->names.bytes.error) {
		protobuf_open(&p->packet, PACKET_INTERNED);
		protobuf_flush(&p->names, &p->packet.bytes);
		protobuf_close(&p->packet);
	}
	perfetto_end_packet(p);
}

/* A packet of an event's end has few bytes: it is written in place, not built first. */
static bool perfetto_end_slice_in_place(struct perfetto *p, struct perfetto_sequence *s, int64_t t)
{
	enum { HEADS = 16 };
	char *to = t >= s->clock ? out_reserve(p->out, HEADS + 2 * VARINT_U64_MAX) : NULL;

	if (!to)
		return false;
	char *at = to + 2;
	*at++ = PACKET_SEQUENCE << 3;
	at = varint_store(at, s->id);
	*at++ = PACKET_TIMESTAMP << 3;
	at = varint_store(at, (uint64_t)t - (uint64_t)s->clock);
	*at++ = PACKET_TRACK_EVENT << 3 | PROTOBUF_LENGTH;
	*at++ = 2;
	*at++ = EVENT_TYPE << 3;
	*at++ = PERFETTO_SLICE_END;
	to[0] = TRACE_PACKET << 3 | PROTOBUF_LENGTH;
	to[1] = (char)(at - to - 2);
	out_reach(p->out, at);
	s->clock = t;
	return true;
}

void perfetto_end_slice(struct perfetto *p, struct perfetto_sequence *s, int64_t t)
{
	if (perfetto_end_slice_in_place(p, s, t))
		return;
	protobuf_open(&p->packet, TRACE_PACKET);
	perfetto_put_time(p, s, t);
	protobuf_open(&p->packet, PACKET_TRACK_EVENT);
	protobuf_uint(&p->packet, EVENT_TYPE, PERFETTO_SLICE_END);
	protobuf_close(&p->packet);
	perfetto_end_packet(p);
}

unsigned perfetto_count(struct perfetto *p, struct perfetto_sequence *s, int64_t t,
	const struct perfetto_value *values, unsigned n)
{
	unsigned used = perfetto_fit(values + 1, n - 1);

	if (!s->id)
		perfetto_begin_sequence(p, s, values->track);
	perfetto_set_defaults(p, s, values->track, values + 1, n - 1, used);
	protobuf_open(&p->packet, TRACE_PACKET);
	perfetto_put_time(p, s, t);
	protobuf_open(&p->packet, PACKET_TRACK_EVENT);
	protobuf_uint(&p->packet, EVENT_TYPE, PERFETTO_COUNTER);
	perfetto_put_value(p, values, EVENT_COUNT, EVENT_REAL);
	perfetto_values(p, values + 1, used);
	protobuf_close(&p->packet);
	perfetto_end_packet(p);
	return 1 + used;
}
