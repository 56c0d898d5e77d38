/*
 * The switch between sections, single-threaded: fits, pads, full rings, laps, sections held by an
 * uncommitted reservation, groups.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox.h"
#include "../../lib/suites.h"

static struct session box;
static struct account account;
static uint32_t words[65536];

static void setup(uint32_t mode, uint32_t sections, uint32_t section)
{
	sandbox_fresh();
	box_pin(0);
	box_open(&box, mode, (uint64_t)sections * section, section);
	ck_assert_uint_eq(box.geometry.sections, sections);
	ck_assert_uint_eq(box.geometry.section_size, section);
}

static void count_up(void *arg, uint32_t ring, uint64_t position, const uint8_t *record)
{
	uint32_t *next = arg;

	(void)ring;
	(void)position;
	ck_assert_uint_eq(get_le32(record + 8), *next);
	(*next)++;
}

/* Expects exactly the minors first to last, in order, in the rings. */
static void expect_minors(uint32_t first, uint32_t last)
{
	uint32_t next = first;

	box_account(&box, &account, count_up, &next);
	ck_assert_uint_eq(next, last + 1);
	ck_assert_uint_eq(account.damaged, 0);
	ck_assert_uint_eq(account.backwards, 0);
}

/* Writes a hook of `size` bytes. */
static int hook_of(uint32_t minor, uint32_t size)
{
	return TraceHookWords(1, minor, (size - 24) / 4, words);
}

START_TEST(a_full_ring_stops_for_good)
{
	setup(SHM_MODE_NORMAL, 4, 4096);
	/* 4096 = 17 * 240 + 16: a pad of 16 in each section. */
	for (uint32_t i = 0; i < 4 * 17; i++)
		ck_assert_int_eq(hook_of(i, 240), PU_SUCCESS);
	for (uint32_t i = 0; i < 10; i++)
		ck_assert_int_eq(hook_of(1000, 240), PU_ERROR_BUFFER_FULL);
	/* A full ring also refuses hooks that would fit. */
	ck_assert_int_eq(hook_of(1000, 24), PU_ERROR_BUFFER_FULL);
	expect_minors(0, 4 * 17 - 1);
	ck_assert_uint_eq(account.loss[SHM_LOST_FULL], 11);
	ck_assert_uint_eq(account_sum(&account), 4 * 17 + 11);
	ck_assert_uint_eq(account.bytes, 4 * 4096);
	/* A discard makes room. */
	ck_assert_int_eq(session_discard(&box, NULL), 0);
	expect_minors(0, UINT32_MAX);
	ck_assert_uint_eq(account_sum(&account), 0);
	for (uint32_t i = 0; i < 4 * 17; i++)
		ck_assert_int_eq(hook_of(i, 240), PU_SUCCESS);
	ck_assert_int_eq(hook_of(1000, 240), PU_ERROR_BUFFER_FULL);
	expect_minors(0, 4 * 17 - 1);
	ck_assert_uint_eq(account_sum(&account), 4 * 17 + 1);
}
END_TEST

START_TEST(records_fit_exactly)
{
	setup(SHM_MODE_NORMAL, 2, 4096);
	for (uint32_t i = 0; i < 16; i++)
		ck_assert_int_eq(hook_of(i, 256), PU_SUCCESS);
	ck_assert_uint_eq(box_ring(&box, 0).head % 4096, 0);
	ck_assert_int_eq(hook_of(16, 4096), PU_SUCCESS);
	ck_assert_int_eq(hook_of(17, 24), PU_ERROR_BUFFER_FULL);
	expect_minors(0, 16);
	ck_assert_uint_eq(account.bytes, 8192);
}
END_TEST

