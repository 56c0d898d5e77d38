/* Parses the terms between the slashes of cpu/event=0x3c,umask=0,inv/. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "private.h"

struct term {
	char name[64];
	bool given;	/* a value was */
	bool event;	/* the name of one of the PMU's events */
	uint64_t value; /* 1 if none was given */
};

struct parse {
	const struct event_pmu *pmu;
	uint64_t word[3], taken[3]; /* bits set by terms */
	char *why;
};

static bool terms_put_field(struct parse *p, const struct event_field *field, const struct term *t)
{
	if (p->taken[field->word] & field->mask) {
		event_refuse(p->why, 0, "\"%s\" sets what an earlier term has set", t->name);
		return false;
	}
	if (!event_field_put(field, t->value, p->word)) {
		unsigned bits = event_field_bits(field);

		event_refuse(p->why, 0, "%s=0x%llx does not fit: 0 to 0x%llx", t->name,
			(unsigned long long)t->value,
			(unsigned long long)(UINT64_MAX >> (64 - bits)));
		return false;
	}
	p->taken[field->word] |= field->mask;
	return true;
}

/* config=, config1=, config2=, and r1c2 for config. */
static bool whole_word(struct term *t, struct event_field *field)
{
	static const char *const words[] = {"config", "config1", "config2"};
	char hex[24];

	field->mask = UINT64_MAX;
	for (field->word = 0; field->word < 3; field->word++)
		if (t->given && strcmp(t->name, words[field->word]) == 0)
			return true;
	field->word = 0;
	snprintf(hex, sizeof hex, "0x%.20s", t->name + 1);
	return !t->given && t->name[0] == 'r' && event_number(hex, &t->value);
}

static bool terms_add_term(struct parse *p, struct term *t)
{
	struct event_field field;

	if (event_pmu_field(p->pmu, t->name, &field) || whole_word(t, &field))
		return terms_put_field(p, &field, t);
	if (t->given)
		event_refuse(p->why, 0, "%s has no term \"%s\"", p->pmu->name, t->name);
	else
		event_refuse(
			p->why, 0, "%s has no event and no term \"%s\"", p->pmu->name, t->name);
	return false;
}

/* Parses the next term of *text and advances it; false with the reason. */
static bool terms_next_term(struct parse *p, const char **text, struct term *t)
{
	size_t n = strcspn(*text, ","), name = strcspn(*text, "=,");
	char value[24];

	*t = (struct term){.value = 1, .given = name < n};
	if (name == 0 || name >= sizeof t->name) {
		event_refuse(p->why, 0, "a term's name is %s", name ? "too long" : "missing");
		return false;
	}
	memcpy(t->name, *text, name);
	if (t->given) {
		size_t length = n - name - 1;

		snprintf(value, sizeof value, "%.*s", (int)length, *text + name + 1);
		if (length >= sizeof value || !event_number(value, &t->value)) {
			event_refuse(p->why, 0,
				"%s=%.*s: not a number of 64 bits, decimal or hexadecimal after 0x",
				t->name, (int)(length < 40 ? length : 40), *text + name + 1);
			return false;
		}
	}
	*text += n;
	return true;
}

/* Calls the function for each term. */
static bool terms_parse_each(
	struct parse *p, const char *text, bool (*act)(struct parse *p, struct term *t))
{
	struct term t;

	for (;;) {
		if (!terms_next_term(p, &text, &t) || !act(p, &t))
			return false;
		if (!*text)
			return true;
		text++;
	}
}

/* ---------------------------------------------------------------------- events by name */

static bool event_text(const struct event_pmu *pmu, const char *name, char *text, size_t size)
{
	char path[80];

	snprintf(path, sizeof path, "events/%s", name);
	return !pmu->formats && !strchr(name, '/') && event_pmu_file(pmu, path, text, size) == 0;
}

/* The file of sysfs that this term names, by perf's other name for the event as well. */
static bool named_event(const struct parse *p, const struct term *t, char *text, size_t size)
{
	const char *alias = event_generic_alias(t->name);

	return !t->given && (event_text(p->pmu, t->name, text, size) ||
				    (alias && event_text(p->pmu, alias, text, size)));
}

/* Applies the event first, so that other terms override it, whatever their order. */
static bool apply_event(struct parse *p, struct term *t)
{
	char text[256];

	if (!named_event(p, t, text, sizeof text))
		return true;
	if (p->taken[0] || p->taken[1] || p->taken[2]) {
		event_refuse(p->why, 0, "\"%s\" is a second event", t->name);
		return false;
	}
	if (strchr(text, '?')) {
		event_refuse(p->why, 0, "%s needs values: write its terms, %s", t->name, text);
		return false;
	}
	return terms_parse_each(p, text, terms_add_term);
}

static bool apply_term(struct parse *p, struct term *t)
{
	char text[256];

	return named_event(p, t, text, sizeof text) || terms_add_term(p, t);
}

/* A generic event of this PMU; of one of several, its type is in the upper half. */
static bool generic_of(const struct event_pmu *pmu, const char *terms, struct cpc_event *e)
{
	enum { TYPE_SHIFT = 32 };
	char cpus[4096];
	bool several = event_pmu_file(pmu, "cpus", cpus, sizeof cpus) == 0;

	if (pmu->formats || (!several && strcmp(pmu->name, event_pmu_name()) != 0) ||
		!event_generic_find(terms, e) || e->software)
		return false;
	if (several)
		e->config |= (uint64_t)pmu->type << TYPE_SHIFT;
	snprintf(e->pmu, sizeof e->pmu, "%s", pmu->name);
	return true;
}

int event_terms(const struct event_pmu *pmu, const char *terms, struct cpc_event *e,
	char why[EVENT_WHY_MAX])
{
	struct parse p = {.pmu = pmu, .why = why};

	e->origin = CPC_EVENT_SYSFS;
	e->type = pmu->type;
	e->software = pmu->type == PERF_TYPE_SOFTWARE || pmu->type == PERF_TYPE_TRACEPOINT;
	snprintf(e->pmu, sizeof e->pmu, "%s", pmu->name);
	if (!*terms)
		return event_refuse(why, -EINVAL, "there is no event between the slashes");
	if (!terms_parse_each(&p, terms, apply_event))
		return -EINVAL;
	memset(p.taken, 0, sizeof p.taken);
	if (!terms_parse_each(&p, terms, apply_term)) {
		if (!generic_of(pmu, terms, e))
			return -EINVAL;
		why[0] = 0;
		return 0;
	}
	e->config = p.word[0];
	e->config1 = p.word[1];
	e->config2 = p.word[2];
	return 0;
}
