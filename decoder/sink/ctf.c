#include "ctf.h"

#include <fcntl.h>
#include <stdio.h>

#include "escapes.h"

int ctf_write_metadata(struct folder *f, const struct out *text)
{
	return folder_put(f, "metadata", O_TRUNC, text);
}

int ctf_append(struct folder *f, unsigned stream, const struct out *packet)
{
	char name[sizeof f->failed];

	snprintf(name, sizeof name, "stream_%u", stream);
	return folder_put(f, name, O_APPEND, packet);
}

void ctf_quote(struct out *o, const char *s, size_t n)
{
	size_t begin = o->len;

	escape_utf8(o, s, n);
	for (size_t i = begin; i < o->len; i++)
		if (o->buf[i] == '"' || o->buf[i] == '\\')
			o->buf[i] = '\'';
		else if ((unsigned char)o->buf[i] < ' ')
			o->buf[i] = ' ';
}

void ctf_identifier(struct out *o, const char *s, size_t n)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

	for (size_t i = 0; i < n; i++)
		out_char(o, s[i] && strchr(plain, s[i]) ? s[i] : '_');
}
