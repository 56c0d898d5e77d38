/*
 * Opening files in a session's directory, with checks that keep a squatter out. Programs and
 * commands share it.
 */
#ifndef SWT_SESSION_PATHS_H
#define SWT_SESSION_PATHS_H

#include <sys/types.h>

#include "../core/private_abi.h"
#include "session.h"

/*
 * Writes `format` with its two %u replaced by the numbers. It serves names that a hook needs on a
 * signal handler's small stack, where printf would use a kilobyte.
 */
void session_name(char *name, const char *format, uint32_t first, uint32_t second);

__attribute__((format(printf, 2, 3))) void session_say(
	struct session_error *error, const char *format, ...);

/* Opens the directory, which must be a real one of the expected owner and writable by that owner
 * alone. Returns a descriptor or a PU_ code. SWTRACE_SESSION may name any user's session:
 * location->owner is then set to its owner. */
int session_open_dir(struct session_location *location, struct session_error *error)
	PRIVATE_ABI(session_open_dir);
/* The same. *owner is the required owner, or (uid_t)-1, and then becomes the actual one. */
int session_open_path(const char *path, uid_t *owner, struct session_error *error);

/* Opens a regular file of the directory's owner, not writable by others beyond `may_write`
 * (S_IWGRP or 0), of at least `size` bytes. Returns a descriptor or a PU_ code. */
int session_open_file(int dir, const char *name, int flags, uid_t owner, mode_t may_write,
	uint64_t size, struct session_error *error) PRIVATE_ABI(session_open_file);

/* Whether a code means that descriptors or memory were short, so that a retry may succeed. */
bool session_is_shortage(int rc);

/* Allocate bytes of a file, and set a file's size without allocating. Return 0 or an errno value;
 * never raise SIGXFSZ. */
int session_allocate(int fd, uint64_t offset, uint64_t bytes) PRIVATE_ABI(session_allocate);
int session_resize(int fd, uint64_t size);

/* Makes the directory and its control file if they are missing. link publishes the file complete,
 * so that two processes that come first see the same one. Returns 0 or a PU_ code. */
int session_make(struct session_location *location, struct session_error *error);

#endif
