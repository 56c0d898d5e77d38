/*
 * doctor: the sessions, and who may trace in them.
 */
#include <stdio.h>

#include "../../../include/perfutil.h"
#include "doctor.h"

static void who_may(const struct session_facts *s, char *text, size_t size)
{
	if (s->group[0])
		snprintf(text, size, "%s and the group %s may trace there (mode %04o)", s->owner,
			s->group, s->mode);
	else
		snprintf(text, size, "only %s may trace there (mode %04o)", s->owner, s->mode);
}

static void not_usable(
	struct findings *f, const struct session_facts *s, const struct sessions_facts *all)
{
	char who[160] = "";
	struct finding *n;

	if (s->owner[0])
		who_may(s, who, sizeof who);
	n = finding(f, s->id, s->used ? FINDING_BAD : FINDING_NOTE, "%s: not used: %s%s%s", s->why,
		s->trouble, *who ? "; " : "", who);
	if (s->used) {
		finding_means(n, "programs that are started here do not trace");
		finding_todo(n, "name another directory in SWTRACE_SESSION, or repair this one");
		return;
	}
	finding_means(n, "for you (%s, groups %s) it is as if absent", all->user, all->groups);
	finding_todo(n,
		"its owner: swtrace init -g GROUP, a group of yours; or usermod -aG to join that of the session, and log in again");
}

static void doctor_check_absent_session(struct findings *f, const struct session_facts *s)
{
	struct finding *n = finding(f, s->id, FINDING_NOTE, "%s, %s: there is none%s", s->why,
		s->dir, s->used ? "; it would be used, once made" : "");

	if (!s->used) {
		finding_means(n, "another session is in use");
		return;
	}
	finding_means(n, "hooks go nowhere, and cost a load and a branch");
	finding_todo(n, "swtrace init, swtrace on; or swtrace run -- COMMAND");
}

/* Adds what misfits the clock of the session in which programs that are started here would trace.
 */
static void clock_misfit(struct findings *f, const struct session_facts *s)
{
	bool other_namespace = s->clock_misfit == PU_ERROR_INCOMPATIBLE_OPTIONS;
	struct finding *n;

	if (!s->clock_misfit || !s->used)
		return;
	n = finding(f, "sessions.clock", FINDING_BAD,
		other_namespace ? "its CLOCK_MONOTONIC_RAW is that of another time namespace"
				: "it uses a different clock from this process");
	finding_means(n, "programs that are started here do not trace");
	finding_todo(n,
		other_namespace
			? "swtrace init in this time namespace, or start programs in the session's (nsenter --time)"
			: "swtrace init here; set SWTRACE_CLOCK alike for init and programs");
}

static void clock_back(struct findings *f, const struct session_facts *s)
{
	struct finding *n;

	if (!s->clock_back[0])
		return;
	n = finding(f, "sessions.clock_back", FINDING_BAD, "its clock was %s", s->clock_back);
	finding_means(n,
		"a snapshot was restored or the machine migrated: stamps did not advance for as long");
	finding_todo(n, "run swtrace init again");
}

static void doctor_check_usable_session(struct findings *f, const struct session_facts *s)
{
	char who[160];
	struct finding *n;

	who_may(s, who, sizeof who);
	n = finding(f, s->id, FINDING_GOOD, "%s, %s: %s; %s; %s", s->why, s->dir,
		s->state ? s->state : "there", s->used ? "this one is used" : "not used", who);
	finding_means(n, "%s",
		s->is_owner ? "you may control it (init, on, off, enable, disable, free)"
			    : "you may trace, look and dump; its owner controls it");
	if (s->undrained) {
		n = finding(f, "sessions.drain", FINDING_BAD, "no drain runs there");
		finding_means(n, "hooks are lost once the buffers are full");
		finding_todo(n, "swtrace on starts one");
	}
	clock_misfit(f, s);
	clock_back(f, s);
}

void doctor_sessions(struct findings *f, const struct doctor_facts *m)
{
	const struct sessions_facts *all = &m->sessions;
	struct finding *n;

	if (all->trouble[0]) {
		n = finding(f, "sessions.used", FINDING_BAD, "%s", all->trouble);
		finding_means(n, "programs that are started here do not trace");
		finding_todo(n, "set SWTRACE_SESSION to an absolute path, or unset it");
		return;
	}
	for (int i = 0; i < all->count; i++) {
		const struct session_facts *s = &all->list[i];

		if (s->absent)
			doctor_check_absent_session(f, s);
		else if (s->trouble[0])
			not_usable(f, s, all);
		else
			doctor_check_usable_session(f, s);
	}
}
