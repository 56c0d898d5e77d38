/* The small languages of the command line: points in time, patterns, gates and formulas. */
#include <math.h>

#include "../../formats/base/time_arg.h"
#include "../../decoder/report/gate.h"
#include "../../decoder/report/values/formula.h"
#include "../../formats/base/glob.h"
#include "fuzz.h"

enum { SHORT = 64 };

static char *zero_ended(const char *s, size_t n)
{
	char *copy = malloc(n + 1);

	if (!copy)
		abort();
	if (n)
		memcpy(copy, s, n);
	copy[n] = 0;
	return copy;
}

static void times(const char *text)
{
	struct time_arg t;
	const char *wrong = time_arg_parse(text, &t);

	PROMISE(t.given && (!wrong || *wrong), "no reason");
	if (wrong)
		return;
	PROMISE(*text == '+' ? t.relative && t.ns >= 0 : !t.relative || (*text == '-' && t.ns <= 0),
		"%s", text);
	/* Whole seconds are exact. */
	size_t n = strlen(text);
	if (n && n < 10 && strspn(text, "0123456789") == n)
		PROMISE(t.ns == strtoll(text, NULL, 10) * 1000000000, "%s", text);
}

/*
 * A simple matcher to compare with, for ASCII patterns without sets and escapes: tracks, after each
 * character of the pattern, which prefixes of s match.
 */
static bool matches(const char *pattern, const char *s, size_t n)
{
	bool at[SHORT + 1] = {true};

	for (; *pattern; pattern++) {
		if (*pattern == '*') {
			for (size_t i = 1; i <= n; i++)
				at[i] |= at[i - 1];
			continue;
		}
		for (size_t i = n; i > 0; i--)
			at[i] = at[i - 1] && (*pattern == '?' || *pattern == s[i - 1]);
		at[0] = false;
	}
	return at[n];
}

static bool plain(const char *s, size_t n, const char *but)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] >= 0x80 || (s[i] && strchr(but, s[i])))
			return false;
	return true;
}

static void patterns(const char *pattern, const char *s, size_t n)
{
	size_t length = strlen(pattern);
	bool matched = glob_match(pattern, s, n);

	if (length <= SHORT && n <= SHORT && plain(pattern, length, "[\\") && plain(s, n, ""))
		PROMISE(matched == matches(pattern, s, n), "%s", pattern);
	PROMISE(glob_match("*", s, n), "everything matches *");
	/* A string without special characters is its own pattern. */
	char *own = zero_ended(s, n);
	if (strlen(own) == n && !strpbrk(own, "*?[\\"))
		PROMISE(glob_match(own, s, n), "%s", own);
	free(own);
}

static void gates(const char *text, const char *label, size_t n)
{
	struct gate g;
	const char *wrong = gate_parse(text, &g);

	PROMISE(!wrong || *wrong, "no reason");
	if (wrong)
		return;
	PROMISE(g.text == text && (g.metric < METRICS || (g.metric == GATE_OPEN && g.event_length)),
		"%s", text);
	/* The label as an event's name. */
	if (g.event_length)
		gate_settle(&g, n ? label : "", n, METRICS);
	PROMISE(!g.label || (g.label >= text && g.label + g.label_length <= text + strlen(text)),
		"a label beyond the text");
	PROMISE(g.limit - g.limit == 0, "a limit that is no number");
	PROMISE(!gate_exceeded(&g, 100, 100) || (g.above ? g.limit < 0 : g.limit > 0),
		"no change exceeds %s", text);
	gate_matches(&g, n ? label : NULL, n);
}

static void formulas(const char *text)
{
	static const double values[FORMULA_OPERANDS] = {1, 0, -1, NAN, 1e300, 2};
	struct formula f;
	const char *wrong = formula_parse(text, &f);

	PROMISE(!wrong || *wrong, "no reason");
	if (wrong)
		return;
	for (unsigned i = 0; i < f.noperands; i++)
		PROMISE(f.operands[i].name >= text &&
				f.operands[i].name + f.operands[i].length <= text + strlen(text),
			"an operand beyond the text");
	double value = formula_value(&f, values);
	PROMISE(isnan(value) || isfinite(value), "%s", text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feed in = {data, size};
	uint8_t kind = feed_u8(&in);
	const uint8_t *zero = in.n ? memchr(in.p, 0, in.n) : NULL;
	size_t length = zero ? (size_t)(zero - in.p) : in.n;
	char *text = zero_ended((const char *)in.p, length);

	if (kind & 1) {
		times(text);
	} else {
		size_t n = zero ? in.n - length - 1 : 0;
		char *s = (char *)exact_copy(zero ? zero + 1 : NULL, n);

		if (kind & 2)
			gates(text, s, n);
		else if (kind & 4)
			formulas(text);
		else
			patterns(text, s, n);
		free(s);
	}
	free(text);
	return 0;
}
