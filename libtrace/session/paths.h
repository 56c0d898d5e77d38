/*
 * Opening what is in a session's directory, with the checks that keep a squatter out.
 * Shared by the traced program's side and the commands'.
 */
#ifndef SWT_SESSION_PATHS_H
#define SWT_SESSION_PATHS_H

#include <sys/types.h>

#include "session.h"

/*
 * Writes `format` with its first %u replaced by one number and its second by the other. For names
 * that a hook needs, which may come on a signal handler's stack: printf takes a kilobyte of it.
 */
void session_name(char *name, const char *format, uint32_t first, uint32_t second);

__attribute__((format(printf, 2, 3))) void session_say(
	struct session_error *error, const char *format, ...);

/* The directory: a real one, the expected owner's, writable by nobody else. A descriptor, or
 * a PU_ code. The owner of a session that SWTRACE_SESSION names may be anyone: place->owner
 * is then set to who it is. */
int session_open_dir(struct session_place *place, struct session_error *error);
/* The same; *owner is who must own it, or (uid_t)-1 and then set. */
int session_open_path(const char *path, uid_t *owner, struct session_error *error);

/* A regular file of the directory's owner, not writable by others than `may_write` says
 * (S_IWGRP or 0), at least `size` bytes. A descriptor, or a PU_ code. */
int session_open_file(int dir, const char *name, int flags, uid_t owner, mode_t may_write,
	uint64_t size, struct session_error *error);

/* Whether a code says that descriptors or memory were short: it may work later. */
bool session_is_shortage(int rc);

/* Room for bytes of a file, and a file's size without room; errno's value. Never SIGXFSZ. */
int session_allocate(int fd, uint64_t offset, uint64_t bytes);
int session_resize(int fd, uint64_t size);

/* Makes the directory and its control file if they are not there: complete at once, by
 * link, so that two who come first together see one. 0 or a PU_ code. */
int session_make(struct session_place *place, struct session_error *error);

#endif
