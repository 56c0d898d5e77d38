/*
 * doctor's findings on made-up machines: facts go in, findings come out.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor_machines.h"
#include "../lib/suites.h"

static const struct finding *find(const struct findings *f, const char *id)
{
	for (int i = 0; i < f->count; i++)
		if (strcmp(f->list[i].id, id) == 0)
			return &f->list[i];
	return NULL;
}

static void diagnose(int i, struct findings *f)
{
	static struct doctor_facts m;

	machines[i].make(&m);
	memset(f, 0, sizeof *f);
	doctor_findings(f, &m);
}

START_TEST(test_machine)
{
	const struct machine *m = &machines[_i];
	static struct findings f;

	diagnose(_i, &f);
	ck_assert_msg(f.measurable == m->measurable, "%s: measurable: %d", m->name, f.measurable);
	ck_assert_msg(strcmp(f.cause, m->cause) == 0, "%s: cause: %s", m->name, f.cause);
	ck_assert_msg(strstr(f.verdict, m->verdict), "%s: %s", m->name, f.verdict);
	ck_assert_msg(
		f.measurable != (strncmp(f.verdict, "CPI cannot be measured here: ", 29) == 0),
		"%s: %s", m->name, f.verdict);
	for (size_t k = 0; k < 4 && m->want[k].id; k++) {
		const struct finding *n = find(&f, m->want[k].id);

		if (m->want[k].status == GONE) {
			ck_assert_msg(!n, "%s: unexpected %s", m->name, m->want[k].id);
			continue;
		}
		ck_assert_msg(n, "%s: no %s", m->name, m->want[k].id);
		ck_assert_msg((int)n->status == m->want[k].status, "%s: %s: status %d", m->name,
			n->id, n->status);
		ck_assert_msg(strstr(n->text, m->want[k].says) ||
				      strstr(n->meaning, m->want[k].says) ||
				      strstr(n->todo, m->want[k].says),
			"%s: %s: %s / %s / %s", m->name, n->id, n->text, n->meaning, n->todo);
	}
}
END_TEST

/* On every machine, each finding has a meaning, and each bad one a remedy. */
START_TEST(test_form)
{
	const char *name = machines[_i].name;
	static struct findings f;

	diagnose(_i, &f);
	ck_assert_msg(f.count < FINDINGS_MAX, "%s: %d findings", name, f.count);
	ck_assert_msg(strlen(f.verdict) <= 100 && !strchr(f.verdict, '\n'), "%s", f.verdict);
	for (int i = 0; i < f.count; i++) {
		const struct finding *n = &f.list[i];

		ck_assert_msg(strchr(n->id, '.') && n->text[0] && n->meaning[0],
			"%s: %s: \"%s\" \"%s\"", name, n->id, n->text, n->meaning);
		ck_assert_msg(n->status != FINDING_BAD || n->todo[0], "%s: %s", name, n->id);
		ck_assert_msg(find(&f, n->id) == n, "%s: %s twice", name, n->id);
		ck_assert_msg(strlen(n->text) < sizeof n->text - 1 &&
				      strlen(n->meaning) < sizeof n->meaning - 1 &&
				      strlen(n->todo) < sizeof n->todo - 1,
			"%s: %s is cut off", name, n->id);
	}
}
END_TEST

/* On a machine without faults, only the user's own choices leave something to do. */
START_TEST(test_healthy)
{
	static struct findings f;

	diagnose(0, &f);
	for (int i = 0; i < f.count; i++)
		ck_assert_msg(f.list[i].status == FINDING_GOOD && !f.list[i].todo[0], "%s: %s; %s",
			f.list[i].id, f.list[i].text, f.list[i].todo);
}
END_TEST

/* The manual page lists every identity and every cause that ever comes. */
START_TEST(test_manual)
{
	static char page[256 * 1024];
	static struct findings f;
	FILE *file = fopen(SWTRACE_MANUAL, "r");
	size_t n;

	ck_assert_msg(file, "%s: %s", SWTRACE_MANUAL, strerror(errno));
	n = fread(page, 1, sizeof page - 1, file);
	fclose(file);
	ck_assert(n > 1000 && n < sizeof page - 1);
	/* Its hyphens are written \\-. */
	for (char *from = page, *to = page; (*to = *from) != 0; from++)
		to += *from != '\\';
	for (int m = 0; m < machine_count; m++) {
		diagnose(m, &f);
		ck_assert_msg(strstr(page, f.cause), "cause %s", f.cause);
		for (int i = 0; i < f.count; i++)
			ck_assert_msg(strstr(page, f.list[i].id), "finding %s", f.list[i].id);
	}
}
END_TEST

int main(void)
{
	return suites_run(
		SUITE("doctor", TESTS(test_healthy, test_manual),
			LOOPS({test_machine, 0, machine_count}, {test_form, 0, machine_count})),
		NULL);
}
