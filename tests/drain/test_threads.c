/*
 * A drain with several threads: the order of the file and the ledger, whenever it is killed and
 * whichever write fails.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../libtrace/ring/layout.h"
#include "drained.h"

enum { RING_SECTIONS = 64 };

static void file_is_whole(uint64_t lost)
{
	struct contents c;

	read_file(&c, box.config.path);
	ck_assert_uint_eq(c.full, lost);
	ck_assert_uint_eq(c.hooks + lost, box.next);
	ck_assert_uint_eq(contents_sum(&c), box.next);
	contents_free_clean(&c);
}

START_TEST(other_threads_compress_and_the_order_stays)
{
	box_start(RING_SECTIONS);
	for (int i = 0; i < 10; i++) {
		ck_assert_uint_eq(write_hooks(40 * PER_SECTION), 0);
		box_rounds();
	}
	ck_assert_uint_gt(box_packed_elsewhere(), 0);
	box_finish();
	file_is_whole(0);
}
END_TEST

START_TEST(one_thread_is_the_drains_own)
{
	box_begin(RING_SECTIONS);
	box.config.threads = 1;
	box_drain();
	ck_assert_uint_eq(write_hooks(40 * PER_SECTION), 0);
	box_rounds();
	ck_assert_uint_eq(box_packed_elsewhere(), 0);
	box_finish();
	file_is_whole(0);
}
END_TEST

/* Whether all released sections are in the file. */
static bool box_is_released_in_file(void)
{
	const struct shm_ring_control *control = box.s.control->ring;
	uint64_t released = 0, in_file;
	struct contents c;

	for (uint32_t r = 0; r < SHM_MAX_RINGS; r++)
		released += ring_released(&box.s.geometry, box.s.generation,
				    __atomic_load_n(&control[r].released, __ATOMIC_ACQUIRE)) /
			    SECTION;
	read_file(&c, box.config.path);
	in_file = c.hooks / PER_SECTION;
	contents_free(&c);
	return in_file >= released;
}

/* Compares twenty times for each byte that comes. */
__attribute__((noreturn)) static void watch_released(int orders)
{
	char order;

	while (read(orders, &order, 1) == 1)
		for (int n = 0; n < 20; n++)
			if (!box_is_released_in_file())
				_exit(1);
	_exit(0);
}

/* The drain releases a section only after it wrote it: the writers' room shows how far it got. */
START_TEST(nothing_is_released_before_it_is_in_the_file)
{
	int orders[2], status;

	box_begin(RING_SECTIONS);
	ck_assert_int_eq(pipe(orders), 0);
	/* Fork before the drain has threads: one of them could hold the allocator's lock. */
	pid_t pid = fork();
	if (pid == 0) {
		close(orders[1]);
		watch_released(orders[0]);
	}
	close(orders[0]);
	box_drain();
	for (int i = 0; i < 4; i++) {
		write_hooks(50 * PER_SECTION);
		ck_assert_int_eq(write(orders[1], "", 1), 1);
		box_rounds();
	}
	close(orders[1]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	box_finish();
	file_is_whole(0);
}
END_TEST

__attribute__((noreturn)) static void drain_until_killed(void)
{
	box_drain();
	for (;;) {
		box_rounds();
		usleep(200);
	}
}

START_TEST(a_drain_killed_with_sections_on_their_way_loses_none)
{
	uint32_t lost = 0;
	unsigned seed = 1;

	box_begin(RING_SECTIONS);
	box.config.rotate = _i ? 64 << 10 : 0;
	for (int turn = 0; turn < 40; turn++) {
		pid_t pid = fork();

		if (pid == 0)
			drain_until_killed();
		for (int i = rand_r(&seed) % 12; i >= 0; i--) {
			lost += write_hooks((uint32_t)(rand_r(&seed) % 1500));
			usleep((unsigned)rand_r(&seed) % 3000);
		}
		ck_assert_int_eq(kill(pid, SIGKILL), 0);
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	}
	box_drain();
	box_rounds();
	session_off(&box.s, NULL);
	struct drain_status status;
	box_finish_status(&status);
	ck_assert_uint_eq(status.hooks + lost, box.next);
	ck_assert_uint_eq(status.lost_full, lost);
	if (_i == 0)
		file_is_whole(lost);
}
END_TEST

/* The limit falls into any of the sections that are on their way. */
START_TEST(a_failed_write_requeues_later_sections)
{
	struct session_error e = {""};
	struct drain_status status;
	struct contents c;

	box_start(RING_SECTIONS);
	ck_assert_uint_eq(write_hooks(30 * PER_SECTION + 7), 0);
	file_limit_size((rlim_t)file_size(box.config.path) + 1 + (rlim_t)_i * 777);
	ck_assert_int_eq(drain_round(box.d, &e), PU_ERR_FILE_ERROR);
	drain_status(box.d, &status);
	/* All that is not written is still in the rings. */
	ck_assert_uint_ge(status.waiting, (uint64_t)(box.next - status.hooks) * CHECKED_BYTES);
	box_finish_failed(&status);
	ck_assert_uint_eq(status.hooks + status.lost_unwritten, box.next);
	ck_assert_uint_eq(status.waiting, 0);
	box_close();
	file_limit_size(RLIM_INFINITY);
	/* Another one goes on. */
	uint32_t unwritten = (uint32_t)status.lost_unwritten;
	box_drain();
	ck_assert_uint_eq(write_hooks(20 * PER_SECTION), 0);
	box_rounds();
	box_finish_read(&c);
	ck_assert_uint_eq(c.unwritten, unwritten);
	ck_assert_uint_eq(contents_sum(&c), box.next);
	contents_free_clean(&c);
}
END_TEST

int main(int argc, char **argv)
{
	char *words[] = {argv[0], "threads", NULL};
	const TTest *const tests[] = {other_threads_compress_and_the_order_stays,
		one_thread_is_the_drains_own, nothing_is_released_before_it_is_in_the_file, NULL};
	const struct suite_loop loops[] = {
		{a_drain_killed_with_sections_on_their_way_loses_none, 0, 2},
		{a_failed_write_requeues_later_sections, 0, 20}, {NULL, 0, 0}};

	(void)argc;
	return drain_suite_with_loops("threads", tests, loops, 2, words);
}
