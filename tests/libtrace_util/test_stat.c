/* The lines of /proc/stat. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../libtrace/counters/machine/proc_stat.h"
#include "util_suites.h"

/* Lines in a copy of exactly these bytes, so that a sanitizer sees a read beyond them. */
static unsigned lines_of(const char *text, size_t length, struct stat_line *line, unsigned room)
{
	char *copy = malloc(length ? length : 1);
	const char *p = copy;
	unsigned n = 0;

	memcpy(copy, text, length);
	while (n < room && stat_next(&p, copy + length, &line[n]))
		n++;
	ck_assert(p <= copy + length);
	free(copy);
	return n;
}

START_TEST(short_lines_and_other_fields_are_skipped)
{
	static const char text[] = "cpu  1 2 3 4 5 6 7 8 9 10\n"
				   "cpu0 1 2 3 40 5 6 70 8 9 10\n"
				   "cpu2 1 2 3 4 5\n"
				   "cpu3  1  2  3  4  5  6  7\n"
				   "intr 5 0 0\ncpu4 1 2 3 4 5 6 7 8\n";
	struct stat_line line[8];

	ck_assert_uint_eq(lines_of(text, strlen(text), line, 8), 3);
	ck_assert_uint_eq(line[0].cpu, 0);
	ck_assert_uint_eq(line[0].idle, 45);
	ck_assert(line[0].has_intr && line[0].has_steal);
	ck_assert_uint_eq(line[0].intr, 76);
	ck_assert_uint_eq(line[0].steal, 8);
	ck_assert_uint_eq(line[1].cpu, 2);
	ck_assert_uint_eq(line[1].idle, 9);
	ck_assert(!line[1].has_intr && !line[1].has_steal);
	ck_assert_uint_eq(line[2].cpu, 3);
	ck_assert(line[2].has_intr && !line[2].has_steal);
	ck_assert_uint_eq(line[2].intr, 13);
}
END_TEST

static const char *const not_lines[] = {
	"",
	"\n",
	"cpu",
	"cpu\n",
	"cpu  1 2 3 4 5 6 7 8\n",
	"cpu0 1 2 3 4\n",
	"cpu0 1 2 3 4 5 6 7 8", /* no end of line: cut off, perhaps in a number */
	"cpu0 1 2 3 4 x 6 7 8\n",
	"cpu0 1 2 3 4x 5 6 7 8\n",
	"cpu0 1 2 3 -4 5 6 7 8\n",
	"cpu0 1 2 3 4 9999999999999999999 6 7 8\n",
	"cpu-1 1 2 3 4 5 6 7 8\n",
	"cpu99999999999 1 2 3 4 5 6 7 8\n",
	"cpuX 1 2 3 4 5 6 7 8\n",
	"Cpu0 1 2 3 4 5 6 7 8\n",
	"intr 1\ncpu0 1 2 3 4 5 6 7 8\n",
};

START_TEST(no_lines)
{
	struct stat_line line[2];

	ck_assert_uint_eq(lines_of(not_lines[_i], strlen(not_lines[_i]), line, 2), 0);
}
END_TEST

/* Every prefix: no field is ever half a number. */
START_TEST(cut_off)
{
	static const char text[] = "cpu0 11 22 33 44 55 66 77 88 99\ncpu1 1 2 3 4 5 6 7 8 9\n";
	struct stat_line line[4];

	for (size_t n = 0; n < sizeof text; n++) {
		unsigned lines = lines_of(text, n, line, 4);

		ck_assert_uint_eq(lines, (n >= 32) + (n >= 32 + 23));
		if (lines)
			ck_assert(line[0].idle == 99 && line[0].intr == 143 && line[0].steal == 88);
	}
}
END_TEST

START_TEST(this_machine)
{
	struct stat_cpu cpu[4];
	uint64_t at = 0;

	if (!stat_read(cpu, 4, &at)) {
		puts("skipped: this machine: /proc/stat cannot be read");
		return;
	}
	ck_assert_uint_gt(at, 0);
	ck_assert_uint_gt(stat_resolution(), 0);
	ck_assert(stat_read(cpu, 0, &at));
}
END_TEST

Suite *stat_suite(void)
{
	return SUITE("stat", TESTS(short_lines_and_other_fields_are_skipped, cut_off, this_machine),
		LOOPS({no_lines, 0, sizeof not_lines / sizeof *not_lines}));
}
