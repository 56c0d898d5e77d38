/* Spells an encoding as terms. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "private.h"

struct spelling {
	const struct event_pmu *pmu;
	uint64_t word[3], left[3]; /* bits not covered by a term yet */
	char *text;
	size_t size, length;
	bool begun;
};

__attribute__((format(printf, 2, 3))) static void spell_append_text(
	struct spelling *s, const char *format, ...)
{
	size_t room = s->length < s->size ? s->size - s->length : 0;
	va_list args;

	va_start(args, format);
	int n = vsnprintf(s->text + s->size - room, room, format, args);
	va_end(args);
	s->length += (size_t)n;
}

static void spell_append_term(struct spelling *s, const char *term, uint64_t value)
{
	spell_append_text(s, "%s%s=0x%llx", s->begun ? "," : "", term, (unsigned long long)value);
	s->begun = true;
}

/* Writes this term if set bits need it, or if it is always written. */
static void add_term(struct spelling *s, const char *term, bool always)
{
	struct event_field f;

	if (!event_pmu_field(s->pmu, term, &f))
		return;
	uint64_t said = s->word[f.word] & ~s->left[f.word];
	if (said & f.mask || (!always && !(s->left[f.word] & f.mask)))
		return;
	if (event_field_bits(&f) == 1) {
		spell_append_text(s, "%s%s", s->begun ? "," : "", term);
		s->begun = true;
	} else {
		spell_append_term(s, term, event_field_get(&f, s->word));
	}
	s->left[f.word] &= ~f.mask;
}

static int add_any(void *user, const char *term)
{
	add_term(user, term, false);
	return 0;
}

bool event_spell(const struct event_pmu *pmu, const struct cpc_event *e, const char *extra,
	char *text, size_t size)
{
	static const char *const rest[] = {"config", "config1", "config2"};
	struct spelling s = {.pmu = pmu,
		.word = {e->config, e->config1, e->config2},
		.left = {e->config, e->config1, e->config2},
		.text = text,
		.size = size};

	spell_append_text(&s, "%s/", pmu->name);
	add_term(&s, "event", true);
	add_term(&s, "umask", true);
	if (extra)
		add_term(&s, extra, false);
	event_pmu_walk_terms(pmu, add_any, &s);
	/* Writes a word with unknown bits as one number. */
	for (int i = 0; i < 3; i++) {
		if (!s.left[i])
			continue;
		if (i == 0 || s.left[i] != s.word[i]) {
			s.length = 0;
			s.begun = false;
			spell_append_text(&s, "%s/", pmu->name);
			for (int k = 0; k < 3; k++)
				if (s.word[k])
					spell_append_term(&s, rest[k], s.word[k]);
			break;
		}
		spell_append_term(&s, rest[i], s.word[i]);
	}
	spell_append_text(&s, "/");
	if (e->modes_given)
		spell_append_text(&s, "%s%s", e->user ? "u" : "", e->kernel ? "k" : "");
	return s.length < size;
}
