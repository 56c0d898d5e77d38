/*
 * Finding, checking, creating and opening a session: what is in its place must be a valid session.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "../lib/suites.h"
#include "sandbox.h"
#include "users.h"

static struct session_error error;
static struct session_location location;
static struct session box;

static void setup(void)
{
	sandbox_fresh();
	error.text[0] = '\0';
	ck_assert_int_eq(session_find(&location, &error), 0);
	ck_assert_str_eq(location.dir, getenv("SWTRACE_SESSION"));
	ck_assert_str_eq(location.why, "SWTRACE_SESSION");
}

static void make_session(void)
{
	setup();
	ck_assert_int_eq(
		session_open(&box, &location, SESSION_CONTROL | SESSION_CREATE, &error), 0);
	session_close(&box);
}

static const char *file(const char *name)
{
	static char path[256];

	snprintf(path, sizeof path, "%s/%s", getenv("SWTRACE_SESSION"), name);
	return path;
}

static void refused(int code)
{
	ck_assert_int_eq(session_open(&box, &location, SESSION_CONTROL, &error), code);
	ck_assert_str_ne(error.text, "");
	ck_assert_ptr_null(strchr(error.text, '\n'));
	ck_assert_int_eq(box.dir, -1);
	ck_assert_ptr_null(box.control);
	error.text[0] = '\0';
	ck_assert_int_eq(session_open(&box, &location, SESSION_READ, NULL), code);
	ck_assert_int_eq(session_check(&location, &error), code);
	ck_assert_str_ne(error.text, "");
}

START_TEST(the_environment_names_an_absolute_path)
{
	static char longer[961];

	setenv("SWTRACE_SESSION", "relative/path", 1);
	ck_assert_int_eq(session_find(&location, &error), PU_ERROR_INVALID_PARAMETER);
	ck_assert_ptr_nonnull(strstr(error.text, "relative/path"));
	ck_assert_int_eq(session_find_own(&location, NULL), PU_ERROR_INVALID_PARAMETER);
	memset(longer, 'x', sizeof longer - 1);
	longer[0] = '/';
	setenv("SWTRACE_SESSION", longer, 1);
	ck_assert_int_eq(session_find(&location, &error), PU_ERROR_INVALID_PARAMETER);
	ck_assert_ptr_nonnull(strstr(error.text, "less than 960 bytes"));
	longer[1] = '/';
	setenv("SWTRACE_SESSION", longer + 1, 1);
	ck_assert_int_eq(session_find(&location, &error), 0);
	setenv("SWTRACE_SESSION", longer, 1);
	/* Such a program's hooks are off, which is not an error. */
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_SUCCESS);
	setenv("SWTRACE_SESSION", "", 1);
	ck_assert_int_eq(session_find_own(&location, &error), 0);
	ck_assert_str_eq(location.why, "your own session");
	unsetenv("SWTRACE_SESSION");
	ck_assert_int_eq(session_find_own(&location, &error), 0);
	char own[64];
	snprintf(own, sizeof own, "/dev/shm/swtrace.%u", (unsigned)geteuid());
	ck_assert_str_eq(location.dir, own);
}
END_TEST

START_TEST(a_missing_session_is_refused)
{
	setup();
	refused(PU_ERROR_DRIVER_NOT_LOADED);
	/* A directory alone is not a session. */
	ck_assert_int_eq(mkdir(location.dir, 0700), 0);
	refused(PU_ERROR_DRIVER_NOT_LOADED);
}
END_TEST

