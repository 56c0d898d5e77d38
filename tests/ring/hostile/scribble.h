/*
 * A member of the trace group that overwrites everything that members can write.
 */
#ifndef SWT_TESTS_RING_SCRIBBLE_H
#define SWT_TESTS_RING_SCRIBBLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sandbox.h"

/* The next 48-bit pseudo-random number. */
uint64_t scribble_random(uint64_t *seed);
/* A value that is likely to break code that trusts a header's field. */
uint64_t scribble_nasty(const struct shm_geometry *g, uint64_t *seed);
uint8_t *scribble_map(int fd, size_t bytes);

/*
 * A process that scribbles until it is killed: on the rings of this set (a bit each), their
 * headers, section tables, control words and all other bytes; and on tasks from first_slot on, the
 * schemas and the ring file's first page. (Falsifying a live writer's slot can make the owner take
 * it for dead and release what it holds.)
 */
pid_t scribble_start(const struct session *s, uint64_t rings, uint32_t first_slot, uint64_t seed);
/* A process that truncates and extends the three files. */
pid_t scribble_sizes(const struct session *s, uint64_t seed);
void scribble_stop(pid_t scribbler);

#endif
