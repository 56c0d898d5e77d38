#include <string.h>

#include "../../formats/base/utf8.h"
#include "cmd.h"

void json_string(FILE *f, const char *text)
{
	size_t left = strlen(text);

	fputc('"', f);
	for (const char *p = text; left;) {
		size_t n = utf8_length(p, left);

		if (n == 0)
			fputs("\\ufffd", f);
		else if (*p == '"' || *p == '\\')
			fprintf(f, "\\%c", *p);
		else if ((unsigned char)*p < 0x20 || *p == 0x7f)
			fprintf(f, "\\u%04x", (unsigned char)*p);
		else
			fwrite(p, 1, n, f);
		n = n ? n : 1;
		p += n;
		left -= n;
	}
	fputc('"', f);
}
