/* The language of conditions: any text parses or is refused at a place in it. */
#include <string.h>

#include "../../formats/base/expression.h"
#include "fuzz.h"

static bool find_word(void *ctx, const char *text, size_t length, struct expression_word *word,
	char expected[EXPRESSION_EXPECTED])
{
	static const char known[] = "ndrts";

	(void)ctx;
	*word = (struct expression_word){.id = (uint32_t)length};
	if (length > 2 && text[1] == '.') {
		word->type = EXPRESSION_ANY;
		return true;
	}
	const char *at = length == 1 ? strchr(known, *text) : NULL;
	if (!at || !*at)
		return snprintf(expected, EXPRESSION_EXPECTED, "n, d, r, t, s or x.y") < 0;
	word->id = (uint32_t)(at - known);
	word->type = *at == 'd'	  ? EXPRESSION_DURATION
		     : *at == 'r' ? EXPRESSION_DECIMAL
		     : *at == 't' ? EXPRESSION_TEXT
				  : EXPRESSION_WHOLE;
	word->is_signed = *at == 's';
	return true;
}

static bool find_function(void *ctx, const char *text, size_t length, uint32_t *id)
{
	(void)ctx;
	*id = 0;
	return length == 1 && *text == 'f';
}

/* Values made of the word. */
static bool leaf(void *ctx, const struct expression *e, const struct expression_node *n)
{
	const struct expression_value values[] = {{.kind = EXPRESSION_VALUE_WHOLE, .size = n->id},
		{.kind = EXPRESSION_VALUE_REAL, .real = 0.5},
		{.kind = EXPRESSION_VALUE_TEXT, .text = "a b", .length = 3},
		{.kind = EXPRESSION_VALUE_NONE},
		{.kind = EXPRESSION_VALUE_WHOLE, .is_negative = true, .size = 3}};

	PROMISE(n->kind >= EXPRESSION_COMPARE && n->at < EXPRESSION_BYTES * 16, "a leaf");
	if (n->kind == EXPRESSION_CALL)
		return expression_holds_at(e, n->left, leaf, ctx);
	PROMISE(n->first + n->literals <= e->literals, "literals beyond the end");
	return expression_test(e, n, &values[n->id % 5]);
}

static void check_refused(const char *text, const struct expression_error *error)
{
	char shown[EXPRESSION_SHOWN];

	PROMISE(error->at <= strlen(text), "a place beyond the text");
	PROMISE(strncmp(error->text, "at column ", 10) == 0, "%s", error->text);
	expression_show(text, error, shown);
	size_t n = strlen(shown);
	PROMISE(n < EXPRESSION_SHOWN && n > 2 && !strcmp(shown + n - 2, "^\n"), "%s", shown);
	PROMISE(strchr(shown, '\n') && strchr(strchr(shown, '\n') + 1, '\n') == shown + n - 1,
		"not two lines: %s", shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const open_prefixes[] = {"a.", NULL};
	static const struct expression_names names = {.find_word = find_word,
		.find_function = find_function,
		.word = "a word",
		.open_prefixes = open_prefixes};
	static struct expression e, twice;
	struct expression_error error;
	char *text = malloc(size + 1), *again = malloc(size + 16);

	if (!text || !again)
		abort();
	if (size)
		memcpy(text, data, size);
	text[size] = 0;
	sprintf(again, "not (not (%s))", text);
	if (!expression_parse(&e, text, &names, &error)) {
		check_refused(text, &error);
	} else {
		bool holds = expression_holds(&e, leaf, NULL);

		PROMISE(e.nodes <= EXPRESSION_NODES && e.used <= EXPRESSION_BYTES, "too large");
		/* Two more levels and nodes may be too many. */
		if (expression_parse(&twice, again, &names, &error))
			PROMISE(expression_holds(&twice, leaf, NULL) == holds, "%s", text);
	}
	free(text);
	free(again);
	return 0;
}
