/*
 * Foreign objects in the session's directory under the session's names: links, FIFOs, other users'
 * files, wrong modes. Nothing is followed, and no command waits.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "matrix.h"
#include "sandbox.h"

#define WRONG "wrong owner, type or mode"
#define A_LINK "is a link"
/* The kernel reports the error when they are opened for writing. */
#define NOT_USED "session file"

/* A link's target elsewhere: complete, with the right owner and mode. */
static void move_to_home(const char *name)
{
	require_success(rename(session_path(name), path("%s/real", actor_home(OWNER))), name);
}

static void as_link(const char *name)
{
	private_session.make();
	move_to_home(name);
	require_success(symlink(path("%s/real", actor_home(OWNER)), session_path(name)), name);
}

static void as_fifo(const char *name)
{
	private_session.make();
	move_to_home(name);
	require_success(mkfifo(session_path(name), 0600), name);
	if (geteuid() == 0)
		require_success(
			chown(session_path(name), actor_uid(OWNER), actor_gid(OWNER)), name);
}

static void as_directory(const char *name)
{
	private_session.make();
	move_to_home(name);
	require_success(mkdir(session_path(name), 0700), name);
	if (geteuid() == 0)
		require_success(
			chown(session_path(name), actor_uid(OWNER), actor_gid(OWNER)), name);
}

static void as_strangers(const char *name)
{
	private_session.make();
	require_success(chown(session_path(name), actor_uid(STRANGER), actor_gid(STRANGER)), name);
	require_success(chmod(session_path(name), 0644), name);
}

static void as_open_to_all(const char *name)
{
	private_session.make();
	require_success(chmod(session_path(name), 0666), name);
}

/* The name is a hard link to another user's file. */
static void as_hard_link(const char *name)
{
	const char *his = path("%s/his", box.base);

	private_session.make();
	move_to_home(name);
	make_file(his, "his\n", STRANGER, 0644);
	require_success(link(his, session_path(name)), name);
}

static void as_cut_off(const char *name)
{
	private_session.make();
	require_success(truncate(session_path(name), 100), name);
}

