/* A compiled schema: the parser builds it, the cursor runs it. */
#ifndef SWT_FORMATS_SCHEMA_PROGRAM_H
#define SWT_FORMATS_SCHEMA_PROGRAM_H

#include "schema_parse.h"

/* Limits the blocks of a hook, and so the time for a record of a given size. */
enum { SCHEMA_MAX_BLOCKS = 256 };

enum op_kind {
	OP_FIELD,  /* read field's value */
	OP_IF,	   /* unless slot & number: go to jump */
	OP_REPEAT, /* begin number (slot -1) or slot turns: with none, go to jump */
	OP_AGAIN,  /* a turn's end: back to jump while there are more */
};

struct schema_op {
	enum op_kind kind;
	uint16_t field;
	int16_t slot;
	uint32_t jump; /* index in the hook's program */
	uint64_t number;
};

struct schema_hook {
	const char *name;
	uint32_t minor, mask;
	uint16_t nfields, nslots;
	uint32_t nops;
	uint32_t first_field, first_op; /* in the schema's arrays */
	const struct schema_field *fields;
	const struct schema_op *ops;
	bool straight;			 /* no if, no repeat: each field once */
	uint32_t all_words, all_strings; /* straight: the sums over all fields */
};

struct schema_major {
	uint8_t code;
	const char *name, *title;
	uint32_t first_hook, nhooks;
};

struct schema {
	struct schema_major *majors; /* in the order of the text */
	struct schema_hook *hooks;
	struct schema_field *fields;
	struct schema_op *ops;
	uint32_t nmajors, nhooks, nfields, nops;
	char *strings;
	size_t strings_used;
	const struct schema_major *by_code[256]; /* the first of each code */
};

#endif
