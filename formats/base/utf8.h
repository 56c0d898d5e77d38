/*
 * UTF-8 as RFC 3629 has it: shortest forms, no surrogates, at most U+10FFFF.
 *
 * formats/base owns what both halves need and no trace knows: text, numbers, options, containers,
 * without mutable state, compiled hidden into each library. It includes nothing else of the
 * project. Errors: by return value only; nothing is printed.
 */
#ifndef SWT_FORMATS_BASE_UTF8_H
#define SWT_FORMATS_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the well-formed character that text begins with, 1 to 4; 0: none, or size is 0. */
size_t utf8_length(const void *text, size_t size);

bool utf8_valid(const void *text, size_t size);

/* Whether a well-formed character of this length is one a terminal obeys: C0, DEL or C1. */
static inline bool utf8_is_control(const void *character, size_t length)
{
	const unsigned char *p = (const unsigned char *)character;

	return p[0] < 0x20 || p[0] == 0x7f || (length == 2 && p[0] == 0xc2 && p[1] < 0xa0);
}

enum utf8_kind { UTF8_PLAIN, UTF8_CONTROL, UTF8_BAD };

/* Bytes to step over, at least 1: the first character of text, or one UTF8_BAD byte. size > 0. */
size_t utf8_step(const void *text, size_t size, enum utf8_kind *kind);

/* Whether text has at most `most` bytes, is valid and holds no character that a terminal obeys. */
bool utf8_is_plain(const char *text, size_t most);

/*
 * Makes text plain, a character at a time: the next one, of *length bytes, or its replacement,
 * `control` or (a byte that is not UTF-8) `bad`. Moves *text and *left over it. NULL: the end.
 */
const char *utf8_clean_next(
	const char **text, size_t *left, const char *control, const char *bad, size_t *length);

/*
 * Copies text made plain with U+FFFD, cut between characters after `most` bytes, and appends a
 * NUL. Returns its length.
 */
size_t utf8_copy_clean(char *to, size_t most, const void *text, size_t size);

/*
 * Cells of a terminal. East Asian wide characters have two, others one, also combining ones.
 */
size_t utf8_width(const void *text, size_t size);
/* The bytes of the longest start of text, between characters, that fits into `cells` cells. */
size_t utf8_fit(const void *text, size_t size, size_t cells);

#endif
