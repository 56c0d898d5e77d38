/*
 * Continuous mode: the file to which the drain writes, and the user it runs as.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "matrix.h"
#include "sandbox.h"

static char init_line[PATH_MAX];

static int run_init(void)
{
	struct result r = {0};

	setenv("SWTRACE_SESSION", box.dir, 1);
	do_command(init_line, &r);
	return r.code;
}

/* A session of the owner's that drains to a file of the owner's, or where only root may write. */
static void continuous(const char *file)
{
	snprintf(init_line, sizeof init_line, "init -s 1 -t cont -f %s", file);
	if (actor_does(OWNER, run_init) != 0)
		die("swtrace %s", init_line);
}

static void make_continuous(void)
{
	continuous(path("%s/out.bin", actor_home(OWNER)));
}

/* The owner could write to the file when the session named it; now root owns it. */
static void make_trap(void)
{
	const char *place = path("%s/place", actor_home(OWNER));

	require_success(mkdir(place, 0700), place);
	require_success(chown(place, actor_uid(OWNER), actor_gid(OWNER)), place);
	continuous(path("%s/out.bin", place));
	require_success(chown(place, 0, 0), place);
	make_file(path("%s/out.bin", place), "root's\n", ROOT, 0600);
}

static void move_drain_to_home(void)
{
	make_continuous();
	require_success(rename(session_path("drain"), path("%s/real", actor_home(OWNER))), "drain");
}

static void as_link(void)
{
	move_drain_to_home();
	require_success(
		symlink(path("%s/real", actor_home(OWNER)), session_path("drain")), "drain");
}

static void as_dangling_link(void)
{
	move_drain_to_home();
	require_success(
		symlink(path("%s/made", actor_home(OWNER)), session_path("drain")), "drain");
}

static void as_fifo(void)
{
	move_drain_to_home();
	require_success(mkfifo(session_path("drain"), 0600), "drain");
	if (geteuid() == 0)
		require_success(
			chown(session_path("drain"), actor_uid(OWNER), actor_gid(OWNER)), "drain");
}

static void as_directory(void)
{
	move_drain_to_home();
	require_success(mkdir(session_path("drain"), 0700), "drain");
}

static void as_strangers(void)
{
	make_continuous();
	require_success(
		chown(session_path("drain"), actor_uid(STRANGER), actor_gid(STRANGER)), "drain");
	require_success(chmod(session_path("drain"), 0644), "drain");
}

static void as_open_to_all(void)
{
	make_continuous();
	require_success(chmod(session_path("drain"), 0666), "drain");
}

static const struct situation cont = {"owner's session, -t cont", 0, make_continuous};
static const struct situation trap = {
	"owner's session, -t cont to root's file", NEEDS_ROOT, make_trap};
static const struct situation link_drain = {"drain is a link", 0, as_link};
static const struct situation dangling_drain = {"drain is a dangling link", 0, as_dangling_link};
static const struct situation fifo_drain = {"drain is a FIFO", 0, as_fifo};
static const struct situation directory_drain = {
	"drain is a directory", NEEDS_NOTHING, as_directory};
static const struct situation his_drain = {"drain is a stranger's", NEEDS_ROOT, as_strangers};
static const struct situation open_drain = {"drain has mode 0666", 0, as_open_to_all};

/* A drain that does start must not outlive the row. */
static void do_on(const char *argument, struct result *r)
{
	struct result off;

	do_command(argument, r);
	if (r->code == 0)
		do_command("off", &off);
}

static const struct row rows[] = {
	{"the owner's drain", OWNER, &cont, do_on, "on", 0, NULL, OFF, 0},
	{"drain a link, on", OWNER, &link_drain, do_on, "on", 1, "drain", SAME, 0},
	{"drain a link, root's on", ROOT, &link_drain, do_on, "on", 1, "drain", SAME, 0},
	{"drain a dangling link, on", OWNER, &dangling_drain, do_on, "on", 1, "drain", SAME, 0},
	{"drain a dangling link, init", OWNER, &dangling_drain, do_command,
		"init -s 1 -t cont -f @owner/x.bin", 1, "drain", OTHERS, 0},
	{"drain a FIFO, on", OWNER, &fifo_drain, do_on, "on", 1, "drain", SAME, 0},
	{"drain a directory, on", OWNER, &directory_drain, do_on, "on", 1, "drain", SAME, 0},
	{"drain a stranger's, on", OWNER, &his_drain, do_on, "on", 1, "drain", SAME, 0},
	{"drain a stranger's, root's on", ROOT, &his_drain, do_on, "on", 1, "drain", SAME, 0},
	{"drain open to all, on", OWNER, &open_drain, do_on, "on", 1, "drain", SAME, 0},
	/* Root writes nothing to a path from a user's file. */
	{"root's on, a user's path", ROOT, &trap, do_on, "on", 1, NULL, OTHERS, 0},
};

const struct table drain_table = TABLE("continuous mode", rows);
