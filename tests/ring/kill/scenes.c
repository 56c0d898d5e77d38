#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../formats/cpi_hooks.h"
#include "../../../libtrace/measure/cpi/group.h"
#include "../../../libtrace/ring/thread.h"
#include "scenes.h"

pid_t holder;

/* --------------------------------------------------------------- operations */

enum { LONG_WORDS = 300, MIDDLE_WORDS = 100, BIG_WORDS = 2000 };

/* A word of an operation's hook, a function of its index. */
#define WORD(i) ((i)*0x9e3779b9u ^ 0x5a5aa5a5u)

static uint32_t words[BIG_WORDS];
static const char text[] = "a string of an operation";
static const TRACE_STRING strings[] = {{text, sizeof text - 1}, {text, 7}};

static void no_words(void)
{
	TraceHookWords(OP_MAJOR, 0, 0, words);
}

static void long_hook(void)
{
	TraceHookWords(OP_MAJOR, LONG_WORDS, LONG_WORDS, words);
}

static void middle_hook(void)
{
	TraceHookWords(OP_MAJOR, MIDDLE_WORDS, MIDDLE_WORDS, words);
}

static void big_hook(void)
{
	TraceHookWords(OP_MAJOR, BIG_WORDS, BIG_WORDS, words);
}

static void string_hook(void)
{
	TraceHook(OP_MAJOR, 2, 2, 1, words[0], words[1], text);
}

static void data_hook(void)
{
	TraceHookData(OP_MAJOR, 3, 3, words, 2, strings);
}

/* Three records without strings, as the library's own programs write them. */
static void group(void)
{
	struct hook_writer w;

	if (hook_begin(&w, OP_MAJOR, rec_size(1, 0) + rec_size(30, 0) + rec_size(8, 0), 3) !=
		HOOK_RESERVED)
		return;
	memcpy(hook_record(&w, OP_MAJOR, 1, 1, 0, 0), words, 4);
	memcpy(hook_record(&w, OP_MAJOR, 30, 30, 0, 0), words, 120);
	memcpy(hook_record(&w, OP_MAJOR, 8, 8, 0, 0), words, 32);
	hook_commit(&w);
}

static struct counter_interval *cpi;
static const struct group_spec spec = {
	.types = CPI_TYPE_TRACE_EVERYTHING, .mode = CPI_TYPE_ONTHREAD, .label = text, .mm = 1};

/* Such as is copied from its image. */
static struct group_image *image;
static const struct group_spec light = {
	.types = CPI_TYPE_TRACE_SUMMARY | CPI_TYPE_TRACE_QUALITY, .label = "light", .mm = 1};

static void build_cpi_interval(void)
{
	cpi = calloc(1, counters_interval_size(box.geometry.cpus));
	if (!cpi)
		die("memory");
	/* A group for more processors would not fit into a section of these rings. */
	cpi->cpus = box.geometry.cpus < 8 ? box.geometry.cpus : 8;
	image = calloc(1, group_image_size(cpi->cpus));
	if (!image)
		die("memory");
}

static void cpi_group(void)
{
	uint64_t elapsed;

	group_write(&spec, cpi, 0, NULL, &elapsed);
}

static void cpi_image(void)
{
	uint64_t elapsed;

	group_write_stayed(image, &light, cpi, 0, NULL, &elapsed);
}

bool operation_is_whole(const uint8_t *record)
{
	uint32_t n = get_le16(record + REC_NWORDS);

	if (record[REC_MAJOR] == CPI_MAJOR)
		return (get_le32(record + REC_MINOR) & 0xff) == spec.mm;
	if (get_le32(record + REC_MINOR) != n)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (get_le32(record + REC_DATA + 4 * i) != WORD(i))
			return false;
	}
	for (uint32_t at = 4 * n, i = 0; i < record[REC_NSTRINGS]; i++) {
		uint32_t length = get_le32(record + REC_DATA + at);

		if (length != strings[i].length ||
			memcmp(record + REC_DATA + at + 4, text, length) != 0)
			return false;
		at += rec_string_bytes(length);
	}
	return true;
}