START_TEST(every_size_meets_every_end)
{
	uint64_t hooks = 0;

	setup(SHM_MODE_WRAP, 3, 4096);
	for (uint32_t size = 24; size <= 4096; size += 8) {
		for (uint32_t before = 24; before < 400; before += 72) {
			ck_assert_int_eq(hook_of((uint32_t)hooks++, before), PU_SUCCESS);
			ck_assert_int_eq(hook_of((uint32_t)hooks++, size), PU_SUCCESS);
		}
	}
	box_account(&box, &account, NULL, NULL);
	ck_assert_uint_eq(account_sum(&account), hooks);
	ck_assert_uint_eq(account.overwritten + account.hooks, hooks);
	expect_minors((uint32_t)(hooks - account.hooks), (uint32_t)hooks - 1);
}
END_TEST

START_TEST(laps_overwrite_whole_sections)
{
	uint32_t sections = (uint32_t)_i;

	setup(SHM_MODE_WRAP, sections, 4096);
	/* 16 hooks per section; the last lap leaves one hook in its section. */
	for (uint32_t i = 0; i < 16 * (10 * sections) + 1; i++)
		ck_assert_int_eq(hook_of(i, 256), PU_SUCCESS);
	box_account(&box, &account, NULL, NULL);
	ck_assert_uint_eq(account.hooks, 16 * (sections - 1) + 1);
	ck_assert_uint_eq(account.overwritten, 16 * 9 * sections + 16);
	expect_minors(16 * 9 * sections + 16, 16 * 10 * sections);
	ck_assert_int_eq(session_discard(&box, NULL), 0);
	for (uint32_t i = 0; i < 100; i++)
		ck_assert_int_eq(hook_of(i, 256), PU_SUCCESS);
	box_account(&box, &account, NULL, NULL);
	/* Discarded hooks do not count as overwritten. */
	ck_assert_uint_eq(account_sum(&account), 100);
}
END_TEST

START_TEST(records_of_a_whole_section_go_round)
{
	setup(SHM_MODE_WRAP, 2, 4096);
	for (uint32_t i = 0; i < 101; i++)
		ck_assert_int_eq(hook_of(i, 4096), PU_SUCCESS);
	expect_minors(99, 100);
	ck_assert_uint_eq(account.overwritten, 99);
	/* A small hook, then one that fills a section: a pad fills the rest. */
	ck_assert_int_eq(hook_of(101, 24), PU_SUCCESS);
	ck_assert_int_eq(hook_of(102, 4096), PU_SUCCESS);
	expect_minors(101, 102);
	ck_assert_uint_eq(account_sum(&account), 103);
}
END_TEST

/* ---------------------------------------------------------------- held sections */

static void hold_record(struct hook_writer *w, uint32_t size)
{
	ck_assert_int_eq(hook_begin(w, 1, size, 1), HOOK_RESERVED);
	memset(w->first + 24, 0x5a, size - 24);
}

static void let_go(struct hook_writer *w, uint32_t size, uint32_t minor)
{
	for (uint32_t i = 24; i < size; i++)
		ck_assert_uint_eq(w->first[i], 0x5a); /* the held bytes stayed untouched */
	uint8_t *p = hook_record(w, 1, minor, (size - 24) / 4, 0, 0);
	memset(p, 0x5b, size - 24);
	hook_commit(w);
}

START_TEST(a_held_section_is_skipped)
{
	struct hook_writer w;
	uint32_t n = 0;

	setup(SHM_MODE_WRAP, 4, 4096);
	for (; n < 20; n++)
		ck_assert_int_eq(hook_of(n, 256), PU_SUCCESS);
	hold_record(&w, 64);
	for (; n < 1000; n++)
		ck_assert_int_eq(hook_of(n, 256), PU_SUCCESS);
	box_account(&box, &account, NULL, NULL);
	ck_assert_uint_eq(account.torn, 1);
	ck_assert_uint_eq(account_sum(&account), 1001);
	ck_assert_uint_gt(account.loss[SHM_SKIPPED], 10);
	ck_assert_uint_eq(account_lost(&account), 0);
	ck_assert_int_eq(session_reclaim(&box), 0); /* this process is alive */
	let_go(&w, 64, 5000);
	box_account(&box, &account, NULL, NULL);
	ck_assert_uint_eq(account.torn, 0);
	ck_assert_uint_eq(account_sum(&account), 1001);
	for (; n < 2000; n++)
		ck_assert_int_eq(hook_of(n, 256), PU_SUCCESS);
	box_account(&box, &account, NULL, NULL);
	ck_assert_uint_eq(account_sum(&account), 2001);
	ck_assert_uint_eq(account.overwritten + account.hooks, 2001);
}
END_TEST

