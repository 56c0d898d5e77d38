/*
 * For tests of recorded counters: queries of a trace, traces made of another's hooks, and a
 * counterset to record.
 */
#ifndef SWT_TESTS_PERFLIB_REPLAY_H
#define SWT_TESTS_PERFLIB_REPLAY_H

#include "../../formats/counters_hooks.h"
#include "../../include/cpidecode.h"
#include "../../libtrace/perflib/host.h"
#include "../../libtrace/perflib/query.h"
#include "../lib/trace_build.h"
#include "../lib/suites.h"
#include "made_up.h"
#include "walk.h"

Suite *record_suite(void);
Suite *unrecorded_suite(void); /* for a process that has written nothing */
Suite *samples_suite(void);
Suite *intervals_suite(void);

/* In the folder of this run. */
const char *scratch(const char *name);

/* To a handle: everything of this counterset. */
void add_all(HANDLE query, const GUID *set);
void add_one(HANDLE query, const GUID *set, ULONG counter, const char *pattern);
/* A query of a trace for everything of a counterset that is there. */
HANDLE replay_all(const char *path, const GUID *set);
/* The next sample, found right; free it. NULL: ERROR_NO_MORE_ITEMS. */
PERF_DATA_HEADER *next_sample(HANDLE query);
/* Finds the value in the first result. -1: there is none. */
int value_of(const void *data, const char *instance, ULONG counter, ULONGLONG *value);
ULONG rows_of(const void *data);
/* The formatted value between two samples; NAN: there is none. */
double formatted(const void *first, const void *second, const char *instance, ULONG counter,
	ULONG type, ULONG base);

/* The trace with the hooks of another, as far as `keep` lets them be; it may change them. */
struct copied {
	const cpidecode_hook *hook;
	unsigned index; /* of those of COUNTERS_MAJOR */
	uint32_t word[65536];
	const char *string[256];
	uint32_t tid, twice; /* twice: another tid to write it with, too; 0: none */
};
void copy_trace(
	const char *from, const char *to, bool (*keep)(struct copied *c, void *ctx), void *ctx);
void write_trace(const char *to, struct bytes *records);

#endif
