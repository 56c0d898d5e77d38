#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../libtrace/core/online.h"
#include "../../libtrace/counters/machine/idle.h"
#include "suites.h"

/* A copy of exactly these bytes, so that a sanitizer sees a read beyond them. */
static bool stat_of(const char *text, size_t length, uint64_t hz, struct idle_cpu *cpu)
{
	char *copy = malloc(length ? length : 1);
	bool good;

	memcpy(copy, text, length);
	good = idle_parse_stat(copy, length, hz, cpu, 4);
	free(copy);
	return good;
}

#define MS UINT64_C(1000000)

START_TEST(stat_text)
{
	static const char text[] = "cpu  10 0 20 300 40 0 0 0 0 0\n"
				   "cpu0 5 0 10 100 20 0 0 0 0 0\n"
				   "cpu2 5 0 10 200 20 0 0 0 0 0\n"
				   "intr 217803 0 0 0\nctxt 413382\n";
	struct idle_cpu cpu[4];

	ck_assert(stat_of(text, strlen(text), 100, cpu));
	ck_assert_uint_eq(cpu[0].ns, 1205 * MS);
	ck_assert_uint_eq(cpu[0].slack, 5 * MS);
	ck_assert_uint_eq(cpu[1].ns, IDLE_UNKNOWN);
	ck_assert_uint_eq(cpu[2].ns, 2205 * MS);
	ck_assert_uint_eq(cpu[3].ns, IDLE_UNKNOWN);
	ck_assert(stat_of(text, strlen(text), 1000, cpu));
	ck_assert_uint_eq(cpu[0].slack, MS / 2);
}
END_TEST

static const char *const not_stat[] = {
	"",
	"\n",
	"cpu  10 0 20 300 40\n",
	"cpu0",
	"cpu0\n",
	"cpu0 1 2 3 4\n",
	"cpu0 1 2 3 4 5", /* no end of line: cut off, perhaps in a number */
	"cpu0 1 2 3 4 5x\n",
	"cpu0 1 2 3 x 5\n",
	"cpu0 1 2 3 -4 5\n",
	"cpu0 1 2 3 99999999999999999999999 5\n",
	"cpu0 1 2 3 9999999999999999999 5\n",
	"cpuX 1 2 3 4 5\n",
	"cpu99999999999999999999 1 2 3 4 5\n",
	"0 1 2 3 4 5\n",
	"\0\0\0\n",
};

START_TEST(stat_bad)
{
	struct idle_cpu cpu[4];

	ck_assert(!stat_of(not_stat[_i], strlen(not_stat[_i]), 100, cpu));
	for (int i = 0; i < 4; i++)
		ck_assert_uint_eq(cpu[i].ns, IDLE_UNKNOWN);
}
END_TEST

START_TEST(stat_odd)
{
	struct idle_cpu cpu[4];
	const char *beyond = "cpu1023 1 2 3 4 5\ncpu3 0 0 0 1 0\n";

	ck_assert(stat_of(beyond, strlen(beyond), 100, cpu));
	ck_assert_uint_eq(cpu[3].ns, 15 * MS);
	ck_assert(!stat_of(beyond, strlen(beyond), 0, cpu));
}
END_TEST

START_TEST(stat_truncated)
{
	static const char text[] =
		"cpu  10 0 20 300 40 0\ncpu0 5 0 10 100 20 7\ncpu1 5 0 1 2 3 8\n";
	struct idle_cpu cpu[4];

	for (size_t n = 0; n < sizeof text; n++) {
		bool good = stat_of(text, n, 100, cpu);

		ck_assert(good == (n >= 22 + 21));
		ck_assert(cpu[0].ns == (good ? 1205 * MS : IDLE_UNKNOWN));
	}
}
END_TEST

/* One processor as the kernel prints it, after its timers. */
#define CPU_TEXT(n, nohz, stopped, entry, idle, iowait)                                            \
	"cpu: " #n "\n clock 0:\n  .base:       00000000fe998bfc\n  .index:      0\n"              \
	"  .resolution: 1 nsecs\nactive timers:\n #0: <0>, tick_nohz_handler, S:01\n"              \
	" # expires at 1-1 nsecs [in 3404454 to 3404454 nsecs]\n"                                  \
	"  .expires_next   : 1832268000000 nsecs\n  .nohz           : " #nohz "\n"                 \
	"  .highres        : 1\n  .last_tick      : 1832100000000 nsecs\n"                         \
	"  .tick_stopped   : " #stopped "\n  .idle_jiffies   : 4295350296\n"                       \
	"  .idle_calls     : 17773\n  .idle_sleeps    : 13738\n"                                   \
	"  .idle_entrytime : " #entry " nsecs\n  .idle_waketime  : 5 nsecs\n"                      \
	"  .idle_exittime  : 5 nsecs\n  .idle_sleeptime : " #idle " nsecs\n"                       \
	"  .iowait_sleeptime: " #iowait " nsecs\n  .last_jiffies   : 4295350332\n"                 \
	"  .next_timer     : 9223372036854775807\njiffies: 4295350338\n\n"

