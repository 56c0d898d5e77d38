/*
 * Reads small files of /proc and /sys, by system calls only, and moves descriptors out of the way.
 *
 * libtrace/core owns what every room of libtrace may use: clock, files, online processors, handles.
 * It includes formats and include only. Errors: -1 and errno unless a function says otherwise.
 */
#ifndef SWT_CORE_FILE_H
#define SWT_CORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "private_abi.h"

/* One pread, restarted when a signal interrupts it. -1: see errno. */
ssize_t file_pread(int fd, void *bytes, size_t size, off_t at) PRIVATE_ABI(file_pread);

/* Opens, reads until the end or until `bytes` is full, and closes. -1: see errno. */
ssize_t file_read_once(const char *path, void *bytes, size_t size) PRIVATE_ABI(file_read_once);

/* Reads the first line, without the blanks at its end. False, and "": no such file, or it is empty.
 */
bool file_read_line(const char *path, char *line, size_t size);

/* The number, perhaps negative, that the file begins with. False: no such file, or no number. */
bool file_read_number(const char *path, int64_t *value);

/* Descriptors from this number on are out of a program's way. Programs count theirs from 0, and
 * some close all that they do not know. */
int file_high_descriptor(void) PRIVATE_ABI(file_high_descriptor);

/* A file kept open next to the program's own: it may close and reuse the descriptor (a daemon
 * closes everything). */
struct file_kept {
	int fd;		/* -1: none */
	struct stat as; /* its identity when it was opened */
};

/* Opens the file, out of the program's way. False: f->fd is -1. */
bool file_keep(struct file_kept *f, const char *path);
/* Whether the descriptor is still that of the file. */
bool file_is_kept(const struct file_kept *f);

#endif
