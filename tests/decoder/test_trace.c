/* Files: their sections beside hooks, and several files together. */
#include <stdlib.h>

#include "../../include/cpidecode.h"
#include "open.h"
#include "built.h"

START_TEST(tasks_by_time)
{
	struct bytes p = {0};

	put_header(&built, 1);
	put_task(&p, 5, 50, 300, "late");
	put_task(&p, 5, 40, 100, "early");
	put_task(&p, 6, 60, 0, "sixteen bytes ok");
	put_task(&p, 5, 41, 300, "later still");
	put_section(&built, &(struct section){.type = TF_TYPE_TASKS}, &p);
	struct trace *t = opened(&built);
	ck_assert_ptr_null(trace_task(t, 0, 5, 99));
	ck_assert_uint_eq(trace_task(t, 0, 5, 100)->pid, 40);
	ck_assert_uint_eq(trace_task(t, 0, 5, 299)->pid, 40);
	ck_assert_uint_eq(trace_task(t, 0, 5, 300)->pid, 41);
	ck_assert_uint_eq(trace_task(t, 0, 5, UINT64_MAX)->pid, 41);
	ck_assert_str_eq(trace_task(t, 0, 6, 0)->name, "sixteen bytes ok");
	ck_assert_ptr_null(trace_task(t, 0, 4, 1000));
	ck_assert_ptr_null(trace_task(t, 0, 7, 1000));
	ck_assert_ptr_null(trace_task(t, 1, 5, 1000));
	ck_assert_ptr_nonnull(trace_task_at(t, 0, 3));
	ck_assert_ptr_null(trace_task_at(t, 0, 4));
	trace_free(t);
	bytes_free(&p);
}
END_TEST

START_TEST(entries_cut_short_are_damage)
{
	static const uint16_t types[] = {TF_TYPE_TASKS, TF_TYPE_CLOCK, TF_TYPE_LOSS};

	for (size_t i = 0; i < 3; i++) {
		struct bytes b = {0}, p = {0};

		put_header(&b, 1);
		bytes_put(&p, "odd", 3);
		put_section(&b, &(struct section){.type = types[i]}, &p);
		put_end(&b);
		struct trace *t = opened(&b);
		ck_assert_uint_eq(trace_file(t, 0)->ndamage, 1);
		ck_assert(trace_file(t, 0)->has_end);
		trace_free(t);
		bytes_free(&p);
		bytes_free(&b);
	}
}
END_TEST

START_TEST(meta_lines)
{
	put_header(&built, 1);
	put_text(&built, TF_TYPE_META,
		"a:b\n\n  key one :  value: more  \r\nno colon\n:only\n\xff: \xfe");
	put_text(&built, TF_TYPE_META, "");
	struct trace *t = opened(&built);
	const struct trace_file *f = trace_file(t, 0);
	ck_assert_uint_eq(f->nmeta, 5);
	ck_assert_str_eq(f->meta[0].key, "a");
	ck_assert_str_eq(f->meta[0].value, "b");
	ck_assert_str_eq(f->meta[1].key, "key one");
	ck_assert_str_eq(f->meta[1].value, "value: more");
	ck_assert_str_eq(f->meta[2].key, "no colon");
	ck_assert_str_eq(f->meta[2].value, "");
	ck_assert_str_eq(f->meta[3].value, "only");
	ck_assert_str_eq(f->meta[4].key, "\xff");
	trace_free(t);
}
END_TEST

START_TEST(a_bad_schema_is_reported_and_ignored)
{
	put_header(&built, 1);
	put_text(&built, TF_TYPE_SCHEMA, "major 1 m\nnonsense\n");
	put_text(&built, TF_TYPE_SCHEMA, "major 1 good\n");
	struct trace *t = opened(&built);
	const struct trace_file *f = trace_file(t, 0);
	ck_assert_uint_eq(f->nschema_problems, 1);
	ck_assert_uint_eq(f->schema_problems[0].error.line, 2);
	ck_assert_uint_eq(f->schema_problems[0].offset, TF_HEADER_SIZE);
	ck_assert_str_eq(schema_set_major_name(f->schemas, 1, NULL), "good");
	ck_assert_str_eq(schema_set_major_name(f->schemas, CPI_MAJOR, NULL), "cpi");
	trace_free(t);
}
END_TEST

