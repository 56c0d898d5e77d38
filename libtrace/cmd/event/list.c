#include <errno.h>
#include <string.h>

#include "../../../formats/base/glob.h"
#include "../../counters/perf/try_event.h"
#include "verb.h"

struct listing {
	const struct event_asked *asked;
	struct json *json; /* NULL: as text */
	int listed, counting;
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

static void list_print_json(
	const struct listing *l, const struct cpc_event_info *info, const struct trial *t)
{
	struct json *j = l->json;

	json_break(j);
	json_open(j, '{');
	json_member_text(j, "name", info->name);
	json_member_text(j, "pmu", info->pmu);
	json_member_text(j, "origin", event_origin_name(info->origin));
	json_member_text(j, "description", info->description);
	if (l->asked->try) {
		json_member_bool(j, "counts", t->rc == 0);
		json_member_text(j, "verdict", list_name_verdict(t));
	}
	json_close(j, '}');
}

static int event_list_visit(void *user, const struct cpc_event_info *info)
{
	struct listing *l = user;
	struct trial t = {.rc = 0};

	if (!list_is_wanted(l->asked, info->name))
		return 0;
	if (l->asked->try)
		t = try_name(info->name);
	if (l->json)
		list_print_json(l, info, &t);
	else
		table_printf(l->asked->table, "%s\t%s\t%s\t%s\t%s\n", info->name,
			*info->pmu ? info->pmu : "-", list_name_verdict(&t),
			event_origin_name(info->origin),
			info->description ? info->description : "");
	l->listed++;
	l->counting += t.rc == 0;
	return 0;
}

/* Those of the kernel's generic events that have a code on the processor of --cpu. */
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

static void list_json(struct listing *l)
{
	struct print_stream stream;
	struct json *j = print_json_begin(&stream, stdout);

	l->json = j;
	json_open(j, '{');
	json_member_bool(j, "libpfm4", event_has_libpfm4());
	json_member_open(j, "events", '[');
	event_list_walk(l);
	json_break(j);
	json_close(j, ']');
	json_close(j, '}');
	json_end_line(j);
	print_stream_end(&stream);
}

int event_list(const struct event_asked *a)
{
	struct listing l = {.asked = a};

	if (!a->json && !a->try)
		table_hide(a->table, 2);
	if (a->json)
		list_json(&l);
	else
		event_list_walk(&l);
	if (!l.listed)
		return cmd_fail(a->verb, "no event matches%s%s; see swtrace event list",
			a->operands ? " " : "", a->operands ? a->operand[0] : "");
	return a->try && !l.counting ? EXIT_NO_COUNTERS : EXIT_FINE;
}
