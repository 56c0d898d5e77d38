#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../formats/base/temporary.h"
#include "../../formats/trace_file.h"
#include "../../include/cpidecode.h"
#include "../base/whole_io.h"
#include "nrm2/convert.h"

enum {
	STREAM_CHUNK = 1 << 20,
	STREAM_READ = 256 << 10, /* stays in a processor's cache until it is written */
};

/* Whether to try again after the error; waits for input if there is none yet. */
static bool stream_is_passing(int fd, int error)
{
	if (error == EAGAIN || error == EWOULDBLOCK) {
		struct pollfd p = {.fd = fd, .events = POLLIN};

		poll(&p, 1, -1);
		return true;
	}
	return error == EINTR;
}

static ssize_t stream_read_some(int fd, void *buf, size_t n)
{
	ssize_t got;

	do
		got = read(fd, buf, n);
	while (got < 0 && stream_is_passing(fd, errno));
	return got;
}

void stream_end(struct io_input *in)
{
	int saved = errno;

	if (in->arriving && in->stream.own_from)
		close(in->stream.from);
	free(in->stream.buf);
	in->stream.buf = NULL;
	in->arriving = false;
	errno = saved;
}

int stream_begin(struct io_input *in, int from, io_progress_fn progress, void *ctx)
{
	int to = temporary_open_unnamed();

	if (to < 0)
		return CPIDECODE_ESPOOL;
	in->fd = to;
	in->own_fd = true;
	in->arriving = true;
	in->stream = (struct io_stream){.from = from,
		.buf = malloc(STREAM_READ),
		.progress = progress,
		.progress_ctx = ctx};
	/* Enlarges the pipe to cut wake-ups. Fails harmlessly if the input is not a pipe. */
	fcntl(from, F_SETPIPE_SZ, STREAM_CHUNK);
	return in->stream.buf ? 0 : CPIDECODE_ENOMEM;
}

/* Copies up to a buffer of it, through user memory. */
static int stream_copy(struct io_input *in)
{
	const struct io_stream *s = &in->stream;
	size_t have = 0; /* a read from a pipe returns little */
	bool end = false;

	while (have < STREAM_READ && !end) {
		ssize_t got = stream_read_some(s->from, s->buf + have, STREAM_READ - have);

		if (got < 0)
			return CPIDECODE_EREAD;
		end = got == 0;
		have += (size_t)got;
	}
	/* Checks the first bytes: an endless stream that is no trace must not fill the disk. */
	if (in->size == 0 && have >= 8 && memcmp(s->buf, TF_MAGIC, 8) != 0 &&
		!nrm2_is(s->buf, have))
		return CPIDECODE_ENOTTRACE;
	if (whole_write(in->fd, s->buf, have, WHOLE_APPEND))
		return CPIDECODE_ESPOOL;
	in->stream.splices = in->size == 0;
	in->size += have;
	if (end)
		stream_end(in);
	return 0;
}

/*
 * Moves bytes from a pipe to the file without a copy in user memory, which halves the time. Stops
 * at the end of the input, and at an error; stream_copy meets that again.
 */
static void stream_splice(struct io_input *in)
{
	ssize_t moved = splice(in->stream.from, NULL, in->fd, NULL, STREAM_CHUNK, SPLICE_F_MOVE);

	if (moved > 0)
		in->size += (uint64_t)moved;
	else if (moved == 0 || !stream_is_passing(in->stream.from, errno))
		in->stream.splices = false;
}

int io_await(struct io_input *in, uint64_t end)
{
	const struct io_stream *s = &in->stream;
	int rc = 0;

	while (!rc && in->arriving && in->size < end) {
		if (s->splices)
			stream_splice(in);
		else
			rc = stream_copy(in);
		if (!rc && s->progress && !s->progress(s->progress_ctx, in->size, 0))
			rc = CPIDECODE_ECANCELED;
	}
	return rc;
}

bool io_is_arriving(const struct io_input *in)
{
	return in->arriving;
}
