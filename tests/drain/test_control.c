/* Continuous mode by the calls of perfutil.h: a program streams to the file it named. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "drained.h"

#define WORKS(call) ck_assert_int_eq(call, PU_SUCCESS)

static struct session s;

/* A fresh session in continuous mode; the file's name is relative to the sandbox. */
static void begin(char *file, uint32_t ring_bytes)
{
	sandbox_fresh();
	box_pin(0);
	ck_assert_int_eq(chdir(sandbox_dir()), 0);
	WORKS(TraceSetSectionSize(SECTION));
	WORKS(TraceSetMode(TRACE_MODE_CONTINUOUS));
	WORKS(TraceSetName(file));
	WORKS(TraceInit(ring_bytes));
}

static void open_session(void)
{
	struct session_location location;

	ck_assert_int_eq(session_find(&location, NULL), 0);
	ck_assert_int_eq(session_open(&s, &location, SESSION_READ, NULL), 0);
}

START_TEST(the_file_is_whole_after_off)
{
	char name[] = "streamed.bin";
	uint8_t id[16] = {0};
	struct contents c;

	begin(name, 1 << 20);
	for (int i = 0; i < 3; i++) {
		WORKS(TraceOn());
		ck_assert_int_eq(IsTraceOn(), 1);
		ck_assert_int_eq(TraceOn(), PU_ERROR_INCORRECT_STATE);
		ck_assert_int_eq(TraceInit(0), PU_ERROR_INCORRECT_STATE);
		ck_assert_uint_eq(write_hooks(1000), 0);
		WORKS(i < 2 ? TraceOff() : TraceTerminate());
		read_file(&c, name);
		ck_assert_uint_eq(c.hooks, box.next);
		contents_free_clean(&c);
		/* On again, the same trace goes on. */
		if (i)
			ck_assert_mem_eq(id, c.trace_id, sizeof id);
		memcpy(id, c.trace_id, sizeof id);
	}
	ck_assert_int_eq(TraceOff(), PU_ERROR_NO_BUFFER);
}
END_TEST

START_TEST(hooks_beyond_the_ring_are_in_the_file_or_lost)
{
	char name[] = "streamed.bin";
	struct contents c;
	uint32_t lost = 0;

	begin(name, 8 * SECTION);
	WORKS(TraceOn());
	open_session();
	while (s.control->drain.hooks < 1000)
		lost += write_hooks(100);
	WORKS(TraceOff());
	read_file(&c, name);
	ck_assert_uint_ge(c.hooks, 1000);
	ck_assert_uint_eq(c.full + c.held + c.other, lost);
	ck_assert_uint_eq(contents_sum(&c), box.next);
	contents_free_clean(&c);
	session_close(&s);
	WORKS(TraceTerminate());
}
END_TEST

START_TEST(a_killed_drain_is_replaced_or_finished_for)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	char name[] = "streamed.bin";

	begin(name, 1 << 20);
	for (int i = 0; i < 2; i++) {
		WORKS(TraceOn());
		open_session();
		ck_assert_uint_eq(write_hooks(100), 0);
		ck_assert_int_eq(kill((pid_t)s.control->drain.pid, SIGKILL), 0);
		while (session_is_drained(&s))
			nanosleep(&pause, NULL);
		session_close(&s);
		if (i == 0)
			WORKS(TraceOn()); /* another takes the file up */
		ck_assert_uint_eq(write_hooks(100), 0);
		WORKS(TraceOff());
		file_expect_clean(name, box.next);
	}
	WORKS(TraceTerminate());
}
END_TEST

START_TEST(without_a_file_nothing_begins)
{
	char directory[] = "made/later", output[] = "-";

	begin(directory, 1 << 20);
	ck_assert_int_eq(TraceOn(), PU_ERR_FILE_ERROR);
	ck_assert_int_eq(IsTraceActive(), 0);
	ck_assert_int_eq(mkdir("made", 0700), 0);
	/* The name holds for another working directory too. */
	ck_assert_int_eq(chdir("/"), 0);
	WORKS(TraceOn());
	ck_assert_uint_eq(write_hooks(10), 0);
	WORKS(TraceTerminate());
	ck_assert_int_eq(chdir(sandbox_dir()), 0);
	file_expect_hooks(directory, 10);
	WORKS(TraceSetName(output));
	ck_assert_int_eq(TraceInit(0), PU_ERROR_INVALID_PARAMETER);
	/* The other modes stream nothing. */
	WORKS(TraceSetMode(TRACE_MODE_WRAP));
	WORKS(TraceInit(1 << 20));
	WORKS(TraceOn());
	open_session();
	ck_assert(!session_is_drained(&s));
	session_close(&s);
	WORKS(TraceTerminate());
}
END_TEST

int main(int argc, char **argv)
{
	const TTest *const tests[] = {the_file_is_whole_after_off,
		hooks_beyond_the_ring_are_in_the_file_or_lost,
		a_killed_drain_is_replaced_or_finished_for, without_a_file_nothing_begins, NULL};

	return drain_suite("control", tests, argc, argv);
}
