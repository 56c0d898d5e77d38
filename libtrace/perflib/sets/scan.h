/*
 * The kernel's texts, read from left to right, and the files that they are in.
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

/* The next line, without its end. False: there is none, or it is cut off. */
bool scan_line(struct scan *t, struct scan *line);
/* Skips blanks and tabs. */
void scan_blanks(struct scan *t);
/* Goes past this; false (and stays) if something else is there. */
bool scan_skip(struct scan *t, const char *what);
/* A decimal number of at most 19 digits; false if there is none. */
bool scan_number(struct scan *t, uint64_t *value);
/* Whether it ends in this word, blanks after it aside. */
bool scan_ends_in(struct scan t, const char *word);

/* A file's content, read again and again: grows until it fits, and then stays. */
struct file_text {
	char *bytes;
	size_t room, used;
};

/* False: it cannot be read, or is larger than FILE_TEXT_MOST. */
enum { FILE_TEXT_MOST = 16 << 20 };
bool file_text_read(struct file_text *f, const char *path);
void file_text_free(struct file_text *f);

/* A file that is one number, as sysfs has them; false: it is not, or cannot be read. */
__attribute__((format(printf, 2, 3))) bool file_number(uint64_t *value, const char *path, ...);

#endif
