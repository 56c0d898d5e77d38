/* Files that are taken up again, whatever their drain was killed at, and rotated ones. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drained.h"

static void file_name(int n, char *name)
{
	if (n)
		snprintf(name, PATH_MAX, "%.4000s.%d", box.config.path, n);
	else
		snprintf(name, PATH_MAX, "%.4000s", box.config.path);
}

START_TEST(a_file_that_was_finished_is_gone_on_with)
{
	struct contents c;
	uint8_t id[16] = {0};

	box_begin(8);
	for (int i = 0; i < 20; i++) {
		box_drain();
		/* Ends within a section, at every second turn of the ring's size. */
		ck_assert_uint_eq(write_hooks(13 + (uint32_t)i % 3 * 60), 0);
		box_rounds();
		box_finish_read(&c);
		ck_assert_uint_eq(c.hooks, box.next);
		contents_free_clean(&c);
		if (i)
			ck_assert_mem_eq(id, c.trace_id, sizeof id);
		memcpy(id, c.trace_id, sizeof id);
		ck_assert_uint_eq(box.s.control->drain.hooks, box.next);
	}
}
END_TEST

static void hooks_of(uint32_t hooks)
{
	struct contents c;

	read_file(&c, box.config.path);
	ck_assert_uint_eq(c.hooks, hooks);
	ck_assert_uint_eq(contents_sum(&c), hooks);
	contents_free_clean(&c);
}

/* In a process of its own, because one looks for its session once. */
static void in_a_child(void (*run)(int), int arg)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		run(arg);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

/*
 * The drain is killed: it wrote a section that it did not release, and `cut` bytes are
 * missing at the end of it. cut negative: of one that is stored as it is.
 */
static void kill_and_take_up(int cut)
{
	struct shm_ring_control before[SHM_MAX_RINGS];
	struct contents c;
	uint32_t drained = 0;

	box_begin(8);
	if (cut < 0)
		box.config.codec = TF_CODEC_NONE;
	box_drain();
	write_hooks(3 * PER_SECTION + 5);
	box_rounds();
	off_t whole = file_size(box.config.path);
	memcpy(before, box.s.control->ring, sizeof before);
	write_hooks(PER_SECTION);
	box_rounds();
	box_close();
	memcpy(box.s.control->ring, before, sizeof before);
	off_t end = file_size(box.config.path) - abs(cut);
	ck_assert_int_ge(end, whole);
	ck_assert_int_eq(truncate(box.config.path, end), 0);
	read_file(&c, box.config.path);
	/* Readers can do without the zeros at the end of a section. */
	ck_assert_uint_ge(c.hooks, 3 * PER_SECTION);
	ck_assert(c.cut_off);
	contents_free(&c);
	ck_assert_uint_eq(box.s.control->drain.state, SHM_DRAIN_RUNNING);
	ck_assert(!session_is_drained(&box.s));
	box_drain();
	ck_assert_uint_eq(write_hooks(2 * PER_SECTION), 0);
	box_rounds();
	box_finish();
	hooks_of(box.next);
	ck_assert_uint_eq(box.s.control->drain.hooks, box.next);
	for (uint32_t i = 0; i < SHM_MAX_RINGS; i++)
		drained += (uint32_t)box.s.control->ring[i].drained;
	ck_assert_uint_eq(drained, box.next);
	box_end();
}

START_TEST(a_killed_drain_loses_nothing_and_writes_nothing_twice)
{
	for (int cut = 0; cut < 300; cut += cut < 100 ? 1 : 13)
		in_a_child(kill_and_take_up, cut);
	for (int cut = 1; cut <= SECTION + 64; cut += cut < 100 ? 7 : 501)
		in_a_child(kill_and_take_up, -cut);
	in_a_child(kill_and_take_up, -(SECTION + 64));
}
END_TEST

START_TEST(losses_are_reported_once_over_several_drains)
{
	struct contents c;
	uint32_t lost = 0;

	box_begin(4);
	lost += write_hooks(500); /* before there is a drain */
	box_drain();
	box_rounds();
	lost += write_hooks(500);
	drain_close(box.d); /* killed */
	lost += write_hooks(10);
	box_drain();
	box_rounds();
	lost += write_hooks(500);
	box_finish();
	lost += write_hooks(500);
	box_drain();
	box_finish();
	ck_assert_uint_gt(lost, 800);
	read_file(&c, box.config.path);
	ck_assert_uint_eq(c.full, lost);
	ck_assert_uint_eq(contents_sum(&c), box.next);
	contents_free_clean(&c);
}
END_TEST

