/* The drain while all goes well: the writers' limit, the ledger, a file's contents. */
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../libtrace/ring/layout.h"
#include "drained.h"

START_TEST(writers_stop_where_nothing_is_released_and_go_on_when_it_is)
{
	struct contents c;
	uint32_t lost;

	box_start(4);
	lost = write_hooks(1000);
	ck_assert_uint_gt(lost, 0);
	uint32_t kept = box.next - lost;
	ck_assert_uint_eq(kept, 4 * PER_SECTION);
	box_rounds();
	ck_assert_uint_eq(write_hooks(50), 0);
	session_off(&box.s, NULL);
	box_finish_read(&c);
	ck_assert_uint_eq(c.hooks, kept + 50);
	ck_assert_uint_eq(c.full, lost);
	ck_assert_uint_eq(contents_sum(&c), box.next);
	contents_free_clean(&c);
}
END_TEST

START_TEST(only_finished_sections_are_taken_before_the_end)
{
	struct contents c;

	box_start(4);
	write_hooks(PER_SECTION);
	box_rounds();
	file_expect_hooks(box.config.path, 0);
	write_hooks(1); /* pads the section and enters the next */
	box_rounds();
	read_file(&c, box.config.path);
	ck_assert_uint_eq(c.hooks, box.next - 1);
	ck_assert(c.cut_off);
	contents_free(&c);
	struct drain_status status;
	drain_status(box.d, &status);
	ck_assert_uint_eq(status.hooks, box.next - 1);
	ck_assert_uint_eq(status.waiting, CHECKED_BYTES);
	box_finish_clean();
}
END_TEST

/* Written by several processes while the drain runs: nothing is missing, nothing twice. */
START_TEST(the_ledger_is_exact_while_many_write)
{
	enum { WRITERS = 3, HOOKS = 30000 };
	struct contents c;
	pid_t pid[WRITERS];
	int left = WRITERS;

	box_begin(8);
	for (int i = 0; i < WRITERS; i++) {
		pid[i] = fork();
		if (pid[i] == 0) {
			cpu_set_t all;

			memset(&all, 0xff, sizeof all);
			sched_setaffinity(0, sizeof all, &all);
			write_hooks_of((uint32_t)i + 1, &box.next, HOOKS);
			_exit(0);
		}
	}
	box_drain();
	while (left) {
		struct session_error e = {""};
		int rc = drain_round(box.d, &e);

		ck_assert_msg(rc >= 0, "%s", e.text);
		ck_assert_uint_ge(drain_pause(box.d), 1);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			left--;
		usleep(drain_pause(box.d) * 100);
	}
	session_off(&box.s, NULL);
	struct drain_status status;
	box_finish_status(&status);
	read_file(&c, box.config.path);
	ck_assert_uint_eq(contents_sum(&c), WRITERS * HOOKS);
	ck_assert_uint_eq(c.hooks + c.torn, status.hooks + status.torn);
	ck_assert_uint_eq(c.full, status.lost_full);
	ck_assert_uint_eq(c.damaged_bytes + c.not_whole + c.foreign, 0);
	ck_assert_uint_eq(c.hooks, box.s.control->drain.hooks);
	ck_assert_uint_gt(c.hooks, 0);
	contents_free(&c);
}
END_TEST

static void page_says(const struct contents *c)
{
	uint64_t hooks = 0, torn = 0;

	for (uint32_t i = 0; i < SHM_MAX_RINGS; i++) {
		hooks += shm_figure_value(box.s.generation, box.s.control->ring[i].drained);
		torn += shm_figure_value(box.s.generation, box.s.control->ring[i].drained_torn);
	}
	ck_assert_uint_eq(hooks, c->hooks);
	ck_assert_uint_eq(torn, c->torn + c->loss_torn);
	ck_assert_uint_eq(box.s.control->drain.hooks, c->hooks);
	ck_assert_uint_eq(box.s.control->drain.torn, c->torn + c->loss_torn);
}

START_TEST(discarded_hooks_are_not_written_and_their_room_is_free)
{
	struct contents c;

	box_start(4);
	write_hooks(100);
	box_rounds();
	ck_assert_int_eq(session_discard(&box.s, NULL), 0);
	ck_assert_uint_eq(write_hooks(20), 0);
	box_rounds();
	session_off(&box.s, NULL);
	box_finish_read(&c);
	ck_assert_uint_eq(c.last, box.next - 1);
	ck_assert_uint_eq(c.hooks, 100 / PER_SECTION * PER_SECTION + 20);
	contents_free_clean(&c);
	page_says(&c);
}
END_TEST

