/*
 * A member of the trace group who writes over all that members can write.
 */
#ifndef SWT_TESTS_RING_SCRIBBLE_H
#define SWT_TESTS_RING_SCRIBBLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sandbox.h"

/* The next of a run of random numbers, 48 bits. */
uint64_t scribble_random(uint64_t *seed);
/* A value that a header's field is likely to be confused by. */
uint64_t scribble_nasty(const struct shm_geometry *g, uint64_t *seed);
uint8_t *scribble_map(int fd, size_t bytes);

/*
 * A process that scribbles until it is killed: on the rings of this set (a bit each), their
 * headers, section tables, control words and any byte; and on the tasks from first_slot on,
 * the schemas and the ring file's first page. (Who falsifies the slot of a living writer can
 * have the owner take it for dead; what that writer holds is then not its own any more.)
 */
pid_t scribble_start(const struct session *s, uint64_t rings, uint32_t first_slot, uint64_t seed);
/* One that truncates and extends the three files. */
pid_t scribble_sizes(const struct session *s, uint64_t seed);
void scribble_stop(pid_t scribbler);

#endif
