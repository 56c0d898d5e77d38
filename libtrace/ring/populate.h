/*
 * Pages of sections: ring files are sparse, and a section gets its memory when it is first
 * entered. Asked for outside any sequence, so that a full tmpfs is an error code and not a signal.
 */
#ifndef SWT_RING_POPULATE_H
#define SWT_RING_POPULATE_H

#include <stdbool.h>
#include <stdint.h>

#include "thread.h"

/*
 * Gives the section at `position` of a ring its pages in one area, and maps them in this process.
 * False: there is no memory for them; for some ms after that it is not asked for again, by any
 * thread of the process, unless the section has its pages already (has_pages). A system call the
 * first time in a process, a load after that. Keeps errno.
 */
bool ring_populate_section(const struct ring_map *map, uint32_t ring, uint64_t position,
	uint32_t area, bool has_pages) __attribute__((visibility("hidden")));

/* The same for the word that counts the losses of a slot's task. False also before Linux 5.14. */
bool ring_populate_loss(const struct ring_map *map, uint32_t index)
	__attribute__((visibility("hidden")));

#endif
