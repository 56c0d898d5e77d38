/* Memory that runs out: each allocation fails once, and no flame graph lacks anything then. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../../decoder/report/report.h"
#include "../../include/cpidecode.h"
#include "../lib/failing_memory.h"
#include "../lib/trace_build.h"
#include "../lib/suites.h"

void *__real_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return fails() ? MAP_FAILED : __real_mmap(at, size, protection, flags, fd, offset);
}

/* Intervals in one another, of several threads, and names that lines spell in another way. */
static struct trace *build_nested(struct bytes *file)
{
	static const char *const labels[] = {"outer", "a;b", "inner", "tab\there"};
	struct bytes records = {0}, tasks = {0};
	struct section about = {.type = TF_TYPE_TASKS};
	struct trace *t;

	put_header(file, 1);
	put_task(&tasks, 1, 1, 0, "first");
	put_section(file, &about, &tasks);
	bytes_free(&tasks);
	for (uint32_t i = 0; i < 40; i++) {
		uint64_t end = 2000 + 10 * i, elapsed = i % 4 == 3 ? 500 : 5 * (i % 3);

		put_label(&records, end, 1 + i % 3, 0, false, elapsed, labels[i % 4]);
		put_thread(&records, end, 1 + i % 3, 0, elapsed, 10 + i, 20);
	}
	put_hooks(file, 0, 0, TF_CODEC_NONE, &records);
	bytes_free(&records);
	put_end(file);
	ck_assert_int_eq(trace_new(&t), 0);
	ck_assert_int_eq(trace_add_memory(t, file->p, file->n, "memory"), 0);
	return t;
}

static int draw_flame(struct trace *t, enum report_format format, struct out *o)
{
	struct filter filter;
	struct findings found = {0};

	out_memory(o);
	filter_init(&filter);
	struct report r = {
		.out = o, .format = format, .filter = &filter, .threads = 1, .found = &found};
	report_about(&r, t);
	int rc = report_run(&r, report_is_export(format) ? REPORT_EXPORT : REPORT_FLAME);
	findings_free(&found);
	return rc;
}

static void fail_each(enum report_format format)
{
	struct bytes file = {0};
	struct trace *t = build_nested(&file);
	struct out all, o;

	ck_assert_int_eq(draw_flame(t, format, &all), 0);
	ck_assert_int_eq(all.error, 0);
	ck_assert_uint_gt(all.len, 0);
	long n = 0;
	for (bool more = true; more; n++) {
		fail_after(n);
		int rc = draw_flame(t, format, &o);
		more = !no_more_failures();
		ck_assert_int_le(rc, 0);
		if (!rc && !o.error) {
			ck_assert_uint_eq(o.len, all.len);
			ck_assert_mem_eq(o.buf, all.buf, all.len);
		}
		out_discard(&o);
	}
	ck_assert_int_gt(n, 20);
	out_discard(&all);
	trace_free(t);
	bytes_free(&file);
}

START_TEST(pictures_survive_failed_allocations)
{
	fail_each(FORMAT_SVG);
}
END_TEST

START_TEST(folded_stacks_survive_failed_allocations)
{
	fail_each(FORMAT_FOLDED);
}
END_TEST

START_TEST(exports_survive_failed_allocations)
{
	/* A database is a file, and takes libsqlite3's memory. */
	for (int format = FORMAT_PERFETTO; format < FORMAT_NAMES; format++)
		if (format != FORMAT_SQLITE)
			fail_each((enum report_format)format);
}
END_TEST

SUITE_MAIN("flame_memory", pictures_survive_failed_allocations,
	folded_stacks_survive_failed_allocations, exports_survive_failed_allocations)