#define HEAD "Timer List Version: v0.10\nHRTIMER_MAX_CLOCK_BASES: 8\nnow at 50000000 nsecs\n\n"
#define TAIL "Tick Device: mode:     1\nBroadcast device\n\n  .idle_sleeptime : 77 nsecs\ncpu: 0\n"

static const char list[] = HEAD
	/* stopped for 2 ms */
	CPU_TEXT(0, 1, 1, 48000000, 1000000, 500000)
	/* changed 1 ms ago, tick running: idle or not */
	CPU_TEXT(1, 1, 0, 49000000, 2000000, 0)
	/* changed 20 ms ago, tick running: busy */
	CPU_TEXT(2, 1, 0, 30000000, 3000000, 0)
	/* changed after `now` */
	CPU_TEXT(3, 1, 1, 50000100, 4000000, 0) TAIL;

static bool list_of(
	const char *text, size_t length, size_t piece, uint32_t running_on, struct idle_cpu *cpu)
{
	struct timer_list t;

	timer_list_begin(&t, cpu, 4);
	t.tick_ns = 4 * MS;
	t.running_on = running_on;
	for (size_t at = 0; at < length; at += piece) {
		size_t n = length - at < piece ? length - at : piece;
		char *copy = malloc(n);

		memcpy(copy, text + at, n);
		timer_list_feed(&t, copy, n);
		free(copy);
	}
	return timer_list_end(&t);
}

START_TEST(list_text)
{
	static const size_t pieces[] = {1, 2, 7, 64, 4096, 1000000};
	struct idle_cpu cpu[4];

	ck_assert(list_of(list, strlen(list), pieces[_i], UINT32_MAX, cpu));
	ck_assert_uint_eq(cpu[0].ns, 3500000);
	ck_assert_uint_eq(cpu[0].slack, 0);
	ck_assert_uint_eq(cpu[1].ns, 2500000);
	ck_assert_uint_eq(cpu[1].slack, 500000);
	ck_assert_uint_eq(cpu[2].ns, 3000000);
	ck_assert_uint_eq(cpu[2].slack, 0);
	ck_assert_uint_eq(cpu[3].ns, 4000000);
	ck_assert_uint_eq(cpu[3].slack, 0);
	ck_assert(list_of(list, strlen(list), pieces[_i], 1, cpu));
	ck_assert_uint_eq(cpu[1].ns, 2000000);
	ck_assert_uint_eq(cpu[1].slack, 0);
}
END_TEST

static const char *const not_list[] = {
	"", "\n\n\n", HEAD, HEAD TAIL, "now at 0 nsecs\n" CPU_TEXT(0, 1, 1, 1, 1, 1) TAIL,
	"now at x nsecs\n" CPU_TEXT(0, 1, 1, 1, 1, 1) TAIL,
	"now at 99999999999999999999 nsecs\n" CPU_TEXT(0, 1, 1, 1, 1, 1) TAIL,
	CPU_TEXT(0, 1, 1, 1, 1, 1) TAIL,
	HEAD CPU_TEXT(0, 0, 1, 1, 1, 1) TAIL, /* not tickless: the kernel adds up no idle time */
	HEAD CPU_TEXT(0, 1, 1, 1, 99999999999999999999, 1) TAIL,
	HEAD CPU_TEXT(0, 1, 1, 1, 9223372036854775807, 9223372036854775807) TAIL,
	HEAD CPU_TEXT(0, 1, x, 1, 1, 1) TAIL, HEAD CPU_TEXT(4, 1, 1, 1, 1, 1) TAIL,
	HEAD CPU_TEXT(4294967295, 1, 1, 1, 1, 1) TAIL,
	HEAD CPU_TEXT(99999999999999999999, 1, 1, 1, 1, 1) TAIL,
	HEAD CPU_TEXT(-1, 1, 1, 1, 1, 1) TAIL, HEAD "cpu: 0\n  .idle_sleeptime : 5 nsecs\n" TAIL,
	HEAD CPU_TEXT(0, 1, 1, 1, 1, 1), /* cut off */
};

