/*
 * The writer of trace.bin alone, over rings that the test makes up: every byte that the
 * format promises, the order, the codecs, the ledger, and outputs that fail.
 */
#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include "../../formats/bytes.h"
#include "../../formats/record.h"
#include "../../formats/trace_file.h"
#include "../../include/perfutil.h"
#include "../../libtrace/dump/dump.h"
#include "../../libtrace/dump/output.h"
#include "../../libtrace/dump/meta_lines.h"
#include "fake.h"
#include "reader.h"
#include "../lib/suites.h"

static char folder[] = "/tmp/swtrace-dump-test.XXXXXX";
static char path[64];
static struct dump_result result;
static struct session_error error;

static struct dump_reason reason;

static int dump(enum tf_codec codec)
{
	struct dump_options options = {.path = path,
		.codec = codec,
		.command = "a\nb\x01\xff\xc3\xa4 c",
		.reason = reason.condition ? &reason : NULL};

	return dump_write(&fake_session, &options, &result, &error);
}

static void dump_and_parse(enum tf_codec codec)
{
	ck_assert_int_eq(dump(codec), 0);
	parse(path);
	ck_assert_uint_eq(result.bytes, file_size);
}

static void before(void)
{
	strcpy(folder, "/tmp/swtrace-dump-test.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/t.bin", folder);
	fake_reset(3, 4096);
	memset(&result, 0, sizeof result);
	memset(&reason, 0, sizeof reason);
	error.text[0] = 0;
}

