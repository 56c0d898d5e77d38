/*
 * The session's folder: its name is taken, SWTRACE_SESSION names something unusable, a umask
 * removes all permissions or none, the file size is limited.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "matrix.h"
#include "sandbox.h"

#define NO_LINK "is a link or not a directory"

/* The owner's default place, without SWTRACE_SESSION. */
static const char *default_place(void)
{
	snprintf(box.dir, sizeof box.dir, SHM_DIR_FORMAT, (unsigned)actor_uid(OWNER));
	box.env = NULL;
	return box.dir;
}

static void give_to(const char *name, enum actor who, mode_t mode)
{
	require_success(lchown(name, actor_uid(who), actor_gid(who)), name);
	require_success(chmod(name, mode), name);
}

/* ----------------------------------------------------------------------- squatters */

static void squat_directory(void)
{
	require_success(mkdir(default_place(), 0700), box.dir);
	give_to(box.dir, STRANGER, 0755);
}

static void squat_session(void)
{
	make_session(STRANGER, path("%s/s", actor_home(STRANGER)), (gid_t)-1, true);
	require_success(rename(path("%s/s", actor_home(STRANGER)), default_place()), "rename");
	require_success(chmod(box.dir, 0755), box.dir);
	require_success(chmod(path("%s/control", box.dir), 0644), "control");
}

static void squat_file(void)
{
	make_file(default_place(), "mine\n", STRANGER, 0666);
}

static void squat_fifo(void)
{
	require_success(mkfifo(default_place(), 0600), box.dir);
	give_to(box.dir, STRANGER, 0666);
}

static void squat_link(void)
{
	make_session(STRANGER, path("%s/s", actor_home(STRANGER)), (gid_t)-1, true);
	require_success(symlink(path("%s/s", actor_home(STRANGER)), default_place()), box.dir);
	require_success(lchown(box.dir, actor_uid(STRANGER), actor_gid(STRANGER)), box.dir);
}

static void squat_link_to_mine(void)
{
	make_session(OWNER, path("%s/s", actor_home(OWNER)), (gid_t)-1, true);
	require_success(symlink(path("%s/s", actor_home(OWNER)), default_place()), box.dir);
	require_success(lchown(box.dir, actor_uid(STRANGER), actor_gid(STRANGER)), box.dir);
}

static void squat_link_to_nothing(void)
{
	require_success(symlink(path("%s/made", actor_home(OWNER)), default_place()), box.dir);
	require_success(lchown(box.dir, actor_uid(STRANGER), actor_gid(STRANGER)), box.dir);
}

static void mine_but_open(void)
{
	make_session(OWNER, default_place(), (gid_t)-1, true);
	require_success(chmod(box.dir, 0777), box.dir);
}

static void mine_but_open_to_the_group(void)
{
	make_session(OWNER, default_place(), (gid_t)-1, true);
	require_success(chmod(box.dir, 0770), box.dir);
}

/* Old enough for the sweep. */
static void set_old_times(const char *name)
{
	static const struct timespec long_ago[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};

	require_success(utimensat(AT_FDCWD, name, long_ago, AT_SYMLINK_NOFOLLOW), name);
}

/* Matches the sweep of `swtrace free` and `run`, but belongs to another user. */
static void plant_private(void)
{
	const char *name;

	make_session(OWNER, default_place(), (gid_t)-1, false);
	name = path("%s.run.aaaaaa", box.dir);
	require_success(mkdir(name, 0755), name);
	make_file(path("%s/file", name), "theirs\n", STRANGER, 0600);
	give_to(name, STRANGER, 0755);
	set_old_times(name);
	name = path("%s.run.bbbbbb", box.dir);
	make_file(path("%s/file", actor_home(OWNER)), "mine\n", OWNER, 0600);
	set_old_times(actor_home(OWNER));
	require_success(symlink(actor_home(OWNER), name), name);
	set_old_times(name);
}

static const struct situation squatter = {"stranger's directory", NEEDS_NAMESPACE, squat_directory};
static const struct situation squatting_session = {
	"stranger's session", NEEDS_NAMESPACE, squat_session};
