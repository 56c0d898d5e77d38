/*
 * A file that takes the place of an older one, which keeps its contents under another name:
 * FILE is the newest, FILE.1 the one before it, and so on.
 */
#ifndef SWT_DUMP_OLDER_H
#define SWT_DUMP_OLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "../session/session.h"

/* FILE.n. False: the name is too long. */
bool older_name(const char *path, uint64_t n, char out[PATH_MAX]);

/*
 * What stands at path gets the name path.1 too, what had that path.2, and so on; of them `keep`
 * are kept, 0: all. Where there are no hard links it has only the new name then. 0 or
 * PU_ERR_FILE_ERROR.
 */
int older_push(const char *path, uint32_t keep, struct session_error *error);

/*
 * Gives `fresh` the name `path`. What had it becomes path.1, and so on; of the older ones `keep`
 * are kept, 0: all. At any moment path names a whole file, if there are hard links. 0 or
 * PU_ERR_FILE_ERROR; then fresh is still there.
 */
int older_shift(const char *path, const char *fresh, uint32_t keep, struct session_error *error);

#endif
