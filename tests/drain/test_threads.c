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

static void file_is_whole(struct box *b, uint32_t next, uint64_t lost)
{
	struct contents c;

	read_file(&c, b->config.path);
	ck_assert_uint_eq(c.full, lost);
	ck_assert_uint_eq(c.hooks + lost, next);
	ck_assert_uint_eq(contents_sum(&c), next);
	contents_free_clean(&c);
}

START_TEST(other_threads_compress_and_the_order_stays)
{
	struct box b;
	uint32_t next = 0;

	box_start(&b, RING_SECTIONS);
	for (int i = 0; i < 10; i++) {
		ck_assert_uint_eq(write_hooks(1, &next, 40 * PER_SECTION), 0);
		box_rounds(&b);
	}
	ck_assert_uint_gt(box_packed_elsewhere(), 0);
	box_finish(&b);
	file_is_whole(&b, next, 0);
	box_end(&b);
}
END_TEST

START_TEST(one_thread_is_the_drains_own)
{
	struct box b;
	uint32_t next = 0;

	box_begin(&b, RING_SECTIONS);
	b.config.threads = 1;
	box_drain(&b);
	ck_assert_uint_eq(write_hooks(1, &next, 40 * PER_SECTION), 0);
	box_rounds(&b);
	ck_assert_uint_eq(box_packed_elsewhere(), 0);
	box_finish(&b);
	file_is_whole(&b, next, 0);
	box_end(&b);
}
END_TEST

/* Whether all released sections are in the file. */
static bool box_is_released_in_file(struct box *b)
{
	const struct shm_ring_control *control = b->s.control->ring;
	uint64_t released = 0, in_file;
	struct contents c;

	for (uint32_t r = 0; r < SHM_MAX_RINGS; r++)
		released += ring_released(&b->s.geometry, b->s.generation,
				    __atomic_load_n(&control[r].released, __ATOMIC_ACQUIRE)) /
			    SECTION;
	read_file(&c, b->config.path);
	in_file = c.hooks / PER_SECTION;
	contents_free(&c);
	return in_file >= released;
}

/* Compares twenty times for each byte that comes. */
__attribute__((noreturn)) static void watch_released(struct box *b, int orders)
{
	char order;

	while (read(orders, &order, 1) == 1)
		for (int n = 0; n < 20; n++)
			if (!box_is_released_in_file(b))
				_exit(1);
	_exit(0);
}

/* The drain releases a section only after it wrote it: the writers' room shows how far it got. */
START_TEST(nothing_is_released_before_it_is_in_the_file)
{
	int orders[2], status;
	struct box b;
	uint32_t next = 0;

	box_begin(&b, RING_SECTIONS);
	ck_assert_int_eq(pipe(orders), 0);
	/* Fork before the drain has threads: one of them could hold the allocator's lock. */
	pid_t pid = fork();
	if (pid == 0) {
		close(orders[1]);
		watch_released(&b, orders[0]);
	}
	close(orders[0]);
	box_drain(&b);
	for (int i = 0; i < 4; i++) {
		write_hooks(1, &next, 50 * PER_SECTION);
		ck_assert_int_eq(write(orders[1], "", 1), 1);
		box_rounds(&b);
	}
	close(orders[1]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	box_finish(&b);
	file_is_whole(&b, next, 0);
	box_end(&b);
}
END_TEST

__attribute__((noreturn)) static void drain_until_killed(struct box *b)
{
	box_drain(b);
	for (;;) {
		box_rounds(b);
		usleep(200);
	}
}

START_TEST(a_drain_killed_with_sections_on_their_way_loses_none)
{
	uint32_t next = 0, lost = 0;
	unsigned seed = 1;
	struct box b;

	box_begin(&b, RING_SECTIONS);
	b.config.rotate = _i ? 64 << 10 : 0;
	for (int turn = 0; turn < 40; turn++) {
		pid_t pid = fork();

		if (pid == 0)
			drain_until_killed(&b);
		for (int i = rand_r(&seed) % 12; i >= 0; i--) {
			lost += write_hooks(1, &next, (uint32_t)(rand_r(&seed) % 1500));
			usleep((unsigned)rand_r(&seed) % 3000);
		}
		ck_assert_int_eq(kill(pid, SIGKILL), 0);
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	}
	box_drain(&b);
	box_rounds(&b);
	session_off(&b.s, NULL);
	struct drain_status status;
	box_finish_status(&b, &status);
	ck_assert_uint_eq(status.hooks + lost, next);
	ck_assert_uint_eq(status.lost_full, lost);
	if (_i == 0)
		file_is_whole(&b, next, lost);
	box_end(&b);
}
END_TEST

/* The limit falls into any of the sections that are on their way. */
START_TEST(a_failed_write_requeues_later_sections)
{
	struct session_error e = {""};
	struct drain_status status;
	struct contents c;
	struct box b;
	uint32_t next = 0;

	box_start(&b, RING_SECTIONS);
	ck_assert_uint_eq(write_hooks(1, &next, 30 * PER_SECTION + 7), 0);
	file_limit_size((rlim_t)file_size(b.config.path) + 1 + (rlim_t)_i * 777);
	ck_assert_int_eq(drain_round(b.d, &e), PU_ERR_FILE_ERROR);
	drain_status(b.d, &status);
	/* All that is not written is still in the rings. */
	ck_assert_uint_ge(status.waiting, (uint64_t)(next - status.hooks) * CHECKED_BYTES);
	box_finish_failed(&b, &status);
	ck_assert_uint_eq(status.hooks + status.lost_unwritten, next);
	ck_assert_uint_eq(status.waiting, 0);
	box_close(&b);
	file_limit_size(RLIM_INFINITY);
	/* Another one goes on. */
	uint32_t unwritten = (uint32_t)status.lost_unwritten;
	box_drain(&b);
	ck_assert_uint_eq(write_hooks(1, &next, 20 * PER_SECTION), 0);
	box_rounds(&b);
	box_finish_read(&b, &c);
	ck_assert_uint_eq(c.unwritten, unwritten);
	ck_assert_uint_eq(contents_sum(&c), next);
	contents_free_clean(&c);
	box_end(&b);
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
