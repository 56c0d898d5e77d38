/*
 * Counters read in user mode, from pages that the test writes.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "../../libtrace/counters/perf/page.h"
#include "../lib/sanitized.h"
#include "suites.h"

enum { MEMBERS = 3 };

static struct perf_event_mmap_page page[MEMBERS];
static struct perf_member member[MEMBERS];
static struct perf_group_reading r;
static uint64_t counter[MEMBERS], ticks;
static int changes;	   /* so many reads of a counter change a page */
static unsigned change_at; /* this one */
static unsigned counted;   /* counters that were read */
static unsigned interrupt; /* comes before this read of a counter; 0: none */

enum { INTERRUPT_INSTRUCTIONS = 4000 };

static uint64_t read_register(uint32_t index)
{
	counted++;
	if (counted == interrupt)
		for (unsigned i = 0; i < MEMBERS; i++)
			counter[i] += INTERRUPT_INSTRUCTIONS;
	if (changes != 0) {
		changes--;
		page[change_at].lock += 2;
		page[change_at].offset += 1000;
	}
	return counter[index - 1];
}

static perf_register *read_counter(uint32_t index)
{
	return index > 0 && index <= MEMBERS ? read_register : NULL;
}

static uint64_t read_ticks(void)
{
	return ticks;
}

static void set_up(void)
{
	memset(page, 0, sizeof page);
	for (unsigned i = 0; i < MEMBERS; i++) {
		struct perf_event_mmap_page *p = &page[i];

		member[i] = (struct perf_member){.fd = -1, .page = p};
		p->lock = 2;
		p->index = i + 1;
		p->offset = 1000 * (i + 1);
		p->time_enabled = 5000;
		p->time_running = 4000;
		p->cap_user_rdpmc = p->cap_user_time = 1;
		p->pmc_width = 48;
		p->time_mult = 1;
		counter[i] = 10 * (i + 1);
	}
	ticks = 300;
	changes = 0;
	counted = change_at = interrupt = 0;
	perf_registers = (struct perf_registers){read_counter, read_ticks};
}

static enum perf_page_state read_now(void)
{
	memset(&r, 0, sizeof r);
	return perf_pages_read(member, MEMBERS, &r);
}

START_TEST(pages_of_a_group_give_its_counts)
{
	ck_assert_int_eq(read_now(), PERF_PAGE_COUNTING);
	ck_assert(r.in_user_mode);
	ck_assert_uint_eq(r.count[0], 1010);
	ck_assert_uint_eq(r.count[1], 2020);
	ck_assert_uint_eq(r.count[2], 3030);
	ck_assert_uint_eq(r.enabled, 5300);
	ck_assert_uint_eq(r.running, 4300);
	ck_assert_uint_eq(counted, MEMBERS);
}
END_TEST

static const struct {
	uint16_t width;
	uint64_t value;
	int64_t offset;
	uint64_t count;
} widths[] = {
	{48, 0x7FFFFFFFFFFF, 0, 0x7FFFFFFFFFFF},
	/* As the kernel programs it: from minus what is left until the overflow. */
	{48, 0x800000000000, (int64_t)1 << 47, 0},
	{48, 0xFFFFFFFFFFFF, 1, 0},
	{48, 0xFFFF800000000005, (int64_t)1 << 47, 5}, /* bits above the width are ignored */
	{40, 0xFFFFFFFFF0, 100, 84},
	{32, 0xFFFFFFFF, 1, 0},
	{32, 0x100000007, 1, 8},
	{64, UINT64_MAX, 1, 0},
	{64, 7, -2, 5},
	{1, 1, 1, 0},
};

START_TEST(counts_are_extended_from_their_width)
{
	page[0].pmc_width = widths[_i].width;
	counter[0] = widths[_i].value;
	page[0].offset = widths[_i].offset;
	ck_assert_int_eq(read_now(), PERF_PAGE_COUNTING);
	ck_assert_uint_eq(r.count[0], widths[_i].count);
}
END_TEST

/* Each makes the pages useless in one way. */
static void no_width(void)
{
	page[1].pmc_width = 0;
}
static void too_wide(void)
{
	page[1].pmc_width = 65;
}
static void no_rdpmc(void)
{
	page[2].cap_user_rdpmc = 0;
}
static void no_rdpmc_resting(void)
{
	for (int i = 0; i < MEMBERS; i++) {
		page[i].index = 0;
		page[i].cap_user_rdpmc = 0;
	}
}
static void no_time(void)
{
	page[0].cap_user_time = 0;
}
static void no_shift(void)
{
	page[0].time_shift = 64;
}
static void no_such_counter(void)
{
	page[2].index = MEMBERS + 1;
}
static void one_rests(void)
{
	page[1].index = 0;
}
static void leader_rests(void)
{
	page[0].index = 0;
}
static void being_written(void)
{
	page[0].lock = 3;
}
static void member_being_written(void)
{
	page[2].lock = 1;
}
static void never_at_rest(void)
{
	changes = -1;
}
static void member_never_at_rest(void)
{
	changes = -1;
	change_at = 2;
}

