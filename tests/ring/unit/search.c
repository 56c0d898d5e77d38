/*
 * How a writer searches for a section to enter, single-threaded: an upper bound of its steps, for
 * any content of the ring; discards, clocks and lack of memory during the search; and the count of
 * hooks that a thread is inside of.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../../libtrace/ring/points.h"
#include "../../../libtrace/ring/populate.h"
#include "../../../libtrace/ring/target.h"
#include "../../../libtrace/session/attach.h"
#include "sandbox.h"
#include "../../lib/suites.h"

static struct session box;
static struct account account;
static uint32_t ring; /* the ring that all hooks go to */
static uint32_t words[4096];

/* Each function runs once, at its point. */
static void (*at_point[RING_POINTS])(void);
static unsigned steps;

void ring_point(enum ring_point point)
{
	void (*call)(void) = at_point[point];

	at_point[point] = NULL;
	if (call)
		call();
}

void ring_steps(unsigned n)
{
	steps += n;
}

static void setup(bool guest, uint32_t sections, uint32_t section)
{
	sandbox_fresh();
	ring = box_pin(0);
	box_open(&box, SHM_MODE_WRAP, (uint64_t)sections * section, section);
	attach_discover();
	attach_ready(CHECKED_MAJOR);
	if (guest || !box_has_rseq()) {
		box_become_guest(0);
		ring = box.geometry.cpus;
	}
}

static int hook_of(uint32_t size)
{
	steps = 0;
	return TraceHookWords(1, 1, (size - 24) / 4, words);
}

static struct shm_ring *header(void)
{
	return ring_at(ring_self.map->base, &box.geometry, ring);
}

static uint8_t *section_at(uint32_t index)
{
	return (uint8_t *)header() + box.geometry.data_offset +
	       (size_t)index * box.geometry.section_size;
}

static uint32_t most_steps(void)
{
	return TARGET_LOOK_STEPS + box.geometry.section_size / 8;
}

/* ------------------------------------------------------------------- discards */

static void discard(void)
{
	ck_assert_int_eq(session_discard(&box, NULL), 0);
}

/* The entered section's hooks were counted before the discard. */
START_TEST(a_discard_before_an_entry_is_counted_once)
{
	setup(_i, 4, 4096);
	for (int lap = 0; lap < 20; lap++) {
		for (uint32_t i = 0; i < 16 * 5; i++)
			ck_assert_int_eq(hook_of(256), PU_SUCCESS);
		ck_assert_uint_eq(header()->head % 4096, 0);
		at_point[POINT_BEFORE_ENTER] = discard;
		ck_assert_int_eq(hook_of(256), PU_SUCCESS);
		ck_assert_ptr_null(at_point[POINT_BEFORE_ENTER]);
		box_account(&box, &account, NULL, NULL);
		ck_assert_uint_eq(account_sum(&account), 1);
		for (uint32_t i = 0; i < 15; i++)
			ck_assert_int_eq(hook_of(256), PU_SUCCESS);
		box_account(&box, &account, NULL, NULL);
		ck_assert_uint_eq(account_sum(&account), 16);
	}
}
END_TEST

/* --------------------------------------------------------- others come in between */

static uint64_t attempts;

static void hooks_of(uint32_t n, uint32_t size)
{
	for (attempts += n; n; n--)
		ck_assert_int_eq(hook_of(size), PU_SUCCESS);
}

static struct hook_writer interrupted;
static bool interrupts;

/* The last hook of the first section may be in the middle of its fill. */
static void fill_two_sections(void)
{
	hooks_of(2, 512);
	if (interrupts) {
		attempts++;
		ck_assert_int_eq(hook_begin(&interrupted, 1, 512, 1), HOOK_RESERVED);
		memset(interrupted.first + 24, 0x55, 512 - 24);
	} else {
		hooks_of(1, 512);
	}
	hooks_of(8, 512);
}

/* Fills the section that is examined next, a lap later. */
static void fill_half(void)
{
	hooks_of(2 * 16, 256);
	hooks_of(5, 512);
	at_point[POINT_BEFORE_ENTER] = fill_two_sections;
}

/* A section was entered behind the writer's back: it may have other hooks by the time the writer
 * reaches it again, or uncommitted ones. */