START_TEST(one_usable_section_follows_itself)
{
	struct hook_writer w;

	setup(SHM_MODE_WRAP, 2, 4096);
	hold_record(&w, 4096);
	for (uint32_t n = 0; n < 16 * 50; n++)
		ck_assert_int_eq(hook_of(n, 256), PU_SUCCESS);
	box_account(&box, &account, NULL, NULL);
	ck_assert_uint_eq(account.hooks, 16);
	ck_assert_uint_eq(account.overwritten, 16 * 49);
	ck_assert_uint_eq(account.torn, 1);
	let_go(&w, 4096, 0);
}
END_TEST

/* An entry interrupted after the counts and before the entry word, repeatedly: simulated by its
 * stores. The valid counts must not change. */
START_TEST(an_interrupted_entry_counts_nothing_twice)
{
	struct hook_writer w;
	struct shm_section s;
	const struct shm_geometry *g = &box.geometry;
	uint64_t at, position;

	setup(SHM_MODE_WRAP, 2, 4096);
	hold_record(&w, 4096);
	for (uint32_t n = 0; n < 16 * 3; n++)
		ck_assert_int_eq(hook_of(n, 256), PU_SUCCESS);
	position = box_ring(&box, 0).head;
	ck_assert_uint_eq(position % 4096, 0);
	position += 4096; /* over the held one */
	at = ring_offset(g, 0) + sizeof(struct shm_ring) +
	     section_index(g, position) * sizeof(struct shm_section);
	s = box_section(&box, 0, section_index(g, position));
	*section_counts(g, &s, position) = (struct shm_counts){48, 0, 0};
	ck_assert_int_eq(pwrite(box.rings_fd, &s, sizeof s, (off_t)at), (int)sizeof s);
	box_account(&box, &account, NULL, NULL);
	ck_assert_uint_eq(account_sum(&account), 49);
	ck_assert_int_eq(hook_of(48, 256), PU_SUCCESS);
	box_account(&box, &account, NULL, NULL);
	ck_assert_uint_eq(account.overwritten, 48);
	ck_assert_uint_eq(account_sum(&account), 50);
	let_go(&w, 4096, 0);
}
END_TEST

START_TEST(when_all_are_held_hooks_are_lost)
{
	struct hook_writer w[3];
	uint64_t head;

	setup(SHM_MODE_WRAP, 3, 4096);
	for (int i = 0; i < 3; i++)
		hold_record(&w[i], 4096);
	head = box_ring(&box, 0).head;
	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(hook_of(0, 24), PU_ERROR_NO_BUFFER);
	ck_assert_uint_eq(box_ring(&box, 0).head, head);
	box_account(&box, &account, NULL, NULL);
	ck_assert_uint_eq(account.loss[SHM_LOST_HELD], 5);
	ck_assert_uint_eq(account.torn, 3);
	ck_assert_uint_eq(account_sum(&account), 8);
	/* The second is released: the first is skipped, the third still held. */
	let_go(&w[1], 4096, 1);
	ck_assert_int_eq(hook_of(0, 24), PU_SUCCESS);
	ck_assert_int_eq(hook_of(0, 4096), PU_SUCCESS);
	let_go(&w[0], 4096, 2);
	ck_assert_int_eq(hook_of(0, 4096), PU_SUCCESS);
	let_go(&w[2], 4096, 3);
	box_account(&box, &account, NULL, NULL);
	ck_assert_uint_eq(account.torn + account.gone_torn, 0);
	ck_assert_uint_eq(account_sum(&account), 11);
}
END_TEST

