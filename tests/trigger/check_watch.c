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

struct box {
	struct session s;
	struct watch w;
	uint32_t next; /* sequence number */
	/* The events received. */
	uint32_t seen, not_whole, out_of_order, last, stop_at;
	uint32_t events, scripted;
};

static void begin(struct box *b, uint32_t mode, uint32_t sections)
{
	memset(b, 0, sizeof *b);
	sandbox_fresh();
	box_pin(0);
	box_open(&b->s, mode, (uint64_t)sections * SECTION, SECTION);
	session_unlock(&b->s);
}

/* New rings: a process looks for a session only once. */
static void begin_again(struct box *b)
{
	const struct session_config config = {.ring_bytes = b->s.geometry.ring_size,
		.section_bytes = SECTION,
		.mode = b->s.geometry.mode,
		.group = (gid_t)-1};
	struct session s = b->s;

	watch_close(&b->w);
	memset(b, 0, sizeof *b);
	b->s = s;
	ck_assert_int_eq(session_off(&b->s, NULL), 0);
	ck_assert_int_eq(session_init(&b->s, &config, NULL), 0);
	ck_assert_int_eq(session_on(&b->s, NULL), 0);
}

static void open_watch(struct box *b)
{
	struct session_error e = {""};

	ck_assert_msg(watch_open(&b->w, &b->s, &e) == 0, "%s", e.text);
	b->last = b->next - 1;
}

static void end(struct box *b)
{
	watch_close(&b->w);
	session_free(&b->s, NULL);
	session_close(&b->s);
}

static uint32_t write_hooks(struct box *b, uint32_t n)
{
	uint32_t refused = 0;

	for (; n; n--, b->next++)
		refused += checked_hook(1, b->next, b->next % 11) != 0;
	return refused;
}

static bool check_event(void *arg, struct event *e)
{
	struct box *b = arg;

	b->events++;
	b->scripted += e->is_scripted;
	for (uint32_t at = 0; at < e->bytes;) {
		const uint8_t *r = e->record + at;

		at += get_le32(r) & REC_SIZE_MASK;
		b->seen++;
		if (r[REC_MAJOR] != CHECKED_MAJOR || !checked_is_whole(r)) {
			b->not_whole++;
			continue;
		}
		if ((int32_t)(checked_sequence(r) - b->last) <= 0)
			b->out_of_order++;
		b->last = checked_sequence(r);
	}
	return b->events != b->stop_at;
}

static void check_order(const struct box *b)
{
	ck_assert_uint_eq(b->seen, b->w.seen);
	ck_assert_uint_eq(b->not_whole, 0);
	ck_assert_uint_eq(b->out_of_order, 0);
	ck_assert_uint_eq(b->w.damaged, 0);
}

START_TEST(every_hook_once_and_in_order)
{
	struct box b;

	begin(&b, SHM_MODE_WRAP, SECTIONS);
	write_hooks(&b, 77); /* before it: not seen */
	open_watch(&b);
	for (uint32_t i = 0; i < 500; i++) {
		write_hooks(&b, i % 60); /* less than the ring holds */
		ck_assert(watch_poll(&b.w, check_event, &b));
		ck_assert_uint_eq(b.w.seen + 77, b.next);
		ck_assert_uint_eq(b.last, b.next - 1);
	}
	ck_assert_uint_eq(b.w.missed, 0);
	check_order(&b);
	end(&b);
}
END_TEST

/* From any place in the first laps on, by any number of hooks at a time. */
START_TEST(overwritten_ones_are_counted_exactly)
{
	struct box b;

	begin(&b, SHM_MODE_WRAP, SECTIONS);
	for (uint32_t seed = 0; seed < 60; seed++) {
		uint32_t written = 0;

		srand(seed);
		write_hooks(&b, (uint32_t)rand() % 1500);
		open_watch(&b);
		for (uint32_t i = 0; i < 30; i++) {
			uint32_t n = (uint32_t)rand() % (i % 3 ? 200 : 2000);

			write_hooks(&b, n);
			written += n;
			ck_assert(watch_poll(&b.w, check_event, &b));
			ck_assert_uint_eq(b.w.seen + b.w.missed, written);
			ck_assert_uint_eq(b.last, b.next - 1);
		}
		ck_assert_uint_gt(b.w.missed, 0);
		ck_assert_uint_eq(b.w.unfinished, 0);
		check_order(&b);
		begin_again(&b);
	}
	end(&b);
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
	struct box b;

	begin(&b, SHM_MODE_WRAP, SECTIONS);
	open_watch(&b);
	for (uint32_t i = 0; i < 300; i++) {
		uint32_t n = (uint32_t)rand() % (i % 3 ? 60 : 2000);

		write_hooks(&b, n);
		written += n;
		watch_poll_headers(&b.w, count_run, &hooks);
		ck_assert_uint_eq(b.w.seen, hooks);
		ck_assert_uint_eq(b.w.seen + b.w.missed, written);
	}
	ck_assert_uint_gt(b.w.missed, 0);
	ck_assert_uint_gt(b.w.seen, 0);
	uint64_t of_rings = 0;
	for (uint32_t i = 0; i < b.w.rings; i++)
		of_rings += b.w.ring[i].seen + b.w.ring[i].missed;
	ck_assert_uint_eq(of_rings, written);
	end(&b);
}
END_TEST

