#include "clean.h"

#include <string.h>

#include "../../formats/base/utf8.h"

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

bool clean_text(const char *text, size_t most)
{
	size_t bytes = strnlen(text, most + 1);
	enum utf8_kind kind = UTF8_PLAIN;

	if (bytes > most)
		return false;
	for (size_t at = 0; at < bytes && kind == UTF8_PLAIN;)
		at += utf8_step(text + at, bytes - at, &kind);
	return kind == UTF8_PLAIN;
}

size_t clean_copy(char *to, size_t most, const char *from, size_t bytes)
{
	size_t used = 0, n;
	enum utf8_kind kind;

	for (size_t at = 0; at < bytes; at += n) {
		n = utf8_step(from + at, bytes - at, &kind);
		size_t size = kind == UTF8_PLAIN ? n : sizeof replacement - 1;

		if (used + size > most)
			break;
		memcpy(to + used, kind == UTF8_PLAIN ? from + at : replacement, size);
		used += size;
	}
	to[used] = 0;
	return used;
}