static void (*const useless[])(void) = {no_width, too_wide, no_rdpmc, no_rdpmc_resting, no_time,
	no_shift, no_such_counter, one_rests, leader_rests, being_written, member_being_written,
	never_at_rest, member_never_at_rest};

START_TEST(a_useless_page_is_given_up_soon)
{
	useless[_i]();
	ck_assert_int_eq(read_now(), PERF_PAGE_UNKNOWN);
	ck_assert_uint_le(counted, 100); /* gives up */
}
END_TEST

START_TEST(a_descheduled_group_keeps_its_counts)
{
	for (int i = 0; i < MEMBERS; i++)
		page[i].index = 0;
	ck_assert_int_eq(read_now(), PERF_PAGE_RESTING);
	ck_assert_uint_eq(r.count[0], 1000);
	ck_assert_uint_eq(r.count[2], 3000);
	ck_assert_uint_eq(r.enabled, 5300);
	ck_assert_uint_eq(r.running, 4000);
	ck_assert_uint_eq(counted, 0);
}
END_TEST

/* Values read before the change are discarded, whichever page changed. */
START_TEST(changed_meanwhile)
{
	changes = 2;
	change_at = (unsigned)_i;
	ck_assert_int_eq(read_now(), PERF_PAGE_COUNTING);
	for (unsigned i = 0; i < MEMBERS; i++)
		ck_assert_uint_eq(r.count[i], 1010 * (i + 1) + (i == (unsigned)_i ? 2000 : 0));
	ck_assert_uint_gt(counted, MEMBERS);
}
END_TEST

START_TEST(time_is_scaled)
{
	page[0].time_mult = 3;
	page[0].time_shift = 2;
	page[0].time_offset = (uint64_t)-25; /* of the page's last change */
	ticks = 301;
	ck_assert_int_eq(read_now(), PERF_PAGE_COUNTING);
	ck_assert_uint_eq(r.enabled, 5000 + 225 - 25);
	ck_assert_uint_eq(r.running, 4000 + 225 - 25);
	/* Where ticks times mult is beyond 64 bits. */
	page[0].time_mult = 1u << 31;
	page[0].time_shift = 31;
	page[0].time_offset = 0;
	ticks = UINT64_C(1) << 40 | 5;
	ck_assert_int_eq(read_now(), PERF_PAGE_COUNTING);
	ck_assert_uint_eq(r.enabled, 5000 + ticks);
}
END_TEST

START_TEST(short_clock)
{
	page[0].cap_user_time_short = 1;
	page[0].time_cycles = 0x1FFFFFFF0;
	page[0].time_mask = 0xFFFFFFFF;
	ticks = 0x10; /* it has wrapped */
	ck_assert_int_eq(read_now(), PERF_PAGE_COUNTING);
	ck_assert_uint_eq(r.enabled, 5000 + 0x200000010);
}
END_TEST

/* The leader's times are the group's. */
START_TEST(times_of_the_leader)
{
	page[1].time_enabled = page[2].time_running = 1;
	page[1].cap_user_time = page[2].cap_user_time = 0;
	ck_assert_int_eq(read_now(), PERF_PAGE_COUNTING);
	ck_assert_uint_eq(r.enabled, 5300);
	ck_assert_uint_eq(r.running, 4300);
}
END_TEST

/* ------------------------------------------------------------- a page that is written */

static _Atomic bool stop;

#define STORE(field, value) __atomic_store_n(&(field), value, __ATOMIC_RELEASE)

/* All values are multiples of n, or were not written together. */
static void write_page(struct perf_event_mmap_page *p, uint64_t factor, uint64_t n)
{
	STORE(p->lock, p->lock + 1);
	STORE(p->offset, (int64_t)(factor * n - 5));
	STORE(p->time_enabled, n);
	STORE(p->pmc_width, (uint16_t)(n % 2 ? 48 : 32));
	STORE(p->time_running, n);
	STORE(p->lock, p->lock + 1);
}

