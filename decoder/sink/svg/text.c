#include "text.h"

#include "../../../formats/base/utf8.h"
#include "../escapes.h"

/* A part's error becomes an error of the output. */
static void svg_discard_part(struct out *o, struct out *part)
{
	if (!o->error)
		o->error = part->error;
	out_discard(part);
}

/* Escapes control bytes first, so that they show, then for XML. */
void svg_text(struct out *o, const char *s, size_t n)
{
	struct out safe;

	out_memory(&safe);
	escape_text(&safe, s, n);
	escape_xml(o, safe.buf, safe.len);
	svg_discard_part(o, &safe);
}

void svg_grouped(struct out *o, uint64_t v)
{
	struct out digits;

	out_memory(&digits);
	out_u64(&digits, v);
	for (size_t i = 0; i < digits.len; i++) {
		if (i && (digits.len - i) % 3 == 0)
			out_char(o, ',');
		out_char(o, digits.buf[i]);
	}
	svg_discard_part(o, &digits);
}

/* Writes as much of the escaped text as fits into that many cells. */
void svg_text_cut(struct out *o, const char *s, size_t n, size_t cells)
{
	struct out safe;

	out_memory(&safe);
	escape_text(&safe, s, n);
	size_t fits = utf8_fit(safe.buf, safe.len, cells);
	if (fits < safe.len)
		fits = utf8_fit(safe.buf, safe.len, cells - 1);
	escape_xml(o, safe.buf, fits);
	if (fits < safe.len)
		out_str(o, SVG_ELLIPSIS);
	svg_discard_part(o, &safe);
}
