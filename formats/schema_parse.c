/* The schema language: from text to programs. Rules: formats/hook-schema.md. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/utf8.h"
#include "schema_program.h"

/* A statement's words. Quoted ones are without their quotes. */
enum { MAX_TOKENS = 16 };

struct token {
	const char *at;
	size_t length;
	bool quoted;
};

struct block {
	enum op_kind kind;
	uint32_t op;
};

struct parser {
	struct schema *s;
	struct schema_error *error;
	void (*refused)(void *arg, const struct schema_error *error); /* NULL: stop at the first */
	void *arg;
	bool is_skipping; /* to the next major line */
	unsigned line;
	struct token token[MAX_TOKENS];
	unsigned ntokens;
	struct schema_major *major;
	struct schema_hook *hook;
	struct block block[SCHEMA_MAX_DEPTH];
	unsigned depth, nblocks;
	size_t caps[4]; /* of hooks, fields, ops, majors */
};

__attribute__((format(printf, 2, 3))) static int schema_refuse(
	struct parser *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	p->error->line = p->line;
	vsnprintf(p->error->reason, sizeof p->error->reason, format, args);
	va_end(args);
	return SCHEMA_REFUSED;
}

/* Room for one more element after count. The array pointer is at *array. */
static int schema_grow(void *array, size_t count, size_t *cap, size_t size)
{
	return array_reserve(array, cap, count + 1, size) ? 0 : SCHEMA_NO_MEMORY;
}

static bool schema_token_is(const struct token *t, const char *word)
{
	return !t->quoted && strlen(word) == t->length && memcmp(t->at, word, t->length) == 0;
}

static bool schema_is_identifier(const struct token *t)
{
	if (t->quoted || !t->length || t->length > SCHEMA_MAX_NAME)
		return false;
	for (size_t i = 0; i < t->length; i++) {
		char c = t->at[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';

		if (!letter && (i == 0 || number_digit(c, 10) < 0))
			return false;
	}
	return true;
}

static bool schema_parse_number(const char *at, size_t length, uint64_t max, uint64_t *value)
{
	const char *end = at + length;

	return number_scan_prefixed(&at, end, max, value) && at == end;
}

static bool token_number(const struct token *t, uint64_t max, uint64_t *value)
{
	return !t->quoted && schema_parse_number(t->at, t->length, max, value);
}

/* The words are NUL-terminated copies in the schema's own string pool. */
static const char *schema_keep_text(struct parser *p, const struct token *t)
{
	char *to = p->s->strings + p->s->strings_used;

	memcpy(to, t->at, t->length);
	to[t->length] = 0;
	p->s->strings_used += t->length + 1;
	return to;
}

static int statement_major(struct parser *p)
{
	uint64_t code;
	const struct token *t = p->token;

	if (p->depth)
		return schema_refuse(p, "the block before it has no end");
	if (p->ntokens < 3 || p->ntokens > 4)
		return schema_refuse(p, "expected: major NUMBER NAME [\"TITLE\"]");
	if (!token_number(&t[1], 0xff, &code) || code == 0)
		return schema_refuse(p, "a major is a number from 0x01 to 0xFF");
	if (!schema_is_identifier(&t[2]))
		return schema_refuse(p, "a major's name is an identifier of at most 63 bytes");
	if (p->ntokens == 4 && !t[3].quoted)
		return schema_refuse(p, "the title of a major must be quoted");
	int rc = schema_grow(&p->s->majors, p->s->nmajors, &p->caps[3], sizeof *p->s->majors);
	if (rc)
		return rc;
	p->major = &p->s->majors[p->s->nmajors++];
	*p->major = (struct schema_major){.code = (uint8_t)code,
		.name = schema_keep_text(p, &t[2]),
		.title = p->ntokens == 4 ? schema_keep_text(p, &t[3]) : NULL,
		.first_hook = p->s->nhooks};
	p->hook = NULL;
	return 0;
}

static int statement_hook(struct parser *p)
{
	const struct token *t = p->token;

	if (p->depth)
		return schema_refuse(p, "the block before it has no end");
	if (!p->major)
		return schema_refuse(p, "a hook must follow its major");
	if (p->ntokens != 3 || t[1].quoted || !t[2].quoted)
		return schema_refuse(p, "expected: hook MINOR[/MASK] \"NAME\"");
	const char *slash = memchr(t[1].at, '/', t[1].length);
	size_t length = slash ? (size_t)(slash - t[1].at) : t[1].length;
	uint64_t minor, mask = UINT32_MAX;
	if (!schema_parse_number(t[1].at, length, UINT32_MAX, &minor))
		return schema_refuse(p, "a minor is a number of 32 bits");
	if (slash && !schema_parse_number(slash + 1, t[1].length - length - 1, UINT32_MAX, &mask))
		return schema_refuse(p, "a mask is a number of 32 bits");
	if (p->major->nhooks == SCHEMA_MAX_HOOKS)
		return schema_refuse(p, "more than %d hooks in a major", SCHEMA_MAX_HOOKS);
	int rc = schema_grow(&p->s->hooks, p->s->nhooks, &p->caps[0], sizeof *p->s->hooks);
	if (rc)
		return rc;
	p->hook = &p->s->hooks[p->s->nhooks++];
	*p->hook = (struct schema_hook){.name = schema_keep_text(p, &t[2]),
		.minor = (uint32_t)minor,
		.mask = (uint32_t)mask,
		.first_field = p->s->nfields,
		.first_op = p->s->nops};
	p->major->nhooks++;
	p->nblocks = 0;
	return 0;
}

static int add_op(struct parser *p, struct schema_op op)
{
	int rc = schema_grow(&p->s->ops, p->s->nops, &p->caps[2], sizeof *p->s->ops);

	if (rc)
		return rc;
	p->s->ops[p->s->nops++] = op;
	p->hook->nops++;
	return 0;
}

static struct schema_field *find_field(struct parser *p, const struct token *t)
{
	for (unsigned i = 0; i < p->hook->nfields; i++) {
		struct schema_field *field = &p->s->fields[p->hook->first_field + i];

		if (schema_token_is(t, field->name))
			return field;
	}
	return NULL;
}

static bool in_repeat(const struct parser *p)
{
	for (unsigned i = 0; i < p->depth; i++)
		if (p->block[i].kind == OP_REPEAT)
			return true;
	return false;
}

static int schema_parse_attribute(struct parser *p, const struct token *t, uint32_t *attributes)
{
	static const struct {
		const char *word;
		uint32_t bit;
	} known[] = {{"hex", FIELD_HEX}, {"ticks", FIELD_TICKS}, {"ns", FIELD_NS},
		{"percent", FIELD_PERCENT}, {"na0", FIELD_NA0}};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (schema_token_is(t, known[i].word)) {
			*attributes |= known[i].bit;
			return 0;
		}
	}
	return schema_refuse(p, "no such attribute; there are hex, ticks, ns, percent and na0");
}

