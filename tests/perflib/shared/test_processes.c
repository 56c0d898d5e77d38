/* Several processes, their ends, their forks and their users' rights. */
#include "shared.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "../../lib/sanitized.h"

static struct seen seen;

/* A child that says when it is ready, and waits to be killed. */
struct child {
	int pid, from;
};

static struct child begin_child(int (*work)(void *), void *user)
{
	struct child c;
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	fflush(NULL);
	c.pid = fork();
	ck_assert_int_ge(c.pid, 0);
	if (c.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		char rc = (char)work(user);
		if (write(fds[1], &rc, 1) == 1)
			pause();
		_exit(0);
	}
	close(fds[1]);
	c.from = fds[0];
	return c;
}

/* The result of the child's work. */
static int receive_byte(const struct child *c)
{
	char byte;

	return read(c->from, &byte, 1) == 1 ? byte : -1;
}

static void kill_child(struct child *c)
{
	int status;

	close(c->from);
	kill(c->pid, SIGKILL);
	ck_assert_int_eq(waitpid(c->pid, &status, 0), c->pid);
}

static int offer_one(void *user)
{
	uint32_t n = *(uint32_t *)user;
	GUID provider = guid_of(n), set = guid_of(n + 1000);
	PERF_COUNTERSET_INSTANCE *i;
	HANDLE h;

	if (PerfStartProvider(&provider, NULL, &h) || offer_wide(h, n, n + 1000, 2))
		return 1;
	i = PerfCreateInstance(h, &set, "i", 0);
	return !i || PerfSetULongLongCounterValue(h, i, 1, n);
}

START_TEST(providers_of_many_processes_are_seen_while_they_live)
{
	enum { N = 6 };
	struct child c[N];

	for (uint32_t i = 0; i < N; i++) {
		c[i] = begin_child(offer_one, &i);
		ck_assert_int_eq(receive_byte(&c[i]), 0);
	}
	seen_open(&seen);
	ck_assert_uint_eq(seen.n, N);
	for (uint32_t i = 0; i < N; i++) {
		const struct counterset *set = seen_set(&seen, 1000 + i);

		ck_assert_ptr_nonnull(set);
		/* Who was started first comes first. */
		ck_assert_ptr_eq(set, seen.sets[i]);
		ck_assert_uint_eq(seen_collect(&seen, set), ERROR_SUCCESS);
		ck_assert_uint_eq(seen_value(&seen, 0, 0), i);
	}
	for (uint32_t i = 0; i < N; i += 2)
		kill_child(&c[i]);
	for (uint32_t i = 0; i < N; i++)
		ck_assert_uint_eq(seen_collect(&seen, seen_set(&seen, 1000 + i)),
			i % 2 ? ERROR_SUCCESS : ERROR_WMI_GUID_NOT_FOUND);
	seen_refresh(&seen);
	ck_assert_uint_eq(seen.n, N / 2);
	/* Files of dead providers remain until the next provider starts. */
	ck_assert_int_eq(shared_files(NULL), N);
	PerfStopProvider(offer_provider(50));
	ck_assert_int_eq(shared_files(NULL), N / 2);
	for (uint32_t i = 1; i < N; i += 2)
		kill_child(&c[i]);
	seen_close(&seen);
}
END_TEST

/* All that a provider does, for ever. */
static int live_wildly(void *user)
{
	GUID provider = guid_of(1), set = guid_of(2);

	if (write(*(int *)user, "", 1) != 1)
		return 1;
	for (;;) {
		HANDLE h;
		char name[80];

		if (PerfStartProvider(&provider, NULL, &h))
			_exit(1);
		offer_wide(h, 1, 2, 5);
		for (uint32_t i = 0; i < 40; i++) {
			snprintf(name, sizeof name, "%0*u", i % 4 ? 3 : 60, i);
			if (i % 5 == 4)
				PerfDeleteInstance(h, PerfQueryInstance(h, &set, name, i - 4));
			PerfCreateInstance(h, &set, name, i);
		}
		PerfStopProvider(h);
	}
	return 0;
}

