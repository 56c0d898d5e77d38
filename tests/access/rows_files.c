/*
 * The modes of the session's files deny these to members and strangers: system calls on those
 * files, and their errno.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../formats/session.h"
#include "matrix.h"
#include "sandbox.h"

static void outcome(struct result *r, int rc)
{
	r->code = rc < 0 ? errno : 0;
	snprintf(r->text, sizeof r->text, "%s", strerror(r->code));
}

static void do_open(const char *name, struct result *r)
{
	outcome(r, open(session_path(name), O_RDONLY | O_NONBLOCK));
}

static void do_open_to_write(const char *name, struct result *r)
{
	outcome(r, open(session_path(name), O_RDWR | O_NONBLOCK));
}

static void do_truncate(const char *name, struct result *r)
{
	outcome(r, truncate(session_path(name), 4096));
}

static void do_unlink(const char *name, struct result *r)
{
	outcome(r, unlink(session_path(name)));
}

static void do_rename(const char *name, struct result *r)
{
	outcome(r, rename(session_path(name), session_path("elsewhere")));
}

static void do_replace(const char *name, struct result *r)
{
	const char *mine = path("%s/mine", actor_home(MEMBER));

	make_file(mine, "mine", MEMBER, 0600);
	outcome(r, rename(mine, session_path(name)));
	unlink(mine);
}

static void do_create(const char *name, struct result *r)
{
	outcome(r, open(session_path(name), O_CREAT | O_EXCL | O_RDWR, 0666));
}

static void do_link_to(const char *name, struct result *r)
{
	outcome(r, symlink("/etc/passwd", session_path(name)));
}

static void do_chmod(const char *name, struct result *r)
{
	outcome(r, chmod(session_path(name), 0666));
}

static void do_move_directory(const char *name, struct result *r)
{
	(void)name;
	outcome(r, rename(box.dir, path("%s.moved", box.dir)));
}

static void do_map_control(const char *name, struct result *r)
{
	int fd = open(session_path(name), O_RDONLY);

	outcome(r,
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED ? -1 : 0);
}

/* Reopens its read-only descriptor for writing through /proc. */
static void do_reopen_control(const char *name, struct result *r)
{
	int fd = open(session_path(name), O_RDONLY);

	outcome(r, open(path("/proc/self/fd/%d", fd), O_RDWR));
}

/* ------------------------------------------------------------- a program that traces */

static void make_running(void)
{
	unsigned state;
	unsigned long hooks = 0;

	make_session(OWNER, box.dir, FRIENDS, true);
	helper_start(OWNER, "wait");
	for (int i = 0; i < 1000 && hooks != 4; i++) {
		usleep(10000);
		session_state(box.dir, &state, &hooks);
	}
	if (hooks != 4)
		die("the owner's program does not trace");
}

static const struct situation running = {
	"a program of the owner's traces", NEEDS_ROOT, make_running};

static void do_open_proc(const char *name, struct result *r)
{
	outcome(r, open(path("/proc/%ld/%s", (long)box.helper, name),
			   strcmp(name, "mem") == 0 ? O_RDWR : O_RDONLY));
}

static void do_ptrace(const char *name, struct result *r)
{
	(void)name;
	outcome(r, (int)ptrace(PTRACE_SEIZE, box.helper, NULL, NULL));
}

/* ------------------------------------------------------------------------- the rows */