static int statement_field(struct parser *p, enum field_type type)
{
	if (!p->hook)
		return schema_refuse(p, "a field must follow its hook");
	if (p->ntokens < 2 || !schema_is_identifier(&p->token[1]))
		return schema_refuse(p, "a field's name is an identifier of at most 63 bytes");
	if (find_field(p, &p->token[1]))
		return schema_refuse(p, "the hook has a field of this name already");
	if (p->hook->nfields == SCHEMA_MAX_FIELDS)
		return schema_refuse(p, "more than %d fields in a hook", SCHEMA_MAX_FIELDS);
	uint32_t attributes = 0;
	for (unsigned i = 2; i < p->ntokens; i++) {
		int rc = schema_parse_attribute(p, &p->token[i], &attributes);

		if (rc)
			return rc;
	}
	int rc = schema_grow(&p->s->fields, p->s->nfields, &p->caps[1], sizeof *p->s->fields);
	if (rc)
		return rc;
	p->s->fields[p->s->nfields++] =
		(struct schema_field){.name = schema_keep_text(p, &p->token[1]),
			.type = type,
			.attributes = attributes,
			.repeated = in_repeat(p),
			.slot = -1};
	return add_op(p, (struct schema_op){.kind = OP_FIELD, .field = p->hook->nfields++});
}

/* Finds the integer field that an if or a repeat names, and gives it a slot for its value. */
static int schema_parse_reference(struct parser *p, const struct token *t, int16_t *slot)
{
	struct schema_field *f = t->quoted ? NULL : find_field(p, t);

	if (!f)
		return schema_refuse(p, "no field of this name before it");
	if (f->type == FIELD_STRING || f->type == FIELD_FIX4 || f->type == FIELD_F64)
		return schema_refuse(p, "field %s is not an integer", f->name);
	if (f->repeated)
		return schema_refuse(p, "field %s is in a repeat", f->name);
	if (f->slot < 0)
		f->slot = (int16_t)p->hook->nslots++;
	*slot = f->slot;
	return 0;
}

static int open_block(struct parser *p, struct schema_op op)
{
	if (p->depth == SCHEMA_MAX_DEPTH)
		return schema_refuse(p, "blocks nest %d deep at most", SCHEMA_MAX_DEPTH);
	if (p->nblocks++ == SCHEMA_MAX_BLOCKS)
		return schema_refuse(p, "more than %d blocks in a hook", SCHEMA_MAX_BLOCKS);
	p->block[p->depth++] = (struct block){.kind = op.kind, .op = p->s->nops};
	return add_op(p, op);
}

