/* Failed writes: the file stays valid, missing hooks are counted, and the failure is reported. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drained.h"

/* Rounds with writing in between until the drain fails. Returns how many hooks were lost. */
static uint32_t until_it_fails(struct session_error *e)
{
	uint32_t lost = 0;
	int rc = 0;

	for (int i = 0; i < 1000 && rc >= 0; i++) {
		lost += write_hooks(2 * PER_SECTION);
		rc = drain_round(box.d, e);
	}
	ck_assert_int_eq(rc, PU_ERR_FILE_ERROR);
	return lost;
}

/* The limit may fall on any byte of a section, or of the trailer. */
START_TEST(a_file_at_its_size_limit_keeps_its_contents)
{
	struct session_error e = {""}, again = {""};
	struct drain_status status;
	struct contents c;
	uint32_t lost, unwritten = 0;

	box_start(8);
	for (int i = 0; i < 12; i++) {
		file_limit_size((rlim_t)file_size(box.config.path) + 1 + (rlim_t)i * 401);
		lost = until_it_fails(&e);
		ck_assert_ptr_nonnull(strstr(e.text, "trace.bin: cannot write"));
		ck_assert_ptr_nonnull(strstr(e.text, "ulimit -f"));
		ck_assert_uint_eq(box.s.control->drain.state, SHM_DRAIN_FAILED);
		ck_assert_str_eq(box.s.control->drain.why, e.text);
		ck_assert_int_eq(drain_round(box.d, &again), PU_ERR_FILE_ERROR);
		ck_assert_str_eq(e.text, again.text);
		lost += write_hooks(10 * PER_SECTION);
		ck_assert_int_eq(drain_finish(box.d, &again), PU_ERR_FILE_ERROR);
		ck_assert_str_eq(e.text, again.text);
		ck_assert_int_eq(drain_finish(box.d, &again), PU_ERR_FILE_ERROR);
		drain_status(box.d, &status);
		ck_assert_uint_gt(status.lost_unwritten, unwritten);
		unwritten = (uint32_t)status.lost_unwritten;
		ck_assert_uint_eq(box.s.control->drain.lost, unwritten);
		box_close();
		file_limit_size(RLIM_INFINITY);
		read_file(&c, box.config.path);
		ck_assert_uint_eq(c.hooks + unwritten + status.lost_full, box.next);
		ck_assert_uint_eq(c.not_whole + c.out_of_order + c.foreign + c.damaged_bytes, 0);
		if (!c.cut_off)
			ck_assert_uint_eq(contents_sum(&c), box.next);
		contents_free(&c);
		/* There is room again. */
		box_drain();
		ck_assert_uint_eq(write_hooks(5 * PER_SECTION), 0);
		box_rounds();
		(void)lost;
	}
	box_finish_status(&status);
	read_file(&c, box.config.path);
	ck_assert_uint_eq(contents_sum(&c), box.next);
	ck_assert_uint_eq(c.full, status.lost_full);
	ck_assert_uint_eq(c.unwritten, unwritten);
	contents_free_clean(&c);
}
END_TEST

/* A file that cannot be ended gives up its last sections for LOSS and END. */
START_TEST(the_trailer_gets_room)
{
	struct session_error e = {""};
	struct contents c;

	box_start(8);
	for (int i = 0; i < 20; i++) {
		write_hooks(2 * PER_SECTION);
		box_rounds();
	}
	file_limit_size((rlim_t)file_size(box.config.path) + 100);
	ck_assert_int_eq(drain_finish(box.d, &e), PU_ERR_FILE_ERROR);
	file_limit_size(RLIM_INFINITY);
	read_file(&c, box.config.path);
	ck_assert(!c.cut_off);
	ck_assert_uint_gt(c.unwritten, 0);
	ck_assert_uint_gt(c.hooks, 10 * PER_SECTION);
	ck_assert_uint_eq(contents_sum(&c), box.next);
	ck_assert_uint_eq(box.s.control->drain.hooks, c.hooks);
	ck_assert_uint_eq(box.s.control->drain.lost, c.unwritten);
	contents_free_clean(&c);
}
END_TEST

START_TEST(a_rotation_that_fails_leaves_the_file)
{
	struct session_error e = {""};
	struct contents c;
	uint32_t lost;
	char name[PATH_MAX];

	box_begin(8);
	box.config.rotate = 8 << 10;
	box_drain();
	snprintf(name, sizeof name, "%.3000s.1", box.config.path);
	ck_assert_int_eq(mkdir(name, 0700), 0);
	snprintf(name, sizeof name, "%.3000s.2", box.config.path);
	ck_assert_int_eq(mkdir(name, 0700), 0);
	snprintf(name, sizeof name, "%.3000s.2/file", box.config.path);
	close(open(name, O_CREAT | O_WRONLY, 0600));
	box.config.keep = 2;
	drain_close(box.d);
	box_drain();
	lost = until_it_fails(&e);
	ck_assert_ptr_nonnull(strstr(e.text, "rename"));
	lost += write_hooks(300);
	ck_assert_int_eq(drain_finish(box.d, &e), PU_ERR_FILE_ERROR);
	read_file(&c, box.config.path);
	ck_assert_uint_eq(contents_sum(&c), box.next);
	ck_assert_uint_ge(c.full, lost);
	contents_free_clean(&c);
}
END_TEST

