/* The registry of bound CPUs under hostile hands: nothing but EAGAIN comes of it. */
#include "suite.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static cpc_t *cpc;
static cpc_set_t *set;
static cpc_buf_t *buf;

static void begin(void)
{
	unlink(registry_path());
	rmdir(registry_path());
	cpc = open_quietly();
	set = set_of(cpc, "page-faults", 0, 0);
	buf = cpc_buf_create(cpc, set);
}

static void end(void)
{
	ck_assert_int_eq(cpc_close(cpc), 0);
	unlink(registry_path());
	rmdir(registry_path());
}

START_TEST(all_may_write_it)
{
	struct stat st;
	mode_t mask = umask(077);

	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	umask(mask);
	ck_assert_int_eq(lstat(registry_path(), &st), 0);
	ck_assert(S_ISREG(st.st_mode));
	ck_assert_uint_eq(st.st_mode & 07777, 0666);
	ck_assert_uint_eq(st.st_nlink, 1);
}
END_TEST

START_TEST(a_link_is_not_followed)
{
	char target[256];
	struct stat st;

	snprintf(target, sizeof target, "%s.target", registry_path());
	ck_assert_int_eq(symlink(target, registry_path()), 0);
	ck_fails(cpc_bind_curlwp(cpc, set, 0), EAGAIN, registry_path());
	ck_assert_int_eq(lstat(target, &st), -1);
	close(open(target, O_CREAT | O_RDWR, 0666));
	ck_fails(cpc_bind_curlwp(cpc, set, 0), EAGAIN, registry_path());
	if (geteuid() == 0)
		ck_fails(cpc_bind_cpu(cpc, 0, set, 0), EAGAIN, registry_path());
	ck_assert_int_eq(lstat(target, &st), 0);
	ck_assert_int_eq(st.st_size, 0);
	unlink(target);
}
END_TEST

START_TEST(a_non_file_is_refused)
{
	ck_assert_int_eq(mkdir(registry_path(), 0777), 0);
	ck_fails(cpc_bind_curlwp(cpc, set, 0), EAGAIN, registry_path());
	rmdir(registry_path());
	ck_assert_int_eq(mkfifo(registry_path(), 0666), 0);
	ck_fails(cpc_bind_curlwp(cpc, set, 0), EAGAIN, "not a regular file");
	unlink(registry_path());
	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
}
END_TEST

/* A file with another link is not written. */
START_TEST(a_second_name_is_refused)
{
	char other[256];

	snprintf(other, sizeof other, "%s.other", registry_path());
	close(open(other, O_CREAT | O_RDWR, 0666));
	ck_assert_int_eq(link(other, registry_path()), 0);
	ck_fails(cpc_bind_curlwp(cpc, set, 0), EAGAIN, "not a regular file with a single link");
	unlink(other);
	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
}
END_TEST

static int writes_no_files(void *unused)
{
	struct rlimit none = {0, RLIM_INFINITY};

	(void)unused;
	setrlimit(RLIMIT_FSIZE, &none);
	if (cpc_bind_cpu(cpc, 0, set, 0) != -1 || errno != EAGAIN)
		return 1;
	if (!strstr(told.line, "cannot be written"))
		return 2;
	return cpc_bind_curlwp(cpc, set, 0) ? 3 : 0;
}

/* A write beyond this limit would end the process. */
START_TEST(without_room_for_files_it_is_eagain)
{
	struct child c = begin_child(writes_no_files, NULL);

	ck_assert_int_eq(end_child(&c), 0);
}
END_TEST

/* The file may have any length and contents. */
START_TEST(contents_invalidate_at_worst)
{
	int fd;

	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	fd = open(registry_path(), O_RDWR);
	ck_assert_int_eq(write(fd, "hostile hostile!!", 17), 17);
	ck_fails(cpc_set_sample(cpc, set, buf), EAGAIN, "no longer valid");
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	ck_fails(cpc_set_sample(cpc, set, buf), EAGAIN, "no longer valid");
	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	ck_assert_int_eq(ftruncate(fd, 3), 0);
	ck_assert_int_eq(cpc_set_sample(cpc, set, buf), 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)1 << 40), 0);
	ck_assert_int_eq(cpc_set_sample(cpc, set, buf), 0);
	close(fd);
}
END_TEST

