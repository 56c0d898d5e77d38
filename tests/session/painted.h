/*
 * Runs a function in a signal handler on a painted stack, and measures how much of it the function
 * used. Nothing that it calls may allocate.
 */
#ifndef SWT_TESTS_SESSION_PAINTED_H
#define SWT_TESTS_SESSION_PAINTED_H

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Documented in perfutil.h. */
enum { HANDLER_STACK_BYTES = 1536 };

static struct {
	int (*run)(void);
	int rc;
	uint8_t *frame; /* frame of the function that calls run */
} painted;

static __attribute__((noinline)) void painted_call(int signal_number)
{
	(void)signal_number;
	painted.frame = __builtin_frame_address(0);
	painted.rc = painted.run();
}

/* Returns the stack bytes used below the handler's frame; *rc: the function's result. */
static inline size_t painted_run(int (*run)(void), int *rc)
{
	enum { BYTES = 256 * 1024, PAINT = 0xa5 };
	uint8_t *stack = malloc(BYTES), *lowest = stack;
	stack_t own = {.ss_sp = stack, .ss_size = BYTES}, before;
	struct sigaction action = {.sa_handler = painted_call, .sa_flags = SA_ONSTACK};

	memset(stack, PAINT, BYTES);
	painted.run = run;
	sigaltstack(&own, &before);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	sigaltstack(&before, NULL);
	while (*lowest == PAINT)
		lowest++;
	*rc = painted.rc;
	size_t used = (size_t)(painted.frame - lowest);
	free(stack);
	return used;
}

#endif
