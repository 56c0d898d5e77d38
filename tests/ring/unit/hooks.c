/*
 * Single hooks: their bytes match trace-file.md, with offsets computed independently here. A hook
 * that cannot be written is refused or counted.
 */
#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox.h"
#include "../../lib/suites.h"

static struct session box;

/* A copy of the latest hook in the rings. */
struct latest {
	uint8_t bytes[1 << 19];
	uint32_t size;
};

static void keep_latest(void *arg, uint32_t ring, uint64_t position, const uint8_t *record)
{
	struct latest *l = arg;

	(void)ring;
	(void)position;
	if (l->size && get_le64(record + REC_STAMP) < get_le64(l->bytes + REC_STAMP))
		return;
	l->size = get_le32(record) & 0x00fffff8;
	ck_assert_uint_le(l->size, sizeof l->bytes);
	memcpy(l->bytes, record, l->size);
}

static struct latest latest;
static uint64_t written; /* by the ledger */

/* One hook more than before is in the rings. These are emptied seldom: it takes the kernel's
 * barrier, and that some 15 ms. */
static void read_latest_hook(void)
{
	enum { DISCARD_EVERY = 32 };
	static unsigned reads;
	struct account a;

	latest.size = 0;
	box_account(&box, &a, keep_latest, &latest);
	ck_assert_uint_eq(a.damaged, 0);
	ck_assert_uint_eq(a.torn, 0);
	ck_assert_uint_eq(account_sum(&a), ++written);
	if (++reads % DISCARD_EVERY)
		return;
	ck_assert_int_eq(session_discard(&box, NULL), 0);
	box_account(&box, &a, NULL, NULL);
	written = account_sum(&a);
}

static void begin(uint64_t ring_bytes, uint32_t section_bytes)
{
	sandbox_fresh();
	box_open(&box, SHM_MODE_WRAP, ring_bytes, section_bytes);
	written = 0;
}

static void setup(void)
{
	begin(4 << 20, 1 << 19);
}

/* Builds the expected record from the table in trace-file.md. */
static uint32_t expect(uint8_t *to, uint32_t major, uint32_t minor, uint32_t nwords,
	const uint32_t *words, uint32_t nstrings, const TRACE_STRING *strings)
{
	uint32_t at = 24;

	memset(to, 0, 1 << 19);
	to[4] = (uint8_t)major;
	to[5] = (uint8_t)nstrings;
	to[6] = (uint8_t)nwords;
	to[7] = (uint8_t)(nwords >> 8);
	put_le32(to + 8, minor);
	put_le32(to + 12, ring_self.number);
	for (uint32_t i = 0; i < nwords; i++, at += 4)
		put_le32(to + at, words[i]);
	for (uint32_t i = 0; i < nstrings; i++) {
		put_le32(to + at, strings[i].length);
		at += 4;
		if (strings[i].length)
			memcpy(to + at, strings[i].bytes, strings[i].length);
		at += (strings[i].length + 3) / 4 * 4;
	}
	at = (at + 7) / 8 * 8;
	put_le32(to, at | 0x80000000u);
	return at;
}

static uint8_t expected[1 << 19];
static uint32_t words[65536];

static void check_hook(uint32_t major, uint32_t minor, uint32_t nwords, uint32_t nstrings,
	const TRACE_STRING *strings)
{
	uint64_t before = clock_now(), stamp;
	uint32_t size;

	ck_assert_int_eq(nstrings ? TraceHookData(major, minor, nwords, words, nstrings, strings)
				  : TraceHookWords(major, minor, nwords, words),
		PU_SUCCESS);
	read_latest_hook();
	size = expect(expected, major, minor, nwords, words, nstrings, strings);
	ck_assert_uint_eq(latest.size, size);
	stamp = get_le64(latest.bytes + 16);
	ck_assert_uint_ge(stamp, before);
	ck_assert_uint_le(stamp, clock_now());
	put_le64(expected + 16, stamp);
	ck_assert_mem_eq(latest.bytes, expected, size);
}

static void fill_words(void)
{
	for (uint32_t i = 0; i < 65536; i++)
		words[i] = i * 2654435761u ^ 0xa5a5a5a5u;
}

START_TEST(every_number_of_words)
{
	setup();
	fill_words();
	for (uint32_t n = 0; n < 300; n++)
		check_hook(n & 0xff, n * 0x01010101u, n, 0, NULL);
	for (uint32_t n = 300; n < 65536; n += 997)
		check_hook(1, n, n, 0, NULL);
	check_hook(255, UINT32_MAX, 65534, 0, NULL);
	check_hook(0, 0, 65535, 0, NULL);
}
END_TEST