#define SITUATION(kind, file, id, text, needs)                                                     \
	static void make_##id(void)                                                                \
	{                                                                                          \
		kind(file);                                                                        \
	}                                                                                          \
	static const struct situation id = {text, needs, make_##id};

SITUATION(as_link, "control", link_control, "control is a link", 0)
SITUATION(as_link, "lock", link_lock, "lock is a link", 0)
SITUATION(as_link, "rings.1", link_rings, "rings.1 is a link", 0)
SITUATION(as_link, "tasks.1", link_tasks, "tasks.1 is a link", 0)
SITUATION(as_link, "schemas.1", link_schemas, "schemas.1 is a link", 0)
SITUATION(as_fifo, "control", fifo_control, "control is a FIFO", 0)
SITUATION(as_fifo, "lock", fifo_lock, "lock is a FIFO", 0)
SITUATION(as_fifo, "rings.1", fifo_rings, "rings.1 is a FIFO", 0)
SITUATION(as_fifo, "tasks.1", fifo_tasks, "tasks.1 is a FIFO", 0)
SITUATION(as_directory, "control", directory_control, "control is a directory", 0)
SITUATION(as_directory, "lock", directory_lock, "lock is a directory", 0)
SITUATION(as_directory, "rings.1", directory_rings, "rings.1 is a directory", 0)
SITUATION(as_strangers, "control", his_control, "control is a stranger's", NEEDS_ROOT)
SITUATION(as_strangers, "lock", his_lock, "lock is a stranger's", NEEDS_ROOT)
SITUATION(as_strangers, "rings.1", his_rings, "rings.1 is a stranger's", NEEDS_ROOT)
SITUATION(as_strangers, "tasks.1", his_tasks, "tasks.1 is a stranger's", NEEDS_ROOT)
SITUATION(as_open_to_all, "control", open_control, "control has mode 0666", 0)
SITUATION(as_open_to_all, "lock", open_lock, "lock has mode 0666", 0)
SITUATION(as_open_to_all, "rings.1", open_rings, "rings.1 has mode 0666", 0)
SITUATION(as_open_to_all, "schemas.1", open_schemas, "schemas.1 has mode 0666", 0)
SITUATION(as_hard_link, "control", hard_control, "control is a hard link", NEEDS_ROOT)
SITUATION(as_hard_link, "lock", hard_lock, "lock is a hard link", NEEDS_ROOT)
SITUATION(as_hard_link, "rings.1", hard_rings, "rings.1 is a hard link", NEEDS_ROOT)
SITUATION(as_cut_off, "control", cut_control, "control is cut off", 0)
SITUATION(as_cut_off, "rings.1", cut_rings, "rings.1 is cut off", 0)

/* The names of the next generation are taken. */
static void next_is(void (*make)(const char *name))
{
	group_off.make();
	make(session_path("rings.2"));
}

static void link_to_victim(const char *name)
{
	require_success(symlink(box.victim, name), name);
}

static void directory_there(const char *name)
{
	require_success(mkdir(name, 0700), name);
}

static void make_next_link(void)
{
	next_is(link_to_victim);
}

static void make_next_directory(void)
{
	next_is(directory_there);
}

/* A dangling link under the lock's name: O_CREAT must not create its target. */
static void make_lock_dangles(void)
{
	private_session.make();
	require_success(unlink(session_path("lock")), "lock");
	require_success(symlink(path("%s/made", actor_home(OWNER)), session_path("lock")), "lock");
}

static const struct situation next_link = {"rings.2 is a link", NEEDS_ROOT, make_next_link};
static const struct situation next_directory = {
	"rings.2 is a directory", NEEDS_ROOT, make_next_directory};
static const struct situation lock_dangles = {"lock is a dangling link", 0, make_lock_dangles};

/* ------------------------------------------------------------------------- the rows */

#define ROWS(situation, text, code, says, traced)                                                  \
	{text ", to trace", OWNER, &situation, do_trace, NULL, code, NULL, traced, 0},             \
		{text ", info", OWNER, &situation, do_command, "info", 1, says, SAME, 0},          \
	{                                                                                          \
		text ", off", OWNER, &situation, do_command, "off", 1, says, SAME, 0               \
	}

/* Tracing succeeds and writes nothing; a command reports the error. */
#define BOTH(situation, text, says) ROWS(situation, text, 0, says, SAME)
/* The member may trace there but cannot: its hooks are lost. */
#define BROKEN(situation, text, says) ROWS(situation, text, PU_ERR_FILE_ERROR, says, SAME)
/* A program that registers no schema does not open the schemas. */
#define UNREAD(situation, text, says) ROWS(situation, text, 0, says, MEMBERS)

/* A program that only traces does not open the lock. */
#define LOCK(situation, text, says)                                                                \
	{text ", to trace", OWNER, &situation, do_trace, NULL, 0, NULL, ONE_HOOK, 0},              \
		{text ", off", OWNER, &situation, do_command, "off", 1, says, SAME, 0},            \
	{                                                                                          \
		text ", root's off", ROOT, &situation, do_command, "off", 1, says, SAME, 0         \
	}

static const struct row rows[] = {
	BOTH(link_control, "control a link", A_LINK),
	BOTH(link_rings, "rings a link", A_LINK),
	BOTH(link_tasks, "tasks a link", A_LINK),
	UNREAD(link_schemas, "schemas a link", A_LINK),
	LOCK(link_lock, "lock a link", A_LINK),
	LOCK(lock_dangles, "lock a dangling link", A_LINK),
	BOTH(fifo_control, "control a FIFO", WRONG),
	BOTH(fifo_rings, "rings a FIFO", WRONG),
	BOTH(fifo_tasks, "tasks a FIFO", WRONG),
	LOCK(fifo_lock, "lock a FIFO", WRONG),
	BOTH(directory_control, "control a directory", NULL),
	BROKEN(directory_rings, "rings a directory", NULL),
	LOCK(directory_lock, "lock a directory", NULL),
	BOTH(his_control, "control a stranger's", NOT_USED),
	BOTH(his_rings, "rings a stranger's", NOT_USED),
	BOTH(his_tasks, "tasks a stranger's", NOT_USED),
	LOCK(his_lock, "lock a stranger's", NULL),
	BOTH(open_control, "control open to all", WRONG),
	BOTH(open_rings, "rings open to all", WRONG),
	UNREAD(open_schemas, "schemas open to all", WRONG),
	LOCK(open_lock, "lock open to all", WRONG),
	BOTH(hard_control, "control a hard link", NOT_USED),
	BOTH(hard_rings, "rings a hard link", NOT_USED),
	LOCK(hard_lock, "lock a hard link", NULL),
	BOTH(cut_control, "control cut off", "cut off"),
	{"rings cut off, to trace", OWNER, &cut_rings, do_trace, NULL, PU_ERR_FILE_ERROR, NULL,
		MEMBERS, 0},
	{"rings cut off, the commands", OWNER, &cut_rings, do_command, "info", 0, NULL, COMMANDS,
		0},
	{"the next rings' name a link, init", OWNER, &next_link, do_command, "init -s 1", 0, NULL,
		OTHERS, 0},
	{"the next rings' name a directory, init", OWNER, &next_directory, do_command, "init -s 1",
		1, "rings.2", SAME, 0},
};

const struct table inside_table = TABLE("in the session's directory", rows);
