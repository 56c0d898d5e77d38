/*
 * The files of a session that hold texts one after the other (struct shm_text): schemas, labels.
 * A member that appends holds the file's lock. Called with attach.c's lock held, signals blocked.
 */
#ifndef SWT_SESSION_TEXTS_H
#define SWT_SESSION_TEXTS_H

#include <stdbool.h>
#include <stdint.h>

struct session_location;

/* The file of a generation, at least `size` bytes long. A descriptor or a PU_ code. */
int texts_open(uint32_t generation, const struct session_location *location, const char *format,
	uint64_t size);

/* The longest wait: a member that keeps the lock must not stop a program. */
bool texts_lock(int fd, int wait_ms);
/* Needed before the descriptor is closed: a mapping of it keeps the lock. */
void texts_unlock(int fd);

/* The bytes in use; TEXTS_INVALID: a member scribbled. */
#define TEXTS_INVALID UINT32_MAX
uint32_t texts_used(int fd, uint32_t area_bytes);

/* Appends behind `used` bytes, where there must be room. False: no memory for the file. */
bool texts_append(int fd, uint32_t used, const char *text, uint32_t length, uint32_t hash);

#endif
