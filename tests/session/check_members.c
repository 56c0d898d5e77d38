/*
 * Traced programs: who may trace, when tracing begins, and the effects of new rings, forks and
 * closed descriptors.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "../../libtrace/session/attach.h"
#include "../lib/suites.h"
#include "sandbox.h"
#include "users.h"

static struct session box;
static struct session_config config = {
	.ring_bytes = 65536, .section_bytes = 4096, .group = (gid_t)-1};

#define WORKS(call) ck_assert_int_eq(call, 0)

static void box_begin(void)
{
	sandbox_fresh();
	box_open(&box, SHM_MODE_WRAP, 65536, 4096);
}

/* New rings for the session, which is on then. */
static void box_renew_rings(void)
{
	WORKS(session_init(&box, &config, NULL));
	WORKS(session_on(&box, NULL));
}

static uint64_t hooks_in_rings(void)
{
	struct account a;

	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(a.damaged, 0);
	return a.hooks;
}

/* The session has one task, which is alive or not. */
static void expect_task(bool alive)
{
	struct session_task *tasks;

	ck_assert_int_eq(session_tasks(&box, &tasks), 1);
	ck_assert_int_eq(tasks[0].alive, alive);
	free(tasks);
}

/* ------------------------------------------------------------------- who may */

static int one_hook(void)
{
	return TraceHookWords(1, 1, 0, NULL) == 0 ? 0 : 1;
}

START_TEST(members_of_the_group_may_trace)
{
	struct stat st;
	char path[256];

	if (only_one_user())
		return;
	sandbox_fresh();
	umask(077);
	box_open_bare(&box);
	config.group = OTHER_GROUP;
	box_renew_rings();
	WORKS(fstat(box.dir, &st));
	ck_assert_uint_eq(st.st_mode & 07777, 0750);
	ck_assert_uint_eq(st.st_gid, OTHER_GROUP);
	WORKS(fstat(box.control_fd, &st));
	ck_assert_uint_eq(st.st_mode & 07777, 0640);
	ck_assert_uint_eq(st.st_gid, OTHER_GROUP);
	WORKS(fstat(box.rings_fd, &st));
	ck_assert_uint_eq(st.st_mode & 07777, 0660);
	ck_assert_uint_eq(st.st_gid, OTHER_GROUP);
	WORKS(fstat(box.tasks_fd, &st));
	ck_assert_uint_eq(st.st_mode & 07777, 0660);
	WORKS(fstat(box.schemas_fd, &st));
	ck_assert_uint_eq(st.st_mode & 07777, 0660);
	ck_assert_uint_eq(box.control->group, OTHER_GROUP);
	WORKS(as_user(OTHER_USER, OTHER_GROUP, one_hook));
	ck_assert_uint_eq(hooks_in_rings(), 1);
	/* Another user's program cannot join, and runs on unharmed. */
	WORKS(as_user(OTHER_USER, OTHER_GROUP + 1, one_hook));
	ck_assert_uint_eq(hooks_in_rings(), 1);
	/* Without a group only the owner may trace again. */
	WORKS(session_off(&box, NULL));
	config.group = (gid_t)-1;
	box_renew_rings();
	WORKS(as_user(OTHER_USER, OTHER_GROUP, one_hook));
	ck_assert_uint_eq(hooks_in_rings(), 0);
	snprintf(path, sizeof path, "%.200s/rings.2", box.location.dir);
	WORKS(stat(path, &st));
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
}
END_TEST

static struct session_location location;

static int init_for_a_group(void)
{
	struct session_error e;

	config.group = 0; /* a group that this user may not assign */
	if (session_open(&box, &location, SESSION_CONTROL | SESSION_CREATE, NULL) != 0)
		return 1;
	return session_init(&box, &config, &e) == PU_ERROR_ACCESS_DENIED && e.text[0] ? 0 : 2;
}

