#include "scan.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/array.h"
#include "../../../formats/base/number.h"
#include "../../core/file.h"

bool scan_line(struct scan *t, struct scan *line)
{
	const char *nl = t->at < t->end ? memchr(t->at, '\n', (size_t)(t->end - t->at)) : NULL;

	if (!nl)
		return false;
	*line = (struct scan){t->at, nl};
	t->at = nl + 1;
	return true;
}

void scan_blanks(struct scan *t)
{
	while (t->at < t->end && (*t->at == ' ' || *t->at == '\t'))
		t->at++;
}

bool scan_skip(struct scan *t, const char *what)
{
	size_t n = strlen(what);

	if ((size_t)(t->end - t->at) < n || memcmp(t->at, what, n) != 0)
		return false;
	t->at += n;
	return true;
}

bool scan_number(struct scan *t, uint64_t *value)
{
	const char *p = t->at;
	uint64_t v;

	if (!number_scan(&p, t->end, 10, UINT64_MAX, &v))
		return false;
	t->at = p;
	*value = v;
	return true;
}

bool scan_ends_in(struct scan t, const char *word)
{
	size_t n = strlen(word);

	while (t.end > t.at && (t.end[-1] == ' ' || t.end[-1] == '\t'))
		t.end--;
	if ((size_t)(t.end - t.at) < n || memcmp(t.end - n, word, n) != 0)
		return false;
	return t.end - n == t.at || t.end[-(ptrdiff_t)n - 1] == ' ';
}

bool file_text_read(struct file_text *f, const char *path)
{
	f->used = 0;
	for (;;) {
		ssize_t n = f->room ? file_read_once(path, f->bytes, f->room) : 0;

		if (n < 0)
			return false;
		if ((size_t)n < f->room) {
			f->used = (size_t)n;
			return true;
		}
		if (f->room >= FILE_TEXT_MOST ||
			!array_reserve(&f->bytes, &f->room, f->room ? f->room + 1 : 4096, 1))
			return false;
	}
}

void file_text_free(struct file_text *f)
{
	free(f->bytes);
	*f = (struct file_text){0};
}

bool file_number(uint64_t *value, const char *path, ...)
{
	char name[PATH_MAX], bytes[32];
	struct scan t;
	va_list args;
	ssize_t n;
	int length;

	va_start(args, path);
	length = vsnprintf(name, sizeof name, path, args);
	va_end(args);
	if (length < 0 || (size_t)length >= sizeof name)
		return false;
	n = file_read_once(name, bytes, sizeof bytes);
	if (n <= 0)
		return false;
	t = scan_of(bytes, (size_t)n);
	return scan_number(&t, value) && (t.at == t.end || *t.at == '\n');
}