START_TEST(a_device_that_is_full_stays_one)
{
	struct session_error e = {""};
	struct drain *d;
	struct stat st;

	box_begin(8);
	ck_assert_int_eq(symlink("/dev/full", box.config.path), 0);
	ck_assert_int_eq(drain_open(&d, &box.s, &box.config, &e), PU_ERR_FILE_ERROR);
	ck_assert_ptr_nonnull(strstr(e.text, "No space left"));
	ck_assert_int_eq(stat("/dev/full", &st), 0);
	ck_assert(S_ISCHR(st.st_mode));
	ck_assert(!session_is_drained(&box.s));
}
END_TEST

static int make_fifo(void)
{
	ck_assert_int_eq(mkfifo(box.config.path, 0600), 0);
	int fd = open(box.config.path, O_RDONLY | O_NONBLOCK);

	ck_assert_int_ge(fd, 0);
	return fd;
}

START_TEST(a_reader_that_goes_away_is_reported)
{
	struct session_error e = {""};
	struct drain_status status;
	uint32_t lost;

	box_begin(8);
	int fd = make_fifo();
	box_drain();
	write_hooks(3 * PER_SECTION);
	box_rounds();
	close(fd);
	lost = until_it_fails(&e);
	ck_assert_ptr_nonnull(strstr(e.text, "Broken pipe"));
	lost += write_hooks(20);
	box_finish_failed(&status);
	ck_assert_uint_eq(status.hooks + status.lost_unwritten + lost, box.next);
	ck_assert_uint_eq(status.lost_full, lost);
}
END_TEST

START_TEST(a_stream_equals_a_file)
{
	char copy[PATH_MAX], *bytes = malloc(1 << 20);
	struct session_error e = {""};
	struct drain *d;

	box_begin(8);
	int fd = make_fifo();
	box.config.rotate = 1 << 20;
	ck_assert_int_eq(drain_open(&d, &box.s, &box.config, &e), PU_ERROR_INVALID_PARAMETER);
	ck_assert_ptr_nonnull(strstr(e.text, "rotated"));
	box.config.rotate = 0;
	close(fd);
	fd = open(box.config.path, O_RDONLY | O_NONBLOCK);
	fcntl(fd, F_SETPIPE_SZ, 1 << 20);
	box_drain();
	write_hooks(7 * PER_SECTION);
	box_rounds();
	box_finish();
	ssize_t n = read(fd, bytes, 1 << 20);
	close(fd);
	ck_assert_int_gt(n, 0);
	snprintf(copy, sizeof copy, "%.3000s.copy", box.config.path);
	fd = open(copy, O_CREAT | O_WRONLY, 0600);
	ck_assert_int_eq(write(fd, bytes, (size_t)n), n);
	close(fd);
	free(bytes);
	file_expect_clean(copy, box.next);
}
END_TEST

START_TEST(a_file_that_was_removed_comes_back)
{
	struct contents c;
	char moved[PATH_MAX];

	box_start(8);
	snprintf(moved, sizeof moved, "%.3000s.moved", box.config.path);
	for (int i = 0; i < 3; i++) {
		write_hooks(5 * PER_SECTION);
		box_rounds();
		if (i == 0)
			ck_assert_int_eq(unlink(box.config.path), 0);
		if (i == 1)
			ck_assert_int_eq(rename(box.config.path, moved), 0);
		if (i < 2) {
			usleep(600000);
			box_rounds();
			read_file(&c, box.config.path);
			ck_assert_uint_ge(c.hooks, 4 * PER_SECTION);
			contents_free(&c);
		}
	}
	ck_assert_int_eq(unlink(box.config.path), 0);
	box_finish_clean();
}
END_TEST

START_TEST(a_removed_directory_is_reported)
{
	struct session_error e = {""};
	struct drain_status status;

	box_start(8);
	write_hooks(5 * PER_SECTION);
	box_rounds();
	ck_assert_int_eq(unlink(box.config.path), 0);
	ck_assert_int_eq(rmdir(box.dir), 0);
	ck_assert_int_eq(drain_finish(box.d, &e), PU_ERR_FILE_ERROR);
	ck_assert_ptr_nonnull(strstr(e.text, "was removed"));
	drain_status(box.d, &status);
	ck_assert_uint_eq(status.hooks, 0);
	ck_assert_uint_eq(status.lost_unwritten, box.next);
	ck_assert_uint_eq(box.s.control->drain.lost, box.next);
}
END_TEST

int main(int argc, char **argv)
{
	const TTest *const tests[] = {a_file_at_its_size_limit_keeps_its_contents,
		the_trailer_gets_room, a_rotation_that_fails_leaves_the_file,
		a_device_that_is_full_stays_one, a_reader_that_goes_away_is_reported,
		a_stream_equals_a_file, a_file_that_was_removed_comes_back,
		a_removed_directory_is_reported, NULL};

	return drain_suite("failures", tests, argc, argv);
}
