#include "drained.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/suites.h"
#include "../../libtrace/dump/pack.h"
#include "../lib/folder.h"

/* ------------------------------------------------------------- several threads */

static uint32_t drain_threads;
static uint64_t packed_elsewhere;

/* Replaces packer_pack (the linker's --wrap): with several threads each section takes another time,
 * so they are compressed in another order than they were copied. */
uint32_t __real_packer_pack(
	struct packer *p, enum tf_codec codec, bool records, const void *payload, uint32_t raw);
uint32_t __wrap_packer_pack(
	struct packer *p, enum tf_codec codec, bool records, const void *payload, uint32_t raw);

uint32_t __wrap_packer_pack(
	struct packer *p, enum tf_codec codec, bool records, const void *payload, uint32_t raw)
{
	static _Thread_local unsigned seed;

	if (drain_threads && records) {
		seed = seed ? seed : (unsigned)gettid();
		usleep((unsigned)rand_r(&seed) % 4 ? 0 : (unsigned)rand_r(&seed) % 1500);
		if (gettid() != getpid())
			__atomic_fetch_add(&packed_elsewhere, 1, __ATOMIC_RELAXED);
	}
	return __real_packer_pack(p, codec, records, payload, raw);
}

uint64_t box_packed_elsewhere(void)
{
	return __atomic_load_n(&packed_elsewhere, __ATOMIC_RELAXED);
}

/* --------------------------------------------------------------------- sessions */

struct box box;

void box_begin(uint32_t sections)
{
	memset(&box, 0, sizeof box);
	sandbox_fresh();
	box_pin(0);
	box_open(&box.s, SHM_MODE_CONTINUOUS, (uint64_t)sections * SECTION, SECTION);
	session_unlock(&box.s);
	snprintf(box.dir, sizeof box.dir, "%s/out.XXXXXX", sandbox_dir());
	ck_assert_ptr_nonnull(mkdtemp(box.dir));
	snprintf(box.config.path, sizeof box.config.path, "%s/trace.bin", box.dir);
	box.config.codec = TF_CODEC_LZ4;
	box.config.threads = drain_threads;
	strcpy(box.config.command, "a test");
}

void box_end(void)
{
	if (!box.dir[0])
		return;
	drain_close(box.d);
	session_free(&box.s, NULL);
	session_close(&box.s);
	folder_remove(box.dir);
	box.dir[0] = 0;
}

void box_drain(void)
{
	struct session_error e = {""};
	int rc = drain_open(&box.d, &box.s, &box.config, &e);

	ck_assert_msg(rc == 0, "drain_open: %d: %s", rc, e.text);
}

void box_start(uint32_t sections)
{
	box_begin(sections);
	box_drain();
}

void box_finish(void)
{
	struct drain_status status;

	box_finish_status(&status);
}

void box_finish_status(struct drain_status *status)
{
	struct session_error e = {""};
	int rc = drain_finish(box.d, &e);

	ck_assert_msg(rc == 0, "drain_finish: %d: %s", rc, e.text);
	drain_status(box.d, status);
	box_close();
}

void box_finish_failed(struct drain_status *status)
{
	struct session_error e = {""};

	ck_assert_int_eq(drain_finish(box.d, &e), PU_ERR_FILE_ERROR);
	drain_status(box.d, status);
}

void box_close(void)
{
	drain_close(box.d);
	box.d = NULL;
}

void box_rounds(void)
{
	struct session_error e = {""};
	int rc;

	while ((rc = drain_round(box.d, &e)) == 1)
		;
	ck_assert_msg(rc == 0, "drain_round: %d: %s", rc, e.text);
}

uint32_t write_hooks_of(uint32_t id, uint32_t *next, uint32_t n)
{
	uint32_t lost = 0;

	for (uint32_t i = 0; i < n; i++)
		lost += checked_hook(id, (*next)++, 4) != 0;
	return lost;
}

uint32_t write_hooks(uint32_t n)
{
	return write_hooks_of(1, &box.next, n);
}

/* ------------------------------------------------------------------- reading */

static void note_sequence(struct contents *c, uint32_t sequence)
{
	if (sequence >= c->seen_size) {
		size_t size = (size_t)sequence * 2 + 1024;

		c->seen = realloc(c->seen, size);
		ck_assert_ptr_nonnull(c->seen);
		memset(c->seen + c->seen_size, 0, size - c->seen_size);
		c->seen_size = size;
	}
	if (c->seen[sequence]++ || (c->hooks && sequence < c->last))
		c->out_of_order++;
	if (c->hooks == 0)
		c->first = sequence;
	c->last = sequence;
}