START_TEST(a_section_entered_before_the_check_is_checked_again)
{
	setup(false, 2, 4096);
	if (ring == box.geometry.cpus) {
		puts("skipped: a section entered before the look: no restartable sequences here");
		return;
	}
	attempts = 0;
	interrupts = _i;
	hooks_of(4 * 16, 256);
	ck_assert_uint_eq(header()->head % 8192, 0);
	at_point[POINT_BEFORE_LOOK] = fill_half;
	hooks_of(1, 256);
	hooks_of(4 * 16, 256);
	if (interrupts) {
		for (uint32_t i = 24; i < 512; i++)
			ck_assert_uint_eq(interrupted.first[i], 0x55);
		hook_record(&interrupted, 1, 1, (512 - 24) / 4, 0, 0);
		hook_commit(&interrupted);
	}
	box_account(&box, &account, NULL, NULL);
	ck_assert_uint_eq(account_sum(&account), attempts);
}
END_TEST

/* ----------------------------------------------------------------------- walks */

/* A ring full of the shortest possible records, with an uncommitted one at the end. */
static void scribble_pads(bool held)
{
	const struct shm_geometry *g = &box.geometry;
	struct shm_ring *h = header();

	for (uint32_t i = 0; i < g->sections; i++) {
		uint8_t *at = section_at(i);

		for (uint32_t k = 0; k < g->section_size; k += 8)
			put_le32(at + k, 8 | REC_KIND_PAD | REC_COMMITTED);
		if (held)
			put_le32(at + g->section_size - 8, 8 | REC_KIND_HOOK);
		h->section[i] = (struct shm_section){
			.entry = (uint64_t)i * g->section_size + 1, .held = UINT64_MAX};
	}
	h->head = h->lap = g->ring_size;
	h->search = 0;
}

START_TEST(a_hook_walks_over_one_section_at_most)
{
	setup(_i, 48, 65536);
	scribble_pads(true);
	/* Each hook examines one more section and gives up. */
	for (uint32_t i = 0; i < 47; i++) {
		ck_assert_int_eq(hook_of(64), PU_ERROR_NO_BUFFER);
		ck_assert_uint_le(steps, most_steps());
	}
	ck_assert_int_eq(hook_of(64), PU_ERROR_NO_BUFFER);
	/* By now all sections are known to be held. */
	for (uint32_t i = 0; i < 100; i++) {
		ck_assert_int_eq(hook_of(64), PU_ERROR_NO_BUFFER);
		ck_assert_uint_le(steps, 48 * TARGET_LOOK_STEPS);
	}
	box_account(&box, &account, NULL, NULL);
	ck_assert_uint_eq(account.loss[SHM_LOST_HELD], 148);
	/* A released section is found at once. */
	put_le32(section_at(30) + 65536 - 8, 8 | REC_KIND_HOOK | REC_COMMITTED);
	for (uint32_t i = 0; i < 3 && hook_of(64) != PU_SUCCESS; i++)
		ck_assert_uint_le(steps, most_steps());
	ck_assert_uint_eq(header()->head, (48 + 30) * 65536 + 64);
}
END_TEST

START_TEST(pads_that_hold_nothing_cost_one_walk)
{
	setup(_i, 48, 65536);
	scribble_pads(false);
	for (uint32_t i = 0; i < 48 * 4; i++) {
		ck_assert_int_eq(hook_of(16384), PU_SUCCESS);
		ck_assert_uint_le(steps, most_steps());
	}
}
END_TEST

/* More sections are held than one hook examines: the next hooks continue after them. */
START_TEST(many_held_sections_are_got_over)
{
	struct hook_writer w[200];
	uint32_t lost = 0;

	setup(_i, 201, 4096);
	for (uint32_t i = 0; i < 200; i++)
		ck_assert_int_eq(hook_begin(&w[i], 1, 4096, 1), HOOK_RESERVED);
	ck_assert_int_eq(hook_of(4096), PU_SUCCESS);
	for (int lap = 0; lap < 5; lap++) {
		while (hook_of(4096) != PU_SUCCESS) {
			ck_assert_uint_le(steps, most_steps());
			lost++;
		}
		ck_assert_uint_eq(header()->head % box.geometry.ring_size, 0);
	}
	ck_assert_uint_le(lost, 5 * (200 * TARGET_LOOK_STEPS / most_steps() + 1));
	for (uint32_t i = 0; i < 200; i++) {
		memset(hook_record(&w[i], 1, 1, 1018, 0, 0), 0, 4 * 1018);
		hook_commit(&w[i]);
	}
	box_account(&box, &account, NULL, NULL);
	ck_assert_uint_eq(account_sum(&account), 206 + lost);
	ck_assert_uint_eq(account.loss[SHM_LOST_HELD], lost);
	ck_assert_uint_eq(account.torn + account.gone_torn, 0);
}
END_TEST

