/*
 * Parses the language of hook-schema.md to a flat program (schema_program.h). Both halves share
 * the parser: programs get the error when they register a schema, readers keep the valid parts.
 *
 * No state; hidden symbols, compiled into each library.
 */
#ifndef SWT_FORMATS_SCHEMA_PARSE_H
#define SWT_FORMATS_SCHEMA_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SCHEMA_MAX_TEXT = 1 << 20,
	SCHEMA_MAX_HOOKS = 4096, /* per major */
	SCHEMA_MAX_FIELDS = 256, /* per hook */
	SCHEMA_MAX_LINE = 1024,
	SCHEMA_MAX_DEPTH = 8,
	SCHEMA_MAX_NAME = 63,
};

enum field_type {
	FIELD_U32,
	FIELD_I32,
	FIELD_U64,
	FIELD_I64,
	FIELD_FIX4,
	FIELD_F64,
	FIELD_STRING,
};

enum field_attribute {
	FIELD_HEX = 1u << 0,
	FIELD_TICKS = 1u << 1,
	FIELD_NS = 1u << 2,
	FIELD_PERCENT = 1u << 3,
	FIELD_NA0 = 1u << 4, /* 0 is "not measured" */
};

struct schema_field {
	const char *name;
	enum field_type type;
	uint32_t attributes;
	bool repeated; /* inside a repeat: one value per turn */
	int16_t slot;  /* the cursor's: slot of its value for if and repeat; -1: none */
};

/* Why a text was refused. */
struct schema_error {
	unsigned line; /* from 1; 0: all of the text */
	char reason[120];
};

/* The number of words of a value; a string has none. */
static inline unsigned schema_type_words(enum field_type type)
{
	return type == FIELD_STRING ? 0 : type == FIELD_U32 || type == FIELD_I32 ? 1 : 2;
}

struct schema;

enum schema_result {
	SCHEMA_NO_MEMORY = -1,
	SCHEMA_REFUSED = -2, /* the text breaks a rule */
};

/*
 * Compiles a text (need not be NUL-terminated). 0 or a schema_result, for SCHEMA_REFUSED with
 * *error filled in. error may be NULL. On failure *s is NULL.
 */
int schema_parse(const char *text, size_t length, struct schema **s, struct schema_error *error);

/*
 * The same for a text that several programs may have contributed to: a line that breaks a rule ends
 * its major's description, and the next major line begins another. `refused` is called for each
 * such line. The schema may have no majors. SCHEMA_REFUSED: longer than SCHEMA_MAX_TEXT.
 */
int schema_salvage(const char *text, size_t length, struct schema **s,
	void (*refused)(void *arg, const struct schema_error *error), void *arg);

void schema_free(struct schema *s); /* NULL is fine */

#endif
