/*
 * Rotates files: FILE is the newest, FILE.1 the one before it, and so on.
 */
#ifndef SWT_DUMP_ROTATE_H
#define SWT_DUMP_ROTATE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "../session/session.h"

/* FILE.n. False: the name is too long. */
bool rotate_name(const char *path, uint64_t n, char out[PATH_MAX]);

/*
 * Links path as path.1, path.1 as path.2, and so on; keeps `keep` of them (0: all). Without hard
 * links it renames path. 0 or PU_ERR_FILE_ERROR.
 */
int rotate_push(const char *path, uint32_t keep, struct session_error *error);

/*
 * Renames `fresh` to `path`, path to path.1, and so on; keeps `keep` older files (0: all). With
 * hard links, path names a complete file at any moment. 0 or PU_ERR_FILE_ERROR: fresh remains.
 */
int rotate_shift(const char *path, const char *fresh, uint32_t keep, struct session_error *error);

#endif
