#include <errno.h>
#include <string.h>

#include "../../../formats/base/glob.h"
#include "../../counters/perf/try_event.h"
#include "verb.h"

struct listing {
	const struct event_asked *asked;
	struct document *document;
	int listed, counting;
};

struct list_row {
	const char *name, *pmu, *origin, *description, *verdict;
	bool counts;
};

/* ---------------------------------------------------------------------------- which */

static bool list_is_wanted(const struct event_asked *a, const char *name)
{
	const char *scope = strstr(name, "::");

	if (!a->operands)
		return true;
	for (int i = 0; i < a->operands; i++)
		if (glob_match_listed(a->operand[i], name) ||
			(scope && glob_match_listed(a->operand[i], scope + 2)))
			return true;
	return false;
}

/* ------------------------------------------------------------------------------ --try */

struct trial {
	int rc;		/* of perf_event_open */
	bool user_only; /* it counts, but in user mode only */
};

static struct trial try_name(const char *name)
{
	struct trial t = {.user_only = false};
	struct cpc_event e;
	char why[EVENT_WHY_MAX];

	t.rc = event_find(name, &e, why);
	if (t.rc == 0)
		t.rc = perf_try_event(&e);
	if ((t.rc == -EACCES || t.rc == -EPERM) && e.user && e.kernel) {
		e.kernel = false;
		t.user_only = perf_try_event(&e) == 0;
		t.rc = t.user_only ? 0 : t.rc;
	}
	return t;
}

static const char *list_name_verdict(const struct trial *t)
{
	switch (t->rc) {
	case 0:
		return t->user_only ? "user mode" : "counts";
	case -ENOENT:
	case -ENODEV:
	case -ENOTSUP:
		return "not here";
	case -EACCES:
	case -EPERM:
		return "not allowed";
	case -EINVAL:
		return "not for threads";
	default:
		return strerror(-t->rc);
	}
}

/* ----------------------------------------------------------------------------- output */

static void list_spell_pmu(struct out *o, const void *row)
{
	const char *pmu = ((const struct list_row *)row)->pmu;

	out_str(o, *pmu ? pmu : "-");
}

enum { HAS_TRIED = 1 };
#define AT(member) COLUMN_AT(struct list_row, member)
static const struct column list_columns[] = {
	{"name", "name", AT(name), .left = true, .width = 32},
	{"pmu", "pmu", AT(pmu), .left = true, .width = 10, .text = list_spell_pmu},
	{.heading = "verdict", AT(verdict), .left = true, .width = 12, .when = HAS_TRIED},
	{"origin", "origin", AT(origin), .left = true, .width = 8},
	{"description", "description", AT(description), .left = true, .none = ""},
	{"counts", AT(counts), .when = HAS_TRIED},
	{"verdict", AT(verdict), .when = HAS_TRIED},
	{.name = NULL},
};
#undef AT

static int event_list_visit(void *user, const struct cpc_event_info *info)
{
	struct listing *l = user;
	struct trial t = {.rc = 0};

	if (!list_is_wanted(l->asked, info->name))
		return 0;
	if (l->asked->try)
		t = try_name(info->name);
	document_add_row(l->document,
		&(struct list_row){info->name, info->pmu, event_origin_name(info->origin),
			info->description, list_name_verdict(&t), t.rc == 0});
	l->listed++;
	l->counting += t.rc == 0;
	return 0;
}

/* Visits the kernel's generic events that have a code on the processor of --cpu. */
static int visit_generic(void *user, const struct cpc_event_info *info)
{
	struct listing *l = user;
	const struct event_cpu *cpu = &l->asked->cpu;
	struct cpc_event e, own;
	struct cpc_event_info there = *info;
	char why[EVENT_WHY_MAX];

	if (event_find(info->name, &e, why) || !event_cpu_config(cpu, &e, &own))
		return 0;
	there.pmu = cpu->pmu.name;
	return event_list_visit(user, &there);
}

static void event_list_walk(struct listing *l)
{
	if (l->asked->cpu.here) {
		event_walk(event_list_visit, l);
		return;
	}
	event_generic_walk(visit_generic, l);
	if (l->asked->cpu.pfm[0])
		event_pfm_walk_of(l->asked->cpu.pfm, event_list_visit, l);
}

int event_list(const struct event_asked *a)
{
	struct print_stream stream;
	struct listing l = {.asked = a, .document = event_begin_document(&stream, a->json)};

	if (a->json)
		json_member_bool(l.document->j, "libpfm4", event_has_libpfm4());
	l.document->breaks = true;
	document_begin_list(l.document, "events", list_columns, a->try ? HAS_TRIED : 0);
	while (document_pass(l.document))
		event_list_walk(&l);
	print_document_end(&stream);
	if (!l.listed)
		return cmd_fail(a->verb, "no event matches%s%s; see swtrace event list",
			a->operands ? " " : "", a->operands ? a->operand[0] : "");
	return a->try && !l.counting ? EXIT_NO_COUNTERS : EXIT_FINE;
}