static const struct row rows[] = {
	{"a member reads the control page", MEMBER, &group_session, do_open, "control", 0, NULL,
		SAME, 0},
	{"a member does not write it", MEMBER, &group_session, do_open_to_write, "control", EACCES,
		NULL, SAME, 0},
	{"a member does not map it to write", MEMBER, &group_session, do_map_control, "control",
		EACCES, NULL, SAME, 0},
	{"a member does not reopen it to write", MEMBER, &group_session, do_reopen_control,
		"control", EACCES, NULL, SAME, 0},
	{"a member does not truncate it", MEMBER, &group_session, do_truncate, "control", EACCES,
		NULL, SAME, 0},
	{"a member does not remove it", MEMBER, &group_session, do_unlink, "control", EACCES, NULL,
		SAME, 0},
	{"a member does not rename it", MEMBER, &group_session, do_rename, "control", EACCES, NULL,
		SAME, 0},
	{"a member does not replace it", MEMBER, &group_session, do_replace, "control", EACCES,
		NULL, SAME, 0},
	{"a member does not remove the rings", MEMBER, &group_session, do_unlink, "rings.1", EACCES,
		NULL, SAME, 0},
	{"a member does not rename the rings", MEMBER, &group_session, do_rename, "rings.1", EACCES,
		NULL, SAME, 0},
	{"a member does not replace the rings", MEMBER, &group_session, do_replace, "rings.1",
		EACCES, NULL, SAME, 0},
	{"a member does not change the rings' mode", MEMBER, &group_session, do_chmod, "rings.1",
		EPERM, NULL, SAME, 0},
	{"a member does not change the directory's mode", MEMBER, &group_session, do_chmod, ".",
		EPERM, NULL, SAME, 0},
	{"a member does not remove the task table", MEMBER, &group_session, do_unlink, "tasks.1",
		EACCES, NULL, SAME, 0},
	{"a member does not open the lock", MEMBER, &group_session, do_open, "lock", EACCES, NULL,
		SAME, 0},
	{"a member does not make the next rings", MEMBER, &group_session, do_create, "rings.2",
		EACCES, NULL, SAME, 0},
	{"a member does not plant a link", MEMBER, &group_session, do_link_to, "rings.2", EACCES,
		NULL, SAME, 0},
	{"a member does not move the directory", MEMBER, &group_session, do_move_directory, NULL,
		EACCES, NULL, SAME, 0},
	/* swtrace(1) documents this limit: the commands survive it. */
	{"a member truncates the rings", MEMBER, &group_session, do_truncate, "rings.1", 0, NULL,
		COMMANDS, 0},
	{"a member truncates the task table", MEMBER, &group_session, do_truncate, "tasks.1", 0,
		NULL, COMMANDS, 0},
	{"a member truncates the schemas", MEMBER, &group_session, do_truncate, "schemas.1", 0,
		NULL, COMMANDS, 0},

	{"without -g a member opens nothing", MEMBER, &private_session, do_open, ".", EACCES, NULL,
		SAME, 0},
	{"a stranger does not open the directory", STRANGER, &group_session, do_open, ".", EACCES,
		NULL, SAME, 0},
	{"a stranger does not read the control page", STRANGER, &group_session, do_open, "control",
		EACCES, NULL, SAME, 0},
	{"a stranger does not read the rings", STRANGER, &group_session, do_open, "rings.1", EACCES,
		NULL, SAME, 0},
	{"a stranger does not truncate the rings", STRANGER, &group_session, do_truncate, "rings.1",
		EACCES, NULL, SAME, 0},
	{"a stranger does not make a file there", STRANGER, &group_session, do_create, "x", EACCES,
		NULL, SAME, 0},
	{"a stranger does not list a program's files", STRANGER, &running, do_open_proc, "fd",
		EACCES, NULL, SAME, 0},
	{"a stranger does not list its mappings", STRANGER, &running, do_open_proc, "map_files",
		EACCES, NULL, SAME, 0},
	{"a stranger does not write its memory", STRANGER, &running, do_open_proc, "mem", EACCES,
		NULL, SAME, 0},
	{"a member does not write its memory", MEMBER, &running, do_open_proc, "mem", EACCES, NULL,
		SAME, 0},
	{"a stranger does not ptrace it", STRANGER, &running, do_ptrace, NULL, EPERM, NULL, SAME,
		0},
};

const struct table files_table = TABLE("the session's files", rows);
