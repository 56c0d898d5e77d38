#include "clean.h"

#include <string.h>

#include "../../formats/base/utf8.h"

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* Bytes of the character, 0 if it is to be replaced; *skip: how many bytes that takes. */
static size_t good_character(const char *p, size_t bytes, size_t *skip)
{
	const unsigned char *c = (const unsigned char *)p;
	size_t length = utf8_length(p, bytes);

	*skip = length ? length : 1;
	if (c[0] < 0x20 || c[0] == 0x7f || (length == 2 && c[0] == 0xc2 && c[1] < 0xa0))
		return 0;
	return length;
}

bool clean_text(const char *text, size_t most)
{
	size_t bytes = strnlen(text, most + 1), skip;

	if (bytes > most)
		return false;
	for (size_t at = 0; at < bytes; at += skip)
		if (!good_character(text + at, bytes - at, &skip))
			return false;
	return true;
}

size_t clean_copy(char *to, size_t most, const char *from, size_t bytes)
{
	size_t used = 0, skip;

	for (size_t at = 0; at < bytes; at += skip) {
		size_t length = good_character(from + at, bytes - at, &skip);
		size_t size = length ? length : sizeof replacement - 1;

		if (used + size > most)
			break;
		memcpy(to + used, length ? from + at : replacement, size);
		used += size;
	}
	to[used] = 0;
	return used;
}
