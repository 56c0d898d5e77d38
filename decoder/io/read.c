/* Reading: bytes of a file or of memory. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../../include/cpidecode.h"
#include "private.h"

uint64_t io_size(const struct io_input *in)
{
	return in->size;
}

static int read_at(const struct io_input *in, uint64_t offset, uint8_t *buf, size_t n, size_t *got)
{
	while (*got < n) {
		ssize_t r = pread(in->fd, buf + *got, n - *got, (off_t)(in->base + offset + *got));

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return CPIDECODE_EREAD;
		if (r == 0) /* the file was truncated meanwhile */
			break;
		*got += (size_t)r;
	}
	return 0;
}

int io_read(const struct io_input *in, uint64_t offset, void *buf, size_t n, size_t *got)
{
	*got = 0;
	if (offset >= in->size)
		return 0;
	if (n > in->size - offset)
		n = (size_t)(in->size - offset);
	if (!in->memory)
		return read_at(in, offset, buf, n, got);
	memcpy(buf, in->memory + offset, n);
	*got = n;
	return 0;
}

void io_expect_jumps(const struct io_input *in, bool jumps)
{
	/* Dumps are written in time order, and read in the same order. */
	if (in->fd >= 0)
		posix_fadvise(in->fd, 0, 0, jumps ? POSIX_FADV_RANDOM : POSIX_FADV_SEQUENTIAL);
}
