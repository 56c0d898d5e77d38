#include <errno.h>
#include <string.h>

#include "registers.h"
#include "verb.h"

enum { SPELLED_MAX = 512 };

const char *event_advice(int rc)
{
	return rc == -ENOTSUP ? "--cpu or --sysfs name another processor"
			      : "see swtrace event list";
}

/* ----------------------------------------------------------------- perf's own encoding */

/* By its terms if it has a code of a PMU; else by the name that it was asked for. */
static bool show_spell_event(
	const struct event_cpu *cpu, const struct cpc_event *e, char *text, size_t size)
{
	struct event_pmu pmu;

	if (e->type == PERF_TYPE_RAW || e->type == cpu->pmu.type)
		return cpu->pmu.name[0] &&
		       event_spell(&cpu->pmu, e, event_extra_term(cpu, e), text, size);
	if (e->origin == CPC_EVENT_SYSFS && event_pmu_open(e->pmu, &pmu) == 0 &&
		pmu.type == e->type)
		return event_spell(&pmu, e, NULL, text, size);
	snprintf(text, size, "%s", e->name);
	return e->origin != CPC_EVENT_LIBPFM4;
}

/* The processor's own code of a generic event. */
static bool show_spell_raw(const struct event_cpu *cpu, const struct cpc_event *e,
	struct cpc_event *own, char *text, size_t size)
{
	return e->type == PERF_TYPE_HARDWARE && event_cpu_config(cpu, e, own) &&
	       show_spell_event(cpu, own, text, size);
}

struct perf_row {
	struct cpc_event event, own; /* own: the processor's code */
	bool exclude_user, exclude_kernel;
	const char *spelling; /* of option; NULL: unknown */
	char option[SPELLED_MAX], own_spelling[SPELLED_MAX];
};

static void perf_spell_event(struct out *o, const void *row)
{
	const struct cpc_event *e = &((const struct perf_row *)row)->event;

	out_printf(o, "type %u, config 0x%llx", (unsigned)e->type, (unsigned long long)e->config);
	if (e->config1)
		out_printf(o, ", config1 0x%llx", (unsigned long long)e->config1);
	if (e->config2)
		out_printf(o, ", config2 0x%llx", (unsigned long long)e->config2);
	out_str(o, e->user ? "" : ", exclude_user");
	out_str(o, e->kernel ? "" : ", exclude_kernel");
}

static void perf_spell_raw(struct out *o, const void *row)
{
	const struct perf_row *r = row;

	out_printf(o, "type %u, config 0x%llx: -e %s", (unsigned)r->own.type,
		(unsigned long long)r->own.config, r->own_spelling);
}

enum { HAS_SPELLING = 1, HAS_RAW = 2 };
#define AT(member) COLUMN_AT(struct perf_row, member)
#define HEX_AT(member) COLUMN_HEX_AT(struct perf_row, member)
static const struct column raw_columns[] = {
	{"type", AT(own.type), .in = IN_NESTED},
	{"config", HEX_AT(own.config), .in = IN_NESTED},
	{"spelling", COLUMN_CHARS_AT(struct perf_row, own_spelling), .in = IN_NESTED},
	{.name = NULL},
};

static const struct column perf_columns[] = {
	{"type", AT(event.type)},
	{"config", HEX_AT(event.config)},
	{"config1", HEX_AT(event.config1)},
	{"config2", HEX_AT(event.config2)},
	{"exclude_user", AT(exclude_user)},
	{"exclude_kernel", AT(exclude_kernel)},
	{"spelling", AT(spelling)},
	{"raw", .source = COLUMN_NEST, .of = raw_columns, .when = HAS_RAW},
	{.heading = "perf_event", .text = perf_spell_event},
	{.heading = "perf", COLUMN_CHARS_AT(struct perf_row, option), .when = HAS_SPELLING},
	{.heading = "raw", .text = perf_spell_raw, .when = HAS_RAW},
	{.name = NULL},
};
#undef HEX_AT
#undef AT

void event_write_perf(struct document *d, const struct event_cpu *cpu, const struct cpc_event *e)
{
	struct perf_row row = {.event = *e,
		.exclude_user = !e->user,
		.exclude_kernel = !e->kernel,
		.option = "-e "};
	unsigned has = 0;

	if (show_spell_event(cpu, e, row.option + 3, sizeof row.option - 3)) {
		row.spelling = row.option + 3;
		has |= HAS_SPELLING;
	}
	if (show_spell_raw(cpu, e, &row.own, row.own_spelling, sizeof row.own_spelling))
		has |= HAS_RAW;
	document_open(d, "perf_event", '{');
	document_add(d, perf_columns, has, &row);
	document_close(d, '}');
}

