/*
 * Which session a program finds: root's before the user's own; and set-user-ID programs, PID
 * namespaces, no /proc.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "matrix.h"
#include "sandbox.h"

#define ROOTS SHM_ROOT "/swtrace.0"

/* -------------------------------------------------------------------- root's session */

static void roots(gid_t group)
{
	snprintf(box.dir, sizeof box.dir, "%s", ROOTS);
	make_session(ROOT, ROOTS, group, true);
	box.env = NULL;
}

static void roots_private(void)
{
	roots((gid_t)-1);
}

static void roots_group(void)
{
	roots(FRIENDS);
}

static void roots_group_and_env(void)
{
	static char other[PATH_MAX];

	roots(FRIENDS);
	snprintf(other, sizeof other, "%s/s", actor_home(OWNER));
	make_session(OWNER, other, (gid_t)-1, true);
	snprintf(box.dir, sizeof box.dir, "%s", other);
	box.env = box.dir;
}

static void roots_open_to_group(void)
{
	roots_group();
	if (chmod(ROOTS, 0770) != 0)
		die("chmod");
}

static void roots_control_closed(void)
{
	roots_group();
	if (chmod(ROOTS "/control", 0600) != 0)
		die("chmod");
}

static void roots_squatted(void)
{
	const char *his = path("%s/s", actor_home(STRANGER));

	make_session(STRANGER, his, (gid_t)-1, true);
	if (rename(his, ROOTS) != 0 || chmod(ROOTS, 0755) != 0 ||
		chmod(ROOTS "/control", 0644) != 0)
		die("%s: %s", his, strerror(errno));
	snprintf(box.dir, sizeof box.dir, "%s", ROOTS);
	box.env = NULL;
}

static const struct situation roots_alone = {"root's session", NEEDS_NAMESPACE, roots_private};
static const struct situation roots_shared = {"root's session, -g", NEEDS_NAMESPACE, roots_group};
static const struct situation roots_and_env = {
	"root's session, -g, and SWTRACE_SESSION", NEEDS_NAMESPACE, roots_group_and_env};
static const struct situation roots_0770 = {
	"root's session, mode 0770", NEEDS_NAMESPACE, roots_open_to_group};
static const struct situation roots_0600 = {
	"root's session, -g, control 0600", NEEDS_NAMESPACE, roots_control_closed};
static const struct situation roots_name = {
	"stranger's session on root's name", NEEDS_NAMESPACE, roots_squatted};