START_TEST(a_group_that_is_not_ours)
{
	char dir[200];

	if (only_one_user())
		return;
	snprintf(dir, sizeof dir, "%s/theirs", sandbox_dir());
	WORKS(mkdir(dir, 0700));
	WORKS(chown(dir, OTHER_USER, OTHER_GROUP));
	setenv("SWTRACE_SESSION", dir, 1);
	WORKS(session_find(&location, NULL));
	WORKS(as_user(OTHER_USER, OTHER_GROUP, init_for_a_group));
}
END_TEST

/* ------------------------------------------------------------------- beginning */

START_TEST(a_program_from_before_init_begins_with_on)
{
	sandbox_fresh();
	/* It creates the control page and does not look again. */
	WORKS(TraceHookWords(1, 1, 0, NULL));
	box_open_bare(&box);
	WORKS(TraceHookWords(1, 1, 0, NULL));
	WORKS(session_init(&box, &config, NULL));
	WORKS(TraceHookWords(1, 1, 0, NULL));
	WORKS(session_on(&box, NULL));
	WORKS(TraceHookWords(1, 1, 0, NULL));
	ck_assert_uint_eq(hooks_in_rings(), 1);
	WORKS(session_off(&box, NULL));
	WORKS(session_free(&box, NULL));
	box_renew_rings();
	WORKS(TraceHookWords(1, 1, 0, NULL));
	WORKS(TraceHookWords(1, 1, 0, NULL));
	ck_assert_uint_eq(hooks_in_rings(), 2);
}
END_TEST

START_TEST(looking_again_finds_another_session)
{
	const struct timespec wait = {.tv_nsec = 120000000};
	struct session first;

	sandbox_fresh();
	box_open(&first, SHM_MODE_WRAP, 65536, 4096);
	WORKS(TraceHookWords(1, 1, 0, NULL));
	ck_assert(attach_wants(1));
	box_begin();
	nanosleep(&wait, NULL);
	attach_discover();
	WORKS(TraceHookWords(1, 1, 0, NULL));
	WORKS(TraceHookWords(1, 1, 0, NULL));
	ck_assert_uint_eq(hooks_in_rings(), 2);
	box_account(&first, &(struct account){0}, NULL, NULL);
	unsetenv("SWTRACE_SESSION");
	setenv("SWTRACE_SESSION", "not absolute", 1);
	nanosleep(&wait, NULL);
	attach_discover();
	ck_assert(!attach_wants(1));
	ck_assert_int_eq(TraceMajorIsOn(1), 0);
	WORKS(TraceHookWords(1, 1, 0, NULL));
	ck_assert_uint_eq(hooks_in_rings(), 2);
}
END_TEST

START_TEST(a_removed_session_is_over)
{
	const struct timespec wait = {.tv_nsec = 120000000};

	box_begin();
	WORKS(TraceHookWords(1, 1, 0, NULL));
	ck_assert_int_eq(TraceMajorIsOn(1), 1);
	WORKS(session_remove(&box));
	/* Its gate closes, and a process that looks again does not recreate the session. */
	ck_assert_int_eq(TraceMajorIsOn(1), 0);
	WORKS(TraceHookWords(1, 1, 0, NULL));
	nanosleep(&wait, NULL);
	attach_discover();
	ck_assert_int_ne(access(box.location.dir, F_OK), 0);
	WORKS(TraceHookWords(1, 1, 0, NULL));
	session_close(&box);
	/* Only its owner does. */
	box_open(&box, SHM_MODE_WRAP, 65536, 4096);
	nanosleep(&wait, NULL);
	attach_discover();
	WORKS(TraceHookWords(1, 1, 0, NULL));
	ck_assert_uint_eq(hooks_in_rings(), 1);
}
END_TEST

/* ------------------------------------------------------------ new rings meanwhile */

START_TEST(a_reservation_outlives_its_rings)
{
	struct hook_writer w;
	struct account a;

	box_begin();
	ck_assert_int_eq(hook_begin(&w, 1, 128, 1), HOOK_RESERVED);
	WORKS(session_off(&box, NULL));
	box_renew_rings();
	/* As in a signal handler that interrupted the hook and attached to the new rings. */
	WORKS(TraceHookWords(1, 1, 0, NULL));
	memset(hook_record(&w, 1, 1, 26, 0, 0), 0x77, 104);
	hook_commit(&w);
	WORKS(TraceHookWords(1, 1, 0, NULL));
	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(a.hooks, 2);
	ck_assert_uint_eq(account_sum(&a), 2);
}
END_TEST