static int files_left(void)
{
	DIR *d = opendir(folder);
	int n = -2;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static void after(void)
{
	/* Some tests name a device, which is not ours to remove. */
	snprintf(path, sizeof path, "%s/t.bin", folder);
	reader_free();
	unlink(path);
	rmdir(folder);
	fake_free();
}

/* --------------------------------------------------------------------------- the format */

START_TEST(nothing_gives_no_section)
{
	static const uint32_t order[] = {TF_TYPE_META, TF_TYPE_SCHEMA, TF_TYPE_CLOCK, TF_TYPE_LOSS,
		TF_TYPE_CLOCK, TF_TYPE_END};

	fake_control.sync[0] = 1;
	dump_and_parse(TF_CODEC_LZ4);
	ck_assert_int_eq(sections, 6);
	for (int i = 0; i < sections; i++)
		ck_assert_uint_eq(seen[i].type, order[i]);
	ck_assert_uint_eq(get_le16(file + TF_H_VERSION_MAJOR), 1);
	ck_assert_uint_eq(get_le16(file + TF_H_VERSION_MINOR), 0);
	ck_assert_uint_eq(get_le32(file + TF_H_HEADER_SIZE), 256);
	ck_assert_uint_eq(get_le32(file + TF_H_CPUS), 2);
	ck_assert_uint_eq(get_le32(file + TF_H_CLOCK), TF_CLOCK_MONOTONIC_RAW);
	ck_assert_uint_eq(get_le32(file + TF_H_FLAGS), TF_FLAG_CHECKS);
	ck_assert_uint_eq(get_le64(file + TF_H_TICKS_PER_SECOND), 1000000000);
	/* The sync of init and the dump's own; one at the end. */
	ck_assert_uint_eq(find(TF_TYPE_CLOCK, 0)->raw, 48);
	ck_assert_uint_eq(find(TF_TYPE_CLOCK, 1)->raw, 24);
	ck_assert_mem_eq(find(TF_TYPE_CLOCK, 0)->payload + 24, file + TF_H_SYNC, 24);
	ck_assert_uint_eq(find(TF_TYPE_LOSS, 0)->raw, 3 * TF_LOSS_SIZE);
	ck_assert_uint_eq(get_le32(find(TF_TYPE_LOSS, 0)->payload + 128), TF_GUEST_RING);
	ck_assert_uint_eq(find(TF_TYPE_END, 0)->raw, 0);
	ck_assert_int_eq(files_left(), 1);
}
END_TEST

static const enum tf_codec codecs[] = {TF_CODEC_NONE, TF_CODEC_LZ4, TF_CODEC_ZLIB};

START_TEST(sections_in_order_of_stamps)
{
	static const struct {
		uint32_t ring, position;
		uint64_t first;
	} want[] = {{1, 0, 5}, {0, 0, 10}, {TF_GUEST_RING, 0, 12}, {0, 4096, 20}, {1, 4096, 30}};

	fake_add_part(0, 0);
	fake_add_hook(0, 10, 100);
	fake_add_torn(0);
	fake_add_hook(0, 11, 100);
	fake_add_part(0, 4096)->lost = 3;
	fake_add_hook(0, 20, 100);
	fake_add_part(1, 0);
	fake_add_hook(1, 5, 50);
	fake_add_part(1, 4096);
	fake_add_hook(1, 30, 50);
	fake_add_part(2, 0);
	fake_add_hook(2, 12, 50);
	dump_and_parse(codecs[_i]);
	for (int i = 0; i < 5; i++) {
		const struct seen *s = find(TF_TYPE_HOOKS, i);

		ck_assert_ptr_nonnull(s);
		ck_assert_uint_eq(s->ring, want[i].ring);
		ck_assert_uint_eq(s->position, want[i].position);
		ck_assert_uint_eq(s->first, want[i].first);
		ck_assert_uint_eq(s->codec, codecs[_i]);
	}
	const struct seen *s = find(TF_TYPE_HOOKS, 1);
	ck_assert_mem_eq(s->payload, fake_ring[0].part[0].bytes, s->raw);
	ck_assert_uint_eq(s->raw, fake_ring[0].part[0].size);
	ck_assert_uint_eq(s->hooks, 2);
	ck_assert_uint_eq(s->torn, 1);
	ck_assert_uint_eq(s->last, 11);
	ck_assert_uint_eq(find(TF_TYPE_HOOKS, 3)->lost, 3);
	ck_assert_uint_eq(result.hooks, 6);
	ck_assert_uint_eq(result.torn, 1);
	ck_assert_ptr_null(find(TF_TYPE_HOOKS, 5));
}
END_TEST

START_TEST(index_points_at_sections)
{
	fake_add_part(0, 0);
	fake_add_hook(0, 10, 1);
	fake_add_part(1, 0);
	fake_add_hook(1, 5, 1);
	dump_and_parse(TF_CODEC_NONE);
	const struct seen *index = find(TF_TYPE_INDEX, 0);
	ck_assert_uint_eq(index->raw, 2 * TF_INDEX_SIZE);
	for (int i = 0; i < 2; i++) {
		const uint8_t *e = index->payload + i * TF_INDEX_SIZE;
		uint64_t at = get_le64(e + TF_INDEX_OFFSET);

		ck_assert_uint_eq(at, find(TF_TYPE_HOOKS, i)->offset);
		ck_assert_mem_eq(e + TF_INDEX_HEADER, file + at + 16, 40);
	}
}
END_TEST

START_TEST(incompressible_sections_are_stored)
{
	fake_noise(true);
	fake_add_part(0, 0);
	fake_add_hook(0, 10, 900);
	dump_and_parse(codecs[_i]);
	ck_assert_uint_eq(find(TF_TYPE_HOOKS, 0)->codec, TF_CODEC_NONE);
	ck_assert_mem_eq(
		find(TF_TYPE_HOOKS, 0)->payload, fake_ring[0].part[0].bytes, rec_size(900, 0));
}
END_TEST

START_TEST(tasks_schemas_and_meta)
{
	fake_tasks = 2;
	fake_task[0] = (struct session_task){.number = 1,
		.tid = 12,
		.pid = 11,
		.first = 99,
		.name = "0123456789abcde",
		.leader = true};
	fake_task[1] =
		(struct session_task){.number = 2, .tid = 13, .pid = 11, .first = 100, .name = "x"};
	fake_task[1].source = SHM_SOURCE_SOFTWARE;
	fake_schema = "major 0x22 mine\n";
	fake_findings = "doctor: CPI can be measured here\nrings: forged\nno colon\n"
			"doctor.kernel.release: good: \x1b[31m\n";
	dump_and_parse(TF_CODEC_NONE);
	const struct seen *t = find(TF_TYPE_TASKS, 0);
	ck_assert_uint_eq(t->raw, 64);
	ck_assert_uint_eq(get_le32(t->payload + TF_TASK_TID), 12);
	ck_assert_uint_eq(get_le32(t->payload + TF_TASK_PID), 11);
	ck_assert_uint_eq(get_le64(t->payload + TF_TASK_FIRST), 99);
	ck_assert_mem_eq(t->payload + TF_TASK_NAME, "0123456789abcde", 16);
	const char *schema = (const char *)find(TF_TYPE_SCHEMA, 0)->payload;
	ck_assert_ptr_nonnull(strstr(schema, "\nmajor 0xC0 cpi"));
	ck_assert_ptr_nonnull(strstr(schema, "\nmajor 0x22 mine\n"));
	const char *meta = (const char *)find(TF_TYPE_META, 0)->payload;
	ck_assert_ptr_nonnull(strstr(meta, "\ncommand: a b ?\xc3\xa4 c\n"));
	ck_assert_ptr_nonnull(strstr(meta, "\nmode: wrap\n"));
	ck_assert_ptr_nonnull(strstr(meta, "\ncounters.11: source 1 (0)\n"));
	ck_assert_ptr_nonnull(strstr(meta, "\ndoctor: CPI can be measured here\n"
					   "doctor.kernel.release: good:  [31m\n"));
	ck_assert_ptr_null(strstr(meta, "forged"));
}
END_TEST

static uint32_t writer_of(const struct seen *s, uint32_t hook)
{
	return get_le32(s->payload + hook * rec_size(1, 0) + REC_TID);
}

/* A name is right or absent: the task at a thread id and stamp is the writer, or unknown. */
START_TEST(numbers_become_thread_ids)
{
	enum { FIRST = 7 | 3u << SHM_TASK_INDEX_BITS, LATER = 8 | 1u << SHM_TASK_INDEX_BITS };

	fake_tasks = 3;
	fake_task[0] = (struct session_task){.number = FIRST, .tid = 12, .pid = 12, .first = 100};
	fake_task[1] = (struct session_task){.number = LATER, .tid = 12, .pid = 12, .first = 200};
	fake_task[2] = (struct session_task){.number = 9, .tid = 0x80000001u, .pid = 1};
	fake_add_part(0, 0);
	/* The last of them is of the slot's task before the first. */
	static const struct {
		uint32_t number, stamp, tid;
	} hook[] = {{FIRST, 150, 12}, {LATER, 250, 12}, {FIRST, 251, FIRST | 0x80000000u},
		{9, 252, 0x80000009u},
		{7 | 2u << SHM_TASK_INDEX_BITS, 253, 7 | 2u << SHM_TASK_INDEX_BITS | 0x80000000u}};

	for (uint32_t i = 0; i < 5; i++) {
		fake_writer = hook[i].number;
		fake_add_hook(0, hook[i].stamp, 1);
	}
	fake_writer = LATER;
	fake_add_torn(0);
	dump_and_parse(TF_CODEC_NONE);
	ck_assert_uint_eq(find(TF_TYPE_TASKS, 0)->raw, 2 * TF_TASK_SIZE);
	for (uint32_t i = 0; i < 5; i++)
		ck_assert_uint_eq(writer_of(find(TF_TYPE_HOOKS, 0), i), hook[i].tid);
	ck_assert_uint_ne(writer_of(find(TF_TYPE_HOOKS, 0), 5), LATER);
}
END_TEST

/* Tasks of another PID namespace have ids of the session, and entries in CONTAINERS. */
START_TEST(containers_follow_their_tasks)
{
	enum { NUMBER = 7 | 3u << SHM_TASK_INDEX_BITS, ID = NUMBER | TF_ID_OF_SESSION };

	fake_session.geometry.mode = SHM_MODE_NORMAL;
	fake_tasks = 2;
	fake_task[0] = (struct session_task){.number = 6, .tid = 2, .pid = 2, .first = 100};
	fake_task[1] = (struct session_task){.number = NUMBER,
		.tid = ID,
		.pid = 5 | TF_ID_OF_SESSION,
		.own_tid = 2,
		.own_pid = 1,
		.pid_namespace = 4026532179,
		.cgroup = 4,
		.foreign = true,
		.first = 101};
	fake_add_part(0, 0);
	/* The last one's id would be the second's. */
	static const struct {
		uint32_t number, tid;
	} hook[] = {{6, 2}, {NUMBER, ID}, {NUMBER ^ TF_ID_OF_SESSION, TF_ID_OF_SESSION}};

	for (uint32_t i = 0; i < 3; i++) {
		fake_writer = hook[i].number;
		fake_add_hook(0, 200 + i, 1);
	}
	dump_and_parse(TF_CODEC_NONE);
	ck_assert_uint_eq(get_le16(file + TF_H_VERSION_MINOR), TF_VERSION_MINOR_CONTAINERS);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(writer_of(find(TF_TYPE_HOOKS, 0), i), hook[i].tid);
	const struct seen *s = find(TF_TYPE_CONTAINERS, 0);
	ck_assert_uint_eq(s->raw, 40);
	ck_assert_uint_eq(get_le32(s->payload + TF_CONTAINER_TID), ID);
	ck_assert_uint_eq(get_le32(s->payload + TF_CONTAINER_OWN_TID), 2);
	ck_assert_uint_eq(get_le32(s->payload + TF_CONTAINER_OWN_PID), 1);
	ck_assert_uint_eq(get_le32(s->payload + TF_CONTAINER_NAMESPACE), 4026532179);
	ck_assert_uint_eq(get_le64(s->payload + TF_CONTAINER_FIRST), 101);
	ck_assert_uint_eq(get_le32(s->payload + TF_CONTAINER_LENGTH), 6);
	ck_assert_mem_eq(s->payload + TF_CONTAINER_NAME, "/box/4", 6);
}
END_TEST

/* One task that the file names, one that it does not, and tasks without a slot lose hooks. A
 * discard does not reset what tasks lost. */
START_TEST(losses_name_their_task)
{
	fake_session.geometry.mode = SHM_MODE_NORMAL;
	fake_tasks = 1;
	fake_task[0] = (struct session_task){.number = 6, .tid = 2, .pid = 1, .first = 100};
	fake_loss[0] = (struct session_loss){6, 30};
	fake_loss[1] = (struct session_loss){7, 5};
	fake_losses = 2;
	fake_add_part(0, 0);
	fake_add_hook(0, 200, 1);
	dump_and_parse(TF_CODEC_NONE);
	ck_assert_uint_eq(get_le16(file + TF_H_VERSION_MINOR), TF_VERSION_MINOR);
	ck_assert_ptr_null(find(TF_TYPE_TASKLOSS, 0));

	reader_free();
	fake_ring[0].ledger.loss[SHM_LOST_FULL] = 38;
	fake_control.ring[0].loss_base[SHM_LOST_BIG] = 2;
	dump_and_parse(TF_CODEC_NONE);
	ck_assert_uint_eq(get_le16(file + TF_H_VERSION_MINOR), TF_VERSION_MINOR_TASKLOSS);
	const struct seen *s = find(TF_TYPE_TASKLOSS, 0);
	static const struct {
		uint32_t tid;
		uint64_t first, lost;
	} expected[] = {{0, 0, 40}, {2, 100, 30}};
	ck_assert_uint_eq(s->raw, 2 * TF_TASKLOSS_SIZE);
	for (size_t i = 0; i < 2; i++) {
		const uint8_t *p = s->payload + i * TF_TASKLOSS_SIZE;

		ck_assert_uint_eq(get_le32(p + TF_TASKLOSS_TID), expected[i].tid);
		ck_assert_uint_eq(get_le64(p + TF_TASKLOSS_FIRST), expected[i].first);
		ck_assert_uint_eq(get_le64(p + TF_TASKLOSS_LOST), expected[i].lost);
		ck_assert_uint_eq(get_le64(p + TF_TASKLOSS_BEFORE), 0);
	}

	reader_free();
	fake_losses = PU_ERROR_NOT_ENOUGH_MEMORY;
	dump_and_parse(TF_CODEC_NONE);
	ck_assert_ptr_null(find(TF_TYPE_TASKLOSS, 0));
}
END_TEST

START_TEST(names_are_cleaned)
{
	fake_tasks = 1;
	fake_task[0] = (struct session_task){
		.number = 1, .tid = 1, .pid = 1, .name = "a\n\xff\xc3\xa4\xc2\x85z"};
	dump_and_parse(TF_CODEC_NONE);
	ck_assert_mem_eq(find(TF_TYPE_TASKS, 0)->payload + TF_TASK_NAME, "a ?\xc3\xa4  z", 9);
}
END_TEST

START_TEST(refused_schemas_are_counted)
{
	fake_schema = "major 0x22 mine\nhook 1 \"a\"\n";
	fake_schemas_left_out = 2;
	dump_and_parse(TF_CODEC_NONE);
	const char *schema = (const char *)find(TF_TYPE_SCHEMA, 0)->payload;
	ck_assert_ptr_nonnull(strstr(schema, "\nmajor 0x22 mine\nhook 1 \"a\"\n"));
	const char *meta = (const char *)find(TF_TYPE_META, 0)->payload;
	ck_assert_ptr_nonnull(strstr(meta, "schemas left out: 2 (refused)\n"));
}
END_TEST

START_TEST(scripted_counters_are_marked)
{
	if (_i == 0) {
		fake_sticky = SHM_STICKY_SCRIPTED;
	} else {
		fake_tasks = 1;
		fake_task[0].source = SHM_SOURCE_SCRIPTED;
	}
	dump_and_parse(TF_CODEC_LZ4);
	ck_assert_uint_eq(get_le32(file + TF_H_FLAGS), TF_FLAG_CHECKS | TF_FLAG_SCRIPTED);
}
END_TEST

/* --------------------------------------------------------------------------- the ledger */

static uint64_t loss(int ring, int offset)
{
	return get_le64(find(TF_TYPE_LOSS, 0)->payload + ring * TF_LOSS_SIZE + offset);
}

static uint64_t cause(int offset)
{
	return get_le64(find(TF_TYPE_CAUSES, 0)->payload + offset);
}

static bool remarks_are(const char *text)
{
	const struct seen *s = find(TF_TYPE_REMARKS, 0);

	return s->raw == strlen(text) && memcmp(s->payload, text, s->raw) == 0;
}

START_TEST(losses_by_cause)
{
	fake_session.geometry.mode = SHM_MODE_NORMAL;
	for (int i = 0; i < SHM_LOSSES; i++)
		fake_ring[1].ledger.loss[i] = 10u + (unsigned)i;
	fake_ring[1].ledger.overwritten = 20;
	fake_ring[1].ledger.torn = 21;
	dump_and_parse(TF_CODEC_LZ4);
	ck_assert_uint_eq(loss(1, TF_LOSS_FULL), 10);
	ck_assert_uint_eq(loss(1, TF_LOSS_BIG), 11);
	ck_assert_uint_eq(loss(1, TF_LOSS_HELD), 12);
	ck_assert_uint_eq(loss(1, TF_LOSS_NO_GUEST), 13);
	ck_assert_uint_eq(loss(1, TF_LOSS_SKIPPED), 17);
	ck_assert_uint_eq(find(TF_TYPE_CAUSES, 0)->raw, TF_CAUSES_SIZE);
	ck_assert_uint_eq(cause(TF_CAUSES_RING) & UINT32_MAX, 1);
	ck_assert_uint_eq(cause(TF_CAUSES_NO_SLOT), 14);
	ck_assert_uint_eq(cause(TF_CAUSES_NO_MEMORY), 15);
	ck_assert_uint_eq(cause(TF_CAUSES_UNATTACHED), 16);
	ck_assert_uint_eq(get_le16(file + TF_H_VERSION_MINOR), TF_VERSION_MINOR_TASKLOSS);
	ck_assert_uint_eq(loss(1, TF_LOSS_OVERWRITTEN), 20);
	ck_assert_uint_eq(loss(1, TF_LOSS_TORN), 21);
	ck_assert_uint_eq(result.lost, 91);
	ck_assert_uint_eq(result.overwritten, 20);
}
END_TEST

/* Handed out first and overwritten afterwards: in the dump, so not in the ledger. */
START_TEST(dumped_then_overwritten_counts_once)
{
	fake_ring[0].ledger.overwritten = 100;
	fake_add_part(0, 0)->copies_left = 1;
	fake_add_hook(0, 1, 1);
	fake_add_hook(0, 2, 1);
	fake_add_torn(0);
	fake_add_part(0, 4096);
	fake_add_hook(0, 3, 1);
	dump_and_parse(TF_CODEC_LZ4);
	ck_assert_uint_eq(result.hooks, 3);
	ck_assert_uint_eq(loss(0, TF_LOSS_OVERWRITTEN), 100);
	ck_assert_uint_eq(loss(0, TF_LOSS_TORN), 0);
	ck_assert_uint_eq(result.torn, 1);
}
END_TEST

/* Overwritten between the list and the copy: absent, in the ledger, its losses passed on. */
START_TEST(overwritten_before_its_turn)
{
	struct fake_part *p;

	/* Too large to be kept: looked at once, gone at the second copy. */
	fake_reset(FAKE_RINGS, 8 << 20);
	fake_add_part(9, 0)->copies_left = 1;
	fake_ring[9].part[0].lost = 2;
	fake_add_hook(9, 1, 1);
	p = fake_add_part(9, 8 << 20);
	p->lost = 5;
	fake_add_hook(9, 3, 1);
	fake_add_hook(9, 4, 1);
	for (uint32_t i = 0; i < 9; i++) {
		fake_add_part(i, 0);
		fake_add_hook(i, 100 + i, 1);
	}
	dump_and_parse(TF_CODEC_LZ4);
	ck_assert_uint_eq(result.hooks, 11);
	ck_assert_uint_eq(find(TF_TYPE_HOOKS, 0)->ring, TF_GUEST_RING);
	ck_assert_uint_eq(find(TF_TYPE_HOOKS, 0)->hooks, 2);
	ck_assert_uint_eq(find(TF_TYPE_HOOKS, 0)->lost, 7);
	ck_assert_uint_eq(loss(9, TF_LOSS_OVERWRITTEN), 1);
	ck_assert_uint_eq(get_le16(file + TF_H_VERSION_MINOR), TF_VERSION_MINOR_REMARKS);
	ck_assert(
		remarks_are("cut kept: 10 of 11 sections\ncut missed: these rings keep nothing\n"));
}
END_TEST

/* A trigger's range reaches back to the last gap in a ring. */
START_TEST(window_ends_at_a_gap)
{
	static const struct {
		uint64_t start, before;
		const char *remark;
	} cases[] = {{1000, 100, "trigger before: 100 of 100 ns\n"},
		{1000, 800, "trigger before: 700 of 800 ns\n"},
		{200, 100, "trigger before: 0 of 100 ns\n"}};
	char text[100];

	reason = (struct dump_reason){.condition = "tid=1",
		.match = "it",
		.start = cases[_i].start,
		.before_ns = cases[_i].before};
	/* Too large to be kept: the second one is gone at the second copy. */
	fake_reset(FAKE_RINGS, 8 << 20);
	fake_add_part(9, 0);
	fake_add_hook(9, 100, 1);
	fake_add_part(9, 8 << 20)->copies_left = 1;
	fake_add_hook(9, 200, 1);
	fake_add_part(9, 16 << 20);
	fake_add_hook(9, 300, 1);
	for (uint32_t i = 0; i < 9; i++) {
		fake_add_part(i, 0);
		fake_add_hook(i, 150, 1);
	}
	dump_and_parse(TF_CODEC_LZ4);
	ck_assert_uint_eq(result.missed, 1);
	snprintf(text, sizeof text,
		"cut kept: 11 of 12 sections\ncut missed: these rings keep nothing\n%s",
		cases[_i].remark);
	ck_assert(remarks_are(text));
}
END_TEST

/* A section that a stopped writer holds outlives younger ones. */
START_TEST(held_section_outlives)
{
	fake_add_part(0, 0);
	fake_add_hook(0, 1, 1);
	fake_add_part(0, 4096)->copies_left = 1;
	fake_add_hook(0, 2, 1);
	fake_add_part(0, 8192);
	fake_add_hook(0, 3, 1);
	dump_and_parse(TF_CODEC_LZ4);
	ck_assert_uint_eq(result.hooks, 3);
	ck_assert_uint_eq(loss(0, TF_LOSS_OVERWRITTEN), 0);
}
END_TEST

/* Torn when it was copied, committed before it was overwritten: once, as torn. */
START_TEST(torn_then_committed_then_overwritten)
{
	fake_add_part(0, 0);
	fake_add_hook(0, 1, 1);
	fake_add_torn(0);
	fake_ring[0].part[0].copies_left = 1;
	dump_and_parse(TF_CODEC_NONE);
	ck_assert_uint_eq(result.hooks + result.torn + result.overwritten, 2);
}
END_TEST

START_TEST(only_torn_goes_to_the_ledger)
{
	fake_add_part(0, 0)->lost = 4;
	fake_add_torn(0);
	fake_add_torn(0);
	fake_add_part(0, 4096);
	fake_add_hook(0, 1, 1);
	dump_and_parse(TF_CODEC_LZ4);
	ck_assert_ptr_null(find(TF_TYPE_HOOKS, 1));
	ck_assert_uint_eq(find(TF_TYPE_HOOKS, 0)->lost, 4);
	ck_assert_uint_eq(loss(0, TF_LOSS_TORN), 2);
	ck_assert_uint_eq(result.torn, 2);
}
END_TEST

START_TEST(nothing_after_the_cut)
{
	fake_add_part(0, 0);
	fake_add_hook(0, 1, 3);
	uint64_t cut = fake_ring[0].ledger.head;
	fake_add_hook(0, 2, 3);
	fake_add_torn(0);
	fake_add_part(0, 4096);
	fake_add_hook(0, 3, 3);
	fake_ring[0].ledger.head = cut;
	dump_and_parse(TF_CODEC_NONE);
	ck_assert_uint_eq(find(TF_TYPE_HOOKS, 0)->raw, cut);
	ck_assert_uint_eq(find(TF_TYPE_HOOKS, 0)->hooks, 1);
	ck_assert_uint_eq(find(TF_TYPE_HOOKS, 0)->torn, 0);
	ck_assert_uint_eq(find(TF_TYPE_HOOKS, 0)->last, 1);
	ck_assert_ptr_null(find(TF_TYPE_HOOKS, 1));
}
END_TEST

START_TEST(new_rings_meanwhile)
{
	fake_control.generation = 6;
	ck_assert_int_eq(dump(TF_CODEC_LZ4), PU_ERROR_INCORRECT_STATE);
	ck_assert_int_eq(files_left(), 0);
}
END_TEST

/* ------------------------------------------------------------------- outputs that fail */

static void fails_with(const char *words)
{
	ck_assert_int_eq(dump(TF_CODEC_LZ4), PU_ERR_FILE_ERROR);
	ck_assert_msg(strstr(error.text, words), "\"%s\" is not in \"%s\"", words, error.text);
	ck_assert_ptr_null(strchr(error.text, '\n'));
}

START_TEST(no_such_directory)
{
	snprintf(path, sizeof path, "%s/no/t.bin", folder);
	fails_with("No such file or directory");
}
END_TEST

START_TEST(no_space_left)
{
	struct stat st;

	if (stat("/dev/full", &st) || !S_ISCHR(st.st_mode))
		return;
	strcpy(path, "/dev/full");
	fails_with("No space left");
	ck_assert_int_eq(stat("/dev/full", &st), 0);
}
END_TEST

START_TEST(file_size_limit)
{
	struct rlimit limit = {.rlim_cur = 600, .rlim_max = RLIM_INFINITY};

	setrlimit(RLIMIT_FSIZE, &limit);
	fails_with("File too large");
	ck_assert_int_eq(files_left(), 0);
}
END_TEST

START_TEST(old_file_stays_on_failure)
{
	struct rlimit limit = {.rlim_cur = 600, .rlim_max = RLIM_INFINITY};
	FILE *f = fopen(path, "w");

	fputs("old", f);
	fclose(f);
	setrlimit(RLIMIT_FSIZE, &limit);
	fails_with("File too large");
	load(path);
	ck_assert_uint_eq(file_size, 3);
	ck_assert_int_eq(files_left(), 1);
}
END_TEST

/* Commands that write into one folder sweep each other's leftovers, never finished files. */
START_TEST(not_swept_before_the_rename)
{
	struct output ours, other;
	pid_t sweeper = fork();

	while (sweeper == 0) {
		char beside[80];

		snprintf(beside, sizeof beside, "%s.other", path);
		if (output_open(&other, beside, &error) == 0)
			output_abandon(&other);
	}
	for (int i = 0; i < 50; i++) {
		ck_assert_int_eq(output_open(&ours, path, &error), 0);
		ck_assert_msg(output_finish(&ours, &error) == 0, "file %d: %s", i, error.text);
	}
	kill(sweeper, SIGKILL);
	waitpid(sweeper, NULL, 0);
}
END_TEST

START_TEST(link_is_followed)
{
	char link[80];
	struct stat st;

	snprintf(link, sizeof link, "%s/l", folder);
	FILE *f = fopen(path, "w");
	fclose(f);
	ck_assert_int_eq(symlink("t.bin", link), 0);
	struct dump_options options = {.path = link, .codec = TF_CODEC_NONE};
	ck_assert_int_eq(dump_write(&fake_session, &options, &result, &error), 0);
	ck_assert_int_eq(lstat(link, &st), 0);
	ck_assert(S_ISLNK(st.st_mode));
	parse(path);
	ck_assert_uint_eq(result.bytes, file_size);
	unlink(link);
}
END_TEST

START_TEST(closed_pipe)
{
	int ends[2], old = dup(STDOUT_FILENO);

	ck_assert_int_eq(pipe(ends), 0);
	close(ends[0]);
	dup2(ends[1], STDOUT_FILENO);
	strcpy(path, "-");
	int rc = dump(TF_CODEC_LZ4);
	dup2(old, STDOUT_FILENO);
	close(ends[1]);
	close(old);
	ck_assert_int_eq(rc, PU_ERR_FILE_ERROR);
	ck_assert_ptr_nonnull(strstr(error.text, "Broken pipe"));
}
END_TEST

static bool give_up(void *arg, uint64_t done, uint64_t total)
{
	(void)total;
	*(uint64_t *)arg = done;
	return false;
}

START_TEST(an_interrupted_dump_leaves_no_file)
{
	uint64_t done = 0;
	struct dump_options options = {
		.path = path, .codec = TF_CODEC_NONE, .progress = give_up, .progress_arg = &done};

	fake_add_part(0, 0);
	fake_add_hook(0, 1, 1);
	ck_assert_int_eq(dump_write(&fake_session, &options, &result, &error), PU_FAILURE);
	ck_assert_uint_eq(done, 1);
	ck_assert_int_eq(files_left(), 0);
}
END_TEST

int main(void)
{
	return suites_run(
		SUITE("dump", .set_up = before, .tear_down = after,
			TESTS(nothing_gives_no_section, index_points_at_sections,
				tasks_schemas_and_meta, numbers_become_thread_ids,
				containers_follow_their_tasks, losses_name_their_task,
				names_are_cleaned, refused_schemas_are_counted, losses_by_cause,
				dumped_then_overwritten_counts_once, overwritten_before_its_turn,
				held_section_outlives, torn_then_committed_then_overwritten,
				only_torn_goes_to_the_ledger, nothing_after_the_cut,
				new_rings_meanwhile, no_such_directory, no_space_left,
				file_size_limit, old_file_stays_on_failure,
				not_swept_before_the_rename, link_is_followed, closed_pipe,
				an_interrupted_dump_leaves_no_file),
			LOOPS({sections_in_order_of_stamps, 0, 3},
				{incompressible_sections_are_stored, 0, 3},
				{scripted_counters_are_marked, 0, 2},
				{window_ends_at_a_gap, 0, 3})),
		NULL);
}