/* A wrong hint, whatever it says, neither holds a section nor releases one. */
START_TEST(hints_are_verified)
{
	struct hook_writer w;
	uint32_t n = 1;

	setup(false, 3, 4096);
	ck_assert_int_eq(hook_begin(&w, 1, 64, 1), HOOK_RESERVED);
	for (uint32_t i = 0; i < 2000; i++, n++) {
		uint64_t any = (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();
		uint64_t lap = header()->head / 4096;

		header()->search = i % 3 ? any : header()->head + (any % 3) * 4096;
		for (uint32_t k = 0; k < 3; k++)
			header()->section[k].held =
				i % 2 ? any : (lap - 1 - k) << SHM_HELD_BITS | any % 512;
		ck_assert_int_eq(hook_of(1024), PU_SUCCESS);
	}
	ck_assert_uint_eq(get_le32(w.first), 64);
	box_account(&box, &account, NULL, NULL);
	ck_assert_uint_eq(account_sum(&account), n);
	memset(hook_record(&w, 1, 1, 10, 0, 0), 0, 40);
	hook_commit(&w);
}
END_TEST

/* ---------------------------------------------------------------------- clocks */

START_TEST(a_clock_that_went_back_is_counted)
{
	uint64_t day, ticks;

	setup(_i, 3, 4096);
	day = 86400 * box.geometry.ticks_per_second;
	ticks = box.geometry.ticks_per_second / 2000;
	header()->last_stamp = clock_now() + ticks; /* as set by another processor */
	ck_assert_int_eq(hook_of(4096), PU_SUCCESS);
	ck_assert_uint_eq(header()->clock_back, 0);
	header()->last_stamp = clock_now() + day;
	ck_assert_int_eq(hook_of(4096), PU_SUCCESS);
	ck_assert_uint_eq(header()->clock_back, 1);
	ck_assert_uint_le(header()->clock_back_most, day);
	ck_assert_uint_gt(header()->clock_back_most, day / 2);
	ck_assert_int_eq(hook_of(4096), PU_SUCCESS);
	ck_assert_uint_eq(header()->clock_back, 2);
}
END_TEST

/* --------------------------------------------------------------- slots, memory */

START_TEST(a_thread_without_a_slot_writes_nothing)
{
	struct hook_writer w;

	setup(_i, 3, 4096);
	ring_self.number = 0;
	ring_self.longest = 0; /* as member_join sets it */
	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(hook_of(64), PU_ERROR_INSUFFICIENT_RESOURCES);
	ck_assert_int_eq(hook_begin(&w, 1, 256, 4), PU_ERROR_INSUFFICIENT_RESOURCES);
	box_account(&box, &account, NULL, NULL);
	ck_assert_uint_eq(account.loss[SHM_LOST_NO_SLOT], 9);
	ck_assert_uint_eq(account_sum(&account), 9);
	ck_assert_uint_eq(header()->head, 0);
}
END_TEST

/* Frees the memory of the ring's sections, beginning with `first`. */
static void make_sparse(uint32_t first)
{
	const struct shm_geometry *g = &box.geometry;

	ck_assert_int_eq(madvise(section_at(first), (size_t)(g->sections - first) * g->section_size,
				 MADV_REMOVE),
		0);
}

static bool in_small_memory(void)
{
	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		mount("none", sandbox_dir(), "tmpfs", 0, "size=40m") != 0)
		return false;
	return true;
}

/* full: uses up the file system's free space; else releases it. */
static void fill(bool full)
{
	static char chunk[4096];
	static int fd = -1;

	if (fd < 0)
		fd = openat(AT_FDCWD, sandbox_dir(), O_TMPFILE | O_RDWR, 0600);
	ck_assert_int_ge(fd, 0);
	while (full && write(fd, chunk, sizeof chunk) > 0)
		;
	if (!full)
		ck_assert_int_eq(ftruncate(fd, 0), 0);
}