START_TEST(whenever_one_is_killed_nothing_of_it_remains)
{
	seen_open(&seen);
	srand(1);
	for (int round = 0; round < 60; round++) {
		int fds[2];
		struct child c;
		char byte;

		ck_assert_int_eq(pipe(fds), 0);
		c = begin_child(live_wildly, &fds[1]);
		ck_assert_int_eq(read(fds[0], &byte, 1), 1);
		for (int wait = rand() % 400; wait > 0; wait -= 40) {
			seen_refresh(&seen);
			if (seen.n) {
				uint32_t rc = seen_collect(&seen, seen.sets[0]);

				ck_assert(rc == ERROR_SUCCESS || rc == ERROR_WMI_GUID_NOT_FOUND);
			}
			usleep(40);
		}
		kill_child(&c);
		close(fds[0]);
		close(fds[1]);
		seen_refresh(&seen);
		ck_assert_uint_eq(seen.n, 0);
		PerfStopProvider(offer_provider(3));
		ck_assert_int_eq(shared_files(NULL), 0);
	}
	seen_close(&seen);
}
END_TEST

/* The file's state if a start is killed after each of its steps. */
START_TEST(a_start_that_was_cut_off_is_swept)
{
	char path[160];

	seen_open(&seen);
	for (int step = 0; step < 3; step++) {
		HANDLE h;

		/* Made; made and allocated; and with a header. */
		snprintf(
			path, sizeof path, "%s/5a5a0063-0000-0000-0102-030000000000.1", shared_dir);
		int fd = open(path, O_CREAT | O_RDWR, 0600);
		ck_assert_int_ge(fd, 0);
		if (step >= 1)
			ck_assert_int_eq(ftruncate(fd, PROV_HEADER_BYTES), 0);
		if (step >= 2) {
			uint64_t magic = PROV_MAGIC;

			ck_assert_int_eq(pwrite(fd, &magic, 8, 0), 8);
		}
		close(fd);
		seen_refresh(&seen);
		ck_assert_uint_eq(seen.n, 0);
		h = offer_provider(3);
		ck_assert_int_eq(access(path, F_OK), -1);
		PerfStopProvider(h);
	}
	seen_close(&seen);
}
END_TEST

/* Other files, and one that is locked, stay. */
START_TEST(only_dead_providers_files_are_swept)
{
	static const char *const names[] = {"note", "5a5a0063-0000-0000-0102-030000000000",
		"5a5a0063-0000-0000-0102-030000000000.", "5a5a0063-0000-0000-0102-030000000000.1x",
		"x5a5a0063-0000-0000-0102-03000000000.1", "5a5a0063-0000-0000-0102-030000000000.2"};
	struct flock fl = {.l_type = F_WRLCK, .l_len = 1};
	char path[160];
	int fd = -1;

	for (size_t i = 0; i < 6; i++) {
		snprintf(path, sizeof path, "%s/%s", shared_dir, names[i]);
		if (fd >= 0)
			close(fd);
		fd = open(path, O_CREAT | O_RDWR, 0600);
	}
	ck_assert_int_eq(fcntl(fd, F_OFD_SETLK, &fl), 0);
	PerfStopProvider(offer_provider(3));
	ck_assert_int_eq(shared_files(NULL), 6);
	close(fd);
	PerfStopProvider(offer_provider(3));
	ck_assert_int_eq(shared_files(NULL), 5);
}
END_TEST

/* -------------------------------------------------------------------------- fork */

struct inherited {
	HANDLE h;
	PERF_COUNTERSET_INSTANCE *i;
};

