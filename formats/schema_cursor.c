/* Runs a schema's program over a hook's words and strings. */
#include "schema_cursor.h"

#include "bytes.h"
#include "record.h"
#include "schema_program.h"

const struct schema_hook *schema_find(const struct schema *s, uint8_t major, uint32_t minor)
{
	const struct schema_major *m = s->by_code[major];

	if (!m || m->nhooks == 0)
		return NULL;
	const struct schema_hook *h = s->hooks + m->first_hook;
	for (uint32_t i = 0; i < m->nhooks; i++)
		if ((minor & h[i].mask) == h[i].minor)
			return &h[i];
	return NULL;
}

void field_begin(struct field_cursor *c, const struct schema_hook *schema, const uint8_t *words,
	uint32_t nwords, const uint8_t *strings, uint32_t nstrings)
{
	c->schema = schema;
	c->words = words;
	c->string = strings;
	c->nwords = nwords;
	c->nstrings = nstrings;
	c->words_used = c->strings_used = 0;
	c->fit = 0;
	c->pc = c->turn = c->turns = 0;
	c->words_done = c->in_loop = false;
	for (unsigned i = 0; schema && i < schema->nslots; i++)
		c->slot[i] = 0;
}

static bool fields_read_string(struct field_cursor *c, struct field_value *v)
{
	if (c->strings_used == c->nstrings) {
		c->fit |= FIT_SHORT;
		return false;
	}
	v->length = get_le32(c->string);
	v->string = (const char *)c->string + 4;
	c->string += rec_string_bytes(v->length);
	c->strings_used++;
	return true;
}

/* A field that does not fit ends the walk: later fields would be misplaced. */
static bool fields_read_words(struct field_cursor *c, struct field_value *v, enum field_type type)
{
	unsigned need = schema_type_words(type);

	if (c->words_done || c->nwords - c->words_used < need) {
		c->words_done = true;
		c->fit |= FIT_SHORT;
		return false;
	}
	const uint8_t *p = c->words + 4 * (size_t)c->words_used;
	c->words_used += need;
	switch (type) {
	case FIELD_U32:
		v->u = get_le32(p);
		break;
	case FIELD_I32:
		v->i = (int32_t)get_le32(p);
		break;
	case FIELD_FIX4:
		v->u = (uint64_t)get_le32(p) * 10000 + get_le32(p + 4);
		break;
	default: /* F64 by its bits */
		v->u = get_hl64(p);
		break;
	}
	return true;
}

static bool fields_read_field(struct field_cursor *c, unsigned index, struct field_value *v)
{
	const struct schema_field *f = &c->schema->fields[index];

	v->field = f;
	v->index = index;
	v->turn = c->in_loop ? c->turn : 0;
	v->not_measured = false;
	if (f->type == FIELD_STRING)
		return fields_read_string(c, v);
	if (!fields_read_words(c, v, f->type))
		return false;
	if (f->attributes & FIELD_NA0)
		v->not_measured = f->type == FIELD_F64 ? v->f == 0 : v->u == 0;
	if (f->slot >= 0)
		c->slot[f->slot] = v->u;
	return true;
}

static void fields_begin_repeat(struct field_cursor *c, const struct schema_op *op)
{
	uint64_t turns = op->number;

	if (op->slot >= 0)
		turns = (int64_t)c->slot[op->slot] < 0 ? 0 : c->slot[op->slot];
	if (turns == 0) {
		c->pc = op->jump;
		return;
	}
	/* Bounds the turns by the words and strings: further ones would read nothing. */
	uint32_t most = c->nwords + c->nstrings + 1;
	c->turns = turns > most ? most : (uint32_t)turns;
	c->turn = 0;
	c->loop_words = c->words_used;
	c->loop_strings = c->strings_used;
	c->in_loop = true;
	c->pc++;
}

static void fields_end_turn(struct field_cursor *c, const struct schema_op *op)
{
	bool took = c->words_used != c->loop_words || c->strings_used != c->loop_strings;

	c->loop_words = c->words_used;
	c->loop_strings = c->strings_used;
	if (took && ++c->turn < c->turns) {
		c->pc = op->jump;
		return;
	}
	c->in_loop = false;
	c->pc++;
}

bool field_next(struct field_cursor *c, struct field_value *v)
{
	if (!c->schema)
		return false;
	while (c->pc < c->schema->nops) {
		const struct schema_op *op = &c->schema->ops[c->pc];

		switch (op->kind) {
		case OP_FIELD:
			c->pc++;
			if (fields_read_field(c, op->field, v))
				return true;
			break;
		case OP_IF:
			c->pc = c->slot[op->slot] & op->number ? c->pc + 1 : op->jump;
			break;
		case OP_REPEAT:
			fields_begin_repeat(c, op);
			break;
		case OP_AGAIN:
			fields_end_turn(c, op);
			break;
		}
	}
	if (c->words_used < c->nwords || c->strings_used < c->nstrings)
		c->fit |= FIT_LONG;
	return false;
}
