/*
 * Begin hooks (formats/interval_hooks.h): record open intervals before they end, if ATTACH_BEGINS
 * is set. An interval that has one, or that will have no hook, ends with an over hook: in the
 * reservation of its own hooks, so that either both are visible or neither.
 */
#ifndef SWT_MEASURE_SCOPE_BEGINS_H
#define SWT_MEASURE_SCOPE_BEGINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../../formats/interval_hooks.h"
#include "../../../formats/record.h"
#include "../../ring/hook.h"
#include "../../session/attach.h"

/* The current period: a time during which tracing is on without a break, in one session and one
 * process. An interval that ends in another period than it began in is dropped. */
static inline uint64_t begins_period(void)
{
	return (uint64_t)ring_self.epoch << 32 |
	       (uint32_t)__atomic_load_n(&ring_gate_page()->closings, __ATOMIC_RELAXED);
}

static inline bool begins_are_on(void)
{
	return __builtin_expect(
		__atomic_load_n(&attach_extras, __ATOMIC_RELAXED) & ATTACH_BEGINS, 0);
}

/* A begin hook. */
struct begin_hook {
	uint8_t major;	     /* of the hook */
	uint8_t gate;	     /* the major that has to be enabled */
	uint32_t mm, number; /* number: of the label; 0: see text */
	const char *text;    /* if length is not 0 */
	uint32_t length;
};

/* Writes a begin hook. Returns its number; 0: it is lost, or not wanted any more. */
uint64_t begins_write(const struct begin_hook *what);
/* Writes an over hook on its own: there are no others of the interval. */
void begins_write_over(uint8_t major, uint8_t gate, uint32_t mm, uint64_t begin);

static inline uint32_t begins_over_bytes(void)
{
	return rec_size(INTERVAL_OVER_WORDS, 0);
}

/* Adds the over hook, a record of begins_over_bytes, to a reservation. */
void begins_put_over(struct hook_writer *w, uint8_t major, uint32_t mm, uint64_t begin);

#endif
