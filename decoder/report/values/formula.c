#include "formula.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/number.h"
#include "../../../formats/base/text.h"

struct formula_parser {
	const char *at;
	struct formula *f;
	unsigned depth;
	const char *wrong; /* the first error */
};

static void formula_fail(struct formula_parser *p, const char *why)
{
	if (!p->wrong)
		p->wrong = why;
}

static void formula_skip_blanks(struct formula_parser *p)
{
	while (*p->at == ' ' || *p->at == '\t')
		p->at++;
}

static void formula_add_step(struct formula_parser *p, struct formula_step step)
{
	if (p->f->nsteps == FORMULA_STEPS)
		formula_fail(p, "it is too long");
	else
		p->f->steps[p->f->nsteps++] = step;
}

static bool formula_is_digit(char c)
{
	return number_digit(c, 10) >= 0;
}

/* Characters of a name, other than a minus. */
static bool formula_is_name(char c)
{
	return text_is_word_letter(c) || formula_is_digit(c) || c == '.' || c == ':';
}

static void formula_add_operand(struct formula_parser *p, struct formula_operand operand)
{
	struct formula *f = p->f;
	unsigned i = 0;

	while (i < f->noperands &&
		(f->operands[i].is_event != operand.is_event ||
			f->operands[i].length != operand.length ||
			memcmp(f->operands[i].name, operand.name, operand.length) != 0))
		i++;
	if (i == FORMULA_OPERANDS) {
		formula_fail(p, "it has too many operands");
		return;
	}
	if (i == f->noperands)
		f->operands[f->noperands++] = operand;
	formula_add_step(p, (struct formula_step){.op = FORMULA_OPERAND, .operand = (uint8_t)i});
}

static void formula_parse_braces(struct formula_parser *p)
{
	const char *end = strchr(p->at, '}');

	if (!end) {
		formula_fail(p, "a } is missing");
		return;
	}
	formula_add_operand(p, (struct formula_operand){.name = p->at + 1,
				       .length = (uint32_t)(end - p->at - 1),
				       .is_event = true});
	p->at = end + 1;
}

static void formula_parse_name(struct formula_parser *p)
{
	const char *end = p->at;

	while (formula_is_name(*end) || (*end == '-' && formula_is_name(end[1])))
		end++;
	formula_add_operand(
		p, (struct formula_operand){.name = p->at, .length = (uint32_t)(end - p->at)});
	p->at = end;
}

static void formula_parse_number(struct formula_parser *p)
{
	char *end;
	double number = strtod(p->at, &end);

	if (formula_is_name(*end) || !isfinite(number))
		formula_fail(p, "expected a number like 1000 or 0.5");
	formula_add_step(p, (struct formula_step){.op = FORMULA_NUMBER, .number = number});
	p->at = end;
}

static void formula_parse_sum(struct formula_parser *p);

static void formula_parse_factor(struct formula_parser *p)
{
	formula_skip_blanks(p);
	if (++p->depth > FORMULA_DEPTH) {
		formula_fail(p, "it nests too deeply");
	} else if (*p->at == '-') {
		p->at++;
		formula_parse_factor(p);
		formula_add_step(p, (struct formula_step){.op = FORMULA_NEGATE});
	} else if (*p->at == '(') {
		p->at++;
		formula_parse_sum(p);
		if (*p->at != ')')
			formula_fail(p, "a ) is missing");
		else
			p->at++;
	} else if (*p->at == '{') {
		formula_parse_braces(p);
	} else if (formula_is_digit(*p->at)) {
		formula_parse_number(p);
	} else if (text_is_word_letter(*p->at)) {
		formula_parse_name(p);
	} else {
		formula_fail(p, "expected a number, a name, {NAME} or (");
	}
	p->depth--;
	formula_skip_blanks(p);
}

static void formula_parse_product(struct formula_parser *p)
{
	formula_parse_factor(p);
	while (!p->wrong && (*p->at == '*' || *p->at == '/')) {
		uint8_t op = *p->at++ == '*' ? FORMULA_MULTIPLY : FORMULA_DIVIDE;

		formula_parse_factor(p);
		formula_add_step(p, (struct formula_step){.op = op});
	}
}

static void formula_parse_sum(struct formula_parser *p)
{
	formula_parse_product(p);
	while (!p->wrong && (*p->at == '+' || *p->at == '-')) {
		uint8_t op = *p->at++ == '+' ? FORMULA_ADD : FORMULA_SUBTRACT;

		formula_parse_product(p);
		formula_add_step(p, (struct formula_step){.op = op});
	}
}

const char *formula_parse(const char *text, struct formula *f)
{
	const char *end = strchr(text, '=');
	struct formula_parser p = {.f = f};

	*f = (struct formula){.text = text};
	if (!end)
		return "expected NAME=EXPR, like ipc=instructions/cycles";
	for (const char *s = text; s < end; s++)
		if (!formula_is_name(*s) && *s != '-')
			return "expected a name of letters, digits, _ - . and :";
	if (end == text || end - text > FORMULA_NAME)
		return "expected a name of 1 to 63 bytes";
	memcpy(f->name, text, (size_t)(end - text));
	p.at = end + 1;
	formula_parse_sum(&p);
	if (*p.at)
		formula_fail(&p, "expected +, -, * or / after an operand");
	return p.wrong;
}

static double formula_apply(uint8_t op, double a, double b)
{
	switch (op) {
	case FORMULA_ADD:
		return a + b;
	case FORMULA_SUBTRACT:
		return a - b;
	case FORMULA_MULTIPLY:
		return a * b;
	default:
		return b == 0 ? NAN : a / b;
	}
}

double formula_value(const struct formula *f, const double values[FORMULA_OPERANDS])
{
	double stack[FORMULA_STEPS];
	unsigned n = 0;

	for (unsigned i = 0; i < f->nsteps; i++) {
		const struct formula_step *step = &f->steps[i];

		if (step->op == FORMULA_NUMBER) {
			stack[n++] = step->number;
		} else if (step->op == FORMULA_OPERAND) {
			stack[n++] = values[step->operand];
		} else if (step->op == FORMULA_NEGATE) {
			stack[n - 1] = -stack[n - 1];
		} else {
			n--;
			stack[n - 1] = formula_apply(step->op, stack[n - 1], stack[n]);
		}
	}
	/* There is no -0 in reports. */
	return isfinite(stack[0]) ? stack[0] + 0.0 : NAN;
}
