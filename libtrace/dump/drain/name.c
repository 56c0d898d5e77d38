/*
 * The file's name: FILE from the start; FILE.1, FILE.2, ... are rotated files.
 *
 * A drain can be killed between any two of the calls here. Then FILE is the file before the
 * rotation or the one after it, or (where there are no hard links) it is missing and the one
 * after it has its temporary name, which the trace id gives.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../formats/bytes.h"
#include "../../../include/perfutil.h"
#include "private.h"
#include "../../session/fail.h"
#include "../rotate.h"

enum { COPY_BYTES = 256 << 10 };

static int note_inode(struct drain_file *f, struct session_error *error)
{
	struct stat st;

	if (fstat(f->out.fd, &st) != 0)
		return output_fail(f->out.path, "write", errno, error);
	f->device = st.st_dev;
	f->inode = st.st_ino;
	return 0;
}

/* ------------------------------------------------------------------------ open */

static bool drain_name_is_own_file(const struct drain *d, const char *path, struct stat *st)
{
	uint8_t header[TF_HEADER_SIZE];
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool ours = fd >= 0 && fstat(fd, st) == 0 && S_ISREG(st->st_mode) &&
		    st->st_uid == geteuid() && drain_has_id(fd, d->id, header);

	if (fd >= 0)
		close(fd);
	return ours;
}

/* Completes a rename that a killed drain left half done. */
static void drain_mend_name(const struct drain *d, const char *path)
{
	char first[PATH_MAX], next[PATH_MAX];
	struct stat st, st1;

	if (!rotate_name(path, 1, first) || !output_temporary_name(path, get_le32(d->id), next) ||
		!drain_name_is_own_file(d, first, &st1))
		return;
	if (lstat(path, &st) != 0 && errno == ENOENT && drain_name_is_own_file(d, next, &st))
		(void)!rename(next, path);
	else if (lstat(path, &st) == 0 && st.st_dev == st1.st_dev && st.st_ino == st1.st_ino)
		unlink(first);
	unlink(next);
}

