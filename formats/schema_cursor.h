/*
 * Finds a hook's description in a compiled schema, and walks a hook's fields with it. Strings'
 * lengths are trusted: a reader of hostile records passes none. No allocation, no state; hidden
 * symbols, compiled into each library.
 */
#ifndef SWT_FORMATS_SCHEMA_CURSOR_H
#define SWT_FORMATS_SCHEMA_CURSOR_H

#include "schema_parse.h"

struct schema_hook;

/* The first hook of the schema that describes major and minor, or NULL. */
const struct schema_hook *schema_find(const struct schema *s, uint8_t major, uint32_t minor);

/* One value of one field. The bytes belong to the hook. */
struct field_value {
	const struct schema_field *field;
	unsigned index; /* of the field in its hook */
	uint32_t turn;	/* of its repeat, from 0; 0 outside of one */
	union {
		uint64_t u; /* FIELD_U32, U64; FIELD_FIX4: ten-thousandths, exact */
		int64_t i;  /* FIELD_I32, I64 */
		double f;   /* FIELD_F64 */
	};
	const char *string; /* FIELD_STRING: length bytes, any, no terminator */
	uint32_t length;
	bool not_measured; /* FIELD_NA0 and the value is 0 */
};

/* How well a record fits its schema; final once field_next has returned false. */
enum field_fit {
	FIT_SHORT = 1u << 0, /* fewer words or strings than the schema asks for */
	FIT_LONG = 1u << 1,  /* more: see words_used and strings_used for the rest */
};

/*
 * A hook without schema has no fields (and no fit). Steps are bounded by the record's
 * size: a repeat ends with the words.
 */
struct field_cursor {
	const struct schema_hook *schema;
	const uint8_t *words, *string;
	uint32_t nwords, nstrings;
	uint32_t words_used, strings_used;
	uint32_t fit;
	/* private to field_next */
	uint32_t pc, turn, turns, loop_words, loop_strings;
	bool words_done, in_loop;
	uint64_t slot[SCHEMA_MAX_FIELDS];
};

void field_begin(struct field_cursor *c, const struct schema_hook *schema, const uint8_t *words,
	uint32_t nwords, const uint8_t *strings, uint32_t nstrings);
bool field_next(struct field_cursor *c, struct field_value *v);

#endif
