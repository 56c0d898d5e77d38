/*
 * The directories and names of providers' files, and whether a file's provider still runs.
 *
 * libtrace/perflib/shared owns countersets in shared memory: offering and reading them. It
 * includes perflib, core and session. Errors as in counterset.h.
 */
#ifndef SWT_PERFLIB_SHARED_DIRECTORY_H
#define SWT_PERFLIB_SHARED_DIRECTORY_H

#include <stdbool.h>
#include <sys/types.h>

#include "../../../formats/counterset.h"
#include "../../../include/perflib.h"
#include "../../session/paths.h"

/* Files examined per directory; a consumer ignores the rest. */
enum { DIRECTORY_NAMES = 1024, DIRECTORY_NAME_BYTES = 64 };

/* Reads SWTRACE_COUNTERSETS. 1: it names a directory, which any user may own; 0: it is not set, or
 * the program is privileged; -1: it is not an absolute path. */
int directory_of_environment(struct session_location *location);
/* The directory of a user. */
void directory_of_user(struct session_location *location, uid_t owner);

/* GUID.PID or GUID.PID.N */
void directory_file_name(
	char name[DIRECTORY_NAME_BYTES], const GUID *provider, pid_t pid, int again);

/* Calls `call` for each such file in an open directory, up to DIRECTORY_NAMES; false stops. */
void directory_each_file(int dir, bool (*call)(void *ctx, int dir, const char *name), void *ctx);

/*
 * Whether the file's provider still runs. A provider holds a write lock of an open file description
 * on the file's first byte. Only a memory mapping keeps that description open, and a forked child
 * does not inherit the mapping. Only a process with write access to the file could fake the lock.
 * The check does not acquire the lock, so consumers do not disturb each other.
 */
bool directory_is_alive(int fd);
/* Acquires the lock; false if another process holds it. */
bool directory_lock_file(int fd);

/* Whether the name still refers to the open file. */
bool directory_is_named(int dir, const char *name, int fd);

#endif