START_TEST(every_number_of_strings)
{
	static char text[4096];
	TRACE_STRING s[255];

	setup();
	fill_words();
	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (char)(i * 7); /* includes NULs */
	for (uint32_t n = 0; n <= 255; n++) {
		for (uint32_t i = 0; i < n; i++)
			s[i] = (TRACE_STRING){text + i, (i * n) % 23};
		check_hook(2, n, n % 3, n, s);
	}
	/* In reused ring memory the padding must still be zero. */
	for (uint32_t length = 0; length < 40; length++) {
		s[0] = (TRACE_STRING){text, length};
		for (uint32_t n = 0; n < 3; n++)
			check_hook(3, length, n, 1, s);
	}
	s[0] = (TRACE_STRING){NULL, 0};
	check_hook(4, 0, 0, 1, s);
	s[0] = (TRACE_STRING){"\0\0\0", 3};
	s[1] = (TRACE_STRING){"", 0};
	s[2] = (TRACE_STRING){"\377\376 no UTF-8", 12};
	check_hook(4, 1, 1, 3, s);
	s[0] = (TRACE_STRING){words, sizeof words};
	check_hook(4, 2, 0, 1, s);
}
END_TEST

START_TEST(padding_is_zero_in_used_memory)
{
	TRACE_STRING s = {"abcde", 5};

	begin(8192, 4096);
	memset(words, 0xff, sizeof words);
	for (int i = 0; i < 2000; i++, written++)
		ck_assert_int_eq(TraceHookWords(9, 9, 61, words), PU_SUCCESS);
	for (uint32_t n = 0; n < 200; n++, written++) {
		check_hook(5, n, n % 8, n % 2, &s);
		ck_assert_int_eq(TraceHookWords(9, 9, n % 50, words), PU_SUCCESS);
	}
}
END_TEST

START_TEST(the_variadic_form_writes_the_same)
{
	TRACE_STRING s[3] = {{"one", 3}, {"", 0}, {"three", 5}};
	uint32_t size;

	setup();
	words[0] = 1;
	words[1] = 0xffffffff;
	words[2] = 0x80000000;
	ck_assert_int_eq(TraceHook(7, 8, 3, 3, 1, -1, 0x80000000u, "one", "", "three"), 0);
	read_latest_hook();
	size = expect(expected, 7, 8, 3, words, 3, s);
	memcpy(expected + 16, latest.bytes + 16, 8);
	ck_assert_uint_eq(latest.size, size);
	ck_assert_mem_eq(latest.bytes, expected, size);
	ck_assert_int_eq(TraceHook(7, 8, 3, 0, 1, -1, 0x80000000u), 0);
	read_latest_hook();
	size = expect(expected, 7, 8, 3, words, 0, NULL);
	memcpy(expected + 16, latest.bytes + 16, 8);
	ck_assert_mem_eq(latest.bytes, expected, size);
	ck_assert_int_eq(TraceHook(7, 8, 0, 0), 0);
	read_latest_hook();
	ck_assert_uint_eq(latest.size, 24);
}
END_TEST

START_TEST(too_long_hooks_are_counted)
{
	static char text[8192];
	struct account a;
	TRACE_STRING s = {text, 4096 - 24 - 4}, huge = {text, UINT32_MAX};
	TRACE_STRING many[255];

	sandbox_fresh();
	box_open(&box, SHM_MODE_NORMAL, 16384, 4096);
	memset(text, 'x', sizeof text - 1);
	for (int i = 0; i < 255; i++)
		many[i] = huge;
	ck_assert_int_eq(TraceHookWords(1, 1, 1018, words), PU_SUCCESS); /* exactly 4096 bytes */
	ck_assert_int_eq(TraceHookWords(1, 1, 1019, words), PU_ERROR_HOOK_TOO_LONG);
	ck_assert_int_eq(TraceHookWords(1, 1, 65535, words), PU_ERROR_HOOK_TOO_LONG);
	ck_assert_int_eq(TraceHookData(1, 1, 0, NULL, 1, &s), PU_SUCCESS);
	s.length++;
	ck_assert_int_eq(TraceHookData(1, 1, 0, NULL, 1, &s), PU_ERROR_HOOK_TOO_LONG);
	ck_assert_int_eq(TraceHookData(1, 1, 65535, words, 1, &huge), PU_ERROR_HOOK_TOO_LONG);
	ck_assert_int_eq(TraceHookData(1, 1, 65535, words, 255, many), PU_ERROR_HOOK_TOO_LONG);
	ck_assert_int_eq(TraceHook(1, 1, 0, 1, text), PU_ERROR_HOOK_TOO_LONG);
	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(a.hooks, 2);
	ck_assert_uint_eq(a.loss[SHM_LOST_BIG], 6);
	ck_assert_uint_eq(account_sum(&a), 8);
}
END_TEST

