/*
 * Scans the kernel's text files from left to right.
 */
#ifndef SWT_PERFLIB_SETS_SCAN_H
#define SWT_PERFLIB_SETS_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scan {
	const char *at, *end;
};

static inline struct scan scan_of(const char *bytes, size_t length)
{
	return (struct scan){bytes, bytes + length};
}

/* The next line, without its newline. False at the end, or if the line is incomplete. */
bool scan_line(struct scan *t, struct scan *line);
/* Skips blanks and tabs. */
void scan_blanks(struct scan *t);
/* Skips this text; if other text follows, stays and returns false. */
bool scan_skip(struct scan *t, const char *what);
/* A decimal number of at most 19 digits; false if there is none. */
bool scan_number(struct scan *t, uint64_t *value);
/* Whether the text ends in this word, ignoring trailing blanks. */
bool scan_ends_in(struct scan t, const char *word);

/* A file's content; the buffer grows until the file fits, and is reused. */
struct file_text {
	char *bytes;
	size_t room, used;
};

/* False: the file cannot be read or exceeds FILE_TEXT_MOST. */
enum { FILE_TEXT_MOST = 16 << 20 };
bool file_text_read(struct file_text *f, const char *path);
void file_text_free(struct file_text *f);

/* Reads a file that holds one number, as in sysfs. False: it cannot be read, or holds something
 * else. */
__attribute__((format(printf, 2, 3))) bool file_number(uint64_t *value, const char *path, ...);

#endif
