/*
 * Shared by the tests of libcpc: a registry of their own, errors that are kept, and a load
 * whose page faults are known to the last one.
 */
#ifndef TESTS_LIBCPC_SUITE_H
#define TESTS_LIBCPC_SUITE_H

#include <errno.h>
#include <libcpc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../lib/sanitized.h"
#include "../lib/suites.h"

Suite *sets_suite(void);
Suite *buffers_suite(void);
Suite *bind_suite(void);
Suite *threads_suite(void);
Suite *overflow_suite(void);
Suite *cpu_suite(void);
Suite *registry_suite(void);
Suite *pctx_suite(void);
Suite *pctx_capture_suite(void);

/* The last error told: function, subcode, line. */
struct told {
	int times, subcode;
	char fn[64], line[512];
};
extern struct told told;

/* A handle whose errors are kept in `told`. */
cpc_t *open_quietly(void);

/* The call failed so: errno, and a line that holds the text, told once. */
#define ck_fails(call, error, text)                                                                \
	do {                                                                                       \
		told.times = 0;                                                                    \
		errno = 0;                                                                         \
		ck_assert_int_eq(call, -1);                                                        \
		ck_assert_msg(errno == (error), "errno %d, not %d: %s", errno, error, told.line);  \
		ck_assert_int_eq(told.times, 1);                                                   \
		ck_assert_msg(strstr(told.line, text) != NULL, "told: %s", told.line);             \
	} while (0)

/* Touches n pages for the first time: n faults. */
void fault(unsigned n);
/* One request of this name, counted in user mode. */
cpc_set_t *set_of(cpc_t *cpc, const char *event, uint64_t preset, uint_t flags);
uint64_t sampled(cpc_t *cpc, cpc_set_t *set, cpc_buf_t *buf, int index);

/* ThreadSanitizer has some faults of its own, and so has clang's AddressSanitizer. */
#define FAULTS_OF_SANITIZER (WITH_TSAN || WITH_ASAN ? 16 : 0)

/* n faults, exactly but for those. */
#define ck_faults(faults, n)                                                                       \
	do {                                                                                       \
		uint64_t faulted = faults;                                                         \
		ck_assert_uint_ge(faulted, n);                                                     \
		ck_assert_uint_le(faulted, (n) + FAULTS_OF_SANITIZER);                             \
	} while (0)

/* A child process that says when it is ready and ends when told, or by a signal. */
struct child {
	int pid, from, to;
};
struct child begin_child(int (*work)(void *), void *user);
/* Its next byte; -1: it ended. */
int receive_byte(const struct child *c);
void say(const struct child *c, char byte);
/* Exit status, or 128 + signal. */
int end_child(struct child *c);
/* In the child: the parent's end of the talk. */
void child_says(char byte);
void child_waits(void);

/* An unprivileged user for good: in a child. */
void become_nobody(void);
const char *registry_path(void);

#endif
