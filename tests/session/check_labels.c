/*
 * Labels of a session: one number for a text, for all programs; bounded; harmless where another
 * member scribbles, keeps the lock, or fills the table.
 */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "../../libtrace/session/attach.h"
#include "../../libtrace/session/labels.h"
#include "../../libtrace/ring/thread.h"
#include "../lib/suites.h"
#include "sandbox.h"
#include "users.h"

static struct session box;

/* Attaches the thread: numbers are of the rings it writes to. */
static void setup(void)
{
	sandbox_fresh();
	box_open(&box, SHM_MODE_WRAP, 65536, 4096);
	ck_assert_int_eq(TraceHook(0x10, 1, 0, 0), PU_SUCCESS);
}

static uint32_t number_of(const char *text)
{
	return attach_find_label(text, (uint32_t)strlen(text), NULL);
}

static uint32_t number_in_child(const char *text)
{
	uint32_t number = 0;
	int out[2];
	pid_t pid;

	ck_assert_int_eq(pipe(out), 0);
	pid = fork();
	if (pid == 0) {
		TraceHook(0x10, 1, 0, 0);
		number = number_of(text);
		_exit(write(out[1], &number, sizeof number) != sizeof number);
	}
	ck_assert_int_eq(read(out[0], &number, sizeof number), sizeof number);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	close(out[0]);
	close(out[1]);
	return number;
}

START_TEST(one_number_for_a_text_in_all_processes)
{
	uint32_t one, two;

	setup();
	ck_assert_uint_eq(session_labels_used(&box), 0);
	one = number_of("one");
	ck_assert_uint_eq(one, 1);
	ck_assert_uint_eq(number_of("one"), one);
	two = number_in_child("two");
	ck_assert_uint_eq(two, 3);
	ck_assert_uint_eq(number_in_child("one"), one);
	ck_assert_uint_eq(number_of("two"), two);
	ck_assert_uint_eq(number_of("three"), 5);
	ck_assert_uint_eq(session_labels_used(&box), 3 * 16);
}
END_TEST

START_TEST(dumps_read_whole_labels)
{
	uint8_t bytes[SHM_LABEL_TEXT_MAX + 8];
	const struct shm_text *first = (const void *)bytes;

	setup();
	ck_assert_uint_eq(number_of("one"), 1);
	ck_assert_uint_eq(number_of("a longer one"), 3);
	ck_assert_uint_eq(session_read_labels(&box, 0, bytes, sizeof bytes), 16 + 24);
	ck_assert_uint_eq(first->length, 3);
	ck_assert_mem_eq(first->text, "one", 3);
	/* Room for half of the second. */
	ck_assert_uint_eq(session_read_labels(&box, 0, bytes, 32), 16);
	ck_assert_uint_eq(session_read_labels(&box, 16, bytes, sizeof bytes), 24);
	ck_assert_uint_eq(session_read_labels(&box, 40, bytes, sizeof bytes), 0);
}
END_TEST

START_TEST(an_invalid_label_has_no_number)
{
	static char big[SHM_LABEL_TEXT_MAX + 2];

	setup();
	memset(big, 'x', sizeof big - 1);
	ck_assert_uint_eq(attach_find_label("", 0, NULL), 0);
	ck_assert_uint_eq(attach_find_label(big, SHM_LABEL_TEXT_MAX + 1, NULL), 0);
	ck_assert_uint_eq(attach_find_label(big, SHM_LABEL_TEXT_MAX, NULL), 1);
	/* Bytes behind a NUL count. */
	ck_assert_uint_ne(attach_find_label("a\0b", 3, NULL), attach_find_label("a\0c", 3, NULL));
}
END_TEST

START_TEST(cached_numbers_are_of_one_generation)
{
	const struct session_config config = {
		.ring_bytes = 65536, .section_bytes = 4096, .mode = SHM_MODE_WRAP, .group = -1};
	uint64_t cached = 0;
	uint32_t second;

	setup();
	ck_assert_uint_eq(number_of("other"), 1);
	second = attach_find_label("label", 5, &cached);
	ck_assert_uint_eq(second, 3);
	ck_assert_uint_eq(attach_find_label("label", 5, &cached), second);
	ck_assert_int_eq(session_off(&box, NULL), 0);
	ck_assert_int_eq(session_init(&box, &config, NULL), 0);
	ck_assert_int_eq(session_on(&box, NULL), 0);
	ck_assert_int_eq(TraceHook(0x10, 1, 0, 0), PU_SUCCESS);
	ck_assert_uint_eq(attach_find_label("label", 5, &cached), 1);
	ck_assert_uint_eq(attach_find_label("label", 5, &cached), 1);
}
END_TEST