/* Root's session appears after the member's program made its own control page. */
static void roots_later(void)
{
	const char *his = path(SHM_DIR_FORMAT "/control", (unsigned)actor_uid(MEMBER));

	snprintf(box.dir, sizeof box.dir, "%s", ROOTS);
	box.later = ROOTS;
	box.env = NULL;
	box.helper = fork();
	if (box.helper != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (access(his, F_OK) != 0)
		usleep(10000);
	roots_group();
	pause();
}

static const struct situation roots_later_on = {
	"root's session, -g, comes later", NEEDS_NAMESPACE, roots_later};

/* A program older than root's session: CpiStart looks again. The code: hooks in root's. */
static void do_start_before(const char *argument, struct result *r)
{
	unsigned long hooks = 0;
	unsigned state;
	void *handle;

	(void)argument;
	r->code = -1;
	if (TraceHookWords(1, 1, 0, NULL) != 0 || CpiInit(CPI_TYPE_RAW, &handle) != 0)
		return;
	for (int i = 0; i < 12000 && !TraceMajorIsOn(1); i++) {
		usleep(20000);
		if (session_state(ROOTS, &state, &hooks) && hooks == 3)
			CpiStart(handle);
	}
	do_trace(NULL, r);
	session_state(ROOTS, &state, &hooks);
	r->code = (int)hooks;
}

/* --------------------------------------------------------------- a group taken back */

/* The owner makes new rings without -g once a member's program has written. */
static int closes_again(void)
{
	struct session_config config = {
		.ring_bytes = 65536, .section_bytes = 4096, .group = (gid_t)-1};
	struct session_location location;
	struct session s;
	unsigned state;
	unsigned long hooks = 0;

	setenv("SWTRACE_SESSION", box.dir, 1);
	while (!session_state(box.dir, &state, &hooks) || hooks != 4)
		usleep(10000);
	if (session_find(&location, NULL) != 0 ||
		session_open(&s, &location, SESSION_CONTROL, NULL) != 0 ||
		session_off(&s, NULL) != 0 || session_init(&s, &config, NULL) != 0 ||
		session_on(&s, NULL) != 0)
		return 1;
	session_close(&s);
	return 0;
}

static void make_closing(void)
{
	group_session.make();
	box.helper = fork();
	if (box.helper != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	_exit(actor_does(OWNER, closes_again));
}

static const struct situation closing = {"owner's session, -g, then not", NEEDS_ROOT, make_closing};

static void do_trace_on_and_on(const char *argument, struct result *r)
{
	(void)argument;
	r->code = TraceHookWords(1, 1, 0, NULL);
	/* Off during the owner's action, then on again for those who may. */
	for (int i = 0; i < 12000 && TraceMajorIsOn(1); i++)
		usleep(1000);
	for (int i = 0; i < 12000 && !TraceMajorIsOn(1); i++)
		usleep(1000);
	for (int i = 0; i < 10; i++)
		r->code |= TraceHookWords(1, 1, 0, NULL);
}

/* ------------------------------------------------------------------- set-user-ID */

static void trap(void)
{
	private_session.make(); /* the owner's, named by the caller */
	snprintf(box.other, sizeof box.other, "%s/trap", actor_home(STRANGER));
	make_session(STRANGER, box.other, (gid_t)-1, true);
	box.env = box.other;
	snprintf(box.dir, sizeof box.dir, SHM_DIR_FORMAT, (unsigned)actor_uid(OWNER));
	make_session(OWNER, box.dir, (gid_t)-1, true);
}

static void trap_of_root(void)
{
	trap();
	roots((gid_t)-1);
	box.env = box.other;
}

static void trap_of_group(void)
{
	trap();
	roots(FRIENDS);
	box.env = box.other;
}

static void trap_new(void)
{
	snprintf(box.other, sizeof box.other, "%s/trap", actor_home(STRANGER));
	box.env = box.other;
	box.mask = 0;
	snprintf(box.dir, sizeof box.dir, SHM_DIR_FORMAT, (unsigned)actor_uid(OWNER));
}

static const struct situation caught = {
	"SWTRACE_SESSION is the caller's", NEEDS_NAMESPACE | NEEDS_SUID, trap};
static const struct situation caught_root = {"SWTRACE_SESSION is the caller's; root's session",
	NEEDS_NAMESPACE | NEEDS_SUID, trap_of_root};
static const struct situation caught_group = {
	"SWTRACE_SESSION is the caller's; root's, -g", NEEDS_NAMESPACE | NEEDS_SUID, trap_of_group};
static const struct situation caught_new = {"SWTRACE_SESSION is the caller's, umask 0; no session",
	NEEDS_NAMESPACE | NEEDS_SUID, trap_new};

/* ------------------------------------------------------------------ PID namespaces */

struct holder {
	pid_t manager, one;
};

__attribute__((noreturn)) static void be_number_one(int ready)
{
	struct hook_writer w;

	if (getpid() != 1 || hook_begin(&w, 1, 64, 1) != HOOK_RESERVED || write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

__attribute__((noreturn)) static void manage(int tell)
{
	int ready[2];
	char c;

	if (pipe(ready) != 0 || unshare(CLONE_NEWPID) != 0)
		_exit(1);
	pid_t pid = fork();
	if (pid == 0)
		be_number_one(ready[1]);
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1 || write(tell, &pid, sizeof pid) != (ssize_t)sizeof pid)
		_exit(1);
	waitpid(pid, NULL, 0);
	_exit(0);
}

/* Process 1 of a PID namespace, with an uncommitted record. */
static bool holder_start(struct holder *h)
{
	int tell[2];

	if (pipe(tell) != 0)
		return false;
	h->manager = fork();
	if (h->manager == 0)
		manage(tell[1]);
	close(tell[1]);
	bool ok = read(tell[0], &h->one, sizeof h->one) == (ssize_t)sizeof h->one;
	close(tell[0]);
	return ok;
}

static void holder_end(const struct holder *h)
{
	kill(h->one, SIGKILL);
	waitpid(h->manager, NULL, 0);
}

static int reclaimed(void)
{
	struct session_location location;
	struct session s;

	if (session_find(&location, NULL) != 0 ||
		session_open(&s, &location, SESSION_CONTROL, NULL) != 0)
		return 9;
	int n = session_reclaim(&s);
	session_close(&s);
	return n;
}

/*
 * Two processes with the same number. The record of each is reclaimed once it is dead, regardless
 * of the other: the session numbers them itself. The code: records reclaimed with both alive, with
 * one dead and with both dead, as decimal digits.
 */
static void do_two_of_one_number(const char *argument, struct result *r)
{
	struct holder holders[2];
	int first_to_die = strcmp(argument, "the first dies first") != 0;

	if (!holder_start(&holders[0]) || !holder_start(&holders[1])) {
		r->code = -1;
		return;
	}
	r->code = reclaimed();
	holder_end(&holders[first_to_die]);
	r->code = r->code * 10 + reclaimed();
	holder_end(&holders[1 - first_to_die]);
	r->code = r->code * 10 + reclaimed();
}

/* One hook by process 1 of another namespace. */
static void do_trace_as_one(const char *argument, struct result *r)
{
	int status;

	if (unshare(CLONE_NEWPID) != 0)
		die("PID namespace: %s", strerror(errno));
	pid_t pid = fork();
	if (pid == 0) {
		do_trace(argument, r);
		_exit(getpid() == 1 ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	if (status)
		r->code = -1;
}

/* ----------------------------------------------------------------------- no /proc */

static void hide_proc(void)
{
	if (unshare(CLONE_NEWNS) != 0 || mount("tmpfs", "/proc", "tmpfs", 0, "") != 0)
		die("/proc: %s", strerror(errno));
}

static void do_trace_without_proc(const char *argument, struct result *r)
{
	hide_proc();
	do_trace(argument, r);
}

static void do_command_without_proc(const char *argument, struct result *r)
{
	hide_proc();
	do_command(argument, r);
}

/* ------------------------------------------------------------------------- the rows */

static const struct row rows[] = {
	{"a member traces in root's session", MEMBER, &roots_shared, do_trace, NULL, 0, ROOTS,
		ONE_HOOK, 0},
	{"the owner is a member too", OWNER, &roots_shared, do_trace, NULL, 0, ROOTS, ONE_HOOK, 0},
	{"a stranger traces in his own", STRANGER, &roots_shared, do_trace, NULL, 0,
		"/swtrace.5432", OWN, 0},
	{"without -g a member traces in his own", MEMBER, &roots_alone, do_trace, NULL, 0,
		"/swtrace.5432", OWN, 0},
	{"root traces in root's", ROOT, &roots_alone, do_trace, NULL, 0, ROOTS, ONE_HOOK, 0},
	{"SWTRACE_SESSION comes before root's", OWNER, &roots_and_env, do_trace, NULL, 0,
		"/owner/s", ONE_HOOK, 0},
	{"root's, open to the group, is not used", MEMBER, &roots_0770, do_trace, NULL, 0,
		"/swtrace.5432", OWN, 0},
	{"root's, control closed, is not used", MEMBER, &roots_0600, do_trace, NULL, 0,
		"/swtrace.5432", OWN, 0},
	{"a stranger's on root's name is not used", OWNER, &roots_name, do_trace, NULL, 0,
		"/swtrace.5432", OWN, 0},
	{"a stranger's on root's name, root's init", ROOT, &roots_name, do_command, "init -s 1", 1,
		"squats", SAME, 0},
	{"a stranger's on root's name, root traces", ROOT, &roots_name, do_trace, NULL, 0, NULL,
		SAME, 0},
	{"a stranger's on root's name, root's install", ROOT, &roots_name, do_command, "install", 1,
		"squats", SAME, 0},
	{"a member's info shows root's", MEMBER, &roots_shared, do_command, "info", 0, NULL, SAME,
		0},
	{"a member's on is refused", MEMBER, &roots_shared, do_command, "on", 1, "only its owner",
		SAME, 0},
	{"a member's TraceOff is refused", MEMBER, &roots_shared, do_api, "TraceOff",
		PU_ERROR_ACCESS_DENIED, NULL, SAME, 0},
	{"a member's init makes his own, and says so", MEMBER, &roots_shared, do_command,
		"init -s 1", 0, "your programs trace in", OWN, 0},
	{"a stranger's init makes his own", STRANGER, &roots_shared, do_command, "init -s 1", 0,
		NULL, OWN, 0},
	{"a stranger's info finds none", STRANGER, &roots_shared, do_command, "info", 1,
		"does not exist", SAME, 0},
	{"a stranger's off finds none", STRANGER, &roots_shared, do_command, "off", 1,
		"does not exist", SAME, 0},
	{"a program from before root's session", MEMBER, &roots_later_on, do_start_before, NULL, 4,
		ROOTS, OWN, 0},
	{"a group withdrawn, a program continues", MEMBER, &closing, do_trace_on_and_on, NULL, 0,
		NULL, EMPTY, 0},

	{"SWTRACE_SESSION without set-user-ID", STRANGER, &caught, do_program, "hook", 0, "/trap",
		MEMBERS, 0},
	{"set-user-ID: its user's own", STRANGER, &caught, do_program, "hook/setuid", 0,
		"/swtrace.5432", ONE_HOOK, 0},
	{"set-user-ID root: root's", STRANGER, &caught_root, do_program, "hook/setuid-root", 0,
		ROOTS, ONE_HOOK, 0},
	{"set-user-ID is not set-group-ID", STRANGER, &caught_group, do_program, "hook/setuid", 0,
		"/swtrace.5432", MEMBERS, 0},
	{"set-group-ID: root's session of that group", STRANGER, &caught_group, do_program,
		"hook/setgid", 0, ROOTS, ONE_HOOK, 0},
	{"set-user-ID comes first, umask 0", STRANGER, &caught_new, do_program, "hook/setuid", 0,
		"/swtrace.5432", OWNERS, 0},

	{"number 1 of another PID namespace traces", ROOT, &private_session, do_trace_as_one, NULL,
		0, NULL, ONE_HOOK, NEEDS_NAMESPACE},
	{"two of one number, the first dies first", ROOT, &private_session, do_two_of_one_number,
		"the first dies first", 11, NULL, MEMBERS, NEEDS_NAMESPACE},
	{"two of one number, the second dies first", ROOT, &private_session, do_two_of_one_number,
		"the second dies first", 11, NULL, MEMBERS, NEEDS_NAMESPACE},

	{"no /proc, to trace", ROOT, &private_session, do_trace_without_proc, NULL, 0, NULL,
		ONE_HOOK, NEEDS_NAMESPACE},
	{"no /proc, info", ROOT, &private_session, do_command_without_proc, "info", 0, NULL, SAME,
		NEEDS_NAMESPACE},
	{"no /proc, dump", ROOT, &private_session, do_command_without_proc, "dump -", 0, NULL, SAME,
		NEEDS_NAMESPACE},
	{"no /proc, off", ROOT, &private_session, do_command_without_proc, "off", 0, NULL, OFF,
		NEEDS_NAMESPACE},
	{"no /proc, init", ROOT, &group_off, do_command_without_proc, "init -s 1", 0, NULL,
		OWNER_CAN, NEEDS_NAMESPACE},
	{"no /proc, run", ROOT, &private_session, do_command_without_proc,
		"run -o /dev/null -- /bin/true", 0, NULL, SAME, NEEDS_NAMESPACE},
};

const struct table world_table = TABLE("which session, and the world around", rows);
