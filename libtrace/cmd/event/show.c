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

void event_json_hex(struct json *j, const char *key, uint64_t value)
{
	json_key(j, key);
	json_format(j, "0x%llx", (unsigned long long)value);
}

void event_perf_json(struct json *j, const struct event_cpu *cpu, const struct cpc_event *e)
{
	struct cpc_event own;
	char text[SPELLED_MAX];

	json_member_u64(j, "type", e->type);
	event_json_hex(j, "config", e->config);
	event_json_hex(j, "config1", e->config1);
	event_json_hex(j, "config2", e->config2);
	json_member_bool(j, "exclude_user", !e->user);
	json_member_bool(j, "exclude_kernel", !e->kernel);
	json_member_text(j, "spelling", show_spell_event(cpu, e, text, sizeof text) ? text : NULL);
	if (!show_spell_raw(cpu, e, &own, text, sizeof text))
		return;
	json_member_open(j, "raw", '{');
	json_member_u64(j, "type", own.type);
	event_json_hex(j, "config", own.config);
	json_member_text(j, "spelling", text);
	json_close(j, '}');
}

void event_perf_text(struct table *t, const struct event_cpu *cpu, const struct cpc_event *e)
{
	struct cpc_event own;
	char text[SPELLED_MAX];

	table_printf(t, "  perf_event\ttype %u, config 0x%llx", (unsigned)e->type,
		(unsigned long long)e->config);
	if (e->config1)
		out_printf(&t->row, ", config1 0x%llx", (unsigned long long)e->config1);
	if (e->config2)
		out_printf(&t->row, ", config2 0x%llx", (unsigned long long)e->config2);
	out_str(&t->row, e->user ? "" : ", exclude_user");
	out_str(&t->row, e->kernel ? "" : ", exclude_kernel");
	table_end_row(t);
	if (show_spell_event(cpu, e, text, sizeof text))
		table_printf(t, "  perf\t-e %s\n", text);
	if (show_spell_raw(cpu, e, &own, text, sizeof text))
		table_printf(t, "  raw\ttype %u, config 0x%llx: -e %s\n", (unsigned)own.type,
			(unsigned long long)own.config, text);
}

/* ----------------------------------------------------------------------- facts */