/* ----------------------------------------------------------------------- facts */

struct fact_row {
	const char *name, *pmu, *origin, *description;
	uint64_t code;
};

static void show_spell_origin(struct out *o, const void *row)
{
	const struct fact_row *f = row;

	out_printf(o, "%s%s%s", f->origin, *f->pmu ? ", PMU " : "", f->pmu);
}

enum { HAS_DESCRIPTION = 1, HAS_ALIAS = 2, HAS_CODE = 4 };
#define AT(member) COLUMN_AT(struct fact_row, member)
static const struct column fact_columns[] = {
	{"name", AT(name)},
	{"pmu", AT(pmu)},
	{"origin", AT(origin)},
	{"description", AT(description)},
	{.heading = "counts", AT(description), .when = HAS_DESCRIPTION},
	{.heading = "stands for", AT(description), .when = HAS_ALIAS},
	{.heading = "known from", .text = show_spell_origin},
	{"code", "code", COLUMN_HEX_AT(struct fact_row, code), .when = HAS_CODE},
	{.name = NULL},
};
#undef AT

static void show_write_facts(struct document *d, const struct fact_row *f, unsigned has)
{
	if (document_is_text(d))
		out_printf(d->o, "%s\n", f->name);
	document_add(d, fact_columns, has, f);
}

struct shown {
	struct document *document;
	const char *name;
	int count;	       /* printed so far */
	bool masks;	       /* print the masks, else the modifiers */
	char description[512]; /* "": none */
};

static int keep_description(void *user, const struct cpc_event_info *info)
{
	struct shown *s = user;

	if (strcmp(info->name, s->name) != 0)
		return 0;
	snprintf(s->description, sizeof s->description, "%s",
		info->description ? info->description : "");
	return 1;
}

struct attribute_row {
	const char *label, *name, *takes, *description;
	uint64_t code;
	bool preset;
	char form[80];
};

static void show_spell_description(struct out *o, const void *row)
{
	const struct attribute_row *a = row;

	out_str(o, a->description);
	out_str(o, a->preset ? " (preset)" : "");
}

enum { OF_MASKS = 1, OF_MODIFIERS = 2 };
#define AT(member) COLUMN_AT(struct attribute_row, member)
static const struct column attribute_columns[] = {
	{.heading = "label", AT(label), .left = true, .width = 14},
	{"name", AT(name)},
	{.heading = "form", COLUMN_CHARS_AT(struct attribute_row, form), .left = true, .width = 24},
	{"code", "code", COLUMN_HEX_AT(struct attribute_row, code), .left = true, .width = 6,
		.when = OF_MASKS},
	{"preset", AT(preset), .when = OF_MASKS},
	{"takes", AT(takes), .when = OF_MODIFIERS},
	{"description", "description", AT(description), .left = true,
		.text = show_spell_description},
	{.name = NULL},
};
#undef AT

static int show_attribute(void *user, const struct event_pfm_attribute *a)
{
	struct shown *s = user;

	if (a->mask != s->masks)
		return 0;
	struct attribute_row row = {.label = s->count++ ? ""
					     : s->masks ? "  unit masks"
							: "  modifiers",
		.name = a->name,
		.takes = a->flag ? "yes or no" : "number",
		.description = a->description ? a->description : "",
		.code = a->code,
		.preset = a->mask && a->preset};
	snprintf(row.form, sizeof row.form, ":%s%s", a->name, a->mask || a->flag ? "" : "=N");
	document_add_row(s->document, &row);
	return 0;
}

static int no_attribute(void *user, const struct event_pfm_attribute *a)
{
	(void)user, (void)a;
	return 0;
}

static void show_attributes(struct document *d, const char *name, const char *key, bool masks)
{
	struct shown s = {.document = d, .masks = masks};
	struct cpc_event_info info;
	uint64_t code;

	document_begin_list(d, key, attribute_columns, masks ? OF_MASKS : OF_MODIFIERS);
	while (document_pass(d))
		event_pfm_describe(name, &info, &code, show_attribute, &s);
}

static int show_term(void *user, const char *term)
{
	struct shown *s = user;

	if (s->document->j)
		json_text(s->document->j, term);
	else if (s->count++)
		out_printf(s->document->o, ", %s", term);
	else
		out_str(document_begin_line(s->document, "terms"), term);
	return 0;
}

/* ---------------------------------------------------------------------------- one event */

