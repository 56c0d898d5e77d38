/*
 * The suites of test_perflib_query, and what they begin with: a host of two made-up countersets,
 * and a query of it.
 */
#ifndef SWT_TESTS_PERFLIB_SUITES_H
#define SWT_TESTS_PERFLIB_SUITES_H

#include "../../libtrace/perflib/query.h"
#include "../lib/suites.h"
#include "made_up.h"
#include "walk.h"

Suite *data_suite(void);
Suite *format_suite(void);
Suite *identifiers_suite(void);
Suite *live_suite(void);
Suite *memory_suite(void);
Suite *names_suite(void);
Suite *registration_suite(void);
Suite *trouble_suite(void);

/* A single-instance counterset: counters 1 (32 bits), 3 (64), 8 (unsupported). */
extern struct made_up_set single;
/* A multi-instance one: 0 (64), 2 (32), 5 (unsupported), 9 (only some instances have it). */
extern struct made_up_set several;
extern struct made_up_host machine;
extern HANDLE query;

extern const GUID single_guid, several_guid, other_guid;

void set_up(void);
void tear_down(void);
/* The query is closed and opened anew, of a host that ends after `last` samples. */
void begin_anew(unsigned last);

/* A PERF_COUNTER_IDENTIFIER block; its bytes. pattern NULL: none. */
size_t identifier(void *block, const GUID *set, ULONG counter, ULONG instance, const char *pattern);
/* Adds or deletes one; its status. */
ULONG add(const GUID *set, ULONG counter, ULONG instance, const char *pattern);
ULONG take(const GUID *set, ULONG counter, ULONG instance, const char *pattern);

/* The next sample, of exactly its size, found right; free it. */
void *sample(void);

#endif