START_TEST(a_stopped_poll_continues_after_its_position)
{
	struct box b;

	begin(&b, SHM_MODE_WRAP, 16);
	open_watch(&b);
	write_hooks(&b, 100);
	b.stop_at = 10;
	ck_assert(!watch_poll(&b.w, check_event, &b));
	ck_assert_uint_eq(b.seen, 10);
	ck_assert(watch_poll(&b.w, check_event, &b));
	ck_assert_uint_eq(b.seen, 100);
	check_order(&b);
	end(&b);
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
	struct box b;

	begin(&b, SHM_MODE_WRAP, 16);
	for (int before = 0; before < 2;) {
		write_hooks(&b, 3);
		if (before) /* it is new all the same */
			hold_record(&w);
		open_watch(&b);
		if (!before)
			hold_record(&w);
		write_hooks(&b, 5);
		watch_poll(&b.w, check_event, &b);
		uint64_t first = b.w.polled_at;
		watch_poll(&b.w, check_event, &b);
		if (b.w.polled_at - first >= PATIENCE_NS) { /* the machine was busy: again */
			let_go(&w);
			begin_again(&b);
			continue;
		}
		ck_assert_uint_eq(b.seen, 0);
		let_go(&w);
		watch_poll(&b.w, check_event, &b);
		ck_assert_uint_eq(b.seen, 6);
		ck_assert_uint_eq(b.not_whole, 1); /* that one */
		ck_assert_uint_eq(b.w.unfinished + b.w.missed, 0);
		begin_again(&b);
		before++;
	}
	end(&b);
}
END_TEST

START_TEST(but_not_for_ever)
{
	struct hook_writer w;
	struct box b;

	begin(&b, SHM_MODE_WRAP, 16);
	open_watch(&b);
	hold_record(&w);
	write_hooks(&b, 5);
	watch_poll(&b.w, check_event, &b);
	ck_assert_uint_eq(b.seen, 0);
	pause_ms(150);
	watch_poll(&b.w, check_event, &b);
	ck_assert_uint_eq(b.seen, 5);
	ck_assert_uint_eq(b.w.unfinished, 1);
	let_go(&w);
	watch_poll(&b.w, check_event, &b);
	ck_assert_uint_eq(b.seen, 5);
	check_order(&b);
	end(&b);
}
END_TEST

/* A held section is stepped over by the writers, lap by lap, and by the watch. */
START_TEST(held_sections)
{
	uint32_t written = 1;
	struct hook_writer w;
	struct box b;

	begin(&b, SHM_MODE_WRAP, SECTIONS);
	open_watch(&b);
	write_hooks(&b, 20);
	written += 20;
	hold_record(&w);
	for (uint32_t i = 0; i < 60; i++) {
		uint32_t n = i % 4 ? 37 : 700;

		write_hooks(&b, n);
		written += n;
		watch_poll(&b.w, check_event, &b);
		ck_assert_uint_le(b.w.seen + b.w.missed + b.w.unfinished, written);
	}
	ck_assert_uint_eq(b.w.seen + b.w.missed + b.w.unfinished, written);
	ck_assert_uint_eq(b.w.unfinished, 1);
	ck_assert_uint_eq(b.last, b.next - 1);
	let_go(&w);
	write_hooks(&b, 1000);
	watch_poll(&b.w, check_event, &b);
	ck_assert_uint_eq(b.w.seen + b.w.missed + b.w.unfinished, written + 1000);
	check_order(&b);
	end(&b);
}
END_TEST

START_TEST(normal_mode_and_losses)
{
	struct box b;

	begin(&b, SHM_MODE_NORMAL, SECTIONS);
	open_watch(&b);
	uint32_t refused = write_hooks(&b, 1000);
	watch_poll(&b.w, check_event, &b);
	ck_assert_uint_gt(refused, 0);
	ck_assert_uint_eq(b.w.lost, refused);
	ck_assert_uint_eq(b.w.seen, 1000 - refused);
	ck_assert_uint_eq(b.w.missed, 0);
	check_order(&b);
	end(&b);
}
END_TEST