static int statement_repeat(struct parser *p)
{
	struct schema_op op = {.kind = OP_REPEAT, .slot = -1};

	if (!p->hook)
		return schema_refuse(p, "a repeat must follow its hook");
	if (p->ntokens != 2)
		return schema_refuse(p, "expected: repeat COUNT");
	if (in_repeat(p))
		return schema_refuse(p, "a repeat cannot be in a repeat");
	if (!token_number(&p->token[1], UINT32_MAX, &op.number)) {
		op.number = 0;
		int rc = schema_parse_reference(p, &p->token[1], &op.slot);
		if (rc)
			return rc;
	}
	return open_block(p, op);
}

static int statement_if(struct parser *p)
{
	struct schema_op op = {.kind = OP_IF};

	if (!p->hook)
		return schema_refuse(p, "an if must follow its hook");
	if (p->ntokens != 4 || !schema_token_is(&p->token[2], "&"))
		return schema_refuse(p, "expected: if FIELD & NUMBER");
	if (!token_number(&p->token[3], UINT64_MAX, &op.number))
		return schema_refuse(p, "expected a number after &");
	int rc = schema_parse_reference(p, &p->token[1], &op.slot);
	return rc ? rc : open_block(p, op);
}

static int statement_end(struct parser *p)
{
	if (p->ntokens != 1)
		return schema_refuse(p, "nothing follows an end");
	if (!p->depth)
		return schema_refuse(p, "an end without its block");
	struct block b = p->block[--p->depth];
	if (b.kind == OP_REPEAT) {
		int rc = add_op(p,
			(struct schema_op){.kind = OP_AGAIN, .jump = b.op + 1 - p->hook->first_op});

		if (rc)
			return rc;
	}
	p->s->ops[b.op].jump = p->s->nops - p->hook->first_op;
	return 0;
}

static int schema_parse_statement(struct parser *p)
{
	static const char *const types[] = {[FIELD_U32] = "u32",
		[FIELD_I32] = "i32",
		[FIELD_U64] = "u64",
		[FIELD_I64] = "i64",
		[FIELD_FIX4] = "fix4",
		[FIELD_F64] = "f64",
		[FIELD_STRING] = "string"};
	const struct token *t = p->token;

	if (schema_token_is(t, "major"))
		return statement_major(p);
	if (schema_token_is(t, "hook"))
		return statement_hook(p);
	if (schema_token_is(t, "repeat"))
		return statement_repeat(p);
	if (schema_token_is(t, "if"))
		return statement_if(p);
	if (schema_token_is(t, "end"))
		return statement_end(p);
	for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
		if (schema_token_is(t, types[i]))
			return statement_field(p, (enum field_type)i);
	return schema_refuse(p, "not a statement: expected major, hook, a type, repeat, if or end");
}

/* Splits a line into words; a # outside quotes starts a comment. */
static int schema_split_tokens(struct parser *p, const char *at, const char *end)
{
	p->ntokens = 0;
	while (at < end) {
		if (*at == ' ' || *at == '\t' || *at == '\r') {
			at++;
			continue;
		}
		if (*at == '#')
			break;
		if (p->ntokens == MAX_TOKENS)
			return schema_refuse(p, "too many words in a line");
		struct token *t = &p->token[p->ntokens++];
		t->quoted = *at == '"';
		t->at = t->quoted ? ++at : at;
		while (at < end && (t->quoted ? *at != '"' : !strchr(" \t\r#\"", *at)))
			at++;
		t->length = (size_t)(at - t->at);
		if (t->quoted && at++ == end)
			return schema_refuse(p, "a quote without its end");
	}
	return 0;
}

static int parse_line(struct parser *p, const char *at, const char *end)
{
	if (end - at > SCHEMA_MAX_LINE)
		return schema_refuse(p, "a line longer than %d bytes", SCHEMA_MAX_LINE);
	for (const char *c = at; c < end; c++)
		if (((unsigned char)*c < ' ' && *c != '\t' && *c != '\r') || *c == 0x7f)
			return schema_refuse(p, "a control character");
	if (!utf8_valid(at, (size_t)(end - at)))
		return schema_refuse(p, "not UTF-8");
	int rc = schema_split_tokens(p, at, end);
	return rc || !p->ntokens ? rc : schema_parse_statement(p);
}

/* ------------------------------------------------------------------ salvage */

static bool begins_major(const char *at, const char *end)
{
	static const char word[] = "major";
	const size_t n = sizeof word - 1;

	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return (size_t)(end - at) > n && memcmp(at, word, n) == 0 &&
	       (at[n] == ' ' || at[n] == '\t');
}