START_TEST(tasks_and_schemas_that_come_later_are_in_the_file)
{
	static const char text[] = "major 0x51 late\nhook 0/0 \"known\"\n";
	struct contents c;
	int status;

	box_start(4);
	pid_t pid = fork();
	if (pid == 0) {
		TraceRegisterSchema(text);
		write_hooks(60);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	usleep(30000); /* news are looked for 50 times a second at most */
	box_rounds();
	box_finish_read(&c);
	ck_assert_uint_eq(c.hooks, 60);
	ck_assert_uint_eq(c.pid, (uint32_t)pid);
	ck_assert_str_eq(c.name, "known");
	contents_free_clean(&c);
}
END_TEST

START_TEST(one_session_has_one_drain)
{
	struct session_error e = {""};
	struct drain *second;

	box_begin(4);
	ck_assert(!session_is_drained(&box.s));
	box_drain();
	ck_assert(session_is_drained(&box.s));
	ck_assert_uint_eq(box.s.control->drain.state, SHM_DRAIN_RUNNING);
	ck_assert_uint_eq(box.s.control->drain.pid, (uint32_t)getpid());
	ck_assert_int_eq(drain_open(&second, &box.s, &box.config, &e), PU_ERROR_FACILITY_BUSY);
	ck_assert_ptr_null(second);
	ck_assert_ptr_nonnull(strstr(e.text, "drained already"));
	box_finish();
	ck_assert(!session_is_drained(&box.s));
	ck_assert_uint_eq(box.s.control->drain.state, SHM_DRAIN_FINISHED);
}
END_TEST

static void add_loss(enum shm_loss cause, uint64_t n)
{
	uint64_t at = ring_offset(&box.s.geometry, 0) + offsetof(struct shm_ring, loss) + 8 * cause;
	uint64_t loss;

	ck_assert(ring_read_at(box.s.rings_fd, &loss, sizeof loss, at));
	loss += n;
	ck_assert_int_eq(pwrite(box.s.rings_fd, &loss, sizeof loss, (off_t)at), sizeof loss);
}

/* Each file tells its own part of them, also one that is gone on with. */
START_TEST(causes_that_losses_lack_are_in_their_own_section)
{
	struct contents c;

	box_begin(4);
	for (uint64_t turn = 1; turn < 3; turn++) {
		box_drain();
		write_hooks(10);
		add_loss(SHM_LOST_NO_SLOT, 1);
		add_loss(SHM_LOST_NO_MEMORY, 10);
		add_loss(SHM_LOST_UNATTACHED, 100);
		box_finish_read(&c);
		ck_assert_uint_eq(c.hooks, box.next);
		ck_assert_uint_eq(c.other, 111 * turn);
		ck_assert_uint_eq(c.version_minor, 6); /* it may get TASKLOSS */
		contents_free(&c);
	}
}
END_TEST

/* A drain that is late stores into the page of the rings that replaced its own. */
START_TEST(a_word_of_another_generation_releases_nothing)
{
	uint32_t lost;

	box_begin(4);
	for (uint32_t i = 0; i < box.s.geometry.cpus + box.s.geometry.guests; i++)
		box.s.control->ring[i].released =
			ring_released_word(&box.s.geometry, box.s.generation + 1, 2 * SECTION);
	lost = write_hooks(1000);
	ck_assert_uint_eq(box.next - lost, 4 * PER_SECTION);
}
END_TEST

START_TEST(only_sessions_in_continuous_mode_are_drained)
{
	struct session_error e = {""};
	struct drain *d;

	box_begin(4);
	session_off(&box.s, NULL);
	struct session_config normal = {.group = (gid_t)-1};
	ck_assert_int_eq(session_init(&box.s, &normal, NULL), 0);
	ck_assert_int_eq(drain_open(&d, &box.s, &box.config, &e), PU_ERROR_INCORRECT_STATE);
	ck_assert_ptr_nonnull(strstr(e.text, "continuous"));
	session_free(&box.s, NULL);
	struct session s;
	ck_assert_int_eq(session_open(&s, &box.s.location, SESSION_CONTROL, NULL), 0);
	ck_assert_int_eq(drain_open(&d, &s, &box.config, &e), PU_ERROR_NO_BUFFER);
	session_close(&s);
}
END_TEST

START_TEST(a_new_generation_leaves_the_drain_its_own_rings)
{
	box_start(4);
	write_hooks(60);
	session_off(&box.s, NULL);
	struct session other;
	struct session_config config = {.ring_bytes = 4 * SECTION,
		.section_bytes = SECTION,
		.mode = SHM_MODE_CONTINUOUS,
		.group = (gid_t)-1};
	ck_assert(!drain_orphaned(box.d));
	ck_assert_int_eq(session_open(&other, &box.s.location, SESSION_CONTROL, NULL), 0);
	ck_assert_int_eq(session_init(&other, &config, NULL), 0);
	ck_assert(drain_orphaned(box.d));
	box_rounds();
	box_finish();
	file_expect_clean(box.config.path, 60);
	for (uint32_t i = 0; i < SHM_MAX_RINGS; i++)
		ck_assert_uint_eq(other.control->ring[i].released, 0);
	ck_assert_uint_eq(other.control->drain.state, SHM_DRAIN_NONE);
	session_close(&other);
}
END_TEST

START_TEST(the_configuration_is_kept_and_nonsense_is_refused)
{
	static const char *const nonsense[] = {"path", "path: relative\n", "path: /a%\n",
		"path: /a%00b\n", "path: /a\ncodec: brotli\n", "path: /a\nrotate: -1\n",
		"path: /a\nkeep: 4294967296\n", "path: /a\nthreads: 65\n",
		"path: /a\nrotate: 18446744073709551616\n"};
	struct drain_config out;
	struct session_error e = {""};
	char name[PATH_MAX];

	box_begin(4);
	snprintf(name, sizeof name, "%.3000s/" SHM_DRAIN_NAME, box.s.location.dir);
	ck_assert_int_eq(drain_load(&box.s, &out, &e), PU_ERROR_NO_BUFFER);
	strcpy(box.config.command, "a b%c\nd: \x01\x7f é");
	strcpy(box.config.path, "/tmp/a new\nline: %41");
	box.config.codec = TF_CODEC_ZLIB;
	box.config.rotate = UINT64_MAX;
	box.config.keep = UINT32_MAX;
	box.config.threads = DRAIN_THREADS_MAX;
	ck_assert_int_eq(drain_save(&box.s, &box.config, &e), 0);
	ck_assert_int_eq(drain_load(&box.s, &out, &e), 0);
	ck_assert_str_eq(out.path, box.config.path);
	ck_assert_str_eq(out.command, box.config.command);
	ck_assert_int_eq(out.codec, TF_CODEC_ZLIB);
	ck_assert_uint_eq(out.rotate, UINT64_MAX);
	ck_assert_uint_eq(out.keep, UINT32_MAX);
	ck_assert_uint_eq(out.threads, DRAIN_THREADS_MAX);
	for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
		FILE *f = fopen(name, "w");

		fputs(nonsense[i], f);
		fclose(f);
		ck_assert_msg(drain_load(&box.s, &out, &e) == PU_ERR_FILE_ERROR, "%s", nonsense[i]);
	}
}
END_TEST

