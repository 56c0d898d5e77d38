/*
 * Against libpfm4's own encodings: every event and unit mask of every PMU of Intel's and AMD's
 * processors that it knows. Its code says what a select register is to hold; ours must come
 * to the same by way of perf's configuration, its spelling in terms, and the spelling read
 * again.
 */
#include <perfmon/pfmlib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../libtrace/cmd/event/registers.h"

enum { INT_BIT = 1 << 20 };

struct tally {
	const struct event_cpu *cpu;
	unsigned long same, fixed, filtered, refused, wrong;
};

static bool report_wrong(struct tally *t, const char *name, const char *what)
{
	fprintf(stderr, "%s: %s\n", name, what);
	t->wrong++;
	return false;
}

/* From the spelling to the same event. */
static bool reads_again(struct tally *t, const char *name, const struct cpc_event *e)
{
	char text[512], why[EVENT_WHY_MAX];
	struct cpc_event again;

	if (!event_spell(&t->cpu->pmu, e, event_extra_term(t->cpu, e), text, sizeof text))
		return report_wrong(t, name, "cannot be spelled");
	if (strlen(text) >= EVENT_NAME_MAX || event_find_for(&t->cpu->pmu, text, &again, why))
		return report_wrong(t, name, text);
	if (again.config != e->config || again.config1 != e->config1 || again.config2)
		return report_wrong(t, name, text);
	return true;
}

/* An event code of 0 with a unit mask stands for a fixed counter, which has no filters. */
static bool on_fixed(
	struct tally *t, const char *name, const struct event_programme *p, int rc, uint64_t code)
{
	enum { FILTERS = 0xff840000 };

	if (rc && !(code & FILTERS))
		return report_wrong(t, name, "refused");
	if (!rc && (!p->fixed || p->counter != (int)(code >> 8 & 0xff) - 1))
		return report_wrong(t, name, "not on its fixed counter");
	t->fixed += !rc;
	t->filtered += !!rc;
	return true;
}

static bool same_registers(struct tally *t, const char *name, const struct cpc_event *e,
	const uint64_t *code, int codes)
{
	struct event_programme p;
	char why[EVENT_WHY_MAX];
	int rc = event_programme(t->cpu, e, 0, &p, why);

	if (!(code[0] & 0xff) && code[0] & 0xff00 && t->cpu->kind == EVENT_CPU_INTEL)
		return on_fixed(t, name, &p, rc, code[0]);
	if (rc || p.fixed)
		return report_wrong(t, name, rc ? why : "on a fixed counter");
	if ((p.select.value | INT_BIT) != (code[0] | INT_BIT)) {
		fprintf(stderr, "%s: %#llx, libpfm4 %#llx\n", name,
			(unsigned long long)p.select.value, (unsigned long long)code[0]);
		t->wrong++;
		return false;
	}
	if (p.extra.name[0] ? codes < 2 || p.extra.value != code[1] : codes > 1 && code[1])
		return report_wrong(t, name, "the second register differs");
	t->same++;
	return true;
}

static int compare_one(struct tally *t, const char *name)
{
	uint64_t *code = NULL;
	int codes = 0;
	struct cpc_event e;
	char why[EVENT_WHY_MAX];
	int rc = pfm_get_event_encoding(name, PFM_PLM0 | PFM_PLM3, NULL, NULL, &code, &codes);
	int ours = event_cpu_event(t->cpu, name, &e, why);

	/* Masks that need another beside them; modes of an event that has none of its own. */
	if (rc)
		t->refused++;
	else if (ours)
		report_wrong(t, name, why);
	else if (reads_again(t, name, &e))
		same_registers(t, name, &e, code, codes);
	free(code);
	return 0;
}

static int compare(void *user, const struct cpc_event_info *info)
{
	static const char *const modifiers[] = {"", ":u", ":k", ":c=3", ":c=1:i", ":e:c=255"};
	char name[300];

	for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++) {
		snprintf(name, sizeof name, "%s%s", info->name, modifiers[i]);
		if (strlen(name) < EVENT_NAME_MAX - 1)
			compare_one(user, name);
	}
	return 0;
}

static void say(const char *name, const struct tally *t)
{
	printf("%-26s %6lu equal, %4lu on fixed counters only, %5lu not compared, %lu wrong\n",
		name, t->same, t->fixed, t->filtered + t->refused, t->wrong);
}

static void compare_pmu(struct tally *sum, const struct event_pfm_pmu *pmu)
{
	struct event_cpu cpu;
	struct tally t = {.cpu = &cpu};
	char why[EVENT_WHY_MAX];

	if (!pmu->core || event_cpu_find(pmu->name, &cpu, why) ||
		(cpu.kind != EVENT_CPU_INTEL && cpu.kind != EVENT_CPU_AMD &&
			cpu.kind != EVENT_CPU_K7))
		return;
	event_pfm_walk_of(pmu->name, compare, &t);
	say(pmu->name, &t);
	sum->same += t.same;
	sum->fixed += t.fixed;
	sum->filtered += t.filtered;
	sum->refused += t.refused;
	sum->wrong += t.wrong;
}

/* Names like libpfm4's, and unlike. */
static void fuzz(void)
{
	static const char pieces[][12] = {":", "::", "=", "c", "i", "e", "u", "k", "1", "0x", "skl",
		"inst", "_", "retired", "any_p", "perf", "ALL", ".", "-1", "%n"};
	uint64_t seed = 88172645463325252u;

	for (int i = 0; i < 100; i++) {
		struct cpc_event e;
		char name[400] = "", why[EVENT_WHY_MAX];

		for (unsigned k = 0; k < 1 + seed % 13; k++) {
			seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
			strcat(name, pieces[(seed >> 32) % (sizeof pieces / sizeof *pieces)]);
		}
		event_find(name, &e, why);
	}
}

int main(void)
{
	struct tally sum = {.wrong = 0};
	struct event_pfm_pmu pmu;
	int id;

	event_sysfs_set("/nonexistent"); /* no PMU of this machine's */
	event_pfm_want_all();
	pfm_initialize();
	pfm_for_all_pmus(id)
	{
		pfm_pmu_info_t info = {.size = sizeof info};

		if (pfm_get_pmu_info(id, &info) == PFM_SUCCESS &&
			event_pfm_open(info.name, &pmu) == 0)
			compare_pmu(&sum, &pmu);
	}
	say("together", &sum);
	printf("skipped: %lu encodings: fixed counters have no filters\n", sum.filtered);
	printf("skipped: %lu encodings: libpfm4 has none either\n", sum.refused);
	fuzz();
	return sum.wrong || sum.same < 1000 ? EXIT_FAILURE : EXIT_SUCCESS;
}