/* Drops a hook with an open block: its jumps lead nowhere. */
static void drop_open_hook(struct parser *p)
{
	if (!p->depth)
		return;
	p->s->nfields = p->hook->first_field;
	p->s->nops = p->hook->first_op;
	p->s->nhooks--;
	p->major->nhooks--;
	p->depth = 0;
}

/* Keeps what the major describes before this line; a major without a hook describes nothing. */
static void end_major(struct parser *p)
{
	drop_open_hook(p);
	if (p->major && !p->major->nhooks)
		p->s->nmajors--;
	p->major = NULL;
	p->hook = NULL;
}

static int salvage_line(struct parser *p, const char *at, const char *end)
{
	bool is_major = begins_major(at, end);

	if (p->is_skipping && !is_major)
		return 0;
	p->is_skipping = false;
	int rc = parse_line(p, at, end);
	if (rc == SCHEMA_REFUSED && is_major && p->depth) {
		/* The previous major lacks an end; this one may be valid. */
		p->refused(p->arg, p->error);
		end_major(p);
		rc = parse_line(p, at, end);
	}
	if (rc != SCHEMA_REFUSED)
		return rc;
	p->refused(p->arg, p->error);
	if (!is_major)
		end_major(p);
	p->major = NULL;
	p->hook = NULL;
	p->is_skipping = true;
	return 0;
}

/* -------------------------------------------------------------------- texts */

static int parse_end(struct parser *p)
{
	if (p->depth) {
		schema_refuse(p, "the last block has no end");
		if (!p->refused)
			return SCHEMA_REFUSED;
		p->refused(p->arg, p->error);
		end_major(p);
	}
	if (!p->s->nmajors && !p->refused)
		return schema_refuse(p, "there is no major line");
	return 0;
}

static int parse_lines(struct parser *p, const char *text, size_t length)
{
	const char *end = text + length;

	for (const char *at = text; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = newline ? newline : end;

		p->line++;
		int rc = p->refused ? salvage_line(p, at, line_end) : parse_line(p, at, line_end);
		if (rc)
			return rc;
		at = newline ? newline + 1 : end;
	}
	return parse_end(p);
}

static void find_straight(struct schema_hook *h)
{
	h->straight = h->nops == h->nfields;
	h->all_words = h->all_strings = 0;
	for (uint32_t i = 0; i < h->nops && h->straight; i++) {
		h->straight = h->ops[i].kind == OP_FIELD && h->ops[i].field == i;
		enum field_type type = h->fields[i].type;
		if (type == FIELD_STRING)
			h->all_strings++;
		else
			h->all_words += schema_type_words(type);
	}
}

/* Turns indices into pointers, once the arrays no longer move. */
static void link_schema(struct schema *s)
{
	/* Without fields there is no array to index. */
	for (uint32_t i = 0; i < s->nhooks; i++) {
		s->hooks[i].fields = s->fields ? s->fields + s->hooks[i].first_field : NULL;
		s->hooks[i].ops = s->ops ? s->ops + s->hooks[i].first_op : NULL;
		find_straight(&s->hooks[i]);
	}
	for (uint32_t i = s->nmajors; i-- > 0;)
		s->by_code[s->majors[i].code] = &s->majors[i];
}

void schema_free(struct schema *s)
{
	if (!s)
		return;
	free(s->majors);
	free(s->hooks);
	free(s->fields);
	free(s->ops);
	free(s->strings);
	free(s);
}

static int schema_parse_text(
	struct parser *p, const char *text, size_t length, struct schema **result)
{
	*p->error = (struct schema_error){0};
	*result = NULL;
	if (length > SCHEMA_MAX_TEXT)
		return schema_refuse(p, "longer than %d bytes", SCHEMA_MAX_TEXT);
	p->s = calloc(1, sizeof *p->s);
	/* A word and its NUL: at most one byte more than the text, for the last. */
	if (p->s)
		p->s->strings = malloc(length + 1);
	int rc = p->s && p->s->strings ? parse_lines(p, text, length) : SCHEMA_NO_MEMORY;
	if (rc) {
		schema_free(p->s);
		return rc;
	}
	link_schema(p->s);
	*result = p->s;
	return 0;
}

int schema_parse(
	const char *text, size_t length, struct schema **result, struct schema_error *error)
{
	struct schema_error unused;
	struct parser p = {.error = error ? error : &unused};

	return schema_parse_text(&p, text, length, result);
}

int schema_salvage(const char *text, size_t length, struct schema **result,
	void (*refused)(void *arg, const struct schema_error *error), void *arg)
{
	struct schema_error error;
	struct parser p = {.error = &error, .refused = refused, .arg = arg};
	int rc = schema_parse_text(&p, text, length, result);

	if (rc == SCHEMA_REFUSED)
		refused(arg, &error);
	return rc;
}
