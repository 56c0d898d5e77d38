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
	struct box b;
	struct contents c;
	uint32_t next = 0, lost;

	box_start(&b, 4);
	lost = write_hooks(1, &next, 1000);
	ck_assert_uint_gt(lost, 0);
	uint32_t kept = next - lost;
	ck_assert_uint_eq(kept, 4 * PER_SECTION);
	box_rounds(&b);
	ck_assert_uint_eq(write_hooks(1, &next, 50), 0);
	session_off(&b.s, NULL);
	box_finish_read(&b, &c);
	ck_assert_uint_eq(c.hooks, kept + 50);
	ck_assert_uint_eq(c.full, lost);
	ck_assert_uint_eq(contents_sum(&c), next);
	contents_free_clean(&c);
	box_end(&b);
}
END_TEST

START_TEST(only_finished_sections_are_taken_before_the_end)
{
	struct box b;
	struct contents c;
	uint32_t next = 0;

	box_start(&b, 4);
	write_hooks(1, &next, PER_SECTION);
	box_rounds(&b);
	file_expect_hooks(b.config.path, 0);
	write_hooks(1, &next, 1); /* pads the section and enters the next */
	box_rounds(&b);
	read_file(&c, b.config.path);
	ck_assert_uint_eq(c.hooks, next - 1);
	ck_assert(c.cut_off);
	contents_free(&c);
	struct drain_status status;
	drain_status(b.d, &status);
	ck_assert_uint_eq(status.hooks, next - 1);
	ck_assert_uint_eq(status.waiting, CHECKED_BYTES);
	box_finish_clean(&b, next);
}
END_TEST

/* Written by several processes while the drain runs: nothing is missing, nothing twice. */
START_TEST(the_ledger_is_exact_while_many_write)
{
	enum { WRITERS = 3, HOOKS = 30000 };
	struct box b;
	struct contents c;
	pid_t pid[WRITERS];
	int left = WRITERS;

	box_begin(&b, 8);
	for (int i = 0; i < WRITERS; i++) {
		pid[i] = fork();
		if (pid[i] == 0) {
			uint32_t next = 0;
			cpu_set_t all;

			memset(&all, 0xff, sizeof all);
			sched_setaffinity(0, sizeof all, &all);
			write_hooks((uint32_t)i + 1, &next, HOOKS);
			_exit(0);
		}
	}
	box_drain(&b);
	while (left) {
		struct session_error e = {""};
		int rc = drain_round(b.d, &e);

		ck_assert_msg(rc >= 0, "%s", e.text);
		ck_assert_uint_ge(drain_pause(b.d), 1);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			left--;
		usleep(drain_pause(b.d) * 100);
	}
	session_off(&b.s, NULL);
	struct drain_status status;
	box_finish_status(&b, &status);
	read_file(&c, b.config.path);
	ck_assert_uint_eq(contents_sum(&c), WRITERS * HOOKS);
	ck_assert_uint_eq(c.hooks + c.torn, status.hooks + status.torn);
	ck_assert_uint_eq(c.full, status.lost_full);
	ck_assert_uint_eq(c.damaged_bytes + c.not_whole + c.foreign, 0);
	ck_assert_uint_eq(c.hooks, b.s.control->drain.hooks);
	ck_assert_uint_gt(c.hooks, 0);
	contents_free(&c);
	box_end(&b);
}
END_TEST

static void page_says(const struct box *b, const struct contents *c)
{
	uint64_t hooks = 0, torn = 0;

	for (uint32_t i = 0; i < SHM_MAX_RINGS; i++) {
		hooks += shm_figure_value(b->s.generation, b->s.control->ring[i].drained);
		torn += shm_figure_value(b->s.generation, b->s.control->ring[i].drained_torn);
	}
	ck_assert_uint_eq(hooks, c->hooks);
	ck_assert_uint_eq(torn, c->torn + c->loss_torn);
	ck_assert_uint_eq(b->s.control->drain.hooks, c->hooks);
	ck_assert_uint_eq(b->s.control->drain.torn, c->torn + c->loss_torn);
}

