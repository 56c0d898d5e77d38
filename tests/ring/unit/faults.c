/*
 * Hooks with unreadable data: the program's SIGSEGV handler leaves them by siglongjmp, repeatedly,
 * and the rings continue unharmed.
 */
#include <check.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sandbox.h"
#include "../../lib/suites.h"

enum { TIMES = 1000, PAGES = 4 };

static struct session box;
static sigjmp_buf out;
static uint8_t *tail; /* the first unreadable byte, after PAGES readable pages */

static void on_fault(int number)
{
	(void)number;
	siglongjmp(out, 1);
}

static void setup(void)
{
	struct sigaction action = {.sa_handler = on_fault};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *p = mmap(
		NULL, 2 * PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert(p != MAP_FAILED);
	memset(p, 'x', PAGES * page);
	tail = p + PAGES * page;
	ck_assert_int_eq(mprotect(tail, PAGES * page, PROT_NONE), 0);
	sigaction(SIGSEGV, &action, NULL);
	sandbox_fresh();
	box_pin(0);
	box_open(&box, SHM_MODE_WRAP, 4 * 65536, 65536);
}

/* A pointer to n words, the last `missing` of them unreadable. */
static const UINT32 *words_of(uint32_t n, uint32_t missing)
{
	return (const UINT32 *)(const void *)(tail - 4 * (size_t)(n - missing));
}

static void write_words(uint32_t n, uint32_t missing)
{
	TraceHookWords(1, 1, n, words_of(n, missing));
}

static void write_data(uint32_t n, uint32_t missing)
{
	TraceHookData(1, 1, n, words_of(n, missing), 0, NULL);
}

static void write_string(uint32_t n, uint32_t missing)
{
	static const UINT32 one = 1;
	TRACE_STRING s[2] = {{"first", 5}, {(const char *)words_of(n, missing), 4 * n}};

	TraceHookData(1, 1, 1, &one, 2, s);
}

/* A string without a terminator before the unreadable page. */
static void write_variadic(uint32_t n, uint32_t missing)
{
	TraceHook(1, 1, 1, 2, 5, "first", (const char *)words_of(n, missing));
}

typedef void writer(uint32_t n, uint32_t missing);

static bool faults(writer *write, uint32_t n, uint32_t missing)
{
	if (sigsetjmp(out, 1))
		return true;
	write(n, missing);
	return false;
}

/* Expects one complete hook, and a consistent ledger. */
static void expect_sound(uint32_t whole)
{
	struct account a;

	box_account(&box, &a, NULL, NULL);
	ck_assert_uint_eq(a.torn + a.gone_torn, 0);
	ck_assert_uint_eq(a.damaged, 0);
	ck_assert_uint_eq(account_lost(&a), 0);
	ck_assert_uint_eq(account_sum(&a), whole);
	ck_assert_uint_eq(box_locks_taken(&box), 0);
}

static writer *const writers[] = {write_words, write_data, write_string, write_variadic};
static const uint32_t lengths[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 100, 1024, 1025, 3000};

/* Every part of the data is unreadable in turn, on the CPU's ring and (guest) on a guest ring. */
static void leave_hooks(bool guest)
{
	uint32_t whole = 0;

	setup();
	if (guest)
		box_become_guest(0);
	for (uint32_t time = 0; time < TIMES; time++) {
		uint32_t n = lengths[time % (sizeof lengths / sizeof *lengths)];
		writer *write = writers[time / 7 % (sizeof writers / sizeof *writers)];
		uint32_t missing = 1 + time / 3 % n;

		ck_assert(faults(write, n, missing));
		ck_assert_int_eq(TraceHookWords(1, 2, 3, words_of(3, 0)), PU_SUCCESS);
		whole++;
	}
	expect_sound(whole);
	/* Data that is readable up to its last byte is written. */
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		for (size_t k = 0; k < 3; k++)
			ck_assert(!faults(writers[k], lengths[i], 0));
		whole += 3;
	}
	expect_sound(whole);
}

START_TEST(a_fault_on_the_caller_s_data_leaves_no_record)
{
	leave_hooks(false);
}
END_TEST

START_TEST(nor_on_a_guest_ring)
{
	leave_hooks(true);
}
END_TEST

/* The first hook, which also attaches. */
START_TEST(nor_does_the_first_hook)
{
	setup();
	ck_assert(faults(writers[_i], 8, 1));
	expect_sound(0);
	ck_assert_int_eq(TraceHookWords(1, 2, 3, words_of(3, 0)), PU_SUCCESS);
	expect_sound(1);
}
END_TEST

/* A hook too long for a section is counted, and its data is not read. */
START_TEST(too_long_hooks_are_not_read)
{
	TRACE_STRING s = {NULL, 70000};

	setup();
	s.bytes = words_of(5, 5);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(
			TraceHookWords(1, 1, 65535, words_of(5, 0)), PU_ERROR_HOOK_TOO_LONG);
		ck_assert_int_eq(TraceHookData(1, 1, 0, NULL, 1, &s), PU_ERROR_HOOK_TOO_LONG);
	}
}
END_TEST

/* A string that changes while it is written: the reservation holds. */
static char changing[64];
static volatile bool stop;

static void on_timer(int number)
{
	static uint32_t turn;

	(void)number;
	memset(changing, 'y', sizeof changing - 1);
	changing[turn++ * 7 % sizeof changing] = '\0';
	stop = turn > 500;
}

static void note_size(void *arg, uint32_t ring, uint64_t position, const uint8_t *record)
{
	uint32_t size = get_le32(record) & REC_SIZE_MASK, at = 28;

	(void)arg;
	(void)ring;
	(void)position;
	for (uint32_t i = 0; i < record[5]; i++) {
		ck_assert_uint_le(get_le32(record + at), size - at - 4);
		at += rec_string_bytes(get_le32(record + at));
	}
	ck_assert_uint_eq((at + 7) & ~7u, size);
}

START_TEST(a_string_that_changes_stays_in_its_record)
{
	const struct itimerspec every = {{0, 20000}, {0, 20000}};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	TRACE_STRING s[2] = {{changing, 7}, {changing, 9}};
	struct account a;
	timer_t timer;

	setup();
	memset(changing, 'x', 30);
	signal(SIGALRM, on_timer);
	ck_assert_int_eq(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	timer_settime(timer, 0, &every, NULL);
	while (!stop) {
		TraceHook(1, 1, 1, 3, 5, changing, "middle", changing);
		s[0].length = (UINT32)strlen(changing);
		TraceHookData(1, 1, 1, &(UINT32){4}, 2, s);
	}
	timer_delete(timer);
	box_account(&box, &a, note_size, NULL);
	ck_assert_uint_eq(a.torn + a.gone_torn + a.damaged, 0);
}
END_TEST

SANDBOX_MAIN(100, "faults", .timeout = 60,
	TESTS(a_fault_on_the_caller_s_data_leaves_no_record, nor_on_a_guest_ring,
		too_long_hooks_are_not_read, a_string_that_changes_stays_in_its_record),
	LOOPS({nor_does_the_first_hook, 0, 4}))
