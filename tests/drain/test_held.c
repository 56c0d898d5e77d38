/* Records that are not committed when their section is finished. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drained.h"

/* A checked hook of id 1 that is filled but not committed yet. */
static void begin_hook(struct hook_writer *w)
{
	ck_assert_int_eq(hook_begin(w, CHECKED_MAJOR, CHECKED_BYTES, 1), HOOK_RESERVED);
}

/* Ends a hook of another major, to tell it apart: "foreign". */
static void end_hook(struct hook_writer *w)
{
	uint8_t *at = hook_record(w, 0x52, 1, 7, 0, 0);

	memset(at, 0, 28);
	hook_commit(w);
}

START_TEST(a_section_waits_for_a_record_that_is_not_committed)
{
	struct hook_writer w;
	struct contents c;

	box_start(16);
	write_hooks(10);
	begin_hook(&w);
	write_hooks(3 * PER_SECTION);
	box_rounds();
	file_expect_hooks(box.config.path, 0);
	end_hook(&w);
	box_rounds();
	box_finish_read(&c);
	ck_assert_uint_eq(c.foreign, 1);
	c.foreign = 0;
	ck_assert_uint_eq(c.hooks, box.next);
	contents_free_clean(&c);
}
END_TEST

/* The ring does not fill up for one record's sake: the record is torn. */
START_TEST(a_section_does_not_wait_when_its_room_is_needed)
{
	struct hook_writer w;
	struct contents c;
	uint32_t lost = 0;

	box_start(16);
	begin_hook(&w);
	for (int i = 0; i < 40; i++) {
		lost += write_hooks(PER_SECTION);
		box_rounds();
	}
	ck_assert_uint_eq(lost, 0);
	/* Its held record is still its own. */
	end_hook(&w);
	lost += write_hooks(PER_SECTION * 20);
	box_finish_read(&c);
	ck_assert_uint_eq(c.torn, 1);
	ck_assert_uint_eq(contents_sum(&c), box.next + 1);
	ck_assert_uint_eq(c.full, lost);
	ck_assert_uint_eq(c.foreign + c.not_whole + c.out_of_order + c.damaged_bytes, 0);
	ck_assert_uint_eq(box.s.control->drain.torn, 1);
	contents_free(&c);
}
END_TEST

static void die_in_a_hook(void)
{
	struct hook_writer w;

	begin_hook(&w);
	raise(SIGKILL);
}

START_TEST(sections_of_the_dead_are_reclaimed)
{
	struct contents c;
	int status, rounds = 0;

	box_start(16);
	write_hooks(10);
	pid_t pid = fork();
	if (pid == 0)
		die_in_a_hook();
	waitpid(pid, &status, 0);
	ck_assert(WIFSIGNALED(status));
	write_hooks(3 * PER_SECTION);
	struct drain_status now = {0};
	while (now.hooks < 3 * PER_SECTION - 10 && rounds++ < 2000) {
		box_rounds();
		drain_status(box.d, &now);
		usleep(1000);
	}
	ck_assert_uint_ge(now.hooks, 3 * PER_SECTION - 10);
	ck_assert_uint_eq(now.torn, 1);
	box_finish_read(&c);
	ck_assert_uint_eq(c.hooks, box.next);
	ck_assert_uint_eq(c.torn, 1);
	ck_assert_uint_eq(c.foreign + c.not_whole + c.out_of_order + c.damaged_bytes, 0);
	contents_free(&c);
}
END_TEST

START_TEST(an_end_does_not_wait_for_ever)
{
	struct hook_writer w;
	struct contents c;

	box_start(16);
	write_hooks(10);
	begin_hook(&w);
	write_hooks(10);
	box_finish_read(&c);
	ck_assert_uint_eq(c.hooks, 20);
	ck_assert_uint_eq(c.torn, 1);
	contents_free(&c);
	/* Committed too late: it was counted, and is not written by the next drain. */
	end_hook(&w);
	write_hooks(10);
	box_drain();
	box_finish_read(&c);
	ck_assert_uint_eq(c.hooks, 30);
	ck_assert_uint_eq(c.torn, 1);
	ck_assert_uint_eq(c.foreign + c.out_of_order, 0);
	contents_free(&c);
}
END_TEST

/* Nothing but records that were never committed: the section is in the file all the same. */
START_TEST(a_section_without_hooks_is_written)
{
	struct hook_writer w[PER_SECTION + 1];
	struct contents c;

	box_start(4);
	for (int i = 0; i < PER_SECTION + 1; i++)
		begin_hook(&w[i]);
	box_finish_read(&c);
	ck_assert_uint_eq(c.hooks, 0);
	ck_assert_uint_eq(c.torn, PER_SECTION + 1);
	ck_assert_uint_eq(c.loss_torn, 0);
	ck_assert_uint_eq(box.s.control->drain.torn, PER_SECTION + 1);
	contents_free(&c);
}
END_TEST

/* A drain whose file is full, before its end. */
static void fail_drain(struct hook_writer *w)
{
	struct session_error e = {""};

	box_begin(16);
	box.config.codec = TF_CODEC_NONE;
	box_drain();
	write_hooks(2 * PER_SECTION);
	begin_hook(w);
	file_limit_size((rlim_t)file_size(box.config.path) + 1);
	ck_assert_int_eq(drain_round(box.d, &e), PU_ERR_FILE_ERROR);
}

static void *commit_late(void *w)
{
	usleep(20000);
	end_hook(w);
	return NULL;
}

START_TEST(a_record_that_commits_after_the_drain_failed_is_unwritten)
{
	struct drain_status status;
	struct hook_writer w;
	pthread_t writer;

	fail_drain(&w);
	ck_assert_int_eq(pthread_create(&writer, NULL, commit_late, &w), 0);
	box_finish_failed(&status);
	ck_assert_int_eq(pthread_join(writer, NULL), 0);
	ck_assert_uint_eq(status.torn, 0);
	ck_assert_uint_eq(status.lost_unwritten, box.next + 1);
}
END_TEST

/* The failure leaves no file to write it to: it is counted once. */
START_TEST(a_record_that_is_torn_when_the_drain_fails_counts_once)
{
	struct drain_status status;
	struct hook_writer w;

	fail_drain(&w);
	box_finish_failed(&status);
	ck_assert_uint_eq(status.torn, 1);
	ck_assert_uint_eq(status.lost_unwritten, box.next);
}
END_TEST

int main(int argc, char **argv)
{
	const TTest *const tests[] = {a_record_that_is_torn_when_the_drain_fails_counts_once,
		a_record_that_commits_after_the_drain_failed_is_unwritten,
		a_section_waits_for_a_record_that_is_not_committed,
		a_section_does_not_wait_when_its_room_is_needed, sections_of_the_dead_are_reclaimed,
		an_end_does_not_wait_for_ever, a_section_without_hooks_is_written, NULL};

	return drain_suite("held", tests, argc, argv);
}
