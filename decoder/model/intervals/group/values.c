/* The named values of a group's hooks. */
#include <string.h>

#include "../../../../formats/base/array.h"
#include "../../../../formats/base/hash.h"
#include "../../../../include/cpidecode.h"
#include "../../trace/labels.h"
#include "group.h"

enum {
	NAME_OWED = TEXT_NONE - 1, /* the hook's next string is the name */
	TEXT_OWED = UINT32_MAX,	   /* a length: the hook's next string is the value */
	FEW_VALUES = 16,	   /* compared one by one */
};

/* The value of this turn: a record's words bound it. NULL: no memory. */
static struct interval_value *value_of_turn(struct group *g, uint32_t turn)
{
	size_t need = (size_t)g->first_value + turn + 1;

	if (need > g->iv.num_values &&
		!array_reserve(&g->values, &g->values_room, need, sizeof *g->values))
		return NULL;
	while (g->iv.num_values < need)
		g->values[g->iv.num_values++] =
			(struct interval_value){.name = TEXT_NONE, .length = TEXT_OWED};
	return &g->values[need - 1];
}

int group_decode_value_name(struct group *g, uint32_t turn, uint64_t number, enum value_kind kind)
{
	struct interval_value *v = value_of_turn(g, turn);
	const struct label *label;

	if (!v)
		return CPIDECODE_ENOMEM;
	v->kind = (uint8_t)kind;
	if (!number) {
		v->name = NAME_OWED;
		return 0;
	}
	label = number <= UINT32_MAX ? trace_label(g->file, (uint32_t)number) : NULL;
	if (label)
		v->name = label->index;
	else
		g->reader->unnamed.names++;
	return 0;
}

int group_decode_value_type(struct group *g, uint32_t turn, uint64_t type)
{
	struct interval_value *v = value_of_turn(g, turn);

	if (!v)
		return CPIDECODE_ENOMEM;
	v->type = type <= INTERVAL_ARG_TEXT ? (uint8_t)type : 0;
	return 0;
}

int group_decode_value_bits(struct group *g, uint32_t turn, uint64_t bits)
{
	struct interval_value *v = value_of_turn(g, turn);

	if (!v)
		return CPIDECODE_ENOMEM;
	v->u = bits;
	v->is_whole = true;
	return 0;
}

int group_decode_value_running(struct group *g, uint32_t turn, uint64_t running)
{
	struct interval_value *v = value_of_turn(g, turn);

	if (!v)
		return CPIDECODE_ENOMEM;
	v->is_scaled = running < g->event_enabled;
	return 0;
}

static int values_keep_text(
	struct group *g, struct interval_value *v, const char *bytes, uint32_t length)
{
	size_t used = g->iv.values_bytes;

	if (length > UINT32_MAX - used ||
		!array_reserve(&g->value_texts, &g->texts_room, used + length + 1, 1))
		return CPIDECODE_ENOMEM;
	memcpy(g->value_texts + used, bytes, length);
	v->at = used;
	v->length = length;
	g->iv.values_bytes += length;
	return 0;
}

int group_decode_value_text(struct group *g, const char *bytes, uint32_t length)
{
	for (; g->text_value < g->iv.num_values; g->text_value++) {
		struct interval_value *v = &g->values[g->text_value];

		if (v->name == NAME_OWED) {
			v->name = trace_text_index(g->reader->trace, bytes, length);
			g->reader->unnamed.names += v->name == TEXT_NONE;
			return 0;
		}
		if (v->type == INTERVAL_ARG_TEXT && v->length == TEXT_OWED)
			return values_keep_text(g, v, bytes, length);
	}
	return 0;
}

static bool is_same_value(const struct interval_value *a, const struct interval_value *b)
{
	return a->name == b->name && a->kind == b->kind;
}

/* The value of the hook with that name, among those before `end`; or `end`, and the index has it
 * from now on, if there is one. */
static struct interval_value *values_find(struct group *g, struct interval_value *first,
	struct interval_value *end, const struct interval_value *v, bool indexed)
{
	struct hash_index *names = &g->reader->names;
	const uint64_t hash = hash_u64(v->name + UINT64_C(1));
	uint64_t next = hash;

	if (!indexed) {
		while (first < end && !is_same_value(first, v))
			first++;
		return first;
	}
	for (uint32_t found; (found = hash_index_next(names, &next));)
		if (is_same_value(&first[found - 1], v))
			return &first[found - 1];
	hash_index_add(names, hash, (uint32_t)(end - first));
	return end;
}

static void values_note_names(
	const struct group_reader *reader, const struct interval_value *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		atomic_uchar *had =
			&reader->had_values[v[i].kind * reader->values_limit + v[i].name];

		/* Nearly always set: a store for each would bounce the cache line. */
		if (!atomic_load_explicit(had, memory_order_relaxed))
			atomic_store_explicit(had, 1, memory_order_relaxed);
	}
}

/* If two values have one name, the later one counts. */
int group_settle_values(struct group *g)
{
	struct interval *iv = &g->iv;
	uint32_t n = iv->num_values - g->first_value;
	bool indexed = n > FEW_VALUES;

	if (!n)
		return 0;
	struct interval_value *first = &g->values[g->first_value], *end = first;
	if (indexed && !hash_index_reset(&g->reader->names, n))
		return CPIDECODE_ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		struct interval_value v = first[i];

		if (v.name == NAME_OWED || !v.is_whole ||
			(v.type == INTERVAL_ARG_TEXT && v.length == TEXT_OWED)) {
			iv->flags |= IV_MALFORMED;
			v.type = 0;
		}
		if (v.name == NAME_OWED || v.name == TEXT_NONE)
			continue;
		if (v.type != INTERVAL_ARG_TEXT)
			v.length = 0;
		if (!v.type) {
			v.u = 0;
			v.is_scaled = false;
		}
		if (v.is_scaled)
			iv->flags |= IV_MULTIPLEXED;
		struct interval_value *to = values_find(g, first, end, &v, indexed);
		end += to == end;
		*to = v;
	}
	iv->num_values = g->first_value + (uint32_t)(end - first);
	if (g->reader->had_values)
		values_note_names(g->reader, first, (uint32_t)(end - first));
	/* Few hooks have many: their index is not kept for the others. */
	if (indexed)
		hash_index_free(&g->reader->names);
	return 0;
}