START_TEST(bad_arguments_have_their_codes)
{
	struct account a;
	TRACE_STRING null = {NULL, 1};

	setup();
	ck_assert_int_eq(TraceHookWords(256, 1, 0, NULL), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(TraceHookWords(UINT32_MAX, 1, 0, NULL), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(TraceHookWords(1, 1, 65536, words), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(TraceHookWords(1, 1, UINT32_MAX, words), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(TraceHookWords(1, 1, 1, NULL), PU_ERR_NULL_PTR);
	ck_assert_int_eq(TraceHookData(256, 1, 0, NULL, 0, NULL), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(TraceHookData(1, 1, 65536, words, 0, NULL), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(TraceHookData(1, 1, 0, NULL, 256, &null), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(TraceHookData(1, 1, 1, NULL, 0, NULL), PU_ERR_NULL_PTR);
	ck_assert_int_eq(TraceHookData(1, 1, 0, NULL, 1, NULL), PU_ERR_NULL_PTR);
	ck_assert_int_eq(TraceHookData(1, 1, 0, NULL, 1, &null), PU_ERR_NULL_PTR);
	ck_assert_int_eq(TraceHook(256, 1, 0, 0), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(TraceHook(1, 1, -1, 0), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(TraceHook(1, 1, 65536, 0), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(TraceHook(1, 1, 0, -1), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(TraceHook(1, 1, 0, 256), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(TraceHook(1, 1, INT_MIN, INT_MAX), PU_ERROR_INVALID_PARAMETER);
	ck_assert_int_eq(TraceHook(1, 1, 1, 1, 5, (char *)NULL), PU_ERR_NULL_PTR);
	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(account_sum(&a), 0);
}
END_TEST

START_TEST(off_is_success_and_writes_nothing)
{
	struct account a;

	sandbox_fresh();
	/* Without a session arguments are not checked. */
	ck_assert_int_eq((TraceHookWords)(1, 1, 65536, NULL), PU_SUCCESS);
	ck_assert_int_eq(TraceHookWords(1, 1, 65536, NULL), PU_SUCCESS);
	box_open(&box, SHM_MODE_WRAP, 65536, 4096);
	ck_assert_int_eq(session_off(&box, NULL), 0);
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_SUCCESS);
	ck_assert_int_eq(TraceHook(1, 1, 70000, 0), PU_SUCCESS);
	ck_assert_int_eq(TraceHookData(1, 1, 5, NULL, 5, NULL), PU_SUCCESS);
	ck_assert_int_eq(session_on(&box, NULL), 0);
	ck_assert_int_eq(session_suspend(&box, true, NULL), 0);
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_SUCCESS);
	ck_assert_int_eq(session_suspend(&box, false, NULL), 0);
	ck_assert_int_eq(session_enable(&box, 1, false, NULL), 0);
	ck_assert_int_eq(TraceHookWords(1, 1, 0, NULL), PU_SUCCESS);
	ck_assert_int_eq(TraceMajorIsOn(1), 0);
	ck_assert_int_eq(TraceMajorIsOn(2), 1);
	ck_assert_int_eq(TraceMajorIsOn(256), 0);
	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(account_sum(&a), 0);
	ck_assert_int_eq(TraceHookWords(2, 1, 0, NULL), PU_SUCCESS);
	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(a.hooks, 1);
	ck_assert_int_eq(session_free(&box, NULL), 0);
	ck_assert_int_eq(TraceHookWords(2, 1, 0, NULL), PU_SUCCESS);
}
END_TEST

static int evaluated;

static UINT32 once(UINT32 v)
{
	evaluated++;
	return v;
}

START_TEST(macros_evaluate_arguments_once_or_not_at_all)
{
	setup();
	evaluated = 0;
	TraceHook(once(3), once(4), 1, 0, once(5));
	ck_assert_int_eq(evaluated, 3);
	read_latest_hook();
	ck_assert_uint_eq(get_le32(latest.bytes + 24), 5);
	session_off(&box, NULL);
	evaluated = 0;
	TraceHook(once(3), once(4), 1, 0, once(5));
	ck_assert_int_eq(evaluated, 1);
}
END_TEST

SANDBOX_MAIN(100, "hooks", .timeout = 60,
	TESTS(every_number_of_words, every_number_of_strings, padding_is_zero_in_used_memory,
		the_variadic_form_writes_the_same, too_long_hooks_are_counted,
		bad_arguments_have_their_codes, off_is_success_and_writes_nothing,
		macros_evaluate_arguments_once_or_not_at_all))
