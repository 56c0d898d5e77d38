/* The watch: sees every hook once and in order, and counts those it missed. */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../libtrace/session/attach.h"
#include "../../libtrace/trigger/watch.h"
#include "../lib/suites.h"
#include "sandbox.h"

enum { SECTION = 4096, SECTIONS = 4 };

static struct box {
	struct session s;
	struct watch w;
	uint32_t next; /* sequence number */
	/* The events received. */
	uint32_t seen, not_whole, out_of_order, last, stop_at;
	uint32_t events, scripted;
} box;

static void begin(uint32_t mode, uint32_t sections)
{
	memset(&box, 0, sizeof box);
	sandbox_fresh();
	box_pin(0);
	box_open(&box.s, mode, (uint64_t)sections * SECTION, SECTION);
	session_unlock(&box.s);
}

/* New rings: a process looks for a session only once. */
static void begin_again(void)
{
	const struct session_config config = {.ring_bytes = box.s.geometry.ring_size,
		.section_bytes = SECTION,
		.mode = box.s.geometry.mode,
		.group = (gid_t)-1};
	struct session s = box.s;

	watch_close(&box.w);
	memset(&box, 0, sizeof box);
	box.s = s;
	ck_assert_int_eq(session_off(&box.s, NULL), 0);
	ck_assert_int_eq(session_init(&box.s, &config, NULL), 0);
	ck_assert_int_eq(session_on(&box.s, NULL), 0);
}

static void open_watch(void)
{
	struct session_error e = {""};

	ck_assert_msg(watch_open(&box.w, &box.s, &e) == 0, "%s", e.text);
	box.last = box.next - 1;
}

static void end(void)
{
	if (!box.s.control)
		return;
	watch_close(&box.w);
	session_free(&box.s, NULL);
	session_close(&box.s);
}

static uint32_t write_hooks(uint32_t n)
{
	uint32_t refused = 0;

	for (; n; n--, box.next++)
		refused += checked_hook(1, box.next, box.next % 11) != 0;
	return refused;
}

static bool check_event(void *arg, struct event *e)
{
	(void)arg;
	box.events++;
	box.scripted += e->is_scripted;
	for (uint32_t at = 0; at < e->bytes;) {
		const uint8_t *r = e->record + at;

		at += get_le32(r) & REC_SIZE_MASK;
		box.seen++;
		if (r[REC_MAJOR] != CHECKED_MAJOR || !checked_is_whole(r)) {
			box.not_whole++;
			continue;
		}
		if ((int32_t)(checked_sequence(r) - box.last) <= 0)
			box.out_of_order++;
		box.last = checked_sequence(r);
	}
	return box.events != box.stop_at;
}

static void check_order(void)
{
	ck_assert_uint_eq(box.seen, box.w.seen);
	ck_assert_uint_eq(box.not_whole, 0);
	ck_assert_uint_eq(box.out_of_order, 0);
	ck_assert_uint_eq(box.w.damaged, 0);
}

START_TEST(every_hook_once_and_in_order)
{
	begin(SHM_MODE_WRAP, SECTIONS);
	write_hooks(77); /* before it: not seen */
	open_watch();
	for (uint32_t i = 0; i < 500; i++) {
		write_hooks(i % 60); /* less than the ring holds */
		ck_assert(watch_poll(&box.w, check_event, NULL));
		ck_assert_uint_eq(box.w.seen + 77, box.next);
		ck_assert_uint_eq(box.last, box.next - 1);
	}
	ck_assert_uint_eq(box.w.missed, 0);
	check_order();
}
END_TEST

/* From any place in the first laps on, by any number of hooks at a time. */
START_TEST(overwritten_ones_are_counted_exactly)
{
	begin(SHM_MODE_WRAP, SECTIONS);
	for (uint32_t seed = 0; seed < 60; seed++) {
		uint32_t written = 0;

		srand(seed);
		write_hooks((uint32_t)rand() % 1500);
		open_watch();
		for (uint32_t i = 0; i < 30; i++) {
			uint32_t n = (uint32_t)rand() % (i % 3 ? 200 : 2000);

			write_hooks(n);
			written += n;
			ck_assert(watch_poll(&box.w, check_event, NULL));
			ck_assert_uint_eq(box.w.seen + box.w.missed, written);
			ck_assert_uint_eq(box.last, box.next - 1);
		}
		ck_assert_uint_gt(box.w.missed, 0);
		ck_assert_uint_eq(box.w.unfinished, 0);
		check_order();
		begin_again();
	}
}
END_TEST