START_TEST(many_labels_grow_the_index)
{
	char text[32];

	setup();
	for (int turn = 0; turn < 2; turn++) {
		for (uint32_t i = 0; i < 5000; i++) {
			snprintf(text, sizeof text, "label %06u", i);
			ck_assert_uint_eq(number_of(text), 3 * i + 1);
		}
	}
}
END_TEST

START_TEST(a_full_table_refuses_new_labels_alone)
{
	static char big[SHM_LABEL_TEXT_MAX + 1];
	uint32_t known = 0;

	setup();
	ck_assert_uint_eq(number_of("one"), 1);
	memset(big, 'x', SHM_LABEL_TEXT_MAX);
	for (; known < SHM_LABEL_BYTES / SHM_LABEL_TEXT_MAX; known++) {
		snprintf(big, 16, "%u", known);
		if (attach_find_label(big, SHM_LABEL_TEXT_MAX, NULL) == 0)
			break;
	}
	ck_assert_uint_eq(known, SHM_LABEL_BYTES / shm_text_bytes(SHM_LABEL_TEXT_MAX));
	ck_assert_uint_eq(number_of("one"), 1);
	ck_assert_uint_ne(number_in_child("one"), 0);
}
END_TEST

START_TEST(scribbled_lengths_are_bounded)
{
	const uint32_t lengths[] = {0, 0xffffffffu, SHM_LABEL_TEXT_MAX + 1, 9};
	const off_t area = offsetof(struct shm_label_file, area);
	uint8_t bytes[SHM_LABEL_TEXT_MAX + 8];

	setup();
	ck_assert_uint_eq(number_of("one"), 1);
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		ck_assert_int_eq(pwrite(box.labels_fd, &lengths[i], 4, area), 4);
		ck_assert_uint_eq(session_read_labels(&box, 0, bytes, sizeof bytes), 0);
		ck_assert_uint_eq(number_in_child("two"), 0);
	}
	/* Fewer bytes in use than were read. */
	const uint32_t used = 0, all = 16;
	ck_assert_int_eq(pwrite(box.labels_fd, &used, 4, offsetof(struct shm_label_file, used)), 4);
	ck_assert_uint_eq(number_of("three"), 0);
	ck_assert_int_eq(pwrite(box.labels_fd, &all, 4, offsetof(struct shm_label_file, used)), 4);
	usleep(150000);
	/* Its length differs now: it is another label. */
	ck_assert_uint_eq(number_of("one"), 3);
}
END_TEST

START_TEST(a_kept_lock_delays_by_milliseconds_and_costs_the_number)
{
	struct flock fl = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
	struct timespec from, to;

	setup();
	ck_assert_uint_eq(number_of("one"), 1);
	ck_assert_int_eq(fcntl(box.labels_fd, F_OFD_SETLK, &fl), 0);
	clock_gettime(CLOCK_MONOTONIC, &from);
	ck_assert_uint_eq(number_of("two"), 0);
	for (int i = 0; i < 1000; i++) /* the next attempt is 100 ms away */
		ck_assert_uint_eq(number_of("one"), 1);
	clock_gettime(CLOCK_MONOTONIC, &to);
	/* A wait without an end would outlast this; a pause of a loaded machine does not. */
	ck_assert_int_lt(to.tv_sec - from.tv_sec, 20);
	fl.l_type = F_UNLCK;
	ck_assert_int_eq(fcntl(box.labels_fd, F_OFD_SETLK, &fl), 0);
	usleep(150000);
	ck_assert_uint_eq(number_of("two"), 3);
}
END_TEST

START_TEST(rings_without_a_table_have_no_labels)
{
	char path[PATH_MAX];

	setup();
	snprintf(path, sizeof path, "%s/labels.%u", box.location.dir, box.generation);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_uint_eq(number_of("one"), 0);
}
END_TEST

SANDBOX_MAIN(60, "labels", .timeout = 60,
	TESTS(one_number_for_a_text_in_all_processes, dumps_read_whole_labels,
		an_invalid_label_has_no_number, cached_numbers_are_of_one_generation,
		many_labels_grow_the_index, a_full_table_refuses_new_labels_alone,
		scribbled_lengths_are_bounded,
		a_kept_lock_delays_by_milliseconds_and_costs_the_number,
		rings_without_a_table_have_no_labels))