static unsigned count_fields(const struct schema_hook *h)
{
	unsigned count;

	schema_hook_fields(h, &count);
	return count;
}

/* The texts of three programs in one section; the second registered an invalid schema. */
START_TEST(a_bad_schema_leaves_the_others)
{
	put_header(&built, 1);
	put_text(&built, TF_TYPE_SCHEMA,
		"major 1 a\nhook 1 \"of a\"\nu32 n\n"
		"garbage\n"
		"major 2 b\nhook 1 \"of b\"\nu33 n\nmajor 3 c\nhook 1 \"of c\"\nu32 n\n");
	struct trace *t = opened(&built);
	const struct trace_file *f = trace_file(t, 0);
	ck_assert_uint_eq(f->nschema_problems, 2);
	ck_assert_uint_eq(f->schema_problems[0].error.line, 4);
	ck_assert_uint_eq(f->schema_problems[1].error.line, 7);
	ck_assert_str_eq(schema_hook_name(schema_set_find(f->schemas, 1, 1)), "of a");
	ck_assert_uint_eq(count_fields(schema_set_find(f->schemas, 1, 1)), 1);
	ck_assert_uint_eq(count_fields(schema_set_find(f->schemas, 2, 1)), 0);
	ck_assert_uint_eq(count_fields(schema_set_find(f->schemas, 3, 1)), 1);
	trace_free(t);
}
END_TEST

START_TEST(schema_origins)
{
	struct trace *t;
	struct schema_error e;
	const char *user = "major 1 user\n", *bad = "major 1\n";

	put_header(&built, 1);
	put_text(&built, TF_TYPE_SCHEMA, "major 1 trace\nmajor 2 two\n");
	put_text(&built, TF_TYPE_SCHEMA, "major 2 again\nmajor 0xC0 other\n");
	ck_assert_int_eq(trace_new(&t), 0);
	ck_assert_int_eq(trace_add_schema(t, bad, strlen(bad), &e), CPIDECODE_ESCHEMA);
	ck_assert_int_eq(trace_add_schema(t, user, strlen(user), &e), 0);
	ck_assert_int_eq(trace_add_memory(t, built.p, built.n, "m"), 0);
	const struct schema_set *s = trace_file(t, 0)->schemas;
	ck_assert_str_eq(schema_set_major_name(s, 1, NULL), "user");
	ck_assert_str_eq(schema_set_major_name(s, 2, NULL), "two");
	ck_assert_str_eq(schema_set_major_name(s, CPI_MAJOR, NULL), "other");
	trace_free(t);
}
END_TEST

/* A header with this rate and, unless 0, two syncs that give another one. */
static int rate_code(uint64_t rate, uint64_t synced, bool damaged, uint64_t *used)
{
	struct bytes b = {0}, p = {0};
	struct trace *t;

	put_header(&b, 1);
	put_le64(b.p + TF_H_TICKS_PER_SECOND, rate);
	seal_header(b.p);
	if (damaged)
		b.p[TF_H_RESERVED] ^= 1;
	if (synced) {
		put_sync(&p, 0, 7000000000, 0);
		put_sync(&p, synced, 8000000000, 1000000000);
		put_section(&b, &(struct section){.type = TF_TYPE_CLOCK}, &p);
	}
	ck_assert_int_eq(trace_new(&t), 0);
	int rc = trace_add_memory(t, b.p, b.n, "m");
	*used = rc ? 0 : trace_file(t, 0)->ticks_per_second;
	if (!rc && damaged && synced)
		ck_assert_int_eq(trace_time(trace_file(t, 0), 0), 7000000000);
	trace_free(t);
	bytes_free(&p);
	bytes_free(&b);
	return rc;
}

START_TEST(a_valid_rate_of_the_header_is_used)
{
	uint64_t used;

	ck_assert_int_eq(rate_code(3000000000, 2000000000, false, &used), 0);
	ck_assert_uint_eq(used, 3000000000); /* a header that holds is believed */
	ck_assert_int_eq(rate_code(0, 2000000000, false, &used), 0);
	ck_assert_uint_eq(used, 2000000000);
	ck_assert_int_eq(rate_code(UINT64_MAX, 2000000000, false, &used), 0);
	ck_assert_uint_eq(used, 2000000000);
	ck_assert_int_eq(rate_code(0, 0, false, &used), CPIDECODE_ECLOCK);
	ck_assert_int_eq(rate_code(UINT64_MAX, 0, false, &used), CPIDECODE_ECLOCK);
	ck_assert_int_eq(rate_code(3000000000, 2000000000, true, &used), 0);
	ck_assert_uint_eq(used, 2000000000); /* one that does not hold is not */
	ck_assert_int_eq(rate_code(2000000100, 2000000000, true, &used), 0);
	ck_assert_uint_eq(used, 2000000100);
	ck_assert_int_eq(rate_code(3000000000, 0, true, &used), 0);
	ck_assert_uint_eq(used, 3000000000);
	ck_assert_int_eq(rate_code(0, 0, true, &used), CPIDECODE_ECLOCK);
}
END_TEST