static void count_run(void *arg, uint32_t ring, const uint8_t *records, uint32_t bytes)
{
	uint64_t *hooks = arg;

	(void)ring;
	for (uint32_t at = 0; at < bytes;) {
		uint32_t control = get_le32(records + at);

		*hooks += (control & REC_KIND_MASK) == REC_KIND_HOOK;
		at += control & REC_SIZE_MASK;
	}
}

START_TEST(headers_alone_give_the_same_counts)
{
	uint64_t hooks = 0;
	uint32_t written = 0;

	begin(SHM_MODE_WRAP, SECTIONS);
	open_watch();
	for (uint32_t i = 0; i < 300; i++) {
		uint32_t n = (uint32_t)rand() % (i % 3 ? 60 : 2000);

		write_hooks(n);
		written += n;
		watch_poll_headers(&box.w, count_run, &hooks);
		ck_assert_uint_eq(box.w.seen, hooks);
		ck_assert_uint_eq(box.w.seen + box.w.missed, written);
	}
	ck_assert_uint_gt(box.w.missed, 0);
	ck_assert_uint_gt(box.w.seen, 0);
	uint64_t of_rings = 0;
	for (uint32_t i = 0; i < box.w.rings; i++)
		of_rings += box.w.ring[i].seen + box.w.ring[i].missed;
	ck_assert_uint_eq(of_rings, written);
}
END_TEST

START_TEST(a_stopped_poll_continues_after_its_position)
{
	begin(SHM_MODE_WRAP, 16);
	open_watch();
	write_hooks(100);
	box.stop_at = 10;
	ck_assert(!watch_poll(&box.w, check_event, NULL));
	ck_assert_uint_eq(box.seen, 10);
	ck_assert(watch_poll(&box.w, check_event, NULL));
	ck_assert_uint_eq(box.seen, 100);
	check_order();
}
END_TEST