/* libpfm4's name of the event without masks and modifiers, as it is scoped. */
static void bare_name(const struct event_asked *a, const char *name, char *bare, size_t size)
{
	const char *scope = strstr(name, "::"), *event = scope ? scope + 2 : name;
	int length = (int)(event - name) + (int)strcspn(event, ":");

	if (!scope && a->cpu.pfm[0])
		snprintf(bare, size, "%s::%.*s", a->cpu.pfm, length, name);
	else
		snprintf(bare, size, "%.*s", length, name);
}

/* False: libpfm4 does not know it. */
static bool show_pfm(const struct event_asked *a, struct document *d, const char *name)
{
	struct cpc_event_info info;
	struct cpc_event e;
	char bare[EVENT_NAME_MAX * 2], why[EVENT_WHY_MAX];
	uint64_t code;

	bare_name(a, name, bare, sizeof bare);
	if (event_pfm_describe(bare, &info, &code, no_attribute, NULL))
		return false;
	const struct fact_row f = {info.name, info.pmu, event_origin_name(CPC_EVENT_LIBPFM4),
		info.description ? info.description : "", code};
	document_open(d, NULL, '{');
	show_write_facts(d, &f, HAS_CODE | (*f.description ? HAS_DESCRIPTION : 0));
	show_attributes(d, bare, "unit_masks", true);
	show_attributes(d, bare, "modifiers", false);
	/* Without a mask that it needs, there is none. */
	if (event_cpu_event(&a->cpu, name, &e, why) == 0)
		event_write_perf(d, &a->cpu, &e);
	document_close(d, '}');
	return true;
}

static void show_terms(const struct event_asked *a, struct shown *s, const struct cpc_event *e)
{
	struct event_pmu pmu = a->cpu.pmu;

	if (e->origin != CPC_EVENT_GENERIC &&
		(strcmp(e->pmu, pmu.name) == 0 || event_pmu_open(e->pmu, &pmu) == 0))
		event_pmu_walk_terms(&pmu, show_term, s);
}

static void show_write_modifiers(struct document *d)
{
	if (document_is_text(d)) {
		out_str(document_begin_line(d, "modifiers"),
			":u (user mode), :k (the kernel), :uk\n");
		return;
	}
	json_member_open(d->j, "modifiers", '[');
	json_text(d->j, "u");
	json_text(d->j, "k");
	json_text(d->j, "uk");
	json_close(d->j, ']');
}

static int show_found(const struct event_asked *a, struct document *d, const char *name)
{
	struct shown s = {.document = d};
	struct cpc_event e;
	char why[EVENT_WHY_MAX], base[EVENT_NAME_MAX];
	int rc = event_cpu_event(&a->cpu, name, &e, why);

	if (rc)
		return cmd_fail(a->verb, "%s; %s", why, event_advice(rc));
	snprintf(base, sizeof base, "%s", e.name);
	if (e.modes_given && strrchr(base, ':'))
		*strrchr(base, ':') = 0;
	s.name = base;
	event_walk(keep_description, &s);
	const struct fact_row f = {name, e.pmu, event_origin_name(e.origin), s.description, 0};
	unsigned has = e.origin == CPC_EVENT_SYSFS ? HAS_ALIAS : HAS_DESCRIPTION;
	document_open(d, NULL, '{');
	show_write_facts(d, &f, *s.description ? has : 0);
	event_write_perf(d, &a->cpu, &e);
	document_open(d, "terms", '[');
	show_terms(a, &s, &e);
	document_close(d, ']');
	if (s.count)
		out_char(d->o, '\n');
	show_write_modifiers(d);
	document_close(d, '}');
	return EXIT_FINE;
}

static int show_all(const struct event_asked *a, struct document *d)
{
	int code = EXIT_FINE;

	for (int i = 0; i < a->operands && code == EXIT_FINE; i++) {
		struct cpc_event e;
		char why[EVENT_WHY_MAX];

		if (i && !d->j)
			out_char(d->o, '\n');
		bool kernel = event_cpu_event(&a->cpu, a->operand[i], &e, why) == 0 &&
			      e.origin != CPC_EVENT_LIBPFM4;
		if (kernel || !show_pfm(a, d, a->operand[i]))
			code = show_found(a, d, a->operand[i]);
	}
	return code;
}

int event_show(const struct event_asked *a)
{
	struct print_stream stream;
	struct document *d = event_begin_document(&stream, a->json);

	document_open(d, "events", '[');
	int code = show_all(a, d);
	document_close(d, ']');
	print_document_end(&stream);
	return code;
}