START_TEST(several_files)
{
	/* The same hooks twice, the second file's clock a second ahead and of another id. */
	struct bytes a = {0}, b = {0}, r = {0};
	struct trace *t;

	put_header(&a, 1);
	put_header(&b, 2);
	put_le64(b.p + TF_H_SYNC + TF_SYNC_REALTIME, 5000000005);
	seal_header(b.p);
	for (uint64_t i = 0; i < 10; i++)
		put_plain(&r, 100 + i, 1, 0);
	put_hooks(&a, 0, 0, TF_CODEC_NONE, &r);
	for (uint64_t i = 0; i < 10; i++)
		put_plain(&r, 100 + i, 1, 0);
	put_hooks(&b, 0, 0, TF_CODEC_NONE, &r);
	put_task(&r, 1, 9, 0, "second's");
	put_section(&b, &(struct section){.type = TF_TYPE_TASKS}, &r);
	ck_assert_int_eq(trace_new(&t), 0);
	ck_assert_int_eq(trace_add_memory(t, a.p, a.n, "a"), 0);
	ck_assert_int_eq(trace_add_memory(t, a.p, 100, "cut"), CPIDECODE_ETRUNCATED);
	ck_assert_int_eq(trace_add_memory(t, b.p, b.n, "b"), 0);
	ck_assert_uint_eq(trace_nfiles(t), 2);
	struct hook_iter *it;
	const struct hook *h;
	int64_t last = 0;
	unsigned n = 0, files[2] = {0};
	ck_assert_int_eq(hook_iter_open(t, &it), 0);
	while (hook_iter_next(it, &h) > 0) {
		ck_assert_int_ge(h->time_ns, last);
		last = h->time_ns;
		/* Equal times go by ticks: the second file's are less. */
		if (n == 5)
			ck_assert_uint_eq(h->file, 1);
		ck_assert((h->task != NULL) == (h->file == 1));
		files[h->file]++;
		n++;
	}
	ck_assert_uint_eq(files[0], 10);
	ck_assert_uint_eq(files[1], 10);
	int64_t first, end;
	ck_assert(trace_span(t, &first, &end));
	ck_assert_int_eq(first, 4999999100);
	ck_assert_int_eq(end, 4999999114);
	hook_iter_close(it);
	trace_free(t);
	bytes_free(&r);
	bytes_free(&a);
	bytes_free(&b);
}
END_TEST

START_TEST(one_machine_in_two_files)
{
	struct bytes a = {0}, b = {0};
	struct trace *t;

	put_small_trace(&a, TF_CODEC_LZ4);
	put_header(&b, 1);
	ck_assert_int_eq(trace_new(&t), 0);
	ck_assert_int_eq(trace_add_memory(t, b.p, b.n, "b"), 0);
	ck_assert_int_eq(trace_add_memory(t, a.p, a.n, "a"), 0);
	ck_assert_uint_eq(trace_file(t, 0)->machine, trace_file(t, 1)->machine);
	ck_assert_ptr_nonnull(trace_task(t, 0, 11, 0));
	trace_free(t);
	/* An id of zeros tells nothing. */
	memset(b.p + TF_H_TRACE_ID, 0, 16);
	seal_header(b.p);
	ck_assert_int_eq(trace_new(&t), 0);
	ck_assert_int_eq(trace_add_memory(t, b.p, b.n, "b"), 0);
	ck_assert_int_eq(trace_add_memory(t, b.p, b.n, "b"), 0);
	ck_assert_uint_ne(trace_file(t, 0)->machine, trace_file(t, 1)->machine);
	trace_free(t);
	bytes_free(&a);
	bytes_free(&b);
}
END_TEST