START_TEST(the_write_rate_decides_the_pause)
{
	box_start(64);
	for (int i = 0; i < 100; i++)
		box_rounds();
	ck_assert_uint_ge(drain_pause(box.d), 10);
	for (int i = 0; i < 5; i++) {
		write_hooks(3000);
		box_rounds();
		ck_assert_uint_ge(drain_pause(box.d), 1);
		ck_assert_uint_le(drain_pause(box.d), 10);
	}
	box_finish();
}
END_TEST

int main(int argc, char **argv)
{
	const TTest *const tests[] = {writers_stop_where_nothing_is_released_and_go_on_when_it_is,
		only_finished_sections_are_taken_before_the_end,
		the_ledger_is_exact_while_many_write,
		discarded_hooks_are_not_written_and_their_room_is_free,
		tasks_and_schemas_that_come_later_are_in_the_file, one_session_has_one_drain,
		a_word_of_another_generation_releases_nothing,
		only_sessions_in_continuous_mode_are_drained,
		causes_that_losses_lack_are_in_their_own_section,
		a_new_generation_leaves_the_drain_its_own_rings,
		the_configuration_is_kept_and_nonsense_is_refused, the_write_rate_decides_the_pause,
		NULL};

	return drain_suite("drain", tests, argc, argv);
}