START_TEST(list_bad)
{
	struct idle_cpu cpu[4];

	ck_assert(!list_of(not_list[_i], strlen(not_list[_i]), 13, UINT32_MAX, cpu));
	for (int i = 0; i < 4; i++)
		ck_assert_uint_eq(cpu[i].ns, IDLE_UNKNOWN);
}
END_TEST

/* Cut anywhere: the complete processors are right, the one at the cut is missing. */
START_TEST(list_truncated)
{
	struct idle_cpu cpu[4];

	for (size_t n = 0; n < strlen(list); n += 3) {
		list_of(list, n, 4096, UINT32_MAX, cpu);
		ck_assert(cpu[0].ns == IDLE_UNKNOWN || cpu[0].ns == 3500000);
		ck_assert(cpu[3].ns == IDLE_UNKNOWN || cpu[3].ns == 4000000);
	}
}
END_TEST

/* Nothing after the last processor's figures is needed, and before them nothing is enough. */
START_TEST(list_is_done_at_the_last_figures)
{
	const char *end = strstr(strstr(list, "cpu: 3"), "  .last_jiffies");
	struct idle_cpu cpu[4];

	ck_assert(list_of(list, (size_t)(end - list), 64, UINT32_MAX, cpu));
	ck_assert_uint_eq(cpu[3].ns, 4000000);
	list_of(list, (size_t)(end - list) - 1, 64, UINT32_MAX, cpu);
	ck_assert_uint_eq(cpu[3].ns, IDLE_UNKNOWN);
}
END_TEST

START_TEST(list_long_line)
{
	char *text = malloc(100000);
	struct idle_cpu cpu[4];

	strcpy(text, HEAD);
	memset(text + strlen(HEAD), 'x', 90000);
	strcpy(text + strlen(HEAD) + 90000, "\n" CPU_TEXT(0, 1, 1, 50000000, 7, 0) TAIL);
	ck_assert(list_of(text, strlen(text), 1000, UINT32_MAX, cpu));
	ck_assert_uint_eq(cpu[0].ns, 7);
	free(text);
}
END_TEST

START_TEST(parsers_survive_random_text)
{
	struct idle_cpu cpu[4];
	char text[512];

	srand((unsigned)_i);
	for (int round = 0; round < 200; round++) {
		size_t n = (size_t)rand() % sizeof text;

		for (size_t i = 0; i < n; i++)
			text[i] = "cpu: 0123456789.\n nowat"[rand() % 23];
		stat_of(text, n, 100, cpu);
		list_of(text, n, 17, 1, cpu);
	}
}
END_TEST

START_TEST(this_machine)
{
	struct idle_cpu cpu[1024];
	uint64_t at = 0;

	ck_assert_int_ne(idle_kind(), IDLE_NOTHING);
	ck_assert_uint_gt(idle_resolution(), 0);
	ck_assert(idle_read(cpu, 1024, &at));
	ck_assert_uint_gt(at, 0);
}
END_TEST

enum { LATELY_NS = 1000000 };

/* Whether the second is of the same reading; if not, it is of a new one, which was due. */
static bool of_one_reading(const struct idle_reading *a, const struct idle_reading *b)
{
	ck_assert_uint_lt(b->age, LATELY_NS);
	if (b->at != a->at) {
		ck_assert_uint_ge(b->at, a->at + LATELY_NS);
		return false;
	}
	ck_assert_uint_ge(b->age, a->age);
	ck_assert_mem_eq(b->cpu, a->cpu, cpus_possible() * sizeof *a->cpu);
	return true;
}

START_TEST(a_recent_reading_is_shared)
{
	struct idle_reading *mine = calloc(1, idle_reading_size());
	struct idle_reading *others = calloc(1, idle_reading_size());
	unsigned same = 0;

	for (int i = 0; i < 100; i++) {
		ck_assert(idle_read_lately(mine));
		ck_assert(idle_read_lately(others));
		same += of_one_reading(mine, others);
		usleep(LATELY_NS / 1000);
		ck_assert(idle_read_lately(mine));
		ck_assert(!of_one_reading(others, mine));
	}
	ck_assert_uint_gt(same, 0);
	free(mine);
	free(others);
}
END_TEST

Suite *idle_suite(void)
{
	return SUITE("idle",
		TESTS(stat_text, stat_odd, stat_truncated, list_truncated,
			list_is_done_at_the_last_figures, list_long_line, this_machine,
			a_recent_reading_is_shared),
		LOOPS({stat_bad, 0, sizeof not_stat / sizeof *not_stat}, {list_text, 0, 6},
			{list_bad, 0, sizeof not_list / sizeof *not_list},
			{parsers_survive_random_text, 0, 5}));
}
