/*
 * Strings that may hold anything, for terminals and spreadsheets.
 */
#include <string.h>

#include "../../formats/base/utf8.h"
#include "cmd.h"

void put_plain_bytes(FILE *f, const char *text, size_t left)
{
	while (left) {
		size_t n = utf8_length(text, left);
		/* Control characters: ASCII's, and the two bytes of U+0080 to U+009F. */
		bool obeyed = n == 0 || (unsigned char)*text < 0x20 || *text == 0x7f ||
			      (n == 2 && text[0] == '\xc2' && (unsigned char)text[1] < 0xa0);

		if (obeyed)
			fputc('?', f);
		else
			fwrite(text, 1, n, f);
		n = n ? n : 1;
		text += n;
		left -= n;
	}
}

void put_plain(FILE *f, const char *text)
{
	put_plain_bytes(f, text, strlen(text));
}

void put_csv(FILE *f, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, f);
		return;
	}
	fputc('"', f);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text, f);
	}
	fputc('"', f);
}
