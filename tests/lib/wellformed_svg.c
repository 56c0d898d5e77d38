#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "wellformed.h"

enum { DEEPEST = 512 };

static const char *const elements[] = {"svg", "title", "style", "defs", "pattern", "rect", "line",
	"text", "tspan", "foreignObject", "div", "output", "input", "button", "g", "script",
	"desc"};

static const char *const attributes[] = {"xmlns", "width", "height", "style", "id", "patternUnits",
	"patternTransform", "class", "x", "y", "y2", "rx", "fill", "role", "aria-label", "tabindex",
	"data-d", "data-x", "data-w", "text-anchor", "type", "placeholder", "x1", "x2", "y1",
	"viewBox", "preserveAspectRatio", "aria-labelledby"};

struct svg {
	const char *p, *end;
	const char *wrong;
	unsigned depth, scripts;
	uint8_t open[DEEPEST]; /* indices of elements */
};

static bool fail(struct svg *s, const char *wrong)
{
	if (!s->wrong)
		s->wrong = wrong;
	return false;
}

static bool skip(struct svg *s, const char *text)
{
	size_t n = strlen(text);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, text, n))
		return false;
	s->p += n;
	return true;
}

/* Index of the name that stands here, -1: it is none of them. */
static int name(struct svg *s, const char *const *list, unsigned count)
{
	const char *from = s->p;

	while (s->p < s->end && !strchr(" \t\n=/>", *s->p))
		s->p++;
	for (unsigned i = 0; i < count; i++)
		if (strlen(list[i]) == (size_t)(s->p - from) &&
			memcmp(from, list[i], (size_t)(s->p - from)) == 0)
			return (int)i;
	return -1;
}

static bool entity(struct svg *s)
{
	static const char *const known[] = {
		"amp;", "lt;", "gt;", "quot;", "#39;", "#9;", "#10;", "#13;"};

	for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
		if (skip(s, known[i]))
			return true;
	return fail(s, "an ampersand that is no entity");
}

/* Text up to one of the two characters. */
static bool text(struct svg *s, char stop, char never)
{
	while (s->p < s->end && *s->p != stop) {
		char c = *s->p++;

		if (c == never)
			return fail(s, "a bare < or > or quote");
		if (c == '&' && !entity(s))
			return false;
	}
	return true;
}

static bool attribute(struct svg *s)
{
	if (name(s, attributes, sizeof attributes / sizeof *attributes) < 0)
		return fail(s, "an attribute that the sink does not write");
	if (!skip(s, "=\""))
		return fail(s, "an attribute without its value");
	return text(s, '"', '<') && (skip(s, "\"") || fail(s, "a value without its end"));
}

/* Skips to a closing tag: the sink's own constants. */
static bool before(struct svg *s, const char *close)
{
	const char *found = memmem(s->p, (size_t)(s->end - s->p), close, strlen(close));

	s->p = found ? found : s->p;
	return found || fail(s, "an element without its end");
}

static bool script(struct svg *s)
{
	s->scripts++;
	if (!skip(s, "<![CDATA["))
		return fail(s, "a script that is not the sink's");
	return before(s, "]]></script>") && skip(s, "]]>");
}

static bool start_tag(struct svg *s)
{
	int element = name(s, elements, sizeof elements / sizeof *elements);

	if (element < 0)
		return fail(s, "an element that the sink does not write");
	while (skip(s, " "))
		if (!attribute(s))
			return false;
	if (skip(s, "/>"))
		return true;
	if (!skip(s, ">") || s->depth == DEEPEST)
		return fail(s, "a tag without its end");
	s->open[s->depth++] = (uint8_t)element;
	if (strcmp(elements[element], "script") == 0)
		return script(s);
	return strcmp(elements[element], "style") || before(s, "</style>");
}

static bool end_tag(struct svg *s)
{
	int element = name(s, elements, sizeof elements / sizeof *elements);

	if (element < 0 || !s->depth || s->open[--s->depth] != element || !skip(s, ">"))
		return fail(s, "an end tag that nothing opened");
	return true;
}

static const char *wrong_document(const char *p, size_t n, size_t *at, unsigned scripts)
{
	struct svg s = {.p = p, .end = p + n, .wrong = wrong_text(p, n, "\t\n", at)};

	if (s.wrong)
		return s.wrong;
	if (!skip(&s, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"))
		fail(&s, "no XML declaration");
	while (s.p < s.end && !s.wrong) {
		if (!text(&s, '<', '>') || s.p == s.end)
			break;
		if (skip(&s, "</"))
			end_tag(&s);
		else if (skip(&s, "<"))
			start_tag(&s);
	}
	*at = (size_t)(s.p - p);
	if (!s.wrong && (s.depth || s.scripts != scripts))
		fail(&s, "elements left open, or another number of scripts");
	return s.wrong;
}

const char *wrong_svg(const char *p, size_t n, size_t *at)
{
	return wrong_document(p, n, at, 1);
}

const char *wrong_picture(const char *p, size_t n, size_t *at)
{
	return wrong_document(p, n, at, 0);
}
