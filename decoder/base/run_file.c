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
	/* The page cache gives these up at a time, once they were written or read. */
	DROPPED = 8 << 20,
	/* Still being written: dropping them would wait for the disk. */
	BEHIND = 128 << 20,
};

/* All of a smaller file, and this much of a larger one, stays in the page cache. */
static const uint64_t run_file_cached = UINT64_C(1) << 30;

static int run_file_open(struct run_file *f)
{
	f->stage = malloc(RUN_STAGE);
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

static int run_file_flush(struct run_file *f)
{
	if (whole_write(f->fd, f->stage, f->used, f->offset))
		return CPIDECODE_ESPOOL;
	f->offset += f->used;
	f->used = 0;
	/* Starts writing, so that the pages can be dropped later. */
	if (f->offset % DROPPED == 0 && f->offset > run_file_cached)
		sync_file_range(
			f->fd, (off_t)(f->offset - DROPPED), DROPPED, SYNC_FILE_RANGE_WRITE);
	run_file_drop(f, f->offset, BEHIND);
	return 0;
}

int run_file_add(struct run_file *f, const struct sorter_record *r)
{
	const uint8_t *from = (const uint8_t *)r;
	int rc = f->stage ? 0 : run_file_open(f);

	/* Fills stages completely: pieces of the file end with one. */
	for (size_t left = r->size; left && !rc;) {
		const size_t n = left < RUN_STAGE - f->used ? left : RUN_STAGE - f->used;

		memcpy(f->stage + f->used, from, n);
		f->used += n;
		from += n;
		left -= n;
		if (f->used == RUN_STAGE)
			rc = run_file_flush(f);
	}
	return rc;
}

int run_file_rewind(struct run_file *f)
{
	int rc = 0;

	if (f->stage && !f->bytes) {
		rc = run_file_flush(f);
		f->bytes = f->offset;
	}
	f->used = f->at = f->step = 0;
	f->offset = 0;
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
	const struct sorter_record *r;

	f->at += f->step;
	f->step = 0;
	for (;;) {
		const size_t have = f->used - f->at;

		r = (const void *)(f->stage + f->at);
		if (have >= sizeof *r && have >= r->size)
			break;
		if (f->offset == f->bytes)
			return 0;
		int rc = run_file_fill(f);
		if (rc)
			return rc;
	}
	f->step = r->size;
	*result = r;
	return 1;
}

void run_file_free(struct run_file *f)
{
	if (f->stage)
		close(f->fd);
	free(f->stage);
	*f = (struct run_file){0};
}