/* ------------------------------------------------------------- the state that they find */

static uint64_t ring_head(void)
{
	return box_ring(&box, ring).head;
}

static uint32_t sequence;

static void hook_of(uint32_t size)
{
	checked_hook(8, sequence++, (size - REC_HEADER_SIZE) / 4 - 3);
}

/* Moves head to so many bytes before its section's end, or onto the next one's first byte. */
static void leave_room(uint32_t room)
{
	for (;;) {
		uint32_t left = SECTION - (uint32_t)(ring_head() % SECTION);

		if (left == room || (room == 0 && left == SECTION))
			return;
		if (left < room + 40)
			hook_of(left >= 40 ? left : 40);
		else
			hook_of(left - room > 1480 ? 1400 : left - room);
	}
}

static void lap(void)
{
	/* Use few, long hooks: entering a section checks its old records one by one. */
	for (int i = 0; i < 2 * SECTIONS * 4; i++)
		hook_of(1000);
}

static void fresh(void)
{
}

static void in_the_middle(void)
{
	build_cpi_interval();
	lap();
	leave_room(3000);
}

static void in_the_middle_with_image(void)
{
	build_cpi_interval();
	cpi_image();
	lap();
	leave_room(3000);
}

static void near_the_end(void)
{
	build_cpi_interval();
	lap();
	leave_room(200);
}

static void on_a_boundary(void)
{
	lap();
	leave_room(0);
}

/* A writer that reserves one record in each of so many sections, and then stops. */
static void hold_sections(uint32_t sections)
{
	int status;

	holder = fork();
	if (holder == 0) {
		struct hook_writer w;

		for (uint32_t i = 0; i < sections; i++) {
			if (hook_begin(&w, 2, SECTION - 1000, 1) != HOOK_RESERVED)
				_exit(1);
		}
		raise(SIGSTOP);
		_exit(0);
	}
	if (waitpid(holder, &status, WUNTRACED) != holder || !WIFSTOPPED(status))
		die("no holder");
}

/* The holder has the section after head's. */
static void before_a_held_one(void)
{
	lap();
	leave_room(0);
	uint64_t held = ring_head() / SECTION;
	hold_sections(1);
	while (ring_head() / SECTION < held + SECTIONS - 1)
		hook_of(1000);
	leave_room(200);
}

static void all_held(void)
{
	lap();
	hold_sections(SECTIONS);
	leave_room(0);
}

/* Only head's section can still be entered. */
static void all_but_one_held(void)
{
	lap();
	hold_sections(SECTIONS - 1);
	leave_room(0);
	hook_of(1000);
	leave_room(200);
}

static void half_full(void)
{
	for (int i = 0; i < 8; i++)
		hook_of(1000);
	leave_room(200);
}

static void full(void)
{
	lap();
}

/* The drain has released one section more than fit. */
static void one_released(void)
{
	lap();
	__atomic_store_n(&box.control->ring[ring].released,
		ring_released_word(&box.geometry, box.generation, SECTION), __ATOMIC_RELEASE);
}

/* A live process has locked every guest ring. */
static void all_taken(void)
{
	in_the_middle();
	uint32_t lock = ring_self.number;
	if (pwrite(box.rings_fd, &lock, 4,
		    (off_t)(ring_offset(&box.geometry, ring) + offsetof(struct shm_ring, lock))) !=
		4)
		die("write");
}

__attribute__((constructor)) static void fill_words(void)
{
	for (uint32_t i = 0; i < BIG_WORDS; i++)
		words[i] = WORD(i);
}

enum { WRAP = SHM_MODE_WRAP, NORMAL = SHM_MODE_NORMAL, CONTINUOUS = SHM_MODE_CONTINUOUS };