static const struct situation squatting_file = {"stranger's file", NEEDS_NAMESPACE, squat_file};
static const struct situation squatting_fifo = {"stranger's FIFO", NEEDS_NAMESPACE, squat_fifo};
static const struct situation link_to_his = {
	"stranger's link to his session", NEEDS_NAMESPACE, squat_link};
static const struct situation link_to_mine = {
	"stranger's link to owner's session", NEEDS_NAMESPACE, squat_link_to_mine};
static const struct situation link_to_nothing = {
	"stranger's dangling link", NEEDS_NAMESPACE, squat_link_to_nothing};
static const struct situation open_to_all = {"owner's, mode 0777", NEEDS_NAMESPACE, mine_but_open};
static const struct situation open_to_group = {
	"owner's, mode 0770", NEEDS_NAMESPACE, mine_but_open_to_the_group};
static const struct situation planted = {
	"planted private sessions", NEEDS_NAMESPACE, plant_private};

/* ------------------------------------------------------------------ SWTRACE_SESSION */

static void relative(void)
{
	box.env = "some/where";
}

static void empty_name(void)
{
	default_place();
	box.env = "";
}

static void too_long_a_name(void)
{
	static char name[2 * PATH_MAX];

	memset(name, 'x', sizeof name - 1);
	name[0] = '/';
	box.env = name;
}

static void no_parent(void)
{
	box.env = path("%s/no/such/place", box.base);
}

static void not_my_parent(void)
{
	snprintf(box.dir, sizeof box.dir, "%s/s", actor_home(OWNER));
	box.env = box.dir;
}

static void full_of_files(void)
{
	snprintf(box.dir, sizeof box.dir, "%s", actor_home(OWNER));
	make_file(path("%s/letter", box.dir), "dear\n", OWNER, 0644);
	box.env = box.dir;
}

static void full_of_roots_files(void)
{
	snprintf(box.dir, sizeof box.dir, "%s", actor_home(ROOT));
	make_file(path("%s/letter", box.dir), "dear\n", ROOT, 0644);
	box.env = box.dir;
}

static void a_file(void)
{
	make_file(box.dir, "text\n", OWNER, 0600);
}

static const struct situation env_relative = {"SWTRACE_SESSION=some/where", 0, relative};
static const struct situation env_empty = {"SWTRACE_SESSION=", NEEDS_NAMESPACE, empty_name};
static const struct situation env_long = {"SWTRACE_SESSION too long", 0, too_long_a_name};
static const struct situation env_no_parent = {"SWTRACE_SESSION in nowhere", 0, no_parent};
static const struct situation env_not_mine = {"SWTRACE_SESSION in owner's home", 0, not_my_parent};
static const struct situation env_full = {"SWTRACE_SESSION=$HOME", 0, full_of_files};
static const struct situation env_full_root = {
	"SWTRACE_SESSION=/root", NEEDS_ROOT, full_of_roots_files};
static const struct situation env_file = {"SWTRACE_SESSION is a file", 0, a_file};

/* --------------------------------------------------------------------------- umask */

static void umask_000(void)
{
	box.mask = 0;
}

static void umask_077(void)
{
	box.mask = 077;
}

static void umask_777(void)
{
	box.mask = 0777;
}

static void umask_777_group(void)
{
	group_off.make();
	box.mask = 0777;
}

static const struct situation mask_000 = {"umask 000", 0, umask_000};
static const struct situation mask_077 = {"umask 077", 0, umask_077};
static const struct situation mask_777 = {"umask 777", 0, umask_777};
static const struct situation mask_777_group = {
	"umask 777, owner's session", NEEDS_ROOT, umask_777_group};

/* -------------------------------------------------------------------- limits, space */

static void limit_file_size(void)
{
	const struct rlimit limit = {.rlim_cur = 1024, .rlim_max = RLIM_INFINITY};

	require_success(setrlimit(RLIMIT_FSIZE, &limit), "RLIMIT_FSIZE");
}

static void do_limited_trace(const char *argument, struct result *r)
{
	limit_file_size();
	do_trace(argument, r);
}

static void do_limited_api(const char *argument, struct result *r)
{
	limit_file_size();
	do_api(argument, r);
}