START_TEST(a_full_ring_keeps_reservations)
{
	struct hook_writer w;

	setup(SHM_MODE_NORMAL, 2, 4096);
	hold_record(&w, 128);
	for (uint32_t n = 0; n < 100; n++)
		hook_of(n, 256);
	box_account(&box, &account, NULL, NULL);
	ck_assert_uint_eq(account.torn, 1);
	ck_assert_uint_eq(account.hooks, 31);
	ck_assert_uint_eq(account_sum(&account), 101);
	/* A discard during a write: the section stays held, and the hook is lost as held. */
	ck_assert_int_eq(session_discard(&box, NULL), 0);
	for (uint32_t n = 0; n < 100; n++)
		hook_of(n, 256);
	let_go(&w, 128, 0);
	box_account(&box, &account, NULL, NULL);
	ck_assert_uint_eq(account_sum(&account), 100);
	ck_assert_uint_eq(account.hooks, 16);
	ck_assert_uint_gt(account.loss[SHM_LOST_HELD] + account.loss[SHM_LOST_FULL], 0);
}
END_TEST

/* ------------------------------------------------------------------------ groups */

static void add(struct hook_writer *w, uint32_t minor, uint32_t nwords)
{
	memset(hook_record(w, 1, minor, nwords, 0, 0), 0, nwords * 4);
}

START_TEST(a_group_is_there_whole_or_not_at_all)
{
	struct hook_writer w;
	uint32_t bytes = rec_size(2, 0) + rec_size(5, 0) + rec_size(0, 0);
	uint32_t first = 0;

	setup(SHM_MODE_WRAP, 3, 4096);
	for (uint32_t i = 0; i < 300; i++) {
		ck_assert_int_eq(hook_begin(&w, 1, bytes, 3), HOOK_RESERVED);
		box_account(&box, &account, NULL, NULL);
		ck_assert_uint_eq(account.torn, 1);
		uint64_t before = account.hooks;
		add(&w, 3 * i, 2);
		add(&w, 3 * i + 1, 5);
		box_account(&box, &account, NULL, NULL);
		ck_assert_uint_eq(account.hooks, before);
		add(&w, 3 * i + 2, 0);
		ck_assert_ptr_eq(w.at, w.first + bytes);
		hook_commit(&w);
		box_account(&box, &account, NULL, NULL);
		ck_assert_uint_eq(account.hooks, before + 3);
		ck_assert_uint_eq(account.torn, 0);
		ck_assert_uint_eq(account_sum(&account), 3 * (i + 1));
		first = (uint32_t)account.overwritten;
	}
	expect_minors(first, 899);
	/* A group that is too long loses all its hooks. */
	ck_assert_int_eq(hook_begin(&w, 1, 4104, 7), PU_ERROR_HOOK_TOO_LONG);
	box_account(&box, &account, NULL, NULL);
	ck_assert_uint_eq(account.loss[SHM_LOST_BIG], 7);
	ck_assert_uint_eq(account_sum(&account), 907);
}
END_TEST

/* ------------------------------------------------------------------------ stamps */

static void note_stamp(void *arg, uint32_t ring, uint64_t position, const uint8_t *record)
{
	(void)ring;
	(void)position;
	*(uint64_t *)arg = get_le64(record + 16);
}