START_TEST(a_discard_is_followed)
{
	uint32_t seen;
	struct box b;

	begin(&b, SHM_MODE_WRAP, SECTIONS);
	open_watch(&b);
	for (int ahead = 0; ahead < 2; ahead++) {
		write_hooks(&b, 50);
		if (ahead)
			watch_poll(&b.w, check_event, &b);
		seen = b.seen;
		ck_assert_int_eq(session_discard(&b.s, NULL), 0);
		write_hooks(&b, 20);
		watch_poll(&b.w, check_event, &b);
		ck_assert_uint_eq(b.seen, seen + 20);
		ck_assert_uint_eq(b.w.missed, 0);
	}
	write_hooks(&b, 3000);
	watch_poll(&b.w, check_event, &b);
	ck_assert_uint_eq(b.seen - seen - 20 + b.w.missed, 3000);
	check_order(&b);
	end(&b);
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
	struct box b;

	begin(&b, SHM_MODE_WRAP, sections);
	shared = box_shared(4096);
	open_watch(&b);
	for (uint32_t i = 0; i < 2; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			keep_writing(i + 1);
	}
	for (int i = 0; i < 100; i++) {
		watch_poll(&b.w, follow_order, &o);
		pause_ms(watch_pause(&b.w) / 2 + 1);
	}
	shared[1] = 1;
	for (int i = 0; i < 2; i++)
		waitpid(pids[i], NULL, 0);
	watch_poll(&b.w, follow_order, &o);
	pause_ms(150);
	watch_poll(&b.w, follow_order, &o);
	ck_assert_uint_eq(o.bad + o.not_whole, 0);
	ck_assert_msg(b.w.seen + b.w.missed + b.w.unfinished + b.w.lost >= shared[0] &&
			      b.w.seen + b.w.missed == shared[0] - b.w.unfinished,
		"seen %llu, missed %llu, unfinished %llu, lost %llu; written %llu",
		(unsigned long long)b.w.seen, (unsigned long long)b.w.missed,
		(unsigned long long)b.w.unfinished, (unsigned long long)b.w.lost,
		(unsigned long long)shared[0]);
	ck_assert_uint_gt(b.w.seen, 0);
	ck_assert_uint_eq(b.w.damaged, 0);
	munmap((void *)shared, 4096);
	end(&b);
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
	struct box b;

	begin(&b, SHM_MODE_WRAP, SECTIONS);
	open_watch(&b);
	uint8_t *m = mmap(
		NULL, b.s.geometry.file_size, PROT_READ | PROT_WRITE, MAP_SHARED, b.s.rings_fd, 0);
	ck_assert_ptr_ne(m, MAP_FAILED);
	srand(1);
	for (int i = 0; i < 3000; i++) {
		for (int k = rand() % 50; k; k--) {
			size_t at =
				(size_t)rand() % (i % 2 ? SHM_PAGE * 8 : b.s.geometry.file_size);

			put_le64(m + (at & ~(size_t)7),
				rand() % 3 ? (uint64_t)rand() : (uint64_t)rand() << 33);
		}
		if (i % 3)
			watch_poll(&b.w, count_only, &n);
		else
			watch_poll_headers(&b.w, count_run, &n);
		ck_assert_uint_le(watch_pause(&b.w), 10 + b.w.rings);
		if (i % 100 == 0) {
			watch_close(&b.w);
			open_watch(&b);
		}
	}
	munmap(m, b.s.geometry.file_size);
	ck_assert_int_eq(ftruncate(b.s.rings_fd, 0), 0);
	watch_poll(&b.w, count_only, &n);
	ck_assert_uint_eq(b.w.damaged, b.w.rings);
	end(&b);
}
END_TEST

START_TEST(there_are_no_rings)
{
	struct session_error e = {""};
	struct watch w;
	struct box b;

	begin(&b, SHM_MODE_WRAP, SECTIONS);
	session_free(&b.s, NULL);
	session_close(&b.s);
	box_open_bare(&b.s);
	ck_assert_int_eq(watch_open(&w, &b.s, &e), PU_ERROR_NO_BUFFER);
	ck_assert_ptr_nonnull(strstr(e.text, "swtrace init"));
	session_close(&b.s);
}
END_TEST

/* As the dumps of the session say. */
START_TEST(events_are_scripted_from_the_first_such_writer_on)
{
	struct box b;

	begin(&b, SHM_MODE_WRAP, SECTIONS);
	open_watch(&b);
	write_hooks(&b, 3);
	watch_poll(&b.w, check_event, &b);
	ck_assert_uint_eq(b.seen, 3);
	ck_assert_uint_eq(b.scripted, 0);
	attach_set_source(SHM_SOURCE_SCRIPTED, 0);
	write_hooks(&b, 2);
	watch_poll(&b.w, check_event, &b);
	ck_assert_uint_eq(b.scripted, b.events - 3);
	attach_set_source(SHM_SOURCE_SOFTWARE, 0);
	write_hooks(&b, 2);
	watch_poll(&b.w, check_event, &b);
	ck_assert_uint_eq(b.seen, 7);
	ck_assert_uint_eq(b.scripted, b.events - 3);
	end(&b);
}
END_TEST

static int sandboxed_main(int argc, char **argv)
{
	box_guest(argc, argv);
	return suites_run(
		SUITE("watch", .timeout = 60,
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
