/*
 * doctor: gathers facts on the sessions that this user could trace in.
 */
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../formats/base/text.h"
#include "../../../include/perfutil.h"
#include "../../session/clock_back.h"
#include "../cmd.h"
#include "../continuous.h"
#include "facts.h"

static void user_name(uid_t uid, char *text, size_t size)
{
	const struct passwd *p = getpwuid(uid);

	if (p)
		snprintf(text, size, "%.30s", p->pw_name);
	else
		snprintf(text, size, "user %u", (unsigned)uid);
}

static void group_name(gid_t gid, char *text, size_t size)
{
	const struct group *g = getgrgid(gid);

	if (g)
		snprintf(text, size, "%.30s", g->gr_name);
	else
		snprintf(text, size, "%u", (unsigned)gid);
}

static void own_groups(char *text, size_t size)
{
	gid_t list[64];
	int n = getgroups(64, list);
	size_t have;

	group_name(getegid(), text, size);
	for (int i = 0; i < n; i++) {
		if (list[i] == getegid())
			continue;
		have = strlen(text);
		if (have + 48 > size) {
			text_append(text, size, ", ...");
			return;
		}
		text_append(text, size, ", ");
		group_name(list[i], text + have + 2, size - have - 2);
	}
}

/* Reads who may trace from the directory's mode, which every user can see. */
static void find_rights(struct session_facts *s)
{
	struct stat st;

	if (stat(s->dir, &st) != 0)
		return;
	user_name(st.st_uid, s->owner, sizeof s->owner);
	s->mode = (unsigned)st.st_mode & 07777;
	s->is_owner = geteuid() == 0 || geteuid() == st.st_uid;
	if (st.st_mode & S_IXGRP)
		group_name(st.st_gid, s->group, sizeof s->group);
}

static void sessions_check_clock(struct session_facts *s, const struct session *session)
{
	const struct shm_geometry *g = &session->geometry;
	struct clock_back back;

	if (session->rings_fd < 0)
		return;
	s->clock_misfit = clock_fits_session(g->clock, session->control->time_namespace);
	if (session_clock_back(session, &back) && back.entries)
		clock_back_text(&back, g, s->clock_back, sizeof s->clock_back);
}

static void sessions_gather_facts(struct session_facts *s, const struct session_location *location)
{
	struct session_error error = {""};
	struct session session;
	int rc = session_check(location, &error);

	s->why = location->why;
	snprintf(s->dir, sizeof s->dir, "%.250s", location->dir);
	s->absent = rc == PU_ERROR_DRIVER_NOT_LOADED;
	if (s->absent)
		return;
	find_rights(s);
	if (rc == 0)
		rc = session_open(&session, location, SESSION_READ, &error);
	if (rc) {
		snprintf(s->trouble, sizeof s->trouble, "%.380s", error.text);
		return;
	}
	s->state = cmd_state_name(session.control->state);
	s->undrained = is_continuous(&session) && cmd_is_on(&session) && !continuous_runs(&session);
	sessions_check_clock(s, &session);
	session_close(&session);
}

/* Adds another user's session, unless it is the one in use. */
static void sessions_add_other(
	struct sessions_facts *all, const char *used, uid_t owner, const char *id, const char *why)
{
	struct session_location location = {.owner = owner, .why = why};

	snprintf(location.dir, sizeof location.dir, SHM_DIR_FORMAT, (unsigned)owner);
	if (strcmp(location.dir, used) == 0)
		return;
	all->list[all->count].id = id;
	sessions_gather_facts(&all->list[all->count++], &location);
}

void gather_sessions(struct sessions_facts *all)
{
	const char *variable = secure_getenv("SWTRACE_SESSION");
	struct session_error error = {""};
	struct session_location used;

	user_name(geteuid(), all->user, sizeof all->user);
	own_groups(all->groups, sizeof all->groups);
	if (session_find(&used, &error) != 0) {
		snprintf(all->trouble, sizeof all->trouble, "%.380s", error.text);
		return;
	}
	all->list[0].id = "sessions.used";
	all->list[0].used = true;
	sessions_gather_facts(&all->list[0], &used);
	all->count = 1;
	if (variable && *variable)
		return; /* an explicit session excludes all others */
	sessions_add_other(all, used.dir, 0, "sessions.root", "root's session");
	if (geteuid() != 0)
		sessions_add_other(all, used.dir, geteuid(), "sessions.own", "your own session");
}
