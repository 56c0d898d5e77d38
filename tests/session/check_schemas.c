/*
 * Schemas that programs register: kept, deduplicated, bounded, carried into later sessions.
 */
#include <fcntl.h>
#include <string.h>

#include "suite.h"
#include "users.h"

static struct session box;

static void setup(void)
{
	sandbox_fresh();
	box_open(&box, SHM_MODE_WRAP, 65536, 4096);
}

static void expect_text(const char *expected)
{
	char *text;
	int n = session_schemas(&box, &text);

	ck_assert_int_eq(n, (int)strlen(expected));
	ck_assert_str_eq(text, expected);
	free(text);
}

static void in_a_child(const char *text, int code)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(TraceRegisterSchema(text) != code);
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
}

START_TEST(registered_once_each)
{
	setup();
	expect_text("");
	ck_assert_int_eq(TraceRegisterSchema("one\n"), PU_SUCCESS);
	expect_text("one\n");
	ck_assert_int_eq(TraceRegisterSchema("one\n"), PU_SUCCESS);
	in_a_child("one\n", PU_SUCCESS);
	expect_text("one\n");
	in_a_child("two, no newline", PU_SUCCESS);
	in_a_child("three\n", PU_SUCCESS);
	ck_assert_int_eq(TraceRegisterSchema("two, no newline"), PU_SUCCESS);
	expect_text("one\ntwo, no newline\nthree\n");
}
END_TEST

START_TEST(bad_texts)
{
	static char longer[SHM_SCHEMA_TEXT_MAX + 2];
	static const char *const bad[] = {"", "\xff", "\xc3", "\xc0\x80", "a\x80",
		"\xf5\x80\x80\x80", "bell \a", "delete \x7f", "\xe2\x82"};

	setup();
	ck_assert_int_eq(TraceRegisterSchema(NULL), PU_ERR_NULL_PTR);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_int_eq(TraceRegisterSchema(bad[i]), PU_ERROR_INVALID_PARAMETER);
	memset(longer, 'x', SHM_SCHEMA_TEXT_MAX + 1);
	ck_assert_int_eq(TraceRegisterSchema(longer), PU_ERROR_INVALID_PARAMETER);
	longer[SHM_SCHEMA_TEXT_MAX] = '\0';
	expect_text("");
	ck_assert_int_eq(TraceRegisterSchema(longer), PU_SUCCESS);
	ck_assert_int_eq(TraceRegisterSchema("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\t\r\n"), 0);
}
END_TEST

START_TEST(the_area_has_an_end)
{
	static char text[60001];
	char *all;
	int registered = 0, n;

	setup();
	memset(text, 'x', sizeof text - 1);
	for (int i = 0; i < 6; i++) {
		text[0] = (char)('a' + i);
		int rc = TraceRegisterSchema(text);
		ck_assert(rc == PU_SUCCESS || rc == PU_ERROR_INSUFFICIENT_BUFFER);
		registered += rc == PU_SUCCESS;
	}
	ck_assert_int_eq(registered, 4);
	/* A small one may still fit. */
	ck_assert_int_eq(TraceRegisterSchema("small\n"), PU_SUCCESS);
	n = session_schemas(&box, &all);
	ck_assert_int_eq(n, 4 * 60001 + 6);
	free(all);
}
END_TEST

START_TEST(kept_for_later_sessions)
{
	struct session_config config = {
		.ring_bytes = 65536, .section_bytes = 4096, .group = (gid_t)-1};

	sandbox_fresh();
	ck_assert_int_eq(TraceRegisterSchema("early\n"), PU_SUCCESS);
	box_open_bare(&box);
	ck_assert_int_eq(TraceRegisterSchema("before init\n"), PU_SUCCESS);
	ck_assert_int_eq(session_init(&box, &config, NULL), 0);
	ck_assert_int_eq(TraceRegisterSchema("after init\n"), PU_SUCCESS);
	ck_assert_int_eq(session_on(&box, NULL), 0);
	TraceHookWords(1, 1, 0, NULL);
	char *text;
	ck_assert_int_eq(session_schemas(&box, &text), 6 + 12 + 11);
	ck_assert_ptr_nonnull(strstr(text, "early\n"));
	ck_assert_ptr_nonnull(strstr(text, "before init\n"));
	ck_assert_ptr_nonnull(strstr(text, "after init\n"));
	free(text);
	ck_assert_int_eq(session_off(&box, NULL), 0);
	ck_assert_int_eq(session_init(&box, &config, NULL), 0);
	expect_text(""); /* until the program writes its first hook there */
	ck_assert_int_eq(session_on(&box, NULL), 0);
	TraceHookWords(1, 1, 0, NULL);
	ck_assert_int_eq(session_schemas(&box, &text), 6 + 12 + 11);
	free(text);
}
END_TEST

static void set_used(uint32_t used)
{
	ck_assert_int_eq(
		pwrite(box.schemas_fd, &used, 4, offsetof(struct shm_schema_file, used)), 4);
}

START_TEST(areas_of_nonsense)
{
	static uint8_t junk[SHM_SCHEMA_BYTES];
	static const uint32_t useds[] = {0, 1, 7, 8, 9, 4096, SHM_SCHEMA_BYTES - 8,
		SHM_SCHEMA_BYTES, SHM_SCHEMA_BYTES + 8, UINT32_MAX, UINT32_MAX - 7};

	setup();
	srand(9);
	for (int round = 0; round < 100; round++) {
		char *text;

		for (size_t i = 0; i < sizeof junk; i++)
			junk[i] = (uint8_t)rand();
		/* Lengths that lead on, as often as not. */
		for (size_t i = 0; round % 2 && i + 8 < sizeof junk; i += 512)
			put_le32(junk + i, rand() % 2 ? 504 : (uint32_t)rand());
		ck_assert_int_gt(pwrite(box.schemas_fd, junk, sizeof junk,
					 offsetof(struct shm_schema_file, area)),
			0);
		set_used(useds[round % (sizeof useds / sizeof *useds)]);
		int n = session_schemas(&box, &text);
		ck_assert_int_ge(n, 0);
		ck_assert_int_le(n, SHM_SCHEMA_BYTES);
		free(text);
		snprintf((char *)junk, 32, "text %d\n", round);
		int rc = TraceRegisterSchema((char *)junk);
		ck_assert(rc == PU_SUCCESS || rc == PU_ERROR_INSUFFICIENT_BUFFER);
	}
}
END_TEST

START_TEST(a_lock_that_somebody_sits_on)
{
	struct flock fl = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
	struct account a;

	setup();
	ck_assert_int_eq(fcntl(box.schemas_fd, F_OFD_SETLK, &fl), 0);
	in_a_child("not now\n", PU_ERROR_FACILITY_BUSY);
	expect_text("");
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_SUCCESS);
	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(a.hooks, 1);
}
END_TEST

static int body(int argc, char **argv)
{
	const TTest *const tests[] = {registered_once_each, bad_texts, the_area_has_an_end,
		kept_for_later_sessions, areas_of_nonsense, a_lock_that_somebody_sits_on, NULL};

	(void)argc;
	(void)argv;
	return run_suite("schemas", tests);
}

int main(int argc, char **argv)
{
	return sandbox_run(body, argc, argv, 60);
}
