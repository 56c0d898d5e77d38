/*
 * Shared by the tests of providers: a directory of their own, a provider with a set of each
 * kind, and a consumer.
 */
#ifndef TESTS_PERFLIB_SHARED_H
#define TESTS_PERFLIB_SHARED_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../formats/counterset.h"
#include "../../../libtrace/perflib/counterset.h"
#include "../../lib/suites.h"
#include "rules.h"

Suite *life_suite(void);
Suite *calls_suite(void);
Suite *values_suite(void);
Suite *looks_suite(void);
Suite *processes_suite(void);
Suite *hostile_suite(void);

/* Where SWTRACE_COUNTERSETS points: fresh before each test, gone after it. */
extern char shared_dir[64];
void shared_begin(void);
void shared_end(void);
/* Files in it; *path: of one of them. */
int shared_files(char path[512]);

static inline GUID guid_of(uint32_t n)
{
	return (GUID){.Data1 = 0x5a5a0000 + n, .Data4 = {1, 2, 3}};
}

/* Counters of the sets that offer_counters makes: ids and sizes. */
enum { REQUESTS = 1, QUEUE = 2, BUSY = 7, BASE = 9 };

HANDLE offer_provider(uint32_t n);
/* A set with REQUESTS (64 bits), QUEUE (32), BUSY (64, base BASE), BASE (64). */
void offer_counters(HANDLE h, uint32_t provider, uint32_t set, uint32_t type);
/* A multi-instance set of `n` counters of 64 bits, ids 1 to n. */
ULONG offer_wide(HANDLE h, uint32_t provider, uint32_t set, uint32_t n);

/* A consumer. */
struct seen {
	struct providers *providers;
	const struct counterset *const *sets;
	uint32_t n;
	struct rows rows;
};
void seen_open(struct seen *s);
void seen_refresh(struct seen *s);
void seen_close(struct seen *s);
const struct counterset *seen_set(struct seen *s, uint32_t n);
uint32_t seen_collect(struct seen *s, const struct counterset *set);
/* Index of the instance of this name and id; -1. */
int seen_row(const struct seen *s, const char *name, uint32_t id);
/* A value that must be there. */
uint64_t seen_value(const struct seen *s, uint32_t row, uint32_t column);

/* Runs it in a child: its exit status, or 128 + signal. */
int in_child(int (*work)(void *), void *user);

#endif