START_TEST(made_complete_and_private)
{
	struct stat st;
	ino_t inode;

	umask(0);
	make_session();
	ck_assert_int_eq(stat(location.dir, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0700);
	ck_assert_int_eq(stat(file("control"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	ck_assert_uint_eq(st.st_nlink, 1);
	ck_assert_uint_eq((uint64_t)st.st_size, SHM_CONTROL_SIZE);
	inode = st.st_ino;
	ck_assert_int_eq(session_check(&location, &error), 0);
	/* Reopening gives the same session. */
	ck_assert_int_eq(
		session_open(&box, &location, SESSION_CONTROL | SESSION_CREATE, &error), 0);
	ck_assert_uint_eq(box.control->magic, SHM_MAGIC);
	ck_assert_uint_eq(box.control->state, SHM_NO_RINGS);
	ck_assert_uint_eq(box.control->owner, geteuid());
	ck_assert_int_eq(stat(file("control"), &st), 0);
	ck_assert_uint_eq(st.st_ino, inode);
	for (int i = 0; i < SHM_MAJORS; i++) {
		ck_assert_uint_eq(box.control->gate[i], 0);
		ck_assert_uint_eq(box.control->majors[i], 1);
	}
	ck_assert_int_eq(session_remove(&box), 0);
	session_close(&box);
	ck_assert_int_ne(access(location.dir, F_OK), 0);
}
END_TEST

START_TEST(a_location_that_others_can_write_is_not_used)
{
	make_session();
	chmod(location.dir, 0770);
	refused(PU_ERROR_ACCESS_DENIED);
	chmod(location.dir, 0702);
	refused(PU_ERROR_ACCESS_DENIED);
	chmod(location.dir, 0700);
	chmod(file("control"), 0660);
	refused(PU_ERROR_ACCESS_DENIED);
	chmod(file("control"), 0602);
	refused(PU_ERROR_ACCESS_DENIED);
	chmod(file("control"), 0600);
	ck_assert_int_eq(session_check(&location, NULL), 0);
}
END_TEST

START_TEST(links_are_not_followed)
{
	char real[300];

	make_session();
	snprintf(real, sizeof real, "%.250s.real", location.dir);
	ck_assert_int_eq(rename(location.dir, real), 0);
	ck_assert_int_eq(symlink(real, location.dir), 0);
	refused(PU_ERROR_ACCESS_DENIED);
	ck_assert_int_eq(session_open(&box, &location, SESSION_CONTROL | SESSION_CREATE, &error),
		PU_ERROR_ACCESS_DENIED);
	ck_assert_int_eq(unlink(location.dir), 0);
	ck_assert_int_eq(rename(real, location.dir), 0);
	snprintf(real, sizeof real, "%s", file("control.real"));
	ck_assert_int_eq(rename(file("control"), real), 0);
	ck_assert_int_eq(symlink("control.real", file("control")), 0);
	refused(PU_ERROR_ACCESS_DENIED);
	/* The lock is checked, too. */
	unlink(file("control"));
	ck_assert_int_eq(rename(real, file("control")), 0);
	unlink(file("lock"));
	snprintf(real, sizeof real, "%s", file("elsewhere"));
	ck_assert_int_eq(symlink(real, file("lock")), 0);
	ck_assert_int_lt(session_open(&box, &location, SESSION_CONTROL, &error), 0);
	ck_assert_int_ne(access(real, F_OK), 0);
}
END_TEST

START_TEST(other_kinds_of_files_are_refused)
{
	int fd;

	setup();
	fd = open(location.dir, O_CREAT | O_WRONLY, 0600);
	close(fd);
	refused(PU_ERROR_ACCESS_DENIED);
	ck_assert_int_lt(
		session_open(&box, &location, SESSION_CONTROL | SESSION_CREATE, &error), 0);
	unlink(location.dir);
	make_session();
	unlink(file("control"));
	ck_assert_int_eq(mkfifo(file("control"), 0600), 0);
	refused(PU_ERROR_ACCESS_DENIED); /* without waiting for a writer */
	TraceHookWords(1, 1, 0, NULL);
	unlink(file("control"));
	ck_assert_int_eq(mkdir(file("control"), 0700), 0);
	ck_assert_int_lt(session_open(&box, &location, SESSION_CONTROL, &error), 0);
	ck_assert_int_lt(session_check(&location, &error), 0);
}
END_TEST

static void store(const char *name, off_t at, uint64_t value, size_t bytes)
{
	int fd = open(file(name), O_RDWR);

	ck_assert_int_eq(pwrite(fd, &value, bytes, at), (ssize_t)bytes);
	close(fd);
}

START_TEST(a_control_file_that_makes_no_sense)
{
	make_session();
	store("control", offsetof(struct shm_control, version), SHM_VERSION + 1, 4);
	ck_assert_int_eq(session_open(&box, &location, SESSION_READ, &error), PU_ERR_FILE_ERROR);
	store("control", offsetof(struct shm_control, version), SHM_VERSION, 4);
	store("control", offsetof(struct shm_control, magic), 7, 8);
	ck_assert_int_eq(session_open(&box, &location, SESSION_READ, &error), PU_ERR_FILE_ERROR);
	ck_assert_ptr_nonnull(strstr(error.text, "version"));
	/* Programs find no session there. */
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_SUCCESS);
	store("control", offsetof(struct shm_control, magic), SHM_MAGIC, 8);
	/* The control page announces rings that do not exist. */
	store("control", offsetof(struct shm_control, state), SHM_OFF, 4);
	ck_assert_int_eq(session_open(&box, &location, SESSION_READ, &error), PU_ERR_FILE_ERROR);
	ck_assert_ptr_nonnull(strstr(error.text, "sense"));
	store("control", offsetof(struct shm_control, state), SHM_NO_RINGS, 4);
	ck_assert_int_eq(session_open(&box, &location, SESSION_READ, &error), 0);
	session_close(&box);
	ck_assert_int_eq(truncate(file("control"), 4096), 0);
	refused(PU_ERR_FILE_ERROR);
}
END_TEST

START_TEST(ring_files_that_are_missing)
{
	struct session_config config = {.ring_bytes = 65536, .group = (gid_t)-1};

	make_session();
	ck_assert_int_eq(session_open(&box, &location, SESSION_CONTROL, &error), 0);
	ck_assert_int_eq(session_init(&box, &config, &error), 0);
	session_close(&box);
	ck_assert_int_eq(session_open(&box, &location, SESSION_READ, &error), 0);
	ck_assert_int_ge(box.rings_fd, 0);
	ck_assert(!box.writable);
	session_close(&box);
	unlink(file("tasks.1"));
	ck_assert_int_eq(
		session_open(&box, &location, SESSION_READ, &error), PU_ERROR_DRIVER_NOT_LOADED);
	ck_assert_ptr_nonnull(strstr(error.text, "tasks.1"));
}
END_TEST

START_TEST(made_by_many_at_once)
{
	uint64_t *inodes = box_shared(4096);
	int status;

	for (int round = 0; round < 20; round++) {
		setup();
		for (int i = 0; i < 8; i++) {
			if (fork() == 0) {
				struct stat st;

				/* Both programs and commands. */
				if (i % 2)
					TraceHookWords(1, 1, 0, NULL);
				else if (session_open(&box, &location,
						 SESSION_CREATE | (i % 4 ? 0 : SESSION_CONTROL),
						 NULL) != 0)
					_exit(1);
				if (stat(file("control"), &st) != 0)
					_exit(2);
				inodes[i] = st.st_ino;
				_exit(0);
			}
		}
		for (int i = 0; i < 8; i++) {
			ck_assert_int_gt(wait(&status), 0);
			ck_assert_int_eq(status, 0);
		}
		for (int i = 0; i < 8; i++)
			ck_assert_uint_eq(inodes[i], inodes[0]);
	}
}
END_TEST

/* ------------------------------------------------------------------ other users */

static int open_control(void)
{
	return -session_open(&box, &location, SESSION_CONTROL | SESSION_CREATE, NULL);
}

static int open_read(void)
{
	return -session_open(&box, &location, SESSION_READ, NULL);
}

START_TEST(a_session_of_another_user)
{
	if (only_one_user())
		return;
	make_session();
	ck_assert_int_eq(as_user(OTHER_USER, OTHER_GROUP, open_control), -PU_ERROR_ACCESS_DENIED);
	ck_assert_int_eq(as_user(OTHER_USER, OTHER_GROUP, open_read), -PU_ERROR_ACCESS_DENIED);
	/* Readable by all: others may open it to read, not to control. */
	chmod(location.dir, 0755);
	chmod(file("control"), 0644);
	ck_assert_int_eq(as_user(OTHER_USER, OTHER_GROUP, open_read), 0);
	ck_assert_int_eq(as_user(OTHER_USER, OTHER_GROUP, open_control), -PU_ERROR_ACCESS_DENIED);
	/* The control file's owner differs from the directory's. */
	ck_assert_int_eq(chown(file("control"), OTHER_USER, OTHER_GROUP), 0);
	ck_assert_int_eq(session_check(&location, &error), PU_ERROR_ACCESS_DENIED);
	/* A squatter: the directory does not belong to the expected owner. */
	ck_assert_int_eq(chown(location.dir, OTHER_USER, OTHER_GROUP), 0);
	location.owner = 0;
	refused(PU_ERROR_ACCESS_DENIED);
	ck_assert_ptr_nonnull(strstr(error.text, "squat"));
}
END_TEST

static int make_with_umask(void)
{
	struct session_config config = {
		.ring_bytes = 65536, .section_bytes = 4096, .group = (gid_t)-1};
	struct account a;

	umask(0777);
	for (int i = 0; i < 3; i++) {
		if (session_open(&box, &location, SESSION_CONTROL | SESSION_CREATE, NULL) != 0)
			return 1 + i;
		session_close(&box);
	}
	if (session_open(&box, &location, SESSION_CONTROL, NULL) != 0 ||
		session_init(&box, &config, NULL) != 0 || session_on(&box, NULL) != 0)
		return 10;
	if (TraceHookWords(1, 1, 0, NULL) != 0)
		return 11;
	box_account(&box, &a, NULL, NULL);
	if (a.hooks != 1)
		return 12;
	return session_remove(&box) ? 13 : 0;
}

START_TEST(a_umask_of_0777)
{
	char dir[200];

	if (only_one_user())
		return;
	setup();
	snprintf(dir, sizeof dir, "%s/home", sandbox_dir());
	ck_assert_int_eq(mkdir(dir, 0700), 0);
	ck_assert_int_eq(chown(dir, OTHER_USER, OTHER_GROUP), 0);
	strcat(dir, "/session");
	setenv("SWTRACE_SESSION", dir, 1);
	ck_assert_int_eq(session_find(&location, NULL), 0);
	ck_assert_int_eq(as_user(OTHER_USER, OTHER_GROUP, make_with_umask), 0);
}
END_TEST

START_TEST(private_sessions)
{
	struct session one, two;

	ck_assert_int_eq(session_create_private(&one, &error), 0);
	ck_assert_int_eq(session_create_private(&two, &error), 0);
	ck_assert_str_ne(one.location.dir, two.location.dir);
	ck_assert(one.writable);
	ck_assert_int_eq(session_remove(&one), 0);
	ck_assert_int_eq(session_remove(&two), 0);
	ck_assert_int_ne(access(one.location.dir, F_OK), 0);
	ck_assert_int_ne(access(two.location.dir, F_OK), 0);
	session_close(&one);
	session_close(&two);
}
END_TEST

SANDBOX_MAIN(60, "location", .timeout = 60,
	TESTS(the_environment_names_an_absolute_path, a_missing_session_is_refused,
		made_complete_and_private, a_location_that_others_can_write_is_not_used,
		links_are_not_followed, other_kinds_of_files_are_refused,
		a_control_file_that_makes_no_sense, ring_files_that_are_missing,
		made_by_many_at_once, a_session_of_another_user, a_umask_of_0777, private_sessions))
