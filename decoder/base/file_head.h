/* The first bytes of a file, which identify its format. */
#ifndef SWT_DECODER_BASE_FILE_HEAD_H
#define SWT_DECODER_BASE_FILE_HEAD_H

#include <stddef.h>

/* Reads up to size bytes of a regular file. Returns how many; 0 for other files: a pipe's could not
 * be read again. */
size_t file_head_read(const char *path, void *head, size_t size);

#endif
