/* Reading: bytes of a file or of memory. */
#include <fcntl.h>
#include <string.h>

#include "../../include/cpidecode.h"
#include "../base/whole_io.h"
#include "private.h"

uint64_t io_size(const struct io_input *in)
{
	return in->size;
}

int io_read(const struct io_input *in, uint64_t offset, void *buf, size_t n, size_t *got)
{
	*got = 0;
	if (offset >= in->size)
		return 0;
	if (n > in->size - offset)
		n = (size_t)(in->size - offset);
	if (in->memory) {
		memcpy(buf, in->memory + offset, n);
		*got = n;
		return 0;
	}
	ssize_t done = whole_read(in->fd, buf, n, in->base + offset);
	*got = done < 0 ? 0 : (size_t)done; /* fewer than n: the file was truncated meanwhile */
	return done < 0 ? CPIDECODE_EREAD : 0;
}

void io_expect_jumps(const struct io_input *in, bool jumps)
{
	/* Dumps are written in time order, and read in the same order. */
	if (in->fd >= 0)
		posix_fadvise(in->fd, 0, 0, jumps ? POSIX_FADV_RANDOM : POSIX_FADV_SEQUENTIAL);
}