/* Resumes the file of the session's previous drain: 1, 0: there is none, or a PU_ code. */
static int name_resume_file(struct drain *d, struct session_error *error)
{
	struct drain_file *f = &d->file;
	static const uint8_t none[TRACE_ID_SIZE];
	struct stat st;

	if (memcmp(d->id, none, sizeof none) == 0 || strcmp(d->config.path, "-") == 0 ||
		!output_resolve(d->config.path, f->out.path))
		return 0;
	drain_mend_name(d, f->out.path);
	if (stat(f->out.path, &st) != 0 || !S_ISREG(st.st_mode))
		return 0;
	f->out.fd = open(f->out.path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	int rc = f->out.fd < 0 ? 0 : drain_resume(d, error);
	if (rc != 1 && f->out.fd >= 0) {
		close(f->out.fd);
		f->out.fd = -1;
	}
	return rc;
}

/* A new trace: nothing of this generation is in it yet. */
static void begin_ledger(struct drain *d)
{
	const struct shm_drain *page = session_drain(d->session);

	if (page->state == SHM_DRAIN_NONE)
		return;
	d->bytes_before = page->bytes;
	d->rotations = page->rotations;
	for (uint32_t i = 0; i < d->rings; i++) {
		const struct shm_ring_control *c = &d->session->control->ring[i];
		struct drain_ring *r = &d->ring[i];

		r->before = (struct drain_share){
			.hooks = shm_figure_value(d->session->generation, c->drained),
			.torn = shm_figure_value(d->session->generation, c->drained_torn)};
		r->here = (struct drain_share){0};
	}
	d->ring[0].before.unwritten = page->lost;
	d->note =
		"goes on where an earlier file of this session ended, which was not there any more";
}

static void tell_losses_from_here(struct drain *d)
{
	for (uint32_t i = 0; i < d->rings; i++) {
		struct drain_ring *r = &d->ring[i];

		r->recorded_lost = 0;
		for (int k = SHM_LOST_FULL; k < SHM_SKIPPED; k++)
			r->recorded_lost += r->lost0[k];
	}
}

int drain_name_open(struct drain *d, struct session_error *error)
{
	struct drain_file *f = &d->file;
	int rc = name_resume_file(d, error);

	if (rc == 1)
		return note_inode(f, error);
	if (rc < 0)
		return rc;
	begin_ledger(d);
	rc = head_trace_id(d->id, error);
	if (rc == 0)
		rc = drain_file_begin(d, f, error);
	tell_losses_from_here(d);
	if (rc == 0 && !f->regular && d->config.rotate)
		rc = session_fail(error, PU_ERROR_INVALID_PARAMETER,
			"%s: not a regular file: cannot be rotated", f->out.path);
	if (rc || !f->regular)
		return rc;
	rc = output_appear(&f->out, error);
	return rc ? rc : note_inode(f, error);
}

/* ---------------------------------------------------------------------- rotate */

/* Removes files left by an earlier, larger number to keep. */
static void drop_old(const struct drain *d)
{
	char name[PATH_MAX];
	struct stat st;

	if (d->config.keep == 0)
		return;
	for (uint64_t n = (uint64_t)d->config.keep + 1;
		rotate_name(d->file.out.path, n, name) && drain_name_is_own_file(d, name, &st); n++)
		if (unlink(name) != 0)
			return;
}

/* The trailer's counts are the next file's zero. */
static void close_ledger(struct drain *d)
{
	for (uint32_t i = 0; i < d->rings; i++) {
		struct drain_ring *r = &d->ring[i];

		r->before.hooks += r->here.hooks;
		r->before.torn += r->here.torn;
		r->before.unwritten += r->here.unwritten;
		r->here = (struct drain_share){0};
		memcpy(r->lost0, r->loss, sizeof r->lost0);
		r->noted_loss = 0;
	}
	tell_losses_from_here(d);
}

static int begin_next(struct drain *d, struct drain_file *next, struct session_error *error)
{
	int rc = drain_file_begin(d, next, error);

	if (rc == 0)
		rc = rotate_push(d->file.out.path, d->config.keep, error);
	if (rc == 0)
		rc = output_appear(&next->out, error);
	if (rc == 0)
		rc = note_inode(next, error);
	if (rc)
		drain_file_close(next);
	return rc;
}

int drain_name_rotate(struct drain *d, struct session_error *error)
{
	uint64_t whole = d->file.whole, bytes = d->bytes_before;
	const uint32_t labels = d->file.labels;

	if (d->config.rotate == 0 || d->file.hooked == 0 || whole < d->config.rotate)
		return 0;
	int rc = drain_name_check(d, error);
	struct drain_file *next = rc ? NULL : calloc(1, sizeof *next);
	if (!next)
		return rc ? rc
			  : session_fail(error, PU_ERROR_NOT_ENOUGH_MEMORY,
				    "%s: not enough memory for the next file", d->file.out.path);
	rc = drain_file_end(d, error);
	if (rc == 0) {
		d->bytes_before += d->file.whole;
		d->rotations++;
		rc = begin_next(d, next, error);
		if (rc) {
			/* The old file stays the current one: the final counts go there. */
			d->bytes_before = bytes;
			d->rotations--;
			drain_file_cut(&d->file, whole, NULL);
			d->file.labels = labels;
			d->labels_used = 0;
			tasks_untell(&d->tasks);
		}
	}
	if (rc == 0) {
		close_ledger(d);
		drain_file_close(&d->file);
		d->file = *next;
		d->file.writer.out = &d->file.out;
		d->began = d->noted = d->clocked = d->polled_at;
		d->clocked_hooks = 0;
		drop_old(d);
	}
	free(next);
	return rc;
}

/* ----------------------------------------------------------------------- check */

static bool drain_file_is_named(const struct drain_file *f)
{
	struct stat st;

	return stat(f->out.path, &st) == 0 && st.st_dev == f->device && st.st_ino == f->inode;
}

static int copy_file(const struct drain_file *f, struct output *to, struct session_error *error)
{
	uint8_t *buffer = malloc(COPY_BYTES);
	uint64_t at = 0;
	int rc = 0;

	if (!buffer)
		return session_fail(error, PU_ERROR_NOT_ENOUGH_MEMORY,
			"%s: not enough memory to copy it", f->out.path);
	while (rc == 0 && at < f->whole) {
		uint64_t left = f->whole - at;
		ssize_t n =
			pread(f->out.fd, buffer, left < COPY_BYTES ? left : COPY_BYTES, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			rc = output_fail(
				f->out.path, "read back its contents", n ? errno : EIO, error);
		else
			rc = output_write(to, buffer, (size_t)n, error);
		at += n > 0 ? (uint64_t)n : 0;
	}
	free(buffer);
	return rc;
}

/* The file was removed or renamed: restores it under its name, with its contents. */
static int bring_back(struct drain *d, struct session_error *error)
{
	struct drain_file *f = &d->file;
	struct output *copy = calloc(1, sizeof *copy);

	if (!copy)
		return session_fail(error, PU_ERROR_NOT_ENOUGH_MEMORY,
			"%s: not enough memory to restore it", f->out.path);
	int rc = output_open_salted(copy, f->out.path, get_le32(d->id), error);
	if (rc == 0 && !copy->temporary)
		rc = session_fail(error, PU_ERR_FILE_ERROR,
			"%s: was replaced by something that is no file; name another one",
			f->out.path);
	if (rc == 0)
		rc = copy_file(f, copy, error);
	if (rc == 0)
		rc = output_appear(copy, error);
	if (rc == 0) {
		close(f->out.fd);
		f->out.fd = copy->fd;
		rc = note_inode(f, error);
	} else {
		output_abandon(copy);
	}
	free(copy);
	return rc;
}

int drain_name_check(struct drain *d, struct session_error *error)
{
	struct session_error why = {""};

	if (!d->file.regular || drain_file_is_named(&d->file))
		return 0;
	int rc = bring_back(d, &why);
	if (rc)
		return session_fail(error, rc, "%s was removed, and cannot be made again: %.400s",
			d->file.out.path, why.text);
	return 0;
}

void drain_name_account(struct drain *d)
{
	struct stat st;

	if (!d->file.regular || fstat(d->file.out.fd, &st) != 0 || st.st_nlink != 0)
		return;
	for (uint32_t i = 0; i < d->rings; i++) {
		struct drain_ring *r = &d->ring[i];

		r->here.unwritten += r->here.hooks;
		drain_file_count(d, i, -(int64_t)r->here.hooks, 0);
	}
}