START_TEST(rings_and_losses)
{
	struct bytes p = {0};

	put_header(&built, 1);
	for (uint32_t ring = 9; ring > 0; ring--)
		put_plain(&p, 1, 1, 0), put_hooks(&built, 2 * ring, 0, TF_CODEC_NONE, &p);
	for (uint32_t i = 0; i < 40; i++) {
		put_u64(&p, i % 20);
		for (unsigned k = 0; k < 7; k++)
			put_u64(&p, i);
	}
	put_section(&built, &(struct section){.type = TF_TYPE_LOSS}, &p);
	struct trace *t = opened(&built);
	const struct trace_file *f = trace_file(t, 0);
	struct hook_counts c;
	ck_assert_uint_eq(f->nrings, 20);
	for (uint32_t i = 0; i < 20; i++) {
		ck_assert_uint_eq(f->rings[i].ring, i);
		ck_assert(f->rings[i].has_loss);
		ck_assert_uint_eq(f->rings[i].loss_full, i + 20); /* the last entry holds */
		ck_assert_uint_eq(f->rings[i].sections, i && i % 2 == 0);
	}
	ck_assert_uint_eq(read_hooks(t, &c), 9);
	trace_free(t);
	bytes_free(&p);
}
END_TEST

/* A dump of ring 0: a section of two hooks before which three were lost, and, if `later`, another
 * before which two were. LOSS has the total. */
static void put_dump(struct bytes *file, bool later)
{
	struct bytes p = {0};
	uint64_t position = 0;

	put_header(file, 1);
	for (uint32_t i = 0; i < 1u + later; i++) {
		put_plain(&p, 100 * i + 1, 1, 0);
		put_plain(&p, 100 * i + 2, 1, 0);
		put_section(file,
			&(struct section){.type = TF_TYPE_HOOKS,
				.position = position,
				.hooks = 2,
				.first = 100 * i + 1,
				.last = 100 * i + 2,
				.lost = 3 - i},
			&p);
		position += p.n;
		p.n = 0;
	}
	put_u64(&p, 0);
	put_u64(&p, 0);
	put_u64(&p, later ? 5 : 3);
	for (unsigned k = 0; k < 5; k++)
		put_u64(&p, 0);
	put_section(file, &(struct section){.type = TF_TYPE_LOSS}, &p);
	bytes_free(&p);
}

START_TEST(losses_of_two_dumps)
{
	struct bytes a = {0}, b = {0};
	struct trace *t;
	uint64_t lost = 0, big = 0;

	put_dump(&a, false);
	put_dump(&b, true);
	ck_assert_int_eq(trace_new(&t), 0);
	ck_assert_int_eq(trace_add_memory(t, a.p, a.n, "a"), 0);
	ck_assert_int_eq(trace_add_memory(t, b.p, b.n, "b"), 0);
	ck_assert_int_eq(trace_settle(t), 0);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(trace_file(t, i)->nrings, 1);
		lost += trace_file(t, i)->rings[0].lost;
		big += trace_file(t, i)->rings[0].loss_big;
	}
	ck_assert_uint_eq(lost, 5);
	ck_assert_uint_eq(big, 5);
	trace_free(t);
	bytes_free(&a);
	bytes_free(&b);
}
END_TEST

static bool cancel_progress(void *ctx, const char *path, uint64_t done, uint64_t total)
{
	(void)path;
	(void)done;
	(void)total;
	++*(int *)ctx;
	return false;
}

START_TEST(progress_may_cancel_an_open)
{
	struct trace *t;
	int calls = 0;

	put_header(&built, 1);
	while (built.n < 16 << 20)
		put_u64(&built, 0);
	ck_assert_int_eq(trace_new(&t), 0);
	trace_set_progress(t, cancel_progress, &calls);
	ck_assert_int_eq(trace_add_memory(t, built.p, built.n, "b"), CPIDECODE_ECANCELED);
	ck_assert_int_eq(calls, 1);
	trace_free(t);
}
END_TEST

BUILT_MAIN("trace", tasks_by_time, entries_cut_short_are_damage, meta_lines,
	a_bad_schema_is_reported_and_ignored, a_bad_schema_leaves_the_others, schema_origins,
	a_valid_rate_of_the_header_is_used, several_files, one_machine_in_two_files,
	rings_and_losses, losses_of_two_dumps, progress_may_cancel_an_open)
