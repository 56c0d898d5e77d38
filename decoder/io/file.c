/* Opening: regular files, pipes (spooled to a file without a name), memory. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../formats/trace_file.h"
#include "../../include/cpidecode.h"
#include "nrm2/convert.h"
#include "private.h"
#include "../../formats/base/temporary.h"

enum {
	SPOOL_CHUNK = 1 << 20,
	SPOOL_READ = 256 << 10, /* stays in a processor's cache until it is written */
};

/* Whether to try again after the error; waits for input if there is none yet. */
static bool is_passing(int fd, int error)
{
	if (error == EAGAIN || error == EWOULDBLOCK) {
		struct pollfd p = {.fd = fd, .events = POLLIN};

		poll(&p, 1, -1);
		return true;
	}
	return error == EINTR;
}

static ssize_t read_some(int fd, void *buf, size_t n)
{
	ssize_t got;

	do
		got = read(fd, buf, n);
	while (got < 0 && is_passing(fd, errno));
	return got;
}

/*
 * Moves bytes from a pipe to the file without a copy in user memory, which halves the time. Stops
 * at the end of the input, and at an error; the caller's reading and writing meets that again.
 */
static int spool_splice(int from, int to, io_progress_fn progress, void *ctx, uint64_t *size)
{
	for (;;) {
		ssize_t moved = splice(from, NULL, to, NULL, SPOOL_CHUNK, SPLICE_F_MOVE);

		if (moved == 0 || (moved < 0 && !is_passing(from, errno)))
			return 0;
		*size += moved > 0 ? (uint64_t)moved : 0;
		if (moved > 0 && progress && !progress(ctx, *size, 0))
			return CPIDECODE_ECANCELED;
	}
}

static int write_all(int fd, const uint8_t *buf, size_t n)
{
	while (n) {
		ssize_t put = write(fd, buf, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		buf += put;
		n -= (size_t)put;
	}
	return 0;
}

static int spool_all(
	int from, int to, uint8_t *buf, io_progress_fn progress, void *ctx, uint64_t *size)
{
	size_t have = 0; /* a read from a pipe returns little */
	bool end = false;

	for (*size = 0; !end; have = 0) {
		while (have < SPOOL_READ) {
			ssize_t got = read_some(from, buf + have, SPOOL_READ - have);

			if (got < 0)
				return CPIDECODE_EREAD;
			end = got == 0;
			if (end)
				break;
			have += (size_t)got;
		}
		/* Checks the first bytes: an endless stream that is no trace must not fill the
		 * disk. */
		if (*size == 0 && have >= 8 && memcmp(buf, TF_MAGIC, 8) && !nrm2_is(buf, have))
			return CPIDECODE_ENOTTRACE;
		if (write_all(to, buf, have))
			return CPIDECODE_ESPOOL;
		*size += have;
		if (progress && !progress(ctx, *size, 0))
			return CPIDECODE_ECANCELED;
		int rc = *size == have ? spool_splice(from, to, progress, ctx, size) : 0;
		if (rc)
			return rc;
	}
	return 0;
}

/* Copies a stream to an unnamed file, which replaces it as the input. */
static int spool(struct io_input *in, int from, io_progress_fn progress, void *ctx)
{
	int to = temporary_open_unnamed();

	if (to < 0)
		return CPIDECODE_ESPOOL;
	uint8_t *buf = malloc(SPOOL_READ);
	/* Enlarges the pipe to cut wake-ups. Fails harmlessly if the input is not a pipe. */
	fcntl(from, F_SETPIPE_SZ, SPOOL_CHUNK);
	int rc = buf ? spool_all(from, to, buf, progress, ctx, &in->size) : CPIDECODE_ENOMEM;
	int saved = errno;
	free(buf);
	if (rc) {
		close(to);
		errno = saved;
		return rc;
	}
	in->fd = to;
	in->own_fd = true;
	return 0;
}

static int open_descriptor(
	struct io_input *in, int fd, bool own, io_progress_fn progress, void *ctx)
{
	struct stat st;

	if (fstat(fd, &st))
		return CPIDECODE_EOPEN;
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return CPIDECODE_EOPEN;
	}
	if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
		return spool(in, fd, progress, ctx);
	off_t here = lseek(fd, 0, SEEK_CUR);
	off_t end = S_ISREG(st.st_mode) ? st.st_size : lseek(fd, 0, SEEK_END);
	if (here < 0 || end < 0)
		return CPIDECODE_EREAD;
	in->fd = fd;
	in->own_fd = own;
	in->base = (uint64_t)here;
	in->size = end > here ? (uint64_t)(end - here) : 0;
	return 0;
}

/* Closes every descriptor but `lent`, which the caller owns. */
static void close_other(const struct io_input *in, int lent)
{
	int saved = errno;

	if (in->own_fd && in->fd != lent)
		close(in->fd);
	errno = saved;
}

/* Replaces an NRM2 file by the trace.bin converted from it. */
static int import_other(struct io_input *in, int lent, io_progress_fn progress, void *ctx)
{
	uint8_t start[NRM2_PEEK];
	struct io_import import;
	size_t got;
	uint64_t size;
	int fd, rc = io_read(in, 0, start, sizeof start, &got);

	if (rc || !nrm2_is(start, got))
		return rc;
	rc = nrm2_convert(in, progress, ctx, &import, &fd, &size);
	if (rc) {
		nrm2_import_free(&import);
		return rc;
	}
	close_other(in, lent);
	*in = (struct io_input){
		.fd = fd, .own_fd = true, .size = size, .imported = true, .import = import};
	return 0;
}

static int open_input(
	int fd, bool own, io_progress_fn progress, void *ctx, struct io_input **result)
{
	struct io_input *in = calloc(1, sizeof *in);

	*result = NULL;
	if (!in)
		return CPIDECODE_ENOMEM;
	in->fd = in->import.kernel_fd = -1;
	int rc = open_descriptor(in, fd, own, progress, ctx);
	if (!rc) {
		rc = import_other(in, fd, progress, ctx);
		if (rc)
			close_other(in, fd);
	}
	if (rc)
		free(in);
	else
		*result = in;
	return rc;
}

int io_open_fd(int fd, io_progress_fn progress, void *ctx, struct io_input **in)
{
	return open_input(fd, false, progress, ctx, in);
}

int io_open_path(const char *path, io_progress_fn progress, void *ctx, struct io_input **in)
{
	if (strcmp(path, "-") == 0)
		return io_open_fd(STDIN_FILENO, progress, ctx, in);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	*in = NULL;
	if (fd < 0)
		return CPIDECODE_EOPEN;
	int rc = open_input(fd, true, progress, ctx, in);
	if (rc || (*in)->fd != fd) {
		int saved = errno;

		close(fd);
		errno = saved;
	}
	return rc;
}

int io_open_memory(const void *bytes, size_t n, struct io_input **result)
{
	struct io_input *in = calloc(1, sizeof *in);

	*result = NULL;
	if (!in)
		return CPIDECODE_ENOMEM;
	in->fd = in->import.kernel_fd = -1;
	in->memory = bytes;
	in->size = n;
	int rc = import_other(in, -1, NULL, NULL);
	if (rc)
		free(in);
	else
		*result = in;
	return rc;
}

void io_close(struct io_input *in)
{
	if (!in)
		return;
	if (in->own_fd)
		close(in->fd);
	nrm2_import_free(&in->import);
	free(in);
}

const struct io_import *io_import(const struct io_input *in)
{
	return in->imported ? &in->import : NULL;
}
