#include <stdint.h>

#include "escapes.h"

#include "../../formats/base/utf8.h"

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

/*
 * One pass for all escapes. The callback gets a complete valid sequence, or (valid 0) one invalid
 * byte, and returns whether it wrote it.
 */
typedef bool care_fn(struct out *o, const char *s, size_t valid);

/* Always inline: a copy for each callback avoids an indirect call for each byte. */
static inline __attribute__((always_inline)) void escape_with(
	struct out *o, const char *s, size_t n, care_fn *care)
{
	size_t plain = 0;

	if (!n) /* s may be NULL */
		return;
	for (size_t i = 0; i < n;) {
		unsigned char c = (unsigned char)s[i];

		if (c >= 0x20 && c < 0x7F && !care(NULL, s + i, 1)) {
			i++;
			continue;
		}
		size_t len = utf8_length(s + i, n - i);
		if (len && !care(NULL, s + i, len)) {
			i += len;
			continue;
		}
		out_bytes(o, s + plain, i - plain);
		care(o, s + i, len);
		i += len ? len : 1;
		plain = i;
	}
	out_bytes(o, s + plain, n - plain);
}

/* Characters that change the text direction or end a line invisibly. */
static bool is_turning(const char *s, size_t valid)
{
	const unsigned char *p = (const unsigned char *)s;

	if (valid == 2)
		return p[0] == 0xD8 && p[1] == 0x9C; /* U+061C */
	if (valid != 3 || p[0] != 0xE2)
		return false;
	if (p[1] == 0x80) /* U+200E, U+200F, U+2028 to U+202E */
		return p[2] == 0x8E || p[2] == 0x8F || (p[2] >= 0xA8 && p[2] <= 0xAE);
	return p[1] == 0x81 && p[2] >= 0xA6 && p[2] <= 0xA9; /* U+2066 to U+2069 */
}

static bool care_utf8(struct out *o, const char *s, size_t valid)
{
	if (valid && (!utf8_is_control(s, valid) || *s == '\t' || *s == '\n' || *s == '\r'))
		return false;
	if (o)
		out_str(o, REPLACEMENT);
	return true;
}

static char short_escape(char c)
{
	switch (c) {
	case '\n':
		return 'n';
	case '\t':
		return 't';
	case '\r':
		return 'r';
	case '\b':
		return 'b';
	case '\f':
		return 'f';
	default:
		return 0;
	}
}

static bool care_text(struct out *o, const char *s, size_t valid)
{
	if (valid && !utf8_is_control(s, valid) && !is_turning(s, valid))
		return false;
	if (!o)
		return true;
	if (short_escape(s[0])) {
		out_char(o, '\\');
		out_char(o, short_escape(s[0]));
		return true;
	}
	for (size_t i = 0; i < (valid ? valid : 1); i++) {
		out_str(o, "\\x");
		out_hex(o, (unsigned char)s[i], 2);
	}
	return true;
}

static bool care_quoted(struct out *o, const char *s, size_t valid)
{
	if (s[0] != '"' && s[0] != '\\')
		return care_text(o, s, valid);
	if (o) {
		out_char(o, '\\');
		out_char(o, s[0]);
	}
	return true;
}

static bool care_json(struct out *o, const char *s, size_t valid)
{
	unsigned char c = (unsigned char)s[0];

	if (valid && !utf8_is_control(s, valid) && c != '"' && c != '\\')
		return false;
	if (!o)
		return true;
	if (!valid) {
		out_str(o, REPLACEMENT);
	} else if (c == '"' || c == '\\' || short_escape(s[0])) {
		out_char(o, '\\');
		out_char(o, c >= 0x20 ? s[0] : short_escape(s[0]));
	} else {
		/* The second byte of a two-byte control character is its code. */
		out_str(o, "\\u00");
		out_hex(o, (unsigned char)s[valid - 1], 2);
	}
	return true;
}

static const char *xml_entity(const char *s, size_t valid)
{
	unsigned char c = (unsigned char)s[0];

	if (!valid || (c < 0x20 && c != '\t' && c != '\n' && c != '\r'))
		return REPLACEMENT;
	/* XML excludes U+FFFE and U+FFFF. */
	if (valid == 3 && c == 0xEF && (unsigned char)s[1] == 0xBF && (unsigned char)s[2] >= 0xBE)
		return REPLACEMENT;
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	case '\t':
		return "&#9;";
	case '\n':
		return "&#10;";
	case '\r':
		return "&#13;";
	default:
		return NULL;
	}
}

static bool care_xml(struct out *o, const char *s, size_t valid)
{
	const char *entity = xml_entity(s, valid);

	if (entity && o)
		out_str(o, entity);
	return entity;
}

static bool care_name(struct out *o, const char *s, size_t valid)
{
	if (valid && !utf8_is_control(s, valid))
		return false;
	if (o)
		out_str(o, valid ? "_" : REPLACEMENT);
	return true;
}

static bool care_frame(struct out *o, const char *s, size_t valid)
{
	if (!valid || *s != ';')
		return care_name(o, s, valid);
	if (o)
		out_char(o, '_');
	return true;
}

void escape_utf8(struct out *o, const char *s, size_t n)
{
	escape_with(o, s, n, care_utf8);
}

void escape_text(struct out *o, const char *s, size_t n)
{
	escape_with(o, s, n, care_text);
}

void escape_label(struct out *o, const char *label, size_t n, unsigned minor)
{
	if (label)
		escape_text(o, label, n);
	else
		out_printf(o, ESCAPE_MINOR, minor);
}

void escape_quoted(struct out *o, const char *s, size_t n)
{
	out_char(o, '"');
	escape_with(o, s, n, care_quoted);
	out_char(o, '"');
}

void escape_json(struct out *o, const char *s, size_t n)
{
	escape_with(o, s, n, care_json);
}

void escape_xml(struct out *o, const char *s, size_t n)
{
	escape_with(o, s, n, care_xml);
}

void escape_name(struct out *o, const char *s, size_t n)
{
	escape_with(o, s, n, care_name);
}

void escape_frame(struct out *o, const char *s, size_t n)
{
	escape_with(o, s, n, care_frame);
}