static int locks(void *range)
{
	const off_t *r = range;
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = r[0], .l_len = r[1]};
	int fd = open(registry_path(), O_RDWR);

	if (fcntl(fd, F_SETLK, &l) != 0)
		return 1;
	child_says('l');
	child_waits();
	return 0;
}

/* Other users can only hold locks, and no call waits for them. */
START_TEST(locks_do_not_block)
{
	off_t all[] = {0, 0}, unrelated[] = {0, 4096};
	struct child c;

	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	c = begin_child(locks, all);
	ck_assert_int_eq(receive_byte(&c), 'l');
	ck_assert_int_eq(cpc_set_sample(cpc, set, buf), 0);
	ck_fails(cpc_bind_curlwp(cpc, set, 0), EAGAIN, "process");
	ck_assert_int_eq(end_child(&c), 0);
	c = begin_child(locks, unrelated);
	ck_assert_int_eq(receive_byte(&c), 'l');
	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	ck_assert_int_eq(end_child(&c), 0);
}
END_TEST

START_TEST(removed_it_is_made_again)
{
	struct stat st;

	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	ck_assert_int_eq(unlink(registry_path()), 0);
	ck_assert_int_eq(cpc_set_sample(cpc, set, buf), 0);
	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	ck_assert_int_eq(lstat(registry_path(), &st), 0);
}
END_TEST

static int unreadable(void *unused)
{
	(void)unused;
	become_nobody();
	if (cpc_bind_curlwp(cpc, set, 0) != -1 || errno != EAGAIN)
		return 1;
	return strstr(told.line, registry_path()) ? 0 : 2;
}

START_TEST(an_unreadable_registry_is_reported)
{
	struct child c;

	close(open(registry_path(), O_CREAT | O_RDWR, 0600));
	c = begin_child(unreadable, NULL);
	ck_assert_int_eq(end_child(&c), 0);
}
END_TEST

static int bind_as_nobody(void *unused)
{
	(void)unused;
	become_nobody();
	return cpc_bind_curlwp(cpc, set, 0) == 0 ? 0 : errno == EACCES ? 77 : 1;
}

/* In a sticky folder the kernel is strict about others' files: each uses it all the same. */
START_TEST(another_users_file_is_used)
{
	struct child c = begin_child(bind_as_nobody, NULL);
	struct stat st;
	int rc = end_child(&c);

	if (rc == 77) {
		puts("skipped: another user's registry: perf_event_paranoid denies that user");
		return;
	}
	ck_assert_int_eq(rc, 0);
	ck_assert_int_eq(lstat(registry_path(), &st), 0);
	ck_assert_uint_eq(st.st_uid, 65534);
	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	c = begin_child(bind_as_nobody, NULL);
	ck_assert_int_eq(end_child(&c), 0);
}
END_TEST

START_TEST(a_missing_folder_is_reported)
{
	char path[] = "/nonexistent/registry", *saved = strdup(registry_path());

	setenv("SWTRACE_CPC_REGISTRY", path, 1);
	ck_fails(cpc_bind_curlwp(cpc, set, 0), EAGAIN, path);
	setenv("SWTRACE_CPC_REGISTRY", saved, 1);
	free(saved);
}
END_TEST

Suite *registry_suite(void)
{
	Suite *s = suite_create("registry");
	TCase *t = tcase_create("registry");

	tcase_add_checked_fixture(t, begin, end);
	tcase_add_test(t, all_may_write_it);
	tcase_add_test(t, a_link_is_not_followed);
	tcase_add_test(t, a_non_file_is_refused);
	tcase_add_test(t, a_second_name_is_refused);
	tcase_add_test(t, contents_invalidate_at_worst);
	tcase_add_test(t, locks_do_not_block);
	tcase_add_test(t, removed_it_is_made_again);
	tcase_add_test(t, a_missing_folder_is_reported);
	if (geteuid() == 0) {
		tcase_add_test(t, without_room_for_files_it_is_eagain);
		tcase_add_test(t, an_unreadable_registry_is_reported);
		tcase_add_test(t, another_users_file_is_used);
	}
	suite_add_tcase(s, t);
	return s;
}