static char shared_path[PATH_MAX];

static void write_another(int hooks)
{
	box_begin(4);
	strcpy(box.config.path, shared_path);
	box_drain();
	write_hooks((uint32_t)hooks);
	box_finish();
	hooks_of(box.next);
	box_end();
}

START_TEST(a_file_of_another_trace_is_replaced)
{
	struct contents c, other;
	char copy[PATH_MAX];

	snprintf(shared_path, sizeof shared_path, "%s/shared.bin", sandbox_dir());
	in_a_child(write_another, 30);
	read_file(&other, shared_path);
	ck_assert_uint_eq(other.hooks, 30);
	contents_free(&other);
	box_begin(4);
	strcpy(box.config.path, shared_path);
	file_name(99, copy);
	ck_assert_int_eq(link(shared_path, copy), 0);
	box_drain();
	write_hooks(20);
	box_finish();
	hooks_of(20);
	/* The other one is there again: the drain begins anew, where it ended. */
	ck_assert_int_eq(rename(copy, shared_path), 0);
	write_hooks(25);
	box_drain();
	box_finish();
	read_file(&c, shared_path);
	ck_assert_int_ne(memcmp(c.trace_id, other.trace_id, 16), 0);
	ck_assert_uint_eq(c.hooks, 25);
	ck_assert_uint_eq(c.first, 20);
	contents_free_clean(&c);
	ck_assert_uint_eq(box.s.control->drain.hooks, 45);
}
END_TEST

START_TEST(a_file_that_was_moved_away_is_not_written_again)
{
	struct contents c;
	char moved[PATH_MAX];
	uint32_t lost;

	box_start(4);
	lost = write_hooks(500);
	box_finish();
	file_name(77, moved);
	ck_assert_int_eq(rename(box.config.path, moved), 0);
	uint32_t from = box.next;
	uint32_t lost2 = write_hooks(400);
	box_drain();
	box_finish_read(&c);
	ck_assert_uint_eq(contents_sum(&c), 400);
	ck_assert_uint_eq(c.first, from);
	ck_assert_uint_eq(c.full, lost2);
	contents_free_clean(&c);
	read_file(&c, moved);
	ck_assert_uint_eq(c.full, lost);
	contents_free(&c);
}
END_TEST

START_TEST(a_file_that_is_damaged_in_the_middle_is_left_alone)
{
	struct session_error e = {""};

	box_begin(8);
	box.config.codec = TF_CODEC_NONE;
	box_drain();
	for (int i = 0; i < 100; i++) {
		write_hooks(5 * PER_SECTION);
		box_rounds();
	}
	box_finish();
	off_t size = file_size(box.config.path);
	ck_assert_int_gt(size, 1500000);
	int fd = open(box.config.path, O_RDWR);
	char junk[8192];
	memset(junk, 0x5a, sizeof junk);
	ck_assert_int_eq(pwrite(fd, junk, sizeof junk, 100000), sizeof junk);
	close(fd);
	int rc = drain_open(&box.d, &box.s, &box.config, &e);
	ck_assert_int_eq(rc, PU_ERR_FILE_ERROR);
	ck_assert_ptr_nonnull(strstr(e.text, "damaged"));
	ck_assert_int_eq(file_size(box.config.path), size);
	ck_assert(!session_is_drained(&box.s));
}
END_TEST

/* --------------------------------------------------------------------- rotation */

/* All files, the oldest first: the hooks of each begin where those of the one before end. */
static uint32_t read_all(int oldest, struct contents *sum)
{
	uint32_t files = 0;
	char name[PATH_MAX];

	memset(sum, 0, sizeof *sum);
	for (int n = oldest; n >= 0; n--) {
		struct contents c;

		file_name(n, name);
		read_file(&c, name); /* each decodes alone */
		contents_free_clean(&c);
		if (files++)
			ck_assert_mem_eq(c.trace_id, sum->trace_id, 16);
		read_more(sum, name);
	}
	return files;
}

static int oldest(void)
{
	char name[PATH_MAX];
	int n = 0;

	do
		file_name(++n, name);
	while (access(name, F_OK) == 0);
	return n - 1;
}