static void take_hook(struct contents *c, const cpidecode_hook *h)
{
	uint8_t record[REC_HEADER_SIZE + 4 * 1024] = {0};

	if (h->major != CHECKED_MAJOR || h->nwords > 1000 || h->nstrings) {
		c->foreign++;
		return;
	}
	record[REC_MAJOR] = h->major;
	put_le16(record + REC_NWORDS, h->nwords);
	put_le32(record + REC_MINOR, h->minor);
	memcpy(record + REC_HEADER_SIZE, h->words, 4 * (size_t)h->nwords);
	if (!checked_is_whole(record)) {
		c->not_whole++;
		return;
	}
	if (checked_id(record) == 1)
		note_sequence(c, checked_sequence(record));
	c->pid = h->pid;
	snprintf(c->name, sizeof c->name, "%s", h->name ? h->name : "");
	c->hooks++;
}

static void take_losses(struct contents *c, const cpidecode_trace *t)
{
	cpidecode_causes_info causes;
	cpidecode_loss_info l;

	for (size_t i = 0; cpidecode_causes(t, 0, i, &causes) == 0; i++) {
		c->other += causes.no_slot + causes.no_memory + causes.unattached;
		c->unwritten += causes.unwritten;
	}
	for (size_t i = 0; cpidecode_loss(t, 0, i, &l) == 0; i++) {
		c->full += l.full;
		c->held += l.held;
		c->other += l.too_big + l.no_guest;
		c->overwritten += l.overwritten;
		c->loss_torn += l.torn;
	}
}

void read_more(struct contents *c, const char *path)
{
	cpidecode_file_info info;
	cpidecode_counts counts;
	const cpidecode_hook *h;
	cpidecode_hooks *it;
	cpidecode_trace *t;

	c->rc = cpidecode_open(path, &t);
	if (c->rc)
		return;
	ck_assert_int_eq(cpidecode_file(t, 0, &info), 0);
	c->damaged_bytes += info.damaged_bytes;
	c->version_minor = info.version_minor;
	c->cut_off = info.cut_off;
	memcpy(c->trace_id, info.trace_id, sizeof c->trace_id);
	ck_assert_int_eq(cpidecode_hooks_open(t, &it), 0);
	while (cpidecode_hooks_next(it, &h) == 1)
		take_hook(c, h);
	cpidecode_hooks_counts(it, &counts);
	c->torn += counts.torn;
	c->foreign += counts.malformed + counts.damaged;
	cpidecode_hooks_close(it);
	take_losses(c, t);
	cpidecode_close(t);
}

void read_file(struct contents *c, const char *path)
{
	memset(c, 0, sizeof *c);
	read_more(c, path);
	ck_assert_msg(c->rc == 0, "%s: %s", path, cpidecode_strerror(c->rc));
}

void contents_free(struct contents *c)
{
	free(c->seen);
	c->seen = NULL;
}

void contents_free_clean(struct contents *c)
{
	contents_free(c);
	ck_assert_uint_eq(c->torn + c->loss_torn, 0);
	ck_assert_uint_eq(c->not_whole, 0);
	ck_assert_uint_eq(c->out_of_order, 0);
	ck_assert_uint_eq(c->foreign, 0);
	ck_assert_uint_eq(c->damaged_bytes, 0);
	ck_assert(!c->cut_off);
}

void box_finish_read(struct contents *c)
{
	box_finish();
	read_file(c, box.config.path);
}

void file_expect_hooks(const char *path, uint64_t hooks)
{
	struct contents c;

	read_file(&c, path);
	contents_free(&c);
	ck_assert_uint_eq(c.hooks, hooks);
}

void file_expect_clean(const char *path, uint64_t hooks)
{
	struct contents c;

	read_file(&c, path);
	ck_assert_uint_eq(c.hooks, hooks);
	contents_free_clean(&c);
}

off_t file_size(const char *path)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	return st.st_size;
}

void file_limit_size(rlim_t bytes)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

void box_finish_clean(void)
{
	box_finish();
	file_expect_clean(box.config.path, box.next);
}

uint64_t contents_sum(const struct contents *c)
{
	return c->hooks + c->torn + c->full + c->held + c->other + c->unwritten + c->loss_torn +
	       c->overwritten;
}

static const char *suite_name;
static const TTest *const *suite_tests;
static const struct suite_loop *suite_loops;

static int sandboxed_main(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	clock_ticks_per_second(); /* measured once, for all the children */
	return suites_run(SUITE(suite_name, .timeout = 60, .tear_down = box_end,
				  .tests = suite_tests, .loops = suite_loops),
		NULL);
}

int drain_suite_with_loops(const char *name, const TTest *const *tests,
	const struct suite_loop *loops, int argc, char **argv)
{
	suite_name = name;
	suite_tests = tests;
	suite_loops = loops;
	drain_threads = argc > 1 && strcmp(argv[1], "threads") == 0 ? 3 : 0;
	return sandbox_run(sandboxed_main, argc, argv, 100);
}

int drain_suite(const char *name, const TTest *const *tests, int argc, char **argv)
{
	return drain_suite_with_loops(name, tests, NULL, argc, argv);
}
