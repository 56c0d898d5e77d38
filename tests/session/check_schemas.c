/*
 * Schemas that programs register: kept, deduplicated, bounded, carried into later sessions.
 */
#include <fcntl.h>
#include <string.h>

#include "../lib/suites.h"
#include "sandbox.h"
#include "users.h"

#define ONE "major 1 one\n"
#define TWO "major 2 two\nhook 1 \"no newline\""
#define THREE "major 3 three\n"

static struct session box;

static void setup(void)
{
	sandbox_fresh();
	box_open(&box, SHM_MODE_WRAP, 65536, 4096);
}

static void expect_text(const char *expected)
{
	char *text;
	uint32_t left_out;
	int n = session_schemas(&box, &text, &left_out);

	ck_assert_uint_eq(left_out, 0);
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
	ck_assert_int_eq(TraceRegisterSchema(ONE), PU_SUCCESS);
	expect_text(ONE);
	ck_assert_int_eq(TraceRegisterSchema(ONE), PU_SUCCESS);
	in_a_child(ONE, PU_SUCCESS);
	expect_text(ONE);
	in_a_child(TWO, PU_SUCCESS);
	in_a_child(THREE, PU_SUCCESS);
	ck_assert_int_eq(TraceRegisterSchema(TWO), PU_SUCCESS);
	expect_text(ONE TWO "\n" THREE);
}
END_TEST

static void set_used(uint32_t used)
{
	ck_assert_int_eq(
		pwrite(box.schemas_fd, &used, 4, offsetof(struct shm_schema_file, used)), 4);
}

static void refused(unsigned line, const char *text)
{
	TRACE_SCHEMA_ERROR error = {.line = UINT32_MAX};

	ck_assert_msg(
		TraceRegisterSchema(text) == PU_ERROR_INVALID_PARAMETER, "accepted: %s", text);
	ck_assert_int_eq(TraceCheckSchema(text, NULL), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(TraceCheckSchema(text, &error), PU_ERROR_INVALID_PARAMETER);
	ck_assert_msg(error.line == line, "%s: line %u: %s", text, error.line, error.reason);
	ck_assert_str_ne(error.reason, "");
}

START_TEST(bad_texts)
{
	static char longer[SHM_SCHEMA_TEXT_MAX + 2];
	static const char *const bad[] = {"\xff", "\xc3", "\xc0\x80", "a\x80", "\xf5\x80\x80\x80",
		"bell \a", "delete \x7f", "\xe2\x82"};
	char text[64];

	setup();
	ck_assert_int_eq(TraceRegisterSchema(NULL), PU_ERR_NULL_PTR);
	ck_assert_int_eq(TraceCheckSchema(NULL, NULL), PU_ERR_NULL_PTR);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		snprintf(text, sizeof text, ONE "# %s", bad[i]);
		refused(2, text);
	}
	memset(longer, '\n', SHM_SCHEMA_TEXT_MAX + 1);
	memcpy(longer, ONE, strlen(ONE));
	refused(0, longer);
	expect_text("");
	longer[SHM_SCHEMA_TEXT_MAX] = '\0';
	ck_assert_int_eq(TraceRegisterSchema(longer), PU_SUCCESS);
	ck_assert_int_eq(
		TraceRegisterSchema(ONE "# \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\t\r\n"), 0);
}
END_TEST

START_TEST(texts_that_break_a_rule)
{
	TRACE_SCHEMA_ERROR error = {.line = UINT32_MAX};

	setup();
	refused(1, "garbage");
	refused(0, "");
	refused(2, "# only a comment\n\n");
	refused(2, "# no major\nhook 1 \"h\"\n");
	refused(3, ONE "hook 1 \"h\"\nu33 n\n");
	refused(4, ONE "hook 1 \"h\"\nu32 n\nif n & 1\n");
	expect_text("");
	ck_assert_int_eq(TraceCheckSchema(ONE, &error), PU_SUCCESS);
	ck_assert_uint_eq(error.line, 0);
	ck_assert_str_eq(error.reason, "");
	expect_text("");
}
END_TEST

/* Writes an entry like a member that bypasses the library, or uses an earlier one. */
static void write_entry(uint32_t at, const char *text)
{
	struct shm_text e = {.length = (uint32_t)strlen(text)};
	off_t area = offsetof(struct shm_schema_file, area) + at;

	ck_assert_int_gt(pwrite(box.schemas_fd, &e, sizeof e, area), 0);
	ck_assert_int_gt(pwrite(box.schemas_fd, text, e.length,
				 area + (off_t)offsetof(struct shm_text, text)),
		0);
}