START_TEST(discarded_hooks_are_not_written_and_their_room_is_free)
{
	struct box b;
	struct contents c;
	uint32_t next = 0;

	box_start(&b, 4);
	write_hooks(1, &next, 100);
	box_rounds(&b);
	ck_assert_int_eq(session_discard(&b.s, NULL), 0);
	ck_assert_uint_eq(write_hooks(1, &next, 20), 0);
	box_rounds(&b);
	session_off(&b.s, NULL);
	box_finish_read(&b, &c);
	ck_assert_uint_eq(c.last, next - 1);
	ck_assert_uint_eq(c.hooks, 100 / PER_SECTION * PER_SECTION + 20);
	contents_free_clean(&c);
	page_says(&b, &c);
	box_end(&b);
}
END_TEST

START_TEST(tasks_and_schemas_that_come_later_are_in_the_file)
{
	static const char text[] = "major 0x51 late\nhook 0/0 \"known\"\n";
	struct box b;
	struct contents c;
	uint32_t next = 0;
	int status;

	box_start(&b, 4);
	pid_t pid = fork();
	if (pid == 0) {
		TraceRegisterSchema(text);
		write_hooks(1, &next, 60);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	usleep(30000); /* news are looked for 50 times a second at most */
	box_rounds(&b);
	box_finish_read(&b, &c);
	ck_assert_uint_eq(c.hooks, 60);
	ck_assert_uint_eq(c.pid, (uint32_t)pid);
	ck_assert_str_eq(c.name, "known");
	contents_free_clean(&c);
	box_end(&b);
}
END_TEST

START_TEST(one_session_has_one_drain)
{
	struct session_error e = {""};
	struct drain *second;
	struct box b;

	box_begin(&b, 4);
	ck_assert(!session_is_drained(&b.s));
	box_drain(&b);
	ck_assert(session_is_drained(&b.s));
	ck_assert_uint_eq(b.s.control->drain.state, SHM_DRAIN_RUNNING);
	ck_assert_uint_eq(b.s.control->drain.pid, (uint32_t)getpid());
	ck_assert_int_eq(drain_open(&second, &b.s, &b.config, &e), PU_ERROR_FACILITY_BUSY);
	ck_assert_ptr_null(second);
	ck_assert_ptr_nonnull(strstr(e.text, "drained already"));
	box_finish(&b);
	ck_assert(!session_is_drained(&b.s));
	ck_assert_uint_eq(b.s.control->drain.state, SHM_DRAIN_FINISHED);
	box_end(&b);
}
END_TEST

static void add_loss(struct box *b, enum shm_loss cause, uint64_t n)
{
	uint64_t at = ring_offset(&b->s.geometry, 0) + offsetof(struct shm_ring, loss) + 8 * cause;
	uint64_t loss;

	ck_assert(ring_read_at(b->s.rings_fd, &loss, sizeof loss, at));
	loss += n;
	ck_assert_int_eq(pwrite(b->s.rings_fd, &loss, sizeof loss, (off_t)at), sizeof loss);
}

/* Each file tells its own part of them, also one that is gone on with. */
START_TEST(causes_that_losses_lack_are_in_their_own_section)
{
	struct contents c;
	struct box b;
	uint32_t next = 0;

	box_begin(&b, 4);
	for (uint64_t turn = 1; turn < 3; turn++) {
		box_drain(&b);
		write_hooks(1, &next, 10);
		add_loss(&b, SHM_LOST_NO_SLOT, 1);
		add_loss(&b, SHM_LOST_NO_MEMORY, 10);
		add_loss(&b, SHM_LOST_UNATTACHED, 100);
		box_finish_read(&b, &c);
		ck_assert_uint_eq(c.hooks, next);
		ck_assert_uint_eq(c.other, 111 * turn);
		ck_assert_uint_eq(c.version_minor, 6); /* it may get TASKLOSS */
		contents_free(&c);
	}
	box_end(&b);
}
END_TEST

/* A drain that is late stores into the page of the rings that replaced its own. */
START_TEST(a_word_of_another_generation_releases_nothing)
{
	uint32_t next = 0, lost;
	struct box b;

	box_begin(&b, 4);
	for (uint32_t i = 0; i < b.s.geometry.cpus + b.s.geometry.guests; i++)
		b.s.control->ring[i].released =
			ring_released_word(&b.s.geometry, b.s.generation + 1, 2 * SECTION);
	lost = write_hooks(1, &next, 1000);
	ck_assert_uint_eq(next - lost, 4 * PER_SECTION);
	box_end(&b);
}
END_TEST

START_TEST(only_sessions_in_continuous_mode_are_drained)
{
	struct session_error e = {""};
	struct drain *d;
	struct box b;

	box_begin(&b, 4);
	session_off(&b.s, NULL);
	struct session_config normal = {.group = (gid_t)-1};
	ck_assert_int_eq(session_init(&b.s, &normal, NULL), 0);
	ck_assert_int_eq(drain_open(&d, &b.s, &b.config, &e), PU_ERROR_INCORRECT_STATE);
	ck_assert_ptr_nonnull(strstr(e.text, "continuous"));
	session_free(&b.s, NULL);
	struct session s;
	ck_assert_int_eq(session_open(&s, &b.s.location, SESSION_CONTROL, NULL), 0);
	ck_assert_int_eq(drain_open(&d, &s, &b.config, &e), PU_ERROR_NO_BUFFER);
	session_close(&s);
	box_end(&b);
}
END_TEST

START_TEST(a_new_generation_leaves_the_drain_its_own_rings)
{
	struct box b;
	uint32_t next = 0;

	box_start(&b, 4);
	write_hooks(1, &next, 60);
	session_off(&b.s, NULL);
	struct session other;
	struct session_config config = {.ring_bytes = 4 * SECTION,
		.section_bytes = SECTION,
		.mode = SHM_MODE_CONTINUOUS,
		.group = (gid_t)-1};
	ck_assert(!drain_orphaned(b.d));
	ck_assert_int_eq(session_open(&other, &b.s.location, SESSION_CONTROL, NULL), 0);
	ck_assert_int_eq(session_init(&other, &config, NULL), 0);
	ck_assert(drain_orphaned(b.d));
	box_rounds(&b);
	box_finish(&b);
	file_expect_clean(b.config.path, 60);
	for (uint32_t i = 0; i < SHM_MAX_RINGS; i++)
		ck_assert_uint_eq(other.control->ring[i].released, 0);
	ck_assert_uint_eq(other.control->drain.state, SHM_DRAIN_NONE);
	session_close(&other);
	box_end(&b);
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
	struct box b;

	box_begin(&b, 4);
	snprintf(name, sizeof name, "%.3000s/" SHM_DRAIN_NAME, b.s.location.dir);
	ck_assert_int_eq(drain_load(&b.s, &out, &e), PU_ERROR_NO_BUFFER);
	strcpy(b.config.command, "a b%c\nd: \x01\x7f é");
	strcpy(b.config.path, "/tmp/a new\nline: %41");
	b.config.codec = TF_CODEC_ZLIB;
	b.config.rotate = UINT64_MAX;
	b.config.keep = UINT32_MAX;
	b.config.threads = DRAIN_THREADS_MAX;
	ck_assert_int_eq(drain_save(&b.s, &b.config, &e), 0);
	ck_assert_int_eq(drain_load(&b.s, &out, &e), 0);
	ck_assert_str_eq(out.path, b.config.path);
	ck_assert_str_eq(out.command, b.config.command);
	ck_assert_int_eq(out.codec, TF_CODEC_ZLIB);
	ck_assert_uint_eq(out.rotate, UINT64_MAX);
	ck_assert_uint_eq(out.keep, UINT32_MAX);
	ck_assert_uint_eq(out.threads, DRAIN_THREADS_MAX);
	for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
		FILE *f = fopen(name, "w");

		fputs(nonsense[i], f);
		fclose(f);
		ck_assert_msg(drain_load(&b.s, &out, &e) == PU_ERR_FILE_ERROR, "%s", nonsense[i]);
	}
	box_end(&b);
}
END_TEST

START_TEST(the_write_rate_decides_the_pause)
{
	struct box b;
	uint32_t next = 0;

	box_start(&b, 64);
	for (int i = 0; i < 100; i++)
		box_rounds(&b);
	ck_assert_uint_ge(drain_pause(b.d), 10);
	for (int i = 0; i < 5; i++) {
		write_hooks(1, &next, 3000);
		box_rounds(&b);
		ck_assert_uint_ge(drain_pause(b.d), 1);
		ck_assert_uint_le(drain_pause(b.d), 10);
	}
	box_finish(&b);
	box_end(&b);
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
