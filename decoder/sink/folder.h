/*
 * A folder of output files. It is written next to its final name and renamed when it is complete. A
 * file is open only while bytes are added, so there may be any number of files.
 *
 * Functions that return int return 0 or an errno; f->failed is then the file's name.
 */
#ifndef SWT_DECODER_SINK_FOLDER_H
#define SWT_DECODER_SINK_FOLDER_H

#include "out.h"

struct folder {
	char *path, *temp;
	int fd;
	char failed[32];
};

/* ENOTEMPTY: the folder exists and is not empty. Call folder_discard in any case. */
int folder_open(struct folder *f, const char *path);
/* Writes to a file of the folder. flags: O_TRUNC, O_APPEND or O_EXCL. */
int folder_put(struct folder *f, const char *name, int flags, const struct out *bytes);
/* Gives the folder its final name. */
int folder_place(struct folder *f);
/* Removes unplaced files, and frees all. */
void folder_discard(struct folder *f);

#endif