START_TEST(without_memory_hooks_are_lost_and_counted)
{
	const struct timespec some = {0, 20000000};
	uint32_t lost = 0, written = 0;
	struct ring_map *map;

	if (!in_small_memory()) {
		puts("skipped: a full tmpfs: cannot be mounted here");
		return;
	}
	setup(_i, 8, 65536);
	map = (struct ring_map *)(uintptr_t)ring_self.map;
	if (!map->populated)
		map->populated = calloc(1, ring_populate_bytes(&map->geometry));
	ck_assert_ptr_nonnull(map->populated);
	memset(map->populated, 0, ring_populate_bytes(&map->geometry));
	make_sparse(1);
	for (; written < 4; written++)
		ck_assert_int_eq(hook_of(16384), PU_SUCCESS);
	fill(true);
	for (; lost < 1000; lost++) {
		errno = 12345;
		ck_assert_int_eq(hook_of(16384), PU_ERROR_INSUFFICIENT_RESOURCES);
		ck_assert_int_eq(errno, 12345);
	}
	/* Memory is free again, and the writer soon retries. */
	fill(false);
	nanosleep(&some, NULL);
	for (; written < 100; written++)
		ck_assert_int_eq(hook_of(16384), PU_SUCCESS);
	box_account(&box, &account, NULL, NULL);
	ck_assert_uint_eq(account.loss[SHM_LOST_NO_MEMORY], 1000);
	ck_assert_uint_eq(account_sum(&account), 1100);
}
END_TEST

/* ------------------------------------------------------------------------ busy */

static void expect_busy(void)
{
	ck_assert_uint_ge(ring_self.busy, 1);
}

static void nested(void)
{
	struct hook_writer w;

	ck_assert_uint_eq(ring_self.busy, 1);
	ck_assert_int_eq(hook_begin(&w, 2, 64, 1), HOOK_RESERVED);
	ck_assert_uint_eq(ring_self.busy, 2);
	memset(hook_record(&w, 2, 1, 10, 0, 0), 0, 40);
	hook_commit(&w);
	ck_assert_uint_eq(ring_self.busy, 1);
	ck_assert_int_eq(TraceHookWords(2, 1, 2000, words), PU_ERROR_HOOK_TOO_LONG);
	ck_assert_uint_eq(ring_self.busy, 1);
}

START_TEST(a_thread_is_busy_inside_a_hook)
{
	TRACE_STRING s = {"string", 6};

	setup(_i, 3, 4096);
	for (int i = 0; i < 200; i++) {
		at_point[POINT_RESERVED] = nested;
		at_point[POINT_BEFORE_ENTER] = expect_busy;
		at_point[POINT_BEFORE_PAD] = expect_busy;
		ck_assert_int_eq(hook_of(24 + (uint32_t)i / 4 * 4), PU_SUCCESS);
		ck_assert_uint_eq(ring_self.busy, 0);
		ck_assert_int_eq(TraceHook(1, 1, 1, 1, 1, "string"), PU_SUCCESS);
		ck_assert_int_eq(TraceHook(1, 1, 2, 0, 1, 2), PU_SUCCESS);
		ck_assert_int_eq(TraceHookData(1, 1, 2, words, 1, &s), PU_SUCCESS);
		ck_assert_uint_eq(ring_self.busy, 0);
	}
	ck_assert_int_eq(hook_of(8000), PU_ERROR_HOOK_TOO_LONG);
	ck_assert_int_eq(session_off(&box, NULL), 0);
	ck_assert_int_eq(hook_of(64), PU_SUCCESS);
	ck_assert_uint_eq(ring_self.busy, 0);
}
END_TEST

/* Loops: on the CPU's ring and on a guest ring. */
SANDBOX_MAIN(100, "search", .timeout = 60, TESTS(hints_are_verified),
	LOOPS({a_discard_before_an_entry_is_counted_once, 0, 2},
		{a_section_entered_before_the_check_is_checked_again, 0, 2},
		{a_hook_walks_over_one_section_at_most, 0, 2},
		{pads_that_hold_nothing_cost_one_walk, 0, 2},
		{many_held_sections_are_got_over, 0, 2}, {a_clock_that_went_back_is_counted, 0, 2},
		{a_thread_without_a_slot_writes_nothing, 0, 2},
		{without_memory_hooks_are_lost_and_counted, 0, 2},
		{a_thread_is_busy_inside_a_hook, 0, 2}))
