/*
 * Formulas of derived metrics: NAME=EXPR, of + - * / ( ), numbers and operands. An operand is a
 * name of letters, digits, _ . : and of - between two of these (so a minus that subtracts needs
 * blanks around it), or any bytes in braces, which always names an event. Nothing is allocated; a
 * formula points into its text.
 */
#ifndef SWT_DECODER_REPORT_VALUES_FORMULA_H
#define SWT_DECODER_REPORT_VALUES_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

enum {
	FORMULA_STEPS = 64,
	FORMULA_OPERANDS = 16,
	FORMULA_DEPTH = 32, /* of parentheses */
	FORMULA_NAME = 63,  /* bytes of NAME */
};

enum formula_op {
	FORMULA_NUMBER,
	FORMULA_OPERAND,
	FORMULA_ADD,
	FORMULA_SUBTRACT,
	FORMULA_MULTIPLY,
	FORMULA_DIVIDE,
	FORMULA_NEGATE,
};

/* A step of the postfix form. */
struct formula_step {
	uint8_t op; /* enum formula_op */
	uint8_t operand;
	double number;
};

struct formula_operand {
	const char *name;
	uint32_t length;
	bool is_event; /* it was in braces */
};

struct formula {
	const char *text; /* as given */
	char name[FORMULA_NAME + 1];
	struct formula_step steps[FORMULA_STEPS];
	struct formula_operand operands[FORMULA_OPERANDS];
	unsigned nsteps, noperands;
};

/* NULL, or the error. text is kept. */
const char *formula_parse(const char *text, struct formula *f);
/* NAN: an operand is, a divisor is 0, or the result is too large. values: of each operand. */
double formula_value(const struct formula *f, const double values[FORMULA_OPERANDS]);

#endif
