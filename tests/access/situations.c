/*
 * Situations: the sessions with which most rows begin.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/folder.h"
#include "matrix.h"
#include "sandbox.h"

/* ------------------------------------------------------------------ clean slate */

static int remove_one(const char *name, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	/* Keeps the program's tools and the base folder. */
	if (ftw->level == 0 || strstr(name, "/tools"))
		return 0;
	if (strcmp(name, box.base) != 0)
		remove(name);
	return 0;
}

void wipe(void)
{
	helper_end();
	nftw(box.has_namespace ? SHM_ROOT : box.base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	for (int who = ROOT; who < ACTORS; who++) {
		const char *home = actor_home((enum actor)who);

		if (mkdir(home, 0755) != 0 || chmod(home, 0755) != 0)
			die("%s: %s", home, strerror(errno));
		if (geteuid() == 0 &&
			chown(home, actor_uid((enum actor)who), actor_gid((enum actor)who)) != 0)
			die("%s: %s", home, strerror(errno));
	}
	snprintf(box.dir, sizeof box.dir, "%s/s", actor_home(OWNER));
	snprintf(box.victim, sizeof box.victim, "%s/victim", box.base);
	make_file(box.victim, "precious\n", ROOT, 0600);
	box.other[0] = '\0';
	box.later = NULL;
	box.env = box.dir;
	box.mask = 022;
}

void remove_base(void)
{
	helper_end();
	folder_remove(box.base);
}

void make_file(const char *name, const char *text, enum actor owner, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		die("%s: %s", name, strerror(errno));
	if (fchmod(fd, mode) != 0 ||
		(geteuid() == 0 && fchown(fd, actor_uid(owner), actor_gid(owner)) != 0))
		die("%s: %s", name, strerror(errno));
	close(fd);
}

/* --------------------------------------------------------------------- sessions */

static struct {
	const char *dir;
	gid_t group;
	bool on;
} wanted;

static int make(void)
{
	struct session_config config = {
		.ring_bytes = 65536, .section_bytes = 4096, .group = wanted.group};
	struct session_location location;
	struct session s;

	umask(022);
	setenv("SWTRACE_SESSION", wanted.dir, 1);
	if (session_find(&location, NULL) != 0 ||
		session_open(&s, &location, SESSION_CONTROL | SESSION_CREATE, NULL) != 0)
		return 1;
	if (session_init(&s, &config, NULL) != 0)
		return 2;
	if (session_on(&s, NULL) != 0)
		return 3;
	for (int i = 0; i < 3; i++) {
		if (TraceHookWords(1, 1, 0, NULL) != 0)
			return 4;
	}
	if (!wanted.on && session_off(&s, NULL) != 0)
		return 5;
	return 0;
}

void make_session(enum actor who, const char *dir, gid_t group, bool on)
{
	int code;

	wanted.dir = dir;
	wanted.group = group;
	wanted.on = on;
	code = actor_does(who, make);
	if (code)
		die("%s's session in %s: step %d failed", actor_name(who), dir, code);
}

static void make_nothing(void)
{
}

static void make_private(void)
{
	make_session(OWNER, box.dir, (gid_t)-1, true);
}

static void make_group(void)
{
	make_session(OWNER, box.dir, FRIENDS, true);
}

static void make_group_off(void)
{
	make_session(OWNER, box.dir, FRIENDS, false);
}

static int one_hook(void)
{
	umask(022);
	setenv("SWTRACE_SESSION", box.dir, 1);
	return TraceHookWords(1, 1, 0, NULL) != 0;
}

static void make_control(void)
{
	if (actor_does(OWNER, one_hook) != 0)
		die("the owner's program did not make a control page");
}

const struct situation nothing_there = {"no session", 0, make_nothing};
const struct situation private_session = {"owner's session", 0, make_private};
const struct situation group_session = {"owner's session, -g", NEEDS_ROOT, make_group};
const struct situation group_off = {"owner's session, -g, off", NEEDS_ROOT, make_group_off};
const struct situation control_only = {"owner's control page", 0, make_control};