START_TEST(rotated_files_hold_everything_between_them)
{
	struct drain_status status;
	struct contents all;
	uint32_t lost = 0;

	box_begin(8);
	box.config.rotate = 16 << 10;
	box_drain();
	for (int i = 0; i < 60; i++) {
		lost += write_hooks(4 * PER_SECTION + (i % 20 == 7 ? 1000 : 0));
		box_rounds();
		if (i % 10 == 3) {
			drain_close(box.d); /* killed */
			box_drain();
		}
		if (i % 10 == 8) {
			box_finish();
			box_drain();
		}
	}
	box_finish_status(&status);
	ck_assert_int_gt(oldest(), 5);
	ck_assert_uint_eq((uint64_t)oldest(), status.rotations);
	ck_assert_uint_eq(read_all(oldest(), &all), status.rotations + 1);
	ck_assert_uint_eq(contents_sum(&all), box.next);
	ck_assert_uint_eq(all.full, lost);
	ck_assert_uint_gt(lost, 100);
	ck_assert_uint_eq(all.hooks, status.hooks);
	contents_free_clean(&all);
}
END_TEST

START_TEST(only_as_many_as_wanted_are_kept)
{
	struct contents all;
	char name[PATH_MAX];

	box_begin(8);
	box.config.rotate = 12 << 10;
	for (uint32_t keep = 5; keep < 6; keep -= 2) {
		box.config.keep = keep;
		box_drain();
		for (int i = 0; i < 60; i++) {
			write_hooks(4 * PER_SECTION);
			box_rounds();
		}
		box_finish();
		ck_assert_int_eq(oldest(), (int)keep);
		file_name((int)keep + 1, name);
		ck_assert_int_ne(access(name, F_OK), 0);
		read_all((int)keep, &all);
		ck_assert_uint_eq(all.last, box.next - 1);
		ck_assert_uint_eq(all.hooks, all.last - all.first + 1);
		contents_free(&all);
	}
	ck_assert_uint_eq(box.s.control->drain.hooks, box.next);
}
END_TEST

static void rotate_much(void)
{
	for (int i = 0; i < 12; i++) {
		write_hooks(4 * PER_SECTION);
		box_rounds();
	}
}

/* Between the calls of a rotation: a gap in the numbers; two names for one file; the new
 * file under its temporary name. */
START_TEST(a_rotation_that_was_cut_short_is_mended)
{
	char from[PATH_MAX], to[PATH_MAX];
	struct contents all;

	box_begin(8);
	box.config.rotate = 12 << 10;
	box_drain();
	rotate_much();
	drain_close(box.d);
	int n = oldest();
	ck_assert_int_gt(n, 2);
	/* FILE.2 and on were renamed, FILE.1 was not. */
	for (int i = n; i > 1; i--) {
		file_name(i, from);
		file_name(i + 1, to);
		ck_assert_int_eq(rename(from, to), 0);
	}
	box_drain();
	rotate_much();
	drain_close(box.d);
	n = oldest();
	/* FILE.1 is FILE already, the new one has no name yet. */
	for (int i = n; i > 0; i--) {
		file_name(i, from);
		file_name(i + 1, to);
		ck_assert_int_eq(rename(from, to), 0);
	}
	file_name(1, to);
	ck_assert_int_eq(link(box.config.path, to), 0);
	box_drain();
	rotate_much();
	box_finish();
	n = oldest();
	read_all(n, &all);
	ck_assert_uint_eq(all.hooks, box.next);
	ck_assert_uint_eq(contents_sum(&all), box.next);
	contents_free_clean(&all);
}
END_TEST

int main(int argc, char **argv)
{
	const TTest *const tests[] = {a_file_that_was_finished_is_gone_on_with,
		a_killed_drain_loses_nothing_and_writes_nothing_twice,
		losses_are_reported_once_over_several_drains, a_file_of_another_trace_is_replaced,
		a_file_that_was_moved_away_is_not_written_again,
		a_file_that_is_damaged_in_the_middle_is_left_alone,
		rotated_files_hold_everything_between_them, only_as_many_as_wanted_are_kept,
		a_rotation_that_was_cut_short_is_mended, NULL};

	return drain_suite("files", tests, argc, argv);
}