static void do_limited_command(const char *argument, struct result *r)
{
	limit_file_size();
	do_command(argument, r);
}

/* ------------------------------------------------------------------------- the rows */

#define BAD PU_ERROR_INVALID_PARAMETER
#define DENIED PU_ERROR_ACCESS_DENIED

static const struct row rows[] = {
	{"a squatter's directory, to trace", OWNER, &squatter, do_trace, NULL, 0, NULL, SAME, 0},
	{"a squatter's directory, init", OWNER, &squatter, do_command, "init -s 1", 1, "squats",
		SAME, 0},
	{"a squatter's directory, TraceInit", OWNER, &squatter, do_api, "TraceInit", DENIED, NULL,
		SAME, 0},
	{"a squatter's session, to trace", OWNER, &squatting_session, do_trace, NULL, 0, NULL, SAME,
		0},
	{"a squatter's session, info", OWNER, &squatting_session, do_command, "info", 1, "squats",
		SAME, 0},
	{"a squatter's session, dump", OWNER, &squatting_session, do_command, "dump -", 1, "squats",
		SAME, 0},
	{"a squatter's file, to trace", OWNER, &squatting_file, do_trace, NULL, 0, NULL, SAME, 0},
	{"a squatter's file, init", OWNER, &squatting_file, do_command, "init -s 1", 1, NO_LINK,
		SAME, 0},
	{"a squatter's FIFO, to trace", OWNER, &squatting_fifo, do_trace, NULL, 0, NULL, SAME, 0},
	{"a squatter's FIFO, init", OWNER, &squatting_fifo, do_command, "init -s 1", 1, NO_LINK,
		SAME, 0},
	{"a link to a stranger's session, to trace", OWNER, &link_to_his, do_trace, NULL, 0, NULL,
		SAME, 0},
	{"a link to a stranger's session, init", OWNER, &link_to_his, do_command, "init -s 1", 1,
		NO_LINK, SAME, 0},
	{"a link to one's own session, to trace", OWNER, &link_to_mine, do_trace, NULL, 0, NULL,
		SAME, 0},
	{"a link to one's own session, off", OWNER, &link_to_mine, do_command, "off", 1, NO_LINK,
		SAME, 0},
	{"a dangling link, to trace", OWNER, &link_to_nothing, do_trace, NULL, 0, NULL, SAME, 0},
	{"a dangling link, init", OWNER, &link_to_nothing, do_command, "init -s 1", 1, NO_LINK,
		SAME, 0},
	{"a directory open to all, to trace", OWNER, &open_to_all, do_trace, NULL, 0, NULL, SAME,
		0},
	{"a directory open to all, off", OWNER, &open_to_all, do_command, "off", 1,
		"can be written by others", SAME, 0},
	{"a directory open to the group, to trace", OWNER, &open_to_group, do_trace, NULL, 0, NULL,
		SAME, 0},
	{"a directory open to the group, off", OWNER, &open_to_group, do_command, "off", 1,
		"can be written by others", SAME, 0},
	{"the sweep leaves others' alone", OWNER, &planted, do_command, "free", 0, NULL, OTHERS, 0},

	{"a relative path, to trace", OWNER, &env_relative, do_trace, NULL, 0, NULL, SAME, 0},
	{"a relative path, init", OWNER, &env_relative, do_command, "init -s 1", 1, "absolute path",
		SAME, 0},
	{"a relative path, TraceOn", OWNER, &env_relative, do_api, "TraceOn", BAD, NULL, SAME, 0},
	{"too long a path, info", OWNER, &env_long, do_command, "info", 1, "absolute path", SAME,
		0},
	{"an empty name is none", OWNER, &env_empty, do_trace, NULL, 0, SHM_ROOT "/swtrace.", OWN,
		0},
	{"a missing directory, info", OWNER, &nothing_there, do_command, "info", 1,
		"does not exist", SAME, 0},
	{"a missing directory, off", OWNER, &nothing_there, do_command, "off", 1, "does not exist",
		SAME, 0},
	{"a missing directory, TraceOff", OWNER, &nothing_there, do_api, "TraceOff",
		PU_ERROR_DRIVER_NOT_LOADED, NULL, SAME, 0},
	{"a missing directory, TraceOn", OWNER, &nothing_there, do_api, "TraceOn",
		PU_ERROR_DRIVER_NOT_LOADED, NULL, SAME, 0},
	{"a missing directory, on makes it", OWNER, &nothing_there, do_command, "on", 0, NULL, ON,
		0},
	{"a missing directory, a program makes it", OWNER, &nothing_there, do_trace, NULL, 0, NULL,
		MADE, 0},
	{"no directory to make it in", OWNER, &env_no_parent, do_command, "on", 1, "does not exist",
		SAME, 0},
	{"no directory to make it in, to trace", OWNER, &env_no_parent, do_trace, NULL, 0, NULL,
		SAME, 0},
	{"another's directory to make it in", STRANGER, &env_not_mine, do_command, "on", 1,
		"permission denied", SAME, 0},
	{"another's directory, to trace", STRANGER, &env_not_mine, do_trace, NULL, 0, NULL, SAME,
		0},
	{"a file for a directory", OWNER, &env_file, do_command, "init -s 1", 1, NO_LINK, SAME, 0},
	{"a directory of other files, init", OWNER, &env_full, do_command, "init -s 1", 1,
		"other files", SAME, 0},
	{"a directory of other files, to trace", OWNER, &env_full, do_trace, NULL, 0, NULL, SAME,
		0},
	{"root, a directory of other files", ROOT, &env_full_root, do_command, "init -s 1", 1,
		"other files", SAME, 0},
	{"root, a user's directory of other files", ROOT, &env_full, do_command, "on", 1, NULL,
		SAME, 0},

	{"umask 000, a program comes first", OWNER, &mask_000, do_trace, NULL, 0, NULL, MADE, 0},
	{"umask 077, a program comes first", OWNER, &mask_077, do_trace, NULL, 0, NULL, MADE, 0},
	{"umask 777, a program comes first", OWNER, &mask_777, do_trace, NULL, 0, NULL, MADE, 0},
	{"umask 000, TraceInit", OWNER, &mask_000, do_api, "TraceInit", 0, NULL, MADE, 0},
	{"umask 000, init", OWNER, &mask_000, do_command, "init -s 1", 0, NULL, MADE, 0},
	{"umask 077, init", OWNER, &mask_077, do_command, "init -s 1", 0, NULL, MADE, 0},
	{"umask 777, init", OWNER, &mask_777, do_command, "init -s 1", 0, NULL, MADE, 0},
	{"umask 777, init, then as ever", OWNER, &mask_777, do_command, "init -s 1", 0, NULL,
		OWNER_CAN, 0},
	{"umask 777, root's init", ROOT, &mask_777_group, do_command, "init -s 1", 0, NULL,
		OWNER_CAN, 0},
	{"umask 777, run", OWNER, &mask_777, do_command, "run -o /dev/null -- /bin/true", 0, NULL,
		SAME, 0},

	/* Tracing must never end a program. */
	{"a limit of 1 KiB, a program comes first", OWNER, &nothing_there, do_limited_trace, NULL,
		0, NULL, OTHERS, 0},
	{"a limit of 1 KiB, TraceInit", OWNER, &nothing_there, do_limited_api, "TraceInit",
		PU_ERROR_INSUFFICIENT_RESOURCES, NULL, OTHERS, 0},
	{"a limit of 1 KiB, TraceInit again", OWNER, &group_off, do_limited_api, "TraceInit",
		PU_ERROR_INSUFFICIENT_RESOURCES, NULL, SAME, 0},
	{"a limit of 1 KiB, to trace", OWNER, &private_session, do_limited_trace, NULL, 0, NULL,
		ONE_HOOK, 0},
	{"a limit of 1 KiB, TraceOff", OWNER, &private_session, do_limited_api, "TraceOff", 0, NULL,
		OFF, 0},
	{"a limit of 1 KiB, init", OWNER, &group_off, do_limited_command, "init -s 1", 1,
		"no space", SAME, 0},
	{"a failed init changes nothing", OWNER, &group_off, do_command, "init -s 65536", 1,
		"no space", SAME, NEEDS_NAMESPACE},
};

const struct table place_table = TABLE("the session's place", rows);