static void *writer(void *unused)
{
	(void)unused;
	for (uint64_t n = 1; !stop; n++) {
		/* Both at once, as a thread's switch changes a whole group. */
		STORE(page[0].lock, page[0].lock + 1);
		write_page(&page[1], 3, n);
		STORE(page[0].offset, (int64_t)(n - 5));
		STORE(page[0].time_enabled, n);
		STORE(page[0].time_running, n);
		STORE(page[0].lock, page[0].lock + 1);
		for (volatile int rest = n % 8 ? 0 : 300; rest > 0; rest--)
			;
	}
	return NULL;
}

static uint64_t five(uint32_t index)
{
	(void)index;
	return 5;
}

static perf_register *count_five(uint32_t index)
{
	(void)index;
	return five;
}

/* The writer that is watched is nearly always in the middle. */
enum { READINGS = WITH_TSAN ? 200 : 3000 };

START_TEST(never_torn)
{
	struct perf_group_reading now;
	unsigned read = 0;
	uint64_t last = 0;
	pthread_t t;

	perf_registers.counter = count_five;
	ticks = 0;
	for (int i = 0; i < 2; i++) {
		page[i].offset = -5;
		page[i].time_enabled = page[i].time_running = 0;
	}
	ck_assert_int_eq(pthread_create(&t, NULL, writer, NULL), 0);
	while (read < READINGS || last == 0) { /* a new thread may begin late */
		if (perf_pages_read(member, 2, &now) != PERF_PAGE_COUNTING) {
			sched_yield(); /* the writer may have been stopped in the middle */
			continue;
		}
		read++;
		ck_assert_uint_eq(now.enabled, now.count[0]);
		ck_assert_uint_eq(now.running, now.count[0]);
		ck_assert_uint_eq(now.count[1], 3 * now.count[0]);
		ck_assert_uint_ge(now.count[0], last);
		last = now.count[0];
	}
	stop = true;
	pthread_join(t, NULL);
}
END_TEST

START_TEST(counts_since_a_snapshot)
{
	uint64_t count[2];

	/* The register wraps around. */
	counter[0] = 0xFFFFFFFFFFFF;
	ck_assert_int_eq(read_now(), PERF_PAGE_COUNTING);
	counter[0] = 0x1000000000006;
	counter[1] += 12;
	ck_assert(perf_pair_count(r.snapshot, count));
	ck_assert_uint_eq(count[0], 7);
	ck_assert_uint_eq(count[1], 12);
	/* During the read, and before it: then a register may not be there any more. */
	changes = 1;
	change_at = (unsigned)_i;
	ck_assert(!perf_pair_count(r.snapshot, count));
	counted = 0;
	ck_assert(!perf_pair_count(r.snapshot, count));
	ck_assert(_i != 0 || counted == 0);
	ck_assert_int_eq(read_now(), PERF_PAGE_COUNTING);
	ck_assert(perf_pair_count(r.snapshot, count));
}
END_TEST

/* Between any two reads of the first try, none before it and after it: all members have the
 * interrupt, or none has. */
START_TEST(interrupted_between)
{
	member[0].counts_instructions = true;
	interrupt = (unsigned)_i;
	ck_assert_int_eq(read_now(), PERF_PAGE_COUNTING);
	for (unsigned i = 0; i < MEMBERS; i++)
		ck_assert_uint_eq(r.count[i], 1010 * (i + 1) + (_i ? INTERRUPT_INSTRUCTIONS : 0));
	ck_assert_uint_eq(counted, _i > 1 ? 2 * (MEMBERS + 1) : MEMBERS + 1);
}
END_TEST

START_TEST(interrupted_since_a_snapshot)
{
	uint64_t count[2];

	ck_assert_int_eq(read_now(), PERF_PAGE_COUNTING);
	interrupt = counted + 2 + (unsigned)_i;
	ck_assert(!perf_pair_count(r.snapshot, count));
	ck_assert(perf_pair_count(r.snapshot, count));
	ck_assert_uint_eq(count[0], INTERRUPT_INSTRUCTIONS);
	ck_assert_uint_eq(count[1], INTERRUPT_INSTRUCTIONS);
}
END_TEST

Suite *perf_page_suite(void)
{
	return SUITE("perf_page", .timeout = 60,
		/* two threads need to be running */ .set_up = set_up,
		TESTS(pages_of_a_group_give_its_counts, a_descheduled_group_keeps_its_counts,
			time_is_scaled, short_clock, times_of_the_leader, never_torn),
		LOOPS({counts_since_a_snapshot, 0, 2}, {interrupted_since_a_snapshot, 0, 2},
			{interrupted_between, 0, MEMBERS + 2},
			{counts_are_extended_from_their_width, 0, sizeof widths / sizeof *widths},
			{a_useless_page_is_given_up_soon, 0, sizeof useless / sizeof *useless},
			{changed_meanwhile, 0, MEMBERS}));
}
