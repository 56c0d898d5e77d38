/*
 * The language of conditions: swtrace trigger --when, cpidecode --where.
 *
 *	condition = term | `not` condition | ( condition ), joined by `and`, `or`; `not` binds
 *	            closest, then `and`
 *	term      = WORD OP VALUE | WORD `in` ( VALUE, ... ) | `absent` ( WORD )
 *	            | FUNCTION ( condition )
 *	OP        = `=` `==` `!=` `<` `<=` `>` `>=`
 *	WORD      = letters, digits, _ and ., or any bytes in { }
 *
 * A value is a number, a duration with its unit, or a pattern (glob.h). The caller decides a word's
 * meaning and the values that it accepts. If a word has no value, every comparison with it is
 * false, whatever the operator. Nodes hold indexes and are bounded in number and depth, and so is
 * the evaluation. Nothing is allocated.
 */
#ifndef SWT_FORMATS_BASE_EXPRESSION_H
#define SWT_FORMATS_BASE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	EXPRESSION_NODES = 128,
	EXPRESSION_LITERALS = 256,
	EXPRESSION_DEPTH = 32,
	EXPRESSION_PATTERN = 256,   /* bytes, with the end */
	EXPRESSION_BYTES = 1 << 15, /* of all patterns */
	EXPRESSION_EXPECTED = 192,
	EXPRESSION_SHOWN = 512,
};

enum expression_op {
	EXPRESSION_EQUAL,
	EXPRESSION_UNEQUAL,
	EXPRESSION_LESS,
	EXPRESSION_AT_MOST,
	EXPRESSION_MORE,
	EXPRESSION_AT_LEAST,
};

/* The value that a word is compared with. */
enum expression_type {
	EXPRESSION_TEXT,     /* a pattern, by = and != */
	EXPRESSION_WHOLE,    /* a whole number, decimal or after 0x */
	EXPRESSION_DURATION, /* a number and ns, us, ms, s, min or h; without one it is in ns */
	EXPRESSION_DECIMAL,
	EXPRESSION_ANY, /* a number or a pattern, as the value compared with is */
};

/* A word, as the caller describes it. */
struct expression_word {
	bool in_braces; /* set before the caller is asked */
	uint32_t id;
	enum expression_type type;
	bool needs_unit; /* a duration without a unit is refused */
	bool is_signed;	 /* negative numbers are accepted */
	uint64_t most;	 /* of a whole number; 0: any */
	uint32_t parts;	 /* decimals are whole numbers of such parts, the rest cut off; 0: reals */
};

struct expression_names {
	/*
	 * False: unknown word; `expected` has the text that an error gives, and may be replaced.
	 */
	bool (*find_word)(void *ctx, const char *text, size_t length, struct expression_word *word,
		char expected[EXPRESSION_EXPECTED]);
	/* NULL: there are no functions. */
	bool (*find_function)(void *ctx, const char *text, size_t length, uint32_t *id);
	void *ctx;
	const char *word; /* what an error calls a word */
	/* A word that begins so, or so after a '.', goes on up to a space or an operator. The last
	 * is NULL; may be NULL. */
	const char *const *open_prefixes;
};

struct expression_literal {
	uint32_t text; /* offset in the expression's bytes: the pattern */
	bool is_number, is_whole, is_negative;
	uint64_t number; /* is_whole: its size; of a duration ns, of a decimal parts */
	double real;	 /* is_number */
};

enum expression_kind {
	EXPRESSION_AND,
	EXPRESSION_OR,
	EXPRESSION_NOT,
	/* Leaves. */
	EXPRESSION_COMPARE, /* `in` is EXPRESSION_EQUAL with several literals */
	EXPRESSION_ABSENT,
	EXPRESSION_CALL,
};

struct expression_node {
	uint8_t kind, op;
	uint16_t left, right;	  /* nodes; left alone of NOT and CALL */
	uint16_t first, literals; /* of COMPARE */
	uint32_t id;		  /* of the word or function */
	uint32_t at;		  /* its offset in the text */
};

struct expression {
	struct expression_node node[EXPRESSION_NODES];
	struct expression_literal literal[EXPRESSION_LITERALS];
	char bytes[EXPRESSION_BYTES];
	uint32_t used;
	uint16_t nodes, literals, root;
};

struct expression_error {
	size_t at;			     /* offset in the text */
	char text[EXPRESSION_EXPECTED + 64]; /* "at column 3: expected ..." */
};

/* False: *error has the error and its position. The text is not kept. */
bool expression_parse(struct expression *e, const char *text, const struct expression_names *names,
	struct expression_error *error);
/* Sets an error of the caller's own: "at column N: WHAT". */
void expression_refuse(
	struct expression_error *error, const char *text, size_t at, const char *what);
/* Two lines with their newlines: the text (long ones in part), and a caret below the place. */
void expression_show(
	const char *text, const struct expression_error *error, char shown[EXPRESSION_SHOWN]);

/* ------------------------------------------------------------------------ evaluation */

/* Whether a leaf holds. */
typedef bool (*expression_leaf_fn)(
	void *ctx, const struct expression *e, const struct expression_node *leaf);

/* Whether the condition at that node holds. */
bool expression_holds_at(
	const struct expression *e, uint16_t node, expression_leaf_fn leaf, void *ctx);

static inline bool expression_holds(const struct expression *e, expression_leaf_fn leaf, void *ctx)
{
	return expression_holds_at(e, e->root, leaf, ctx);
}

enum expression_value_kind {
	EXPRESSION_VALUE_NONE, /* absent */
	EXPRESSION_VALUE_WHOLE,
	EXPRESSION_VALUE_REAL, /* a NaN is present: unequal to all, without order */
	EXPRESSION_VALUE_TEXT,
};

/* The meaning of a word. */
struct expression_value {
	enum expression_value_kind kind;
	bool is_negative; /* of WHOLE */
	union {
		uint64_t size;
		double real;
		const void *text;
	};
	size_t length;
};

/* Whether the value passes a COMPARE or ABSENT leaf. */
bool expression_test(const struct expression *e, const struct expression_node *leaf,
	const struct expression_value *value);

static inline bool expression_order(bool less, enum expression_op op, bool more)
{
	switch (op) {
	case EXPRESSION_EQUAL:
		return !less && !more;
	case EXPRESSION_UNEQUAL:
		return less || more;
	case EXPRESSION_LESS:
		return less;
	case EXPRESSION_AT_MOST:
		return !more;
	case EXPRESSION_MORE:
		return more;
	case EXPRESSION_AT_LEAST:
		return !less;
	}
	return false;
}

#endif