/* ------------------------------------------------------------ closed descriptors */

static uint32_t descriptors(void)
{
	uint32_t n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

START_TEST(closing_descriptors_is_harmless)
{
	int status;
	pid_t pid;

	box_begin();
	pid = fork();
	if (pid == 0) {
		struct hook_writer w;
		uint32_t before;

		if (syscall(SYS_close_range, 3, ~0U, 0))
			_exit(9);
		before = descriptors();
		if (TraceHookWords(1, 1, 0, NULL) != 0)
			_exit(1);
		if (descriptors() != before)
			_exit(2); /* tracing keeps no descriptor open */
		if (syscall(SYS_close_range, 0, ~0U, 0))
			_exit(9);
		for (int i = 0; i < 100; i++) {
			if (TraceHookWords(1, 1, 0, NULL) != 0)
				_exit(3);
		}
		if (hook_begin(&w, 1, 64, 1) != HOOK_RESERVED)
			_exit(4);
		raise(SIGSTOP);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, WUNTRACED), pid);
	ck_assert_msg(WIFSTOPPED(status), "status %#x", (unsigned)status);
	expect_task(true);
	ck_assert_int_eq(session_reclaim(&box), 0);
	ck_assert_uint_eq(hooks_in_rings(), 101);
	kill(pid, SIGCONT);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	expect_task(false);
	ck_assert_int_eq(session_reclaim(&box), 1);
}
END_TEST

START_TEST(a_child_is_no_proof_that_its_parent_lives)
{
	int status, pipes[2];
	pid_t pid;

	box_begin();
	WORKS(pipe(pipes));
	pid = fork();
	if (pid == 0) {
		struct hook_writer w;

		if (hook_begin(&w, 1, 64, 1) != HOOK_RESERVED)
			_exit(1);
		if (fork() == 0) { /* the child runs on without tracing */
			char c;
			close(pipes[1]);
			_exit(read(pipes[0], &c, 1) != 0);
		}
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	expect_task(false);
	ck_assert_int_eq(session_reclaim(&box), 1);
	close(pipes[1]);
}
END_TEST

START_TEST(exec_ends_the_old_task)
{
	int pipes[2];
	pid_t pid;

	box_begin();
	WORKS(pipe(pipes));
	pid = fork();
	if (pid == 0) {
		TraceHookWords(1, 1, 0, NULL);
		dup2(pipes[1], 1);
		execl("/bin/sh", "sh", "-c", "echo; exec sleep 50", (char *)NULL);
		_exit(1);
	}
	char c;
	ck_assert_int_eq(read(pipes[0], &c, 1), 1);
	expect_task(false);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
END_TEST

START_TEST(errno_and_signal_mask_stay)
{
	sigset_t before, after;

	sandbox_fresh();
	sigemptyset(&before);
	sigaddset(&before, SIGUSR1);
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = 4711;
	TraceHookWords(1, 1, 0, NULL); /* no session yet: several system calls fail */
	ck_assert_int_eq(errno, 4711);
	box_open(&box, SHM_MODE_WRAP, 65536, 4096);
	errno = 4711;
	TraceHookWords(1, 1, 0, NULL);
	ck_assert_int_eq(errno, 4711);
	sigprocmask(SIG_SETMASK, NULL, &after);
	for (int s = 1; s < 32; s++)
		ck_assert_int_eq(sigismember(&after, s), s == SIGUSR1);
}
END_TEST

SANDBOX_MAIN(60, "members", .timeout = 60,
	TESTS(members_of_the_group_may_trace, a_group_that_is_not_ours,
		a_program_from_before_init_begins_with_on, looking_again_finds_another_session,
		a_removed_session_is_over, a_reservation_outlives_its_rings,
		closing_descriptors_is_harmless, a_child_is_no_proof_that_its_parent_lives,
		exec_ends_the_old_task, errno_and_signal_mask_stay))
