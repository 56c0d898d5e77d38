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
static bool spell(const struct event_cpu *cpu, const struct cpc_event *e, char *text, size_t size)
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
static bool raw(const struct event_cpu *cpu, const struct cpc_event *e, struct cpc_event *own,
	char *text, size_t size)
{
	return e->type == PERF_TYPE_HARDWARE && event_cpu_config(cpu, e, own) &&
	       spell(cpu, own, text, size);
}

void event_perf_json(const struct event_cpu *cpu, const struct cpc_event *e)
{
	struct cpc_event own;
	char text[SPELLED_MAX];

	printf("\"type\": %u, \"config\": \"0x%llx\", \"config1\": \"0x%llx\", "
	       "\"config2\": \"0x%llx\", \"exclude_user\": %s, \"exclude_kernel\": %s, "
	       "\"spelling\": ",
		(unsigned)e->type, (unsigned long long)e->config, (unsigned long long)e->config1,
		(unsigned long long)e->config2, e->user ? "false" : "true",
		e->kernel ? "false" : "true");
	if (spell(cpu, e, text, sizeof text))
		put_json(stdout, text);
	else
		printf("null");
	if (!raw(cpu, e, &own, text, sizeof text))
		return;
	printf(", \"raw\": {\"type\": %u, \"config\": \"0x%llx\", \"spelling\": ",
		(unsigned)own.type, (unsigned long long)own.config);
	put_json(stdout, text);
	printf("}");
}

void event_perf_text(const struct event_cpu *cpu, const struct cpc_event *e, const char *indent)
{
	struct cpc_event own;
	char text[SPELLED_MAX];

	printf("%sperf_event   type %u, config 0x%llx", indent, (unsigned)e->type,
		(unsigned long long)e->config);
	if (e->config1)
		printf(", config1 0x%llx", (unsigned long long)e->config1);
	if (e->config2)
		printf(", config2 0x%llx", (unsigned long long)e->config2);
	printf("%s%s\n", e->user ? "" : ", exclude_user", e->kernel ? "" : ", exclude_kernel");
	if (spell(cpu, e, text, sizeof text))
		printf("%sperf         -e %s\n", indent, text);
	if (raw(cpu, e, &own, text, sizeof text))
		printf("%sraw          type %u, config 0x%llx: -e %s\n", indent, (unsigned)own.type,
			(unsigned long long)own.config, text);
}

/* ----------------------------------------------------------------------- what is known */

struct shown {
	const struct event_asked *asked;
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

static void mask_or_modifier_json(const struct event_pfm_attribute *a, bool first)
{
	printf("%s{\"name\": ", first ? "" : ", ");
	put_json(stdout, a->name);
	if (a->mask)
		printf(", \"code\": \"0x%llx\", \"preset\": %s", (unsigned long long)a->code,
			a->preset ? "true" : "false");
	else
		printf(", \"takes\": \"%s\"", a->flag ? "yes or no" : "number");
	printf(", \"description\": ");
	put_json(stdout, a->description ? a->description : "");
	printf("}");
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
	if (s->asked->json)
		mask_or_modifier_json(a, *count == 0);
	else if (a->mask)
		printf("  %-12s %-24s 0x%-4llx %s%s\n", *count ? "" : "unit masks", form,
			(unsigned long long)a->code, said, a->preset ? " (preset)" : "");
	else
		printf("  %-12s %-24s %s\n", *count ? "" : "modifiers", form, said);
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

	if (s->asked->json) {
		printf("%s", s->masks++ ? ", " : "");
		put_json(stdout, term);
	} else {
		printf("%s%s", s->masks++ ? ", " : "  terms        ", term);
	}
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

static void begin(const struct event_asked *a, const char *name, const char *pmu,
	enum cpc_event_origin origin, const char *description)
{
	if (a->json) {
		printf("{\"name\": ");
		put_json(stdout, name);
		printf(", \"pmu\": ");
		put_json(stdout, pmu);
		printf(", \"origin\": \"%s\", \"description\": ", event_origin_name(origin));
		put_json(stdout, description);
		return;
	}
	printf("%s\n", name);
	if (*description)
		printf("  %-12s %s\n", origin == CPC_EVENT_SYSFS ? "stands for" : "counts",
			description);
	printf("  %-12s %s%s%s\n", "known from", event_origin_name(origin), *pmu ? ", PMU " : "",
		pmu);
}

static void show_encoding(const struct event_asked *a, const struct cpc_event *e)
{
	if (a->json) {
		printf(", \"perf_event\": {");
		event_perf_json(&a->cpu, e);
		printf("}");
	} else {
		event_perf_text(&a->cpu, e, "  ");
	}
}

/* False: libpfm4 does not know it. */
static bool show_pfm(const struct event_asked *a, const char *name)
{
	struct shown s = {.asked = a, .of_masks = true};
	struct cpc_event_info info;
	struct cpc_event e;
	char bare[EVENT_NAME_MAX * 2], why[EVENT_WHY_MAX];
	uint64_t code;

	bare_name(a, name, bare, sizeof bare);
	if (event_pfm_describe(bare, &info, &code, no_attribute, NULL))
		return false;
	begin(a, info.name, info.pmu, CPC_EVENT_LIBPFM4, info.description ? info.description : "");
	if (a->json)
		printf(", \"code\": \"0x%llx\", \"unit_masks\": [", (unsigned long long)code);
	else
		printf("  %-12s 0x%llx\n", "code", (unsigned long long)code);
	event_pfm_describe(bare, &info, &code, show_attribute, &s);
	if (a->json)
		printf("], \"modifiers\": [");
	s.of_masks = false;
	event_pfm_describe(bare, &info, &code, show_attribute, &s);
	if (a->json)
		printf("]");
	/* Without a mask that it needs, there is none. */
	if (event_cpu_event(&a->cpu, name, &e, why) == 0)
		show_encoding(a, &e);
	if (a->json)
		putchar('}');
	return true;
}

static int show_found(const struct event_asked *a, const char *name)
{
	struct shown s = {.asked = a};
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
	cpc_event_walk(keep_description, &s);
	begin(a, name, e.pmu, e.origin, s.description);
	show_encoding(a, &e);
	bool known = e.origin != CPC_EVENT_GENERIC &&
		     (strcmp(e.pmu, a->cpu.pmu.name) == 0 ? (pmu = a->cpu.pmu, true)
							  : event_pmu_open(e.pmu, &pmu) == 0);
	if (a->json)
		printf(", \"terms\": [");
	if (known)
		event_pmu_walk_terms(&pmu, show_term, &s);
	if (a->json)
		printf("], \"modifiers\": [\"u\", \"k\", \"uk\"]}");
	else
		printf("%s  %-12s :u (user mode), :k (the kernel), :uk\n", s.masks ? "\n" : "",
			"modifiers");
	return EXIT_FINE;
}

int event_show(const struct event_asked *a)
{
	int code = EXIT_FINE;

	if (a->json)
		printf("{\"events\": [");
	for (int i = 0; i < a->operands && code == EXIT_FINE; i++) {
		struct cpc_event e;
		char why[EVENT_WHY_MAX];

		if (i)
			fputs(a->json ? ", " : "\n", stdout);
		bool kernel = event_cpu_event(&a->cpu, a->operand[i], &e, why) == 0 &&
			      e.origin != CPC_EVENT_LIBPFM4;
		if (kernel || !show_pfm(a, a->operand[i]))
			code = show_found(a, a->operand[i]);
	}
	if (a->json)
		printf("]}\n");
	return code;
}