START_TEST(unchecked_entries_are_left_out)
{
	static const char *const entries[] = {ONE, "garbage\n", "u32 stray\n", "\xff\n", THREE};
	uint32_t at = 0, left_out;
	char *text;

	setup();
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
		write_entry(at, entries[i]);
		at += (uint32_t)((sizeof(struct shm_text) + strlen(entries[i]) + 7) & ~7u);
	}
	set_used(at);
	ck_assert_int_eq(session_schemas(&box, &text, &left_out), (int)strlen(ONE THREE));
	ck_assert_str_eq(text, ONE THREE);
	ck_assert_uint_eq(left_out, 3);
	free(text);
}
END_TEST

START_TEST(the_area_has_an_end)
{
	static char text[60001];
	char *all;
	int registered = 0, n;

	setup();
	memset(text, '\n', sizeof text - 1);
	memcpy(text, ONE, strlen(ONE));
	for (int i = 0; i < 6; i++) {
		text[8] = (char)('a' + i);
		int rc = TraceRegisterSchema(text);
		ck_assert(rc == PU_SUCCESS || rc == PU_ERROR_INSUFFICIENT_BUFFER);
		registered += rc == PU_SUCCESS;
	}
	ck_assert_int_eq(registered, 4);
	/* A shorter one may still fit. */
	ck_assert_int_eq(TraceRegisterSchema(THREE), PU_SUCCESS);
	n = session_schemas(&box, &all, NULL);
	ck_assert_int_eq(n, 4 * 60000 + (int)strlen(THREE));
	free(all);
}
END_TEST

START_TEST(kept_for_later_sessions)
{
	struct session_config config = {
		.ring_bytes = 65536, .section_bytes = 4096, .group = (gid_t)-1};

	sandbox_fresh();
	ck_assert_int_eq(TraceRegisterSchema(ONE), PU_SUCCESS);
	box_open_bare(&box);
	ck_assert_int_eq(TraceRegisterSchema(TWO), PU_SUCCESS);
	ck_assert_int_eq(session_init(&box, &config, NULL), 0);
	ck_assert_int_eq(TraceRegisterSchema(THREE), PU_SUCCESS);
	ck_assert_int_eq(session_on(&box, NULL), 0);
	TraceHookWords(1, 1, 0, NULL);
	char *text;
	ck_assert_int_eq(session_schemas(&box, &text, NULL), (int)strlen(ONE TWO "\n" THREE));
	ck_assert_ptr_nonnull(strstr(text, ONE));
	ck_assert_ptr_nonnull(strstr(text, TWO));
	ck_assert_ptr_nonnull(strstr(text, THREE));
	free(text);
	ck_assert_int_eq(session_off(&box, NULL), 0);
	ck_assert_int_eq(session_init(&box, &config, NULL), 0);
	expect_text(""); /* until the program writes its first hook there */
	ck_assert_int_eq(session_on(&box, NULL), 0);
	TraceHookWords(1, 1, 0, NULL);
	ck_assert_int_eq(session_schemas(&box, &text, NULL), (int)strlen(ONE TWO "\n" THREE));
	free(text);
}
END_TEST

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
		/* In half of the rounds the lengths form a plausible chain. */
		for (size_t i = 0; round % 2 && i + 8 < sizeof junk; i += 512)
			put_le32(junk + i, rand() % 2 ? 504 : (uint32_t)rand());
		ck_assert_int_gt(pwrite(box.schemas_fd, junk, sizeof junk,
					 offsetof(struct shm_schema_file, area)),
			0);
		set_used(useds[round % (sizeof useds / sizeof *useds)]);
		int n = session_schemas(&box, &text, NULL);
		ck_assert_int_ge(n, 0);
		ck_assert_int_le(n, SHM_SCHEMA_BYTES);
		free(text);
		snprintf((char *)junk, 32, "major 1 text_%d\n", round);
		int rc = TraceRegisterSchema((char *)junk);
		ck_assert(rc == PU_SUCCESS || rc == PU_ERROR_INSUFFICIENT_BUFFER);
	}
}
END_TEST

START_TEST(a_lock_that_a_member_keeps_stops_no_hook)
{
	struct flock fl = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
	struct account a;

	setup();
	ck_assert_int_eq(fcntl(box.schemas_fd, F_OFD_SETLK, &fl), 0);
	in_a_child(ONE, PU_ERROR_FACILITY_BUSY);
	expect_text("");
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_SUCCESS);
	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(a.hooks, 1);
}
END_TEST

SANDBOX_MAIN(60, "schemas", .timeout = 60,
	TESTS(registered_once_each, bad_texts, texts_that_break_a_rule,
		unchecked_entries_are_left_out, the_area_has_an_end, kept_for_later_sessions,
		areas_of_nonsense, a_lock_that_a_member_keeps_stops_no_hook))
