#include "run_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../formats/base/temporary.h"
#include "../../include/cpidecode.h"
#include "whole_io.h"

enum {
	RUN_STAGE = 256 << 10,
	RUN_LARGEST = (16 << 10) + PACK_HEAD, /* the largest record, packed */
	/* The page cache gives these up at a time, once they were written or read. */
	DROPPED = 8 << 20,
	/* Still being written: dropping them would wait for the disk. */
	BEHIND = 128 << 20,
};

/* All of a smaller file, and this much of a larger one, stays in the page cache. */
static const uint64_t run_file_cached = UINT64_C(1) << 30;

static int run_file_open(struct run_file *f)
{
	f->stage = malloc(RUN_STAGE + RUN_LARGEST + PACK_SLACK);
	if (!f->stage)
		return CPIDECODE_ENOMEM;
	f->fd = temporary_open_unnamed();
	if (f->fd >= 0) {
		posix_fadvise(f->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
		return 0;
	}
	free(f->stage);
	f->stage = NULL;
	return CPIDECODE_ESPOOL;
}

/* Drops the pages before `end`, less `behind`, when the stage completes a piece. Failures only cost
 * memory. */
static void run_file_drop(const struct run_file *f, uint64_t end, uint64_t behind)
{
	if (end % DROPPED == 0 && end >= run_file_cached + behind + DROPPED)
		posix_fadvise(f->fd, (off_t)(end - behind - DROPPED), DROPPED, POSIX_FADV_DONTNEED);
}

/* Writes that much of the stage. */
static int run_file_flush(struct run_file *f, size_t bytes)
{
	if (whole_write(f->fd, f->stage, bytes, f->offset))
		return CPIDECODE_ESPOOL;
	f->offset += bytes;
	f->used -= bytes;
	memmove(f->stage, f->stage + bytes, f->used);
	/* Starts writing, so that the pages can be dropped later. */
	if (f->offset % DROPPED == 0 && f->offset > run_file_cached)
		sync_file_range(
			f->fd, (off_t)(f->offset - DROPPED), DROPPED, SYNC_FILE_RANGE_WRITE);
	run_file_drop(f, f->offset, BEHIND);
	return 0;
}

int run_file_add(struct run_file *f, const struct sorter_record *r)
{
	int rc = f->stage ? 0 : run_file_open(f);

	if (rc)
		return rc;
	f->used = (size_t)(pack_record(&f->packer, f->stage + f->used, r) - f->stage);
	/* Pieces of the file end with a stage. */
	return f->used < RUN_STAGE ? 0 : run_file_flush(f, RUN_STAGE);
}

int run_file_rewind(struct run_file *f)
{
	int rc = 0;

	if (f->stage && !f->bytes) {
		rc = run_file_flush(f, f->used);
		f->bytes = f->offset;
	}
	f->used = f->at = 0;
	f->offset = 0;
	unpack_rewind(&f->unpacker);
	return rc;
}

/* Reads on behind the bytes that are left in the stage. */
static int run_file_fill(struct run_file *f)
{
	const size_t rest = f->used - f->at;
	const uint64_t left = f->bytes - f->offset;
	const size_t more = left < RUN_STAGE / 2 ? (size_t)left : RUN_STAGE / 2;

	memmove(f->stage, f->stage + f->at, rest);
	f->at = 0;
	const ssize_t got = whole_read(f->fd, f->stage + rest, more, f->offset);
	if (got != (ssize_t)more) {
		errno = got < 0 ? errno : EIO; /* or shorter than the bytes written */
		return CPIDECODE_ESPOOL;
	}
	f->used = rest + more;
	f->offset += more;
	run_file_drop(f, f->offset, 0);
	return 0;
}

int run_file_next(struct run_file *f, const struct sorter_record **result)
{
	while (f->offset < f->bytes && !pack_is_whole(f->stage + f->at, f->used - f->at)) {
		int rc = run_file_fill(f);

		if (rc)
			return rc;
	}
	if (f->used == f->at)
		return 0;
	const uint8_t *end = f->stage + f->at;
	*result = unpack_record(&f->unpacker, &end);
	f->at = (size_t)(end - f->stage);
	return *result ? 1 : CPIDECODE_ENOMEM;
}

void run_file_free(struct run_file *f)
{
	if (f->stage)
		close(f->fd);
	free(f->stage);
	free(f->unpacker.words);
	*f = (struct run_file){0};
}
