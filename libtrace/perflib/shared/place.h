/*
 * Where providers' files are, how they are called, and whether theirs is a living process.
 */
#ifndef SWT_PERFLIB_SHARED_PLACE_H
#define SWT_PERFLIB_SHARED_PLACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "../../../formats/counterset.h"
#include "../../../include/perflib.h"
#include "../../session/paths.h"

/* Files of a directory that are looked at; a consumer of more sees some of them. */
enum { PLACE_NAMES = 1024, PLACE_NAME_BYTES = 64 };

/* SWTRACE_COUNTERSETS: 1: it names a directory, which anyone may own; 0: it is not set (or the
 * program is privileged); -1: it is no absolute path. */
int place_of_environment(struct session_place *place);
/* That of a user. */
void place_of_user(struct session_place *place, uid_t owner);

/* GUID.PID or GUID.PID.N */
void place_file_name(char name[PLACE_NAME_BYTES], const GUID *provider, pid_t pid, int again);
bool place_is_file_name(const char *name);

/* Names of such files in an open directory, the first PLACE_NAMES: call with each; false ends
 * it. */
void place_each_file(int dir, bool (*call)(void *ctx, int dir, const char *name), void *ctx);

/*
 * Proof of life: a provider holds a write lock of an open file description on its file's first
 * byte, and that description is kept open by a memory mapping alone, which a forked child
 * does not get. Only who may write the file could hold such a lock in its place. Asking takes no
 * lock, so that consumers are not in each other's way.
 */
bool place_is_alive(int fd);
/* Takes the lock: false if somebody has it. */
bool place_take_life(int fd);

/* The name still is that of the open file. */
bool place_is_named(int dir, const char *name, int fd);

#endif
