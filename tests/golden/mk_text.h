/* A line of a trace script as tokens, and a growing run of bytes. */
#ifndef MK_TEXT_H
#define MK_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A byte buffer; zero-initialised is empty. */
struct bytes {
	uint8_t *p;
	size_t n, room;
};

void add(struct bytes *b, const void *p, size_t n);
void add_zeros(struct bytes *b, size_t n);
void add_align(struct bytes *b, size_t to);
void add_le(struct bytes *b, uint64_t v, unsigned size);
void set_le(uint8_t *p, uint64_t v, unsigned size);
uint64_t le(const uint8_t *p, unsigned size);

enum { MAX_TOKENS = 8192 };

/* `word`, `"text"`, `key=word` or `key="text"`. */
struct token {
	char *key;  /* "" without one */
	char *text; /* unescaped; NUL-terminated besides its length */
	size_t length;
	bool quoted;
};

struct line {
	struct token token[MAX_TOKENS];
	unsigned n, at; /* at: the next token to take */
};

extern unsigned script_line;

/* Prints "SCRIPT:LINE: message" and exits with status 2. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void script_name(const char *name);

/* Splits in place; outside quotes, # starts a comment. */
void split(char *text, struct line *l);
struct token *next_token(struct line *l);
uint64_t number(const char *text);
uint64_t next_number(struct line *l);
/* Hexadecimal digits or a quoted string, up to the line's end. */
void next_bytes(struct line *l, struct bytes *out);

#endif
