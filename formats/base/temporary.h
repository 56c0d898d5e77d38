/*
 * Unfinished output files: created next to the final name, renamed when complete. Their writer
 * holds a flock on them, so the next one can remove a killed writer's. And files without a name,
 * for data that does not fit into memory.
 */
#ifndef SWT_FORMATS_BASE_TEMPORARY_H
#define SWT_FORMATS_BASE_TEMPORARY_H

#include <stdbool.h>

/*
 * Marks the file just created as `path` as being written, until fd is closed. False: another
 * program took it for a leftover in between and removed it; create another one.
 */
bool temporary_claim(int fd, const char *path);

/*
 * Closes fd and renames the claimed `temp` to `path`. 0, or an errno (the file is then closed, and
 * still there as `temp`). The claim lasts until the new name is there: between a close and a rename
 * another program's sweep would remove the finished file.
 */
int temporary_finish(int fd, const char *temp, const char *path);

/*
 * Removes the files next to `path` that is_temporary() accepts, given their names and the last part
 * of `path`, that belong to this user and that no living program writes. errno stays as it was.
 */
void temporary_sweep(const char *path, bool (*is_temporary)(const char *name, const char *last));

/*
 * A file in TMPDIR, else /var/tmp, else /tmp, for reading and writing, gone when it is closed. The
 * descriptor, or -1 with errno set.
 */
int temporary_open_unnamed(void);

#endif
