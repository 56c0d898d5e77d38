/*
 * Small files of /proc and /sys: read whole, by system calls only. And where descriptors stand.
 *
 * libtrace/core holds what every room of libtrace may use: clock, files, online processors,
 * handles. It includes formats/ only. Errors: -1 and errno unless a function says otherwise.
 */
#ifndef SWT_CORE_FILE_H
#define SWT_CORE_FILE_H

#include <stddef.h>
#include <sys/types.h>

/* One pread, begun again when a signal interrupts it. -1: errno says why. */
ssize_t file_pread(int fd, void *bytes, size_t size, off_t at);

/* Opens, reads until the end or until `bytes` is full, closes. -1: errno says why. */
ssize_t file_read_once(const char *path, void *bytes, size_t size);

/* From this number on descriptors are out of the way of programs, which count theirs from 0 on:
 * of one that closes all it does not know, and whose next ones take the lowest numbers. */
int file_high_descriptor(void);

#endif