static void pause_ms(long ms)
{
	const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

/* A record of the checked kind that its writer has begun and not finished. */
static void hold_record(struct hook_writer *w)
{
	ck_assert_int_eq(hook_begin(w, CHECKED_MAJOR, rec_size(0, 0), 1), HOOK_RESERVED);
}

static void let_go(struct hook_writer *w)
{
	hook_record(w, CHECKED_MAJOR, 99, 0, 0, 0);
	hook_commit(w);
}

/* So long a watch waits for a record. */
enum { PATIENCE_NS = 100000000 };

START_TEST(a_watch_waits_for_a_pending_record)
{
	struct hook_writer w;

	begin(SHM_MODE_WRAP, 16);
	for (int before = 0; before < 2;) {
		write_hooks(3);
		if (before) /* it is new all the same */
			hold_record(&w);
		open_watch();
		if (!before)
			hold_record(&w);
		write_hooks(5);
		watch_poll(&box.w, check_event, NULL);
		uint64_t first = box.w.polled_at;
		watch_poll(&box.w, check_event, NULL);
		if (box.w.polled_at - first >= PATIENCE_NS) { /* the machine was busy: again */
			let_go(&w);
			begin_again();
			continue;
		}
		ck_assert_uint_eq(box.seen, 0);
		let_go(&w);
		watch_poll(&box.w, check_event, NULL);
		ck_assert_uint_eq(box.seen, 6);
		ck_assert_uint_eq(box.not_whole, 1); /* that one */
		ck_assert_uint_eq(box.w.unfinished + box.w.missed, 0);
		begin_again();
		before++;
	}
}
END_TEST

START_TEST(but_not_for_ever)
{
	struct hook_writer w;

	begin(SHM_MODE_WRAP, 16);
	open_watch();
	hold_record(&w);
	write_hooks(5);
	watch_poll(&box.w, check_event, NULL);
	ck_assert_uint_eq(box.seen, 0);
	pause_ms(150);
	watch_poll(&box.w, check_event, NULL);
	ck_assert_uint_eq(box.seen, 5);
	ck_assert_uint_eq(box.w.unfinished, 1);
	let_go(&w);
	watch_poll(&box.w, check_event, NULL);
	ck_assert_uint_eq(box.seen, 5);
	check_order();
}
END_TEST

/* A held section is stepped over by the writers, lap by lap, and by the watch. */
START_TEST(held_sections)
{
	uint32_t written = 1;
	struct hook_writer w;

	begin(SHM_MODE_WRAP, SECTIONS);
	open_watch();
	write_hooks(20);
	written += 20;
	hold_record(&w);
	for (uint32_t i = 0; i < 60; i++) {
		uint32_t n = i % 4 ? 37 : 700;

		write_hooks(n);
		written += n;
		watch_poll(&box.w, check_event, NULL);
		ck_assert_uint_le(box.w.seen + box.w.missed + box.w.unfinished, written);
	}
	ck_assert_uint_eq(box.w.seen + box.w.missed + box.w.unfinished, written);
	ck_assert_uint_eq(box.w.unfinished, 1);
	ck_assert_uint_eq(box.last, box.next - 1);
	let_go(&w);
	write_hooks(1000);
	watch_poll(&box.w, check_event, NULL);
	ck_assert_uint_eq(box.w.seen + box.w.missed + box.w.unfinished, written + 1000);
	check_order();
}
END_TEST

START_TEST(normal_mode_and_losses)
{
	begin(SHM_MODE_NORMAL, SECTIONS);
	open_watch();
	uint32_t refused = write_hooks(1000);
	watch_poll(&box.w, check_event, NULL);
	ck_assert_uint_gt(refused, 0);
	ck_assert_uint_eq(box.w.lost, refused);
	ck_assert_uint_eq(box.w.seen, 1000 - refused);
	ck_assert_uint_eq(box.w.missed, 0);
	check_order();
}
END_TEST

START_TEST(a_discard_is_followed)
{
	uint32_t seen;

	begin(SHM_MODE_WRAP, SECTIONS);
	open_watch();
	for (int ahead = 0; ahead < 2; ahead++) {
		write_hooks(50);
		if (ahead)
			watch_poll(&box.w, check_event, NULL);
		seen = box.seen;
		ck_assert_int_eq(session_discard(&box.s, NULL), 0);
		write_hooks(20);
		watch_poll(&box.w, check_event, NULL);
		ck_assert_uint_eq(box.seen, seen + 20);
		ck_assert_uint_eq(box.w.missed, 0);
	}
	write_hooks(3000);
	watch_poll(&box.w, check_event, NULL);
	ck_assert_uint_eq(box.seen - seen - 20 + box.w.missed, 3000);
	check_order();
}
END_TEST

/* ------------------------------------------------------------------- while they write */

static volatile uint64_t *shared; /* hooks written, stop */

static void keep_writing(uint32_t id)
{
	uint32_t n = 0;

	box_pin(0);
	while (!shared[1]) {
		if (checked_hook(id, n, n % 7) == 0)
			__atomic_fetch_add(&shared[0], 1, __ATOMIC_RELAXED);
		if (n++ % 64 == 0 && id % 2)
			sched_yield();
	}
	_exit(0);
}

struct order {
	uint32_t last[8], bad, not_whole;
};

static bool follow_order(void *arg, struct event *e)
{
	struct order *o = arg;

	if (!checked_is_whole(e->record)) {
		o->not_whole++;
		return true;
	}
	uint32_t *last = &o->last[checked_id(e->record) % 8];
	uint32_t now = checked_sequence(e->record) + 1;
	if (now <= *last)
		o->bad++;
	*last = now;
	return true;
}

static void race_writers(uint32_t sections)
{
	struct order o = {0};
	pid_t pids[2];

	begin(SHM_MODE_WRAP, sections);
	shared = box_shared(4096);
	open_watch();
	for (uint32_t i = 0; i < 2; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			keep_writing(i + 1);
	}
	for (int i = 0; i < 100; i++) {
		watch_poll(&box.w, follow_order, &o);
		pause_ms(watch_pause(&box.w) / 2 + 1);
	}
	shared[1] = 1;
	for (int i = 0; i < 2; i++)
		waitpid(pids[i], NULL, 0);
	watch_poll(&box.w, follow_order, &o);
	pause_ms(150);
	watch_poll(&box.w, follow_order, &o);
	ck_assert_uint_eq(o.bad + o.not_whole, 0);
	ck_assert_msg(box.w.seen + box.w.missed + box.w.unfinished + box.w.lost >= shared[0] &&
			      box.w.seen + box.w.missed == shared[0] - box.w.unfinished,
		"seen %llu, missed %llu, unfinished %llu, lost %llu; written %llu",
		(unsigned long long)box.w.seen, (unsigned long long)box.w.missed,
		(unsigned long long)box.w.unfinished, (unsigned long long)box.w.lost,
		(unsigned long long)shared[0]);
	ck_assert_uint_gt(box.w.seen, 0);
	ck_assert_uint_eq(box.w.damaged, 0);
	munmap((void *)shared, 4096);
	end();
}

START_TEST(while_they_write)
{
	if (SANITIZED) {
		puts("skipped: the watch while others write: sanitizers slow it down too much");
		return;
	}
	race_writers(4);
	race_writers(16);
	race_writers(512);
}
END_TEST

/* --------------------------------------------------------------------------- hostile */

static bool count_only(void *arg, struct event *e)
{
	uint64_t *n = arg;

	*n += e->hooks;
	return true;
}

START_TEST(scribbled_rings)
{
	uint64_t n = 0;

	begin(SHM_MODE_WRAP, SECTIONS);
	open_watch();
	uint8_t *m = mmap(NULL, box.s.geometry.file_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		box.s.rings_fd, 0);
	ck_assert_ptr_ne(m, MAP_FAILED);
	srand(1);
	for (int i = 0; i < 3000; i++) {
		for (int k = rand() % 50; k; k--) {
			size_t at =
				(size_t)rand() % (i % 2 ? SHM_PAGE * 8 : box.s.geometry.file_size);

			put_le64(m + (at & ~(size_t)7),
				rand() % 3 ? (uint64_t)rand() : (uint64_t)rand() << 33);
		}
		if (i % 3)
			watch_poll(&box.w, count_only, &n);
		else
			watch_poll_headers(&box.w, count_run, &n);
		ck_assert_uint_le(watch_pause(&box.w), 10 + box.w.rings);
		if (i % 100 == 0) {
			watch_close(&box.w);
			open_watch();
		}
	}
	munmap(m, box.s.geometry.file_size);
	ck_assert_int_eq(ftruncate(box.s.rings_fd, 0), 0);
	watch_poll(&box.w, count_only, &n);
	ck_assert_uint_eq(box.w.damaged, box.w.rings);
}
END_TEST

START_TEST(there_are_no_rings)
{
	struct session_error e = {""};
	struct watch w;

	begin(SHM_MODE_WRAP, SECTIONS);
	session_free(&box.s, NULL);
	session_close(&box.s);
	box_open_bare(&box.s);
	ck_assert_int_eq(watch_open(&w, &box.s, &e), PU_ERROR_NO_BUFFER);
	ck_assert_ptr_nonnull(strstr(e.text, "swtrace init"));
	session_close(&box.s);
}
END_TEST

/* As the dumps of the session say. */
START_TEST(events_are_scripted_from_the_first_such_writer_on)
{
	begin(SHM_MODE_WRAP, SECTIONS);
	open_watch();
	write_hooks(3);
	watch_poll(&box.w, check_event, NULL);
	ck_assert_uint_eq(box.seen, 3);
	ck_assert_uint_eq(box.scripted, 0);
	attach_set_source(SHM_SOURCE_SCRIPTED, 0);
	write_hooks(2);
	watch_poll(&box.w, check_event, NULL);
	ck_assert_uint_eq(box.scripted, box.events - 3);
	attach_set_source(SHM_SOURCE_SOFTWARE, 0);
	write_hooks(2);
	watch_poll(&box.w, check_event, NULL);
	ck_assert_uint_eq(box.seen, 7);
	ck_assert_uint_eq(box.scripted, box.events - 3);
}
END_TEST

static int sandboxed_main(int argc, char **argv)
{
	box_guest(argc, argv);
	return suites_run(
		SUITE("watch", .timeout = 60, .tear_down = end,
			TESTS(every_hook_once_and_in_order, overwritten_ones_are_counted_exactly,
				headers_alone_give_the_same_counts,
				a_stopped_poll_continues_after_its_position,
				a_watch_waits_for_a_pending_record, but_not_for_ever, held_sections,
				normal_mode_and_losses, a_discard_is_followed, while_they_write,
				scribbled_rings, there_are_no_rings,
				events_are_scripted_from_the_first_such_writer_on)),
		NULL);
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 100);
}