/* The parent's provider is not the child's: 0. */
static int child_offers_nothing(void *user)
{
	const struct inherited *in = user;
	GUID set = guid_of(2), provider = guid_of(1);
	HANDLE mine;

	if (PerfIncrementULongLongCounterValue(in->h, in->i, 1, 1) != ERROR_INVALID_HANDLE ||
		PerfCreateInstance(in->h, &set, "x", 0) ||
		PerfDeleteInstance(in->h, in->i) != ERROR_INVALID_HANDLE ||
		PerfShareProvider(in->h, 1) != ERROR_INVALID_HANDLE ||
		PerfStopProvider(in->h) != ERROR_INVALID_HANDLE)
		return 1;
	/* One of its own, of the same GUID. */
	if (PerfStartProvider(&provider, NULL, &mine) || offer_wide(mine, 1, 7, 1))
		return 2;
	return PerfStopProvider(mine) != ERROR_SUCCESS;
}

/* A child that no fork handler sees. */
static int raw_child(int (*work)(void *), void *user)
{
	int status, pid = (int)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);

	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		syscall(SYS_exit_group, work(user));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

START_TEST(a_forked_child_has_nothing_of_its_parents)
{
	GUID set = guid_of(2);
	struct inherited in = {.h = offer_provider(1)};

	ck_assert_uint_eq(offer_wide(in.h, 1, 2, 1), ERROR_SUCCESS);
	in.i = PerfCreateInstance(in.h, &set, "i", 0);
	PerfSetULongLongCounterValue(in.h, in.i, 1, 5);
	ck_assert_int_eq(in_child(child_offers_nothing, &in), 0);
	ck_assert_int_eq(raw_child(child_offers_nothing, &in), 0);
	/* The parent's is as it was. */
	seen_open(&seen);
	ck_assert_uint_eq(seen.n, 1);
	ck_assert_uint_eq(seen_collect(&seen, seen.sets[0]), ERROR_SUCCESS);
	ck_assert_uint_eq(seen.rows.used, 1);
	ck_assert_uint_eq(seen_value(&seen, 0, 0), 5);
	seen_close(&seen);
	ck_assert_uint_eq(PerfStopProvider(in.h), ERROR_SUCCESS);
}
END_TEST

