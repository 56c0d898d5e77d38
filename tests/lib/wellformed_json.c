#include <stdbool.h>
#include <string.h>

#include "wellformed.h"

enum { LEVELS = 64, KEYS = 1024 };

struct text {
	const char *p, *end;
	const char *wrong;
	const char *blanks; /* between tokens */
};

static bool fail(struct text *t, const char *wrong)
{
	if (!t->wrong)
		t->wrong = wrong;
	return false;
}

static bool at(const struct text *t, char c)
{
	return t->p < t->end && *t->p == c;
}

static bool skip(struct text *t, char c)
{
	if (!at(t, c))
		return false;
	t->p++;
	return true;
}

static void blank(struct text *t)
{
	while (t->p < t->end && strchr(t->blanks, *t->p))
		t->p++;
}

static bool digits(struct text *t)
{
	const char *from = t->p;

	while (t->p < t->end && *t->p >= '0' && *t->p <= '9')
		t->p++;
	return t->p > from || fail(t, "a number without digits");
}

static bool number(struct text *t)
{
	skip(t, '-');
	if (!skip(t, '0') && !digits(t))
		return false;
	if (skip(t, '.') && !digits(t))
		return false;
	if (skip(t, 'e') || skip(t, 'E')) {
		if (!skip(t, '-'))
			skip(t, '+');
		return digits(t);
	}
	return true;
}

static bool string(struct text *t)
{
	if (!skip(t, '"'))
		return fail(t, "no string where one belongs");
	while (t->p < t->end && *t->p != '"') {
		unsigned char c = (unsigned char)*t->p++;

		if (c < 0x20)
			return fail(t, "a control character in a string");
		if (c != '\\')
			continue;
		if (t->p < t->end && strchr("\"\\/bfnrt", *t->p)) {
			t->p++;
			continue;
		}
		if (!skip(t, 'u'))
			return fail(t, "an escape that JSON does not have");
		for (int i = 0; i < 4; i++, t->p++)
			if (t->p == t->end || !strchr("0123456789abcdefABCDEF", *t->p))
				return fail(t, "an escape cut short");
	}
	return skip(t, '"') || fail(t, "a string without its end");
}

static bool word(struct text *t, const char *w)
{
	size_t n = strlen(w);

	if ((size_t)(t->end - t->p) < n || memcmp(t->p, w, n))
		return fail(t, "neither a value nor a word that JSON has");
	t->p += n;
	return true;
}

struct key {
	const char *p;
	size_t n;
};

static bool value(struct text *t, int level);

/* Keys are compared with their escapes: one writer spells equal keys alike. */
static bool object(struct text *t, int level)
{
	struct key keys[KEYS];
	size_t count = 0;

	if (skip(t, '}'))
		return true;
	do {
		blank(t);
		const char *from = t->p;
		if (!string(t))
			return false;
		struct key k = {from, (size_t)(t->p - from)};
		blank(t);
		for (size_t i = 0; i < count; i++)
			if (keys[i].n == k.n && memcmp(keys[i].p, k.p, k.n) == 0)
				return fail(t, "one key twice");
		if (count < KEYS)
			keys[count++] = k;
		if (!skip(t, ':'))
			return fail(t, "a key without its value");
		if (!value(t, level + 1))
			return false;
	} while (skip(t, ','));
	return skip(t, '}') || fail(t, "an object without its end");
}

static bool array(struct text *t, int level)
{
	if (skip(t, ']'))
		return true;
	do {
		if (!value(t, level + 1))
			return false;
	} while (skip(t, ','));
	return skip(t, ']') || fail(t, "an array without its end");
}

static bool bare_value(struct text *t, int level)
{
	if (level > LEVELS)
		return fail(t, "too deep");
	if (skip(t, '{'))
		return object(t, level);
	if (skip(t, '['))
		return array(t, level);
	if (at(t, '"'))
		return string(t);
	if (at(t, 't'))
		return word(t, "true");
	if (at(t, 'f'))
		return word(t, "false");
	if (at(t, 'n'))
		return word(t, "null");
	return number(t);
}

static bool value(struct text *t, int level)
{
	bool good;

	blank(t);
	good = bare_value(t, level);
	blank(t);
	return good;
}

const char *wrong_json_lines(const char *p, size_t n, size_t *where)
{
	const char *wrong = wrong_text(p, n, "\n", where);
	struct text t = {.p = p, .end = p + n, .wrong = wrong, .blanks = " "};

	if (wrong)
		return wrong;
	while (t.p < t.end && !t.wrong) {
		if (!at(&t, '{'))
			fail(&t, "a line that is no object");
		else if (value(&t, 0) && !skip(&t, '\n'))
			fail(&t, "more than an object on a line");
	}
	*where = (size_t)(t.p - p);
	return t.wrong;
}

const char *wrong_json(const char *p, size_t n, size_t *where)
{
	const char *wrong = wrong_text(p, n, "\n", where);
	struct text t = {.p = p, .end = p + n, .blanks = " \n"};

	if (wrong)
		return wrong;
	if (value(&t, 0) && t.p < t.end)
		fail(&t, "more than a value");
	*where = (size_t)(t.p - p);
	return t.wrong;
}
