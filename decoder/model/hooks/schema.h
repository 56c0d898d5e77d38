/*
 * Compiled hook schemas: finding a hook's description, and walking a hook's fields with it. No
 * allocation per hook or field.
 */
#ifndef SWT_DECODER_MODEL_HOOKS_SCHEMA_H
#define SWT_DECODER_MODEL_HOOKS_SCHEMA_H

#include "../../../formats/schema_cursor.h"
#include "../../../include/cpidecode.h"
#include "../trace/model.h"

/* Converts the parser's result to a CPIDECODE_E code. */
static inline int schema_code(int rc)
{
	return rc == SCHEMA_REFUSED ? CPIDECODE_ESCHEMA : rc ? CPIDECODE_ENOMEM : 0;
}

/* The hook schemas of formats/, joined (formats/embed.cmake). */
extern const unsigned char cpidecode_schemas[];
extern const unsigned cpidecode_schemas_size;

/*
 * The schemas of a file's hooks: for each major the first layer that describes it (user's files,
 * then the trace's, then the built-in ones). The layers are borrowed.
 */
int schema_set_new(struct schema_set **set);
int schema_set_add(struct schema_set *set, const struct schema *s); /* below those before it */
/* Adds a layer below all others. */
void schema_set_add_builtin(struct schema_set *set, const struct schema *s);
/* Whether the major's description is the trace's or the user's. */
bool schema_set_brought(const struct schema_set *set, uint8_t major);
void schema_set_free(struct schema_set *set);
const struct schema_hook *schema_set_find(
	const struct schema_set *set, uint8_t major, uint32_t minor);
/* Whether a hook of some major has a field of that name. */
bool schema_set_has_field(const struct schema_set *set, const char *name, size_t length);
const char *schema_set_major_name(const struct schema_set *set, uint8_t major, const char **title);

/* A hook's description. */
const char *schema_hook_name(const struct schema_hook *h);
const struct schema_field *schema_hook_fields(const struct schema_hook *h, unsigned *count);
/* Its fields come once each, in order: no if, no repeat. */
bool schema_hook_straight(const struct schema_hook *h);

/*
 *	struct field_cursor c;
 *	struct field_value v;
 *	field_start(&c, hook);
 *	while (field_next(&c, &v))
 *		...
 */
static inline void field_start(struct field_cursor *c, const struct hook *h)
{
	field_begin(c, h->schema, h->words, h->nwords, h->strings, h->nstrings);
}
/* FIT_SHORT, else FIT_LONG, else 0; walks the fields only if needed. */
uint32_t field_fit(const struct hook *h);

/*
 * The bits of a field's words that decide which fields its hook has, and how many times: conditions
 * test bits, repeats use the number.
 */
void schema_slot_bits(const struct schema_hook *s, const struct schema_field *f, uint32_t bits[2]);

/* String i of a hook: its bytes, no terminator; i below h->nstrings. */
const char *hook_string(const struct hook *h, unsigned i, uint32_t *length);

#endif