/* Holds for any clock error: here a ring's last stamp is a day ahead. */
START_TEST(stamps_never_go_back)
{
	uint64_t tomorrow, stamp;

	setup(SHM_MODE_NORMAL, 2, 4096);
	tomorrow = clock_now() + 86400 * box.geometry.ticks_per_second;
	for (uint32_t ring = 0; ring < box.geometry.cpus + box.geometry.guests; ring++) {
		off_t at = (off_t)(ring_offset(&box.geometry, ring) +
				   offsetof(struct shm_ring, last_stamp));

		ck_assert_int_eq(pwrite(box.rings_fd, &tomorrow, 8, at), 8);
	}
	/* The first hook enters a section, the second does not. */
	for (uint32_t i = 0; i < 2; i++) {
		ck_assert_int_eq(hook_of(i, 64), PU_SUCCESS);
		box_account(&box, &account, note_stamp, &stamp);
		ck_assert_uint_eq(account.hooks, i + 1);
		ck_assert_uint_eq(stamp, tomorrow);
	}
	ck_assert_uint_eq(account.backwards, 0);
}
END_TEST

/* Also of a hook that enters a section, which takes time. */
START_TEST(a_hook_has_the_time_of_its_caller)
{
	struct hook_time at;

	setup(SHM_MODE_NORMAL, 4, 4096);
	ck_assert_int_eq(hook_of(0, 64), PU_SUCCESS);
	at.generation = ring_self.generation;
	at.ticks = UINT64_C(1) << 62;
	for (uint32_t i = 1; i < 50; i++) {
		struct hook_writer w;

		at.ticks++;
		ck_assert_int_eq(hook_begin_at(&w, 1, 240, 1, &at), HOOK_RESERVED);
		ck_assert_uint_eq(w.stamp, at.ticks);
		hook_record(&w, 1, i, (240 - REC_HEADER_SIZE) / 4, 0, 0);
		hook_commit(&w);
	}
	expect_minors(0, 49);
}
END_TEST

/* ---------------------------------------------------------------- lost_before, ids */

START_TEST(losses_precede_the_next_section)
{
	struct ring_part parts[4];
	struct ring_reader r;
	uint32_t ring;

	setup(SHM_MODE_NORMAL, 4, 4096);
	for (int i = 0; i < 16; i++)
		hook_of(0, 256);
	for (int i = 0; i < 5; i++)
		TraceHookWords(1, 1, 2000, words); /* too big */
	for (int i = 0; i < 20; i++)
		hook_of(0, 256);
	TraceHookWords(1, 1, 2000, words);
	for (int i = 0; i < 20; i++)
		hook_of(0, 256);
	ck_assert_int_eq(ring_reader_open(&r, box.rings_fd, &box.geometry, box.control->ring), 0);
	/* Without rseq, hooks go to the first guest ring. */
	for (ring = 0; box_ring(&box, ring).head == 0; ring++)
		ck_assert_uint_lt(ring + 1, ring_reader_rings(&r));
	ck_assert_int_eq(ring_reader_parts(&r, ring, parts), 4);
	uint32_t cause_ring = 0;
	while (box_ring(&box, cause_ring).loss[SHM_LOST_BIG] == 0)
		cause_ring++;
	if (cause_ring == ring) {
		ck_assert_uint_eq(parts[0].lost_before, 0);
		ck_assert_uint_eq(parts[1].lost_before, 5);
		ck_assert_uint_eq(parts[2].lost_before, 0);
		ck_assert_uint_eq(parts[3].lost_before, 1);
	}
	ring_reader_close(&r);
}
END_TEST

SANDBOX_MAIN(100, "sections", .timeout = 60,
	TESTS(a_full_ring_stops_for_good, records_fit_exactly, every_size_meets_every_end,
		records_of_a_whole_section_go_round, a_held_section_is_skipped,
		one_usable_section_follows_itself, an_interrupted_entry_counts_nothing_twice,
		when_all_are_held_hooks_are_lost, a_full_ring_keeps_reservations,
		a_group_is_there_whole_or_not_at_all, stamps_never_go_back,
		a_hook_has_the_time_of_its_caller, losses_precede_the_next_section),
	LOOPS({laps_overwrite_whole_sections, 2, 7}))
