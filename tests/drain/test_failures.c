/* Failed writes: the file stays valid, missing hooks are counted, and the failure is reported. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drained.h"

/* Rounds with writing in between until the drain fails. Returns how many hooks were lost. */
static uint32_t until_it_fails(struct box *b, uint32_t *next, struct session_error *e)
{
	uint32_t lost = 0;
	int rc = 0;

	for (int i = 0; i < 1000 && rc >= 0; i++) {
		lost += write_hooks(1, next, 2 * PER_SECTION);
		rc = drain_round(b->d, e);
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
	struct box b;
	uint32_t next = 0, lost, unwritten = 0;

	box_start(&b, 8);
	for (int i = 0; i < 12; i++) {
		file_limit_size((rlim_t)file_size(b.config.path) + 1 + (rlim_t)i * 401);
		lost = until_it_fails(&b, &next, &e);
		ck_assert_ptr_nonnull(strstr(e.text, "trace.bin: cannot write"));
		ck_assert_ptr_nonnull(strstr(e.text, "ulimit -f"));
		ck_assert_uint_eq(b.s.control->drain.state, SHM_DRAIN_FAILED);
		ck_assert_str_eq(b.s.control->drain.why, e.text);
		ck_assert_int_eq(drain_round(b.d, &again), PU_ERR_FILE_ERROR);
		ck_assert_str_eq(e.text, again.text);
		lost += write_hooks(1, &next, 10 * PER_SECTION);
		ck_assert_int_eq(drain_finish(b.d, &again), PU_ERR_FILE_ERROR);
		ck_assert_str_eq(e.text, again.text);
		ck_assert_int_eq(drain_finish(b.d, &again), PU_ERR_FILE_ERROR);
		drain_status(b.d, &status);
		ck_assert_uint_gt(status.lost_unwritten, unwritten);
		unwritten = (uint32_t)status.lost_unwritten;
		ck_assert_uint_eq(b.s.control->drain.lost, unwritten);
		box_close(&b);
		file_limit_size(RLIM_INFINITY);
		read_file(&c, b.config.path);
		ck_assert_uint_eq(c.hooks + unwritten + status.lost_full, next);
		ck_assert_uint_eq(c.not_whole + c.out_of_order + c.foreign + c.damaged_bytes, 0);
		if (!c.cut_off)
			ck_assert_uint_eq(contents_sum(&c), next);
		contents_free(&c);
		/* There is room again. */
		box_drain(&b);
		ck_assert_uint_eq(write_hooks(1, &next, 5 * PER_SECTION), 0);
		box_rounds(&b);
		(void)lost;
	}
	box_finish_status(&b, &status);
	read_file(&c, b.config.path);
	ck_assert_uint_eq(contents_sum(&c), next);
	ck_assert_uint_eq(c.full, status.lost_full);
	ck_assert_uint_eq(c.unwritten, unwritten);
	contents_free_clean(&c);
	box_end(&b);
}
END_TEST

/* A file that cannot be ended gives up its last sections for LOSS and END. */
START_TEST(the_trailer_gets_room)
{
	struct session_error e = {""};
	struct contents c;
	struct box b;
	uint32_t next = 0;

	box_start(&b, 8);
	for (int i = 0; i < 20; i++) {
		write_hooks(1, &next, 2 * PER_SECTION);
		box_rounds(&b);
	}
	file_limit_size((rlim_t)file_size(b.config.path) + 100);
	ck_assert_int_eq(drain_finish(b.d, &e), PU_ERR_FILE_ERROR);
	file_limit_size(RLIM_INFINITY);
	read_file(&c, b.config.path);
	ck_assert(!c.cut_off);
	ck_assert_uint_gt(c.unwritten, 0);
	ck_assert_uint_gt(c.hooks, 10 * PER_SECTION);
	ck_assert_uint_eq(contents_sum(&c), next);
	ck_assert_uint_eq(b.s.control->drain.hooks, c.hooks);
	ck_assert_uint_eq(b.s.control->drain.lost, c.unwritten);
	contents_free_clean(&c);
	box_end(&b);
}
END_TEST

START_TEST(a_rotation_that_fails_leaves_the_file)
{
	struct session_error e = {""};
	struct contents c;
	struct box b;
	uint32_t next = 0, lost;
	char name[PATH_MAX];

	box_begin(&b, 8);
	b.config.rotate = 8 << 10;
	box_drain(&b);
	snprintf(name, sizeof name, "%.3000s.1", b.config.path);
	ck_assert_int_eq(mkdir(name, 0700), 0);
	snprintf(name, sizeof name, "%.3000s.2", b.config.path);
	ck_assert_int_eq(mkdir(name, 0700), 0);
	snprintf(name, sizeof name, "%.3000s.2/file", b.config.path);
	close(open(name, O_CREAT | O_WRONLY, 0600));
	b.config.keep = 2;
	drain_close(b.d);
	box_drain(&b);
	lost = until_it_fails(&b, &next, &e);
	ck_assert_ptr_nonnull(strstr(e.text, "rename"));
	lost += write_hooks(1, &next, 300);
	ck_assert_int_eq(drain_finish(b.d, &e), PU_ERR_FILE_ERROR);
	read_file(&c, b.config.path);
	ck_assert_uint_eq(contents_sum(&c), next);
	ck_assert_uint_ge(c.full, lost);
	contents_free_clean(&c);
	box_end(&b);
}
END_TEST

START_TEST(a_device_that_is_full_stays_one)
{
	struct session_error e = {""};
	struct drain *d;
	struct stat st;
	struct box b;

	box_begin(&b, 8);
	ck_assert_int_eq(symlink("/dev/full", b.config.path), 0);
	ck_assert_int_eq(drain_open(&d, &b.s, &b.config, &e), PU_ERR_FILE_ERROR);
	ck_assert_ptr_nonnull(strstr(e.text, "No space left"));
	ck_assert_int_eq(stat("/dev/full", &st), 0);
	ck_assert(S_ISCHR(st.st_mode));
	ck_assert(!session_is_drained(&b.s));
	box_end(&b);
}
END_TEST

static int make_fifo(struct box *b)
{
	ck_assert_int_eq(mkfifo(b->config.path, 0600), 0);
	int fd = open(b->config.path, O_RDONLY | O_NONBLOCK);

	ck_assert_int_ge(fd, 0);
	return fd;
}

START_TEST(a_reader_that_goes_away_is_reported)
{
	struct session_error e = {""};
	struct drain_status status;
	struct box b;
	uint32_t next = 0, lost;

	box_begin(&b, 8);
	int fd = make_fifo(&b);
	box_drain(&b);
	write_hooks(1, &next, 3 * PER_SECTION);
	box_rounds(&b);
	close(fd);
	lost = until_it_fails(&b, &next, &e);
	ck_assert_ptr_nonnull(strstr(e.text, "Broken pipe"));
	lost += write_hooks(1, &next, 20);
	box_finish_failed(&b, &status);
	ck_assert_uint_eq(status.hooks + status.lost_unwritten + lost, next);
	ck_assert_uint_eq(status.lost_full, lost);
	box_end(&b);
}
END_TEST

START_TEST(a_stream_equals_a_file)
{
	struct box b;
	uint32_t next = 0;
	char copy[PATH_MAX], *bytes = malloc(1 << 20);
	struct session_error e = {""};
	struct drain *d;

	box_begin(&b, 8);
	int fd = make_fifo(&b);
	b.config.rotate = 1 << 20;
	ck_assert_int_eq(drain_open(&d, &b.s, &b.config, &e), PU_ERROR_INVALID_PARAMETER);
	ck_assert_ptr_nonnull(strstr(e.text, "rotated"));
	b.config.rotate = 0;
	close(fd);
	fd = open(b.config.path, O_RDONLY | O_NONBLOCK);
	fcntl(fd, F_SETPIPE_SZ, 1 << 20);
	box_drain(&b);
	write_hooks(1, &next, 7 * PER_SECTION);
	box_rounds(&b);
	box_finish(&b);
	ssize_t n = read(fd, bytes, 1 << 20);
	close(fd);
	ck_assert_int_gt(n, 0);
	snprintf(copy, sizeof copy, "%.3000s.copy", b.config.path);
	fd = open(copy, O_CREAT | O_WRONLY, 0600);
	ck_assert_int_eq(write(fd, bytes, (size_t)n), n);
	close(fd);
	free(bytes);
	file_expect_clean(copy, next);
	box_end(&b);
}
END_TEST

START_TEST(a_file_that_was_removed_comes_back)
{
	struct contents c;
	struct box b;
	uint32_t next = 0;
	char moved[PATH_MAX];

	box_start(&b, 8);
	snprintf(moved, sizeof moved, "%.3000s.moved", b.config.path);
	for (int i = 0; i < 3; i++) {
		write_hooks(1, &next, 5 * PER_SECTION);
		box_rounds(&b);
		if (i == 0)
			ck_assert_int_eq(unlink(b.config.path), 0);
		if (i == 1)
			ck_assert_int_eq(rename(b.config.path, moved), 0);
		if (i < 2) {
			usleep(600000);
			box_rounds(&b);
			read_file(&c, b.config.path);
			ck_assert_uint_ge(c.hooks, 4 * PER_SECTION);
			contents_free(&c);
		}
	}
	ck_assert_int_eq(unlink(b.config.path), 0);
	box_finish_clean(&b, next);
}
END_TEST

START_TEST(a_removed_directory_is_reported)
{
	struct session_error e = {""};
	struct drain_status status;
	struct box b;
	uint32_t next = 0;

	box_start(&b, 8);
	write_hooks(1, &next, 5 * PER_SECTION);
	box_rounds(&b);
	ck_assert_int_eq(unlink(b.config.path), 0);
	ck_assert_int_eq(rmdir(b.dir), 0);
	ck_assert_int_eq(drain_finish(b.d, &e), PU_ERR_FILE_ERROR);
	ck_assert_ptr_nonnull(strstr(e.text, "was removed"));
	drain_status(b.d, &status);
	ck_assert_uint_eq(status.hooks, 0);
	ck_assert_uint_eq(status.lost_unwritten, next);
	ck_assert_uint_eq(b.s.control->drain.lost, next);
	box_end(&b);
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