/* Offers, forks a child that stays, and ends. */
static int leave_a_child(void *user)
{
	uint32_t n = 1;
	int fds[2];
	char byte;

	if (offer_one(&n) || pipe(fds))
		return 1;
	int pid = *(bool *)user ? (int)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL) : fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, 0);
		close(fds[0]);
		if (write(fds[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	if (read(fds[0], &byte, 1) != 1)
		return 2;
	return pid > 0 && pid < 1 << 30 ? (printf("%d\n", pid), 0) : 3;
}

START_TEST(a_forked_child_keeps_nothing_alive)
{
	for (int raw = 0; raw < 2; raw++) {
		bool without_handlers = raw;
		int fds[2], pid = 0, status;
		char text[32] = "";

		ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
		ck_assert_int_eq(pipe(fds), 0);
		fflush(NULL);
		int middle = fork();
		if (middle == 0) {
			dup2(fds[1], 1);
			status = leave_a_child(&without_handlers);
			fflush(stdout);
			_exit(status);
		}
		ck_assert_int_eq(waitpid(middle, &status, 0), middle);
		ck_assert_int_eq(status, 0);
		ck_assert_int_gt(read(fds[0], text, sizeof text - 1), 0);
		pid = atoi(text);
		ck_assert_int_gt(pid, 1);
		ck_assert_int_eq(kill(pid, 0), 0);
		seen_open(&seen);
		ck_assert_uint_eq(seen.n, 0);
		seen_close(&seen);
		PerfStopProvider(offer_provider(3));
		ck_assert_int_eq(shared_files(NULL), 0);
		kill(pid, SIGKILL);
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		close(fds[0]);
		close(fds[1]);
	}
}
END_TEST

static int offer_and_exec(void *user)
{
	uint32_t n = 1;

	if (offer_one(&n) == 0)
		execl("/bin/sh", "sh", "-c", "read x", (char *)NULL);
	return *(int *)user;
}

static bool enough;

/* Without Check: a child that is forked meanwhile would find its lock taken. */
static void *start_and_stop(void *arg)
{
	const GUID provider = guid_of(5);

	while (!__atomic_load_n(&enough, __ATOMIC_RELAXED)) {
		HANDLE h;

		if (PerfStartProvider(&provider, NULL, &h) || offer_wide(h, 5, 6, 1) ||
			PerfStopProvider(h))
			return arg;
		usleep(20);
	}
	return NULL;
}

/* Descriptors of files in the directory. */
static int inherits_nothing(void *user)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;
	char path[256];
	int n = 0;

	(void)user;
	while (d && (e = readdir(d)) != NULL) {
		ssize_t bytes = readlinkat(dirfd(d), e->d_name, path, sizeof path - 1);

		path[bytes > 0 ? bytes : 0] = 0;
		n += strstr(path, shared_dir) != NULL;
	}
	return d ? n : 100;
}

/* A file that is being made has its lock's descriptor open. */
START_TEST(no_fork_comes_between_the_steps_of_a_start)
{
	pthread_t thread;
	void *failed;

	PerfStopProvider(offer_provider(4));
	ck_assert_int_eq(pthread_create(&thread, NULL, start_and_stop, shared_dir), 0);
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(in_child(inherits_nothing, NULL), 0);
	__atomic_store_n(&enough, true, __ATOMIC_RELAXED);
	pthread_join(thread, &failed);
	ck_assert_ptr_null(failed);
}
END_TEST

START_TEST(exec_ends_a_provider)
{
	int fds[2], pid, status, failed = 1;

	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		dup2(fds[0], 0);
		close(fds[1]);
		_exit(offer_and_exec(&failed));
	}
	seen_open(&seen);
	/* Until the file exists and its process is dead. */
	while (shared_files(NULL) == 0 || seen.n != 0) {
		ck_assert_int_eq(waitpid(pid, &status, WNOHANG), 0);
		usleep(1000);
		seen_refresh(&seen);
	}
	close(fds[1]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	seen_close(&seen);
}
END_TEST

/* ------------------------------------------------------------------------ rights */

enum { ALICE = 61234, BOB = 61235 };

static HANDLE shared_handle;

static int offer_as(void *user)
{
	uid_t uid = *(uid_t *)user;

	unsetenv("SWTRACE_COUNTERSETS");
	if (uid && (setgid(uid) != 0 || setuid(uid) != 0))
		return 1;
	GUID provider = guid_of(uid + 1);
	if (PerfStartProvider(&provider, NULL, &shared_handle) ||
		offer_wide(shared_handle, uid + 1, uid + 2, 1))
		return 2;
	return 0;
}

static int offer_shared_as(void *user)
{
	int rc = offer_as(user);

	return rc ? rc : PerfShareProvider(shared_handle, 1) != ERROR_SUCCESS;
}

/* Shared, and then not any more. */
static int offer_unshared_as(void *user)
{
	int rc = offer_shared_as(user);

	return rc ? rc : PerfShareProvider(shared_handle, 0) != ERROR_SUCCESS;
}

/* Whose sets a user sees: a bit each for root, ALICE and BOB. */
struct view {
	uid_t uid;
	const char *environment;
};

static int view(void *user)
{
	const struct view *v = user;

	if (v->environment)
		setenv("SWTRACE_COUNTERSETS", v->environment, 1);
	else
		unsetenv("SWTRACE_COUNTERSETS");
	if (v->uid && (setgid(v->uid) != 0 || setuid(v->uid) != 0))
		return 100;
	seen_open(&seen);
	int bits = (seen_set(&seen, 2) ? 1 : 0) | (seen_set(&seen, ALICE + 2) ? 2 : 0) |
		   (seen_set(&seen, BOB + 2) ? 4 : 0);
	for (uint32_t i = 0; i < seen.n; i++)
		if (seen_collect(&seen, seen.sets[i]))
			bits = 101;
	seen_close(&seen);
	return bits;
}

static int seen_by(uid_t uid, const char *environment)
{
	struct view v = {uid, environment};

	return in_child(view, &v);
}

START_TEST(who_sees_whose)
{
	static const char alices[] = "/dev/shm/swtrace-counters.61234";
	static const char bobs[] = "/dev/shm/swtrace-counters.61235";
	uid_t root = 0, alice = ALICE, bob = BOB;
	struct child c[3];
	char hidden[96];

	if (geteuid() != 0)
		return;
	c[0] = begin_child(offer_as, &root);
	c[1] = begin_child(offer_unshared_as, &alice);
	c[2] = begin_child(offer_shared_as, &bob);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(receive_byte(&c[i]), 0);
	/* Root sees all of them, others their own. */
	ck_assert_int_eq(seen_by(0, NULL), 7);
	ck_assert_int_eq(seen_by(ALICE, NULL), 2);
	ck_assert_int_eq(seen_by(BOB, NULL), 4);
	ck_assert_int_eq(seen_by(65534, NULL), 0);
	/* Another's only where it is shared, and asked for. */
	ck_assert_int_eq(seen_by(BOB, alices), 0);
	ck_assert_int_eq(seen_by(ALICE, bobs), 4);
	ck_assert_int_eq(seen_by(0, alices), 2);
	kill_child(&c[0]);
	c[0] = begin_child(offer_shared_as, &root);
	ck_assert_int_eq(receive_byte(&c[0]), 0);
	ck_assert_int_eq(seen_by(ALICE, NULL), 3);
	ck_assert_int_eq(seen_by(65534, NULL), 1);
	/* A directory under another user's name is ignored. */
	snprintf(hidden, sizeof hidden, "%s/hidden", shared_dir);
	ck_assert_int_eq(rename(bobs, hidden), 0);
	ck_assert_int_eq(rename(alices, bobs), 0);
	ck_assert_int_eq(seen_by(0, NULL), 1);
	ck_assert_int_eq(seen_by(BOB, NULL), 1);
	ck_assert_int_eq(rename(bobs, alices), 0);
	ck_assert_int_eq(rename(hidden, bobs), 0);
	ck_assert_int_eq(seen_by(0, NULL), 7);
	for (int i = 0; i < 3; i++)
		kill_child(&c[i]);
	/* As the next provider of each would. */
	for (int i = 0; i < 3; i++) {
		uid_t uid = i == 0 ? root : i == 1 ? alice : bob;

		c[i] = begin_child(offer_as, &uid);
		ck_assert_int_eq(receive_byte(&c[i]), 0);
		kill_child(&c[i]);
	}
	unsetenv("SWTRACE_COUNTERSETS");
	char line[200];
	snprintf(line, sizeof line, "rm -r %s %s; rm -f /dev/shm/swtrace-counters.0/5a5a0001-*",
		alices, bobs);
	ck_assert_int_eq(system(line), 0);
	rmdir("/dev/shm/swtrace-counters.0");
}
END_TEST

Suite *processes_suite(void)
{
	Suite *s = suite_create("shared: processes");
	TCase *c = tcase_create("processes");

	tcase_add_checked_fixture(c, shared_begin, shared_end);
	tcase_add_test(c, providers_of_many_processes_are_seen_while_they_live);
	tcase_add_test(c, whenever_one_is_killed_nothing_of_it_remains);
	tcase_add_test(c, a_start_that_was_cut_off_is_swept);
	tcase_add_test(c, only_dead_providers_files_are_swept);
	tcase_add_test(c, a_forked_child_has_nothing_of_its_parents);
	tcase_add_test(c, a_forked_child_keeps_nothing_alive);
	/* A child that was forked while a thread allocates. */
	if (SANITIZED)
		puts("skipped: no_fork_comes_between_the_steps_of_a_start: the sanitizer's allocator may be locked in the child");
	else
		tcase_add_test(c, no_fork_comes_between_the_steps_of_a_start);
	tcase_add_test(c, exec_ends_a_provider);
	tcase_add_test(c, who_sees_whose);
	tcase_set_timeout(c, 60);
	suite_add_tcase(s, c);
	return s;
}
