/*
 * The suites of test_perflib_sets, and what they have in common: countersets are asked as queries
 * ask them, and their kernels' files may be made up.
 */
#ifndef SWT_TESTS_PERFLIB_SETS_TESTS_H
#define SWT_TESTS_PERFLIB_SETS_TESTS_H

#include "../../libtrace/perflib/counterset.h"
#include "../lib/suites.h"

Suite *sets_parse_suite(void);
Suite *sets_processor_suite(void);
Suite *sets_counters_suite(void);
Suite *sets_cpi_suite(void);
Suite *sets_process_suite(void);
Suite *sets_query_suite(void);

/* The counterset that a test queries. */
extern struct asked {
	const struct counterset *set;
	void *state;
	uint64_t wanted[COUNTERSET_COUNTERS / 64]; /* all, at first */
	struct sample_time time;
	struct rows rows;
} asked;

void ask_open(const struct counterset *set);
/* Runs after each test, too. */
void ask_close(void);
/* Another sample, at this time (100 ns); a millisecond of it is 1000 ticks. */
void read_rows(int64_t time);

/* The row of this name; it must be there. */
uint32_t row_of(const char *name);
const char *name_of(uint32_t row);
bool has_row(const char *name);
/* A value that must be there. */
uint64_t value(const char *instance, uint32_t column);
bool is_known(const char *instance, uint32_t column);

/* Files below a directory of this process's, which its end removes. */
const char *made_up_root(void);
void put_bytes(const char *name, const char *bytes, size_t length);
__attribute__((format(printf, 2, 3))) void write_file(const char *name, const char *format, ...);
void put_away(const char *name); /* the file, or an empty directory, is no more */

/* Every counterset's: ids ascend, names are there and differ, bases are counters of this set. */
void check_definition(const struct counterset_definition *d);

#endif
