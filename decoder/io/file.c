/* Opening: regular files, streams (stream.h), memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../include/cpidecode.h"
#include "nrm2/convert.h"
#include "private.h"
#include "stream.h"

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
	if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)) {
		int rc = stream_begin(in, fd, progress, ctx);

		return rc ? rc : io_await(in, IO_AT_ONCE);
	}
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
	rc = io_await(in, UINT64_MAX);
	if (rc)
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
	if (!rc)
		rc = import_other(in, fd, progress, ctx);
	if (!rc) {
		*result = in;
		return 0;
	}
	stream_end(in);
	close_other(in, fd);
	free(in);
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
	if (!rc && (*in)->arriving) {
		(*in)->stream.own_from = true;
	} else if (rc || (*in)->fd != fd) {
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
	stream_end(in);
	if (in->own_fd)
		close(in->fd);
	nrm2_import_free(&in->import);
	free(in);
}

const struct io_import *io_import(const struct io_input *in)
{
	return in->imported ? &in->import : NULL;
}