const struct scene scenes[] = {
	{"no words", WRAP, false, in_the_middle, no_words, 1, WHOLE, 1, 0, false},
	{"300 words", WRAP, false, in_the_middle, long_hook, 1, WHOLE, 1, 0, false},
	{"a ring's first hook", WRAP, false, fresh, middle_hook, 1, WHOLE, 3, 0, false},
	{"pad and entry", WRAP, false, near_the_end, middle_hook, 1, WHOLE, 5, 0, false},
	{"entry on a boundary", WRAP, false, on_a_boundary, no_words, 1, WHOLE, 3, 0, false},
	{"skip of a held section", WRAP, false, before_a_held_one, middle_hook, 1, WHOLE, 8, 0,
		false},
	{"a section behind itself", WRAP, false, all_but_one_held, middle_hook, 1, WHOLE, 8, 0,
		false},
	{"all held", WRAP, false, all_held, no_words, 1, LOST, 3, 0, true},
	{"too long", WRAP, false, in_the_middle, big_hook, 1, LOST, 1, 0, false},
	{"two words and a string", WRAP, false, in_the_middle, string_hook, 1, WHOLE, 1, 0, false},
	{"three words and two strings", WRAP, false, in_the_middle, data_hook, 1, WHOLE, 1, 0,
		false},
	{"a group", WRAP, false, in_the_middle, group, 3, WHOLE, 1, 0, false},
	{"a CPI group", WRAP, false, in_the_middle, cpi_group, 6, WHOLE, 1, 0, false},
	{"a CPI group of an image", WRAP, false, in_the_middle_with_image, cpi_image, 4, WHOLE, 1,
		0, false},
	{"a group, pad and entry", WRAP, false, near_the_end, group, 3, WHOLE, 5, 0, false},
	{"normal mode, pad and entry", NORMAL, false, half_full, middle_hook, 1, WHOLE, 5, 0, true},
	{"normal mode, full", NORMAL, false, full, middle_hook, 1, LOST, 3, 0, true},
	{"continuous mode, at its limit", CONTINUOUS, false, full, middle_hook, 1, LOST, 3, 0,
		false},
	{"continuous mode, a section released", CONTINUOUS, false, one_released, middle_hook, 1,
		WHOLE, 3, 0, false},
	{"a group lost at the limit", CONTINUOUS, false, full, group, 3, LOST, 3, 0, false},
	{"guest, no words", WRAP, true, in_the_middle, no_words, 1, WHOLE, 0, 0, false},
	{"guest, 300 words", WRAP, true, in_the_middle, long_hook, 1, WHOLE, 0, 0, false},
	{"guest, first hook", WRAP, true, fresh, middle_hook, 1, WHOLE, 0, 0, false},
	{"guest, pad and entry", WRAP, true, near_the_end, middle_hook, 1, WHOLE, 0, 0, false},
	{"guest, skip of a held section", WRAP, true, before_a_held_one, middle_hook, 1, WHOLE, 0,
		0, false},
	{"guest, a section behind itself", WRAP, true, all_but_one_held, middle_hook, 1, WHOLE, 0,
		0, false},
	{"guest, all held", WRAP, true, all_held, no_words, 1, LOST, 0, 0, true},
	{"guest, a CPI group", WRAP, true, in_the_middle, cpi_group, 6, WHOLE, 0, 0, false},
	{"guest, two locks found taken", WRAP, true, in_the_middle, no_words, 1, WHOLE, 0, 2,
		false},
	{"guest, all locks taken", WRAP, true, all_taken, no_words, 1, LOST, 0, 0, true},
	{"guest, normal mode, full", NORMAL, true, full, no_words, 1, LOST, 0, 0, true},
	{"guest, continuous mode, a section released", CONTINUOUS, true, one_released, middle_hook,
		1, WHOLE, 0, 0, false},
};

const uint32_t scene_count = sizeof scenes / sizeof *scenes;
