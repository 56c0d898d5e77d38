/* Reads and writes of all bytes, however many calls they take. Errors: -1, and errno. */
#ifndef SWT_DECODER_BASE_WHOLE_IO_H
#define SWT_DECODER_BASE_WHOLE_IO_H

#include <errno.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

#define WHOLE_APPEND UINT64_MAX

/* 0 or -1. */
static inline int whole_write(int fd, const void *bytes, size_t n, uint64_t at)
{
	for (const char *p = bytes; n;) {
		ssize_t put = at == WHOLE_APPEND ? write(fd, p, n) : pwrite(fd, p, n, (off_t)at);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0) {
			errno = put ? errno : EIO;
			return -1;
		}
		p += put;
		n -= (size_t)put;
		at += at == WHOLE_APPEND ? 0 : (uint64_t)put;
	}
	return 0;
}

/* Returns the bytes read, fewer than n at the end of the file, or -1. */
static inline ssize_t whole_read(int fd, void *bytes, size_t n, uint64_t at)
{
	size_t done = 0;
	ssize_t got = 1;

	while (done < n && got) {
		got = pread(fd, (char *)bytes + done, n - done, (off_t)(at + done));
		if (got < 0 && errno != EINTR)
			return -1;
		done += got > 0 ? (size_t)got : 0;
	}
	return (ssize_t)done;
}

#endif