struct shown {
	const struct event_asked *asked;
	struct json *json; /* NULL: as text */
	const char *name;
	int masks, modifiers;  /* printed so far */
	bool of_masks;	       /* which of them this pass prints */
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

static void mask_or_modifier_json(struct json *j, const struct event_pfm_attribute *a)
{
	json_open(j, '{');
	json_member_text(j, "name", a->name);
	if (a->mask) {
		event_json_hex(j, "code", a->code);
		json_member_bool(j, "preset", a->preset);
	} else {
		json_member_text(j, "takes", a->flag ? "yes or no" : "number");
	}
	json_member_text(j, "description", a->description ? a->description : "");
	json_close(j, '}');
}

static int show_attribute(void *user, const struct event_pfm_attribute *a)
{
	struct shown *s = user;
	int *count = a->mask ? &s->masks : &s->modifiers;
	const char *said = a->description ? a->description : "";
	char form[80];

	if (a->mask != s->of_masks)
		return 0;
	snprintf(form, sizeof form, ":%s%s", a->name, a->mask || a->flag ? "" : "=N");
	if (s->json)
		mask_or_modifier_json(s->json, a);
	else if (a->mask)
		table_printf(s->asked->table, "%s\t%s\t0x%llx\t%s%s\n",
			*count ? "" : "  unit masks", form, (unsigned long long)a->code, said,
			a->preset ? " (preset)" : "");
	else
		table_printf(
			s->asked->table, "%s\t%s\t%s\n", *count ? "" : "  modifiers", form, said);
	++*count;
	return 0;
}

static int no_attribute(void *user, const struct event_pfm_attribute *a)
{
	(void)user, (void)a;
	return 0;
}

static int show_term(void *user, const char *term)
{
	struct shown *s = user;

	if (s->json)
		json_text(s->json, term);
	else if (!s->masks++)
		table_printf(s->asked->table, "  terms\t%s", term);
	else
		out_printf(&s->asked->table->row, ", %s", term);
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

static void show_begin_event(const struct event_asked *a, struct json *j, const char *name,
	const char *pmu, enum cpc_event_origin origin, const char *description)
{
	if (j) {
		json_open(j, '{');
		json_member_text(j, "name", name);
		json_member_text(j, "pmu", pmu);
		json_member_text(j, "origin", event_origin_name(origin));
		json_member_text(j, "description", description);
		return;
	}
	table_printf(a->table, "%s\n", name);
	if (*description)
		table_printf(a->table, "  %s\t%s\n",
			origin == CPC_EVENT_SYSFS ? "stands for" : "counts", description);
	table_printf(a->table, "  known from\t%s%s%s\n", event_origin_name(origin),
		*pmu ? ", PMU " : "", pmu);
}

static void show_encoding(const struct event_asked *a, struct json *j, const struct cpc_event *e)
{
	if (j) {
		json_member_open(j, "perf_event", '{');
		event_perf_json(j, &a->cpu, e);
		json_close(j, '}');
	} else {
		event_perf_text(a->table, &a->cpu, e);
	}
}

/* False: libpfm4 does not know it. */
static bool show_pfm(const struct event_asked *a, struct json *j, const char *name)
{
	struct shown s = {.asked = a, .json = j, .of_masks = true};
	struct cpc_event_info info;
	struct cpc_event e;
	char bare[EVENT_NAME_MAX * 2], why[EVENT_WHY_MAX];
	uint64_t code;

	bare_name(a, name, bare, sizeof bare);
	if (event_pfm_describe(bare, &info, &code, no_attribute, NULL))
		return false;
	show_begin_event(a, j, info.name, info.pmu, CPC_EVENT_LIBPFM4,
		info.description ? info.description : "");
	if (j) {
		event_json_hex(j, "code", code);
		json_member_open(j, "unit_masks", '[');
	} else {
		table_printf(a->table, "  code\t0x%llx\n", (unsigned long long)code);
	}
	event_pfm_describe(bare, &info, &code, show_attribute, &s);
	if (j) {
		json_close(j, ']');
		json_member_open(j, "modifiers", '[');
	}
	s.of_masks = false;
	event_pfm_describe(bare, &info, &code, show_attribute, &s);
	if (j)
		json_close(j, ']');
	/* Without a mask that it needs, there is none. */
	if (event_cpu_event(&a->cpu, name, &e, why) == 0)
		show_encoding(a, j, &e);
	if (j)
		json_close(j, '}');
	return true;
}

/* Behind the terms; the event's last. */
static void show_modifiers_json(struct json *j)
{
	static const char *const modifiers[] = {"u", "k", "uk"};

	json_close(j, ']');
	json_member_open(j, "modifiers", '[');
	for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++)
		json_text(j, modifiers[i]);
	json_close(j, ']');
	json_close(j, '}');
}

static int show_found(const struct event_asked *a, struct json *j, const char *name)
{
	struct shown s = {.asked = a, .json = j};
	struct cpc_event e;
	struct event_pmu pmu;
	char why[EVENT_WHY_MAX], base[EVENT_NAME_MAX];
	int rc = event_cpu_event(&a->cpu, name, &e, why);

	if (rc)
		return cmd_fail(a->verb, "%s; %s", why, event_advice(rc));
	snprintf(base, sizeof base, "%s", e.name);
	if (e.modes_given && strrchr(base, ':'))
		*strrchr(base, ':') = 0;
	s.name = base;
	event_walk(keep_description, &s);
	show_begin_event(a, j, name, e.pmu, e.origin, s.description);
	show_encoding(a, j, &e);
	bool known = e.origin != CPC_EVENT_GENERIC &&
		     (strcmp(e.pmu, a->cpu.pmu.name) == 0 ? (pmu = a->cpu.pmu, true)
							  : event_pmu_open(e.pmu, &pmu) == 0);
	if (j)
		json_member_open(j, "terms", '[');
	if (known)
		event_pmu_walk_terms(&pmu, show_term, &s);
	if (s.masks)
		table_end_row(a->table);
	if (j)
		show_modifiers_json(j);
	else
		table_printf(a->table, "  modifiers\t:u (user mode), :k (the kernel), :uk\n");
	return EXIT_FINE;
}

static int show_all(const struct event_asked *a, struct json *j)
{
	int code = EXIT_FINE;

	for (int i = 0; i < a->operands && code == EXIT_FINE; i++) {
		struct cpc_event e;
		char why[EVENT_WHY_MAX];

		if (i && !j)
			out_char(a->table->o, '\n');
		bool kernel = event_cpu_event(&a->cpu, a->operand[i], &e, why) == 0 &&
			      e.origin != CPC_EVENT_LIBPFM4;
		if (kernel || !show_pfm(a, j, a->operand[i]))
			code = show_found(a, j, a->operand[i]);
	}
	return code;
}

int event_show(const struct event_asked *a)
{
	struct print_stream stream;
	struct json *j;

	if (!a->json)
		return show_all(a, NULL);
	j = print_json_begin(&stream, stdout);
	json_open(j, '{');
	json_member_open(j, "events", '[');
	int code = show_all(a, j);
	json_close(j, ']');
	json_close(j, '}');
	json_end_line(j);
	print_stream_end(&stream);
	return code;
}
