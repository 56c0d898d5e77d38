/*
 * Writes the sections of the drain's file. Between two calls the file ends with a complete section:
 * a failed write is truncated, if the file can be.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../formats/base/time_ns.h"
#include "../../../formats/bytes.h"
#include "../../../formats/section_check.h"
#include "../../../include/perfutil.h"
#include "private.h"
#include "../../session/fail.h"
#include "../losses.h"
#include "../meta.h"

#define CLOCK_NS (10 * TIME_SECOND_NS)
#define CLOCK_BACK_NS TIME_SECOND_NS
#define LOSS_NS (5 * TIME_SECOND_NS)
/* Readers keep every LOSS entry of a file: in a long file they come further and further apart,
 * and beyond this many only the trailer's follows. */
enum { LOSS_ENTRIES_MAX = 16384, LOSS_PART = 64 };
#define TASKS_NS (TIME_SECOND_NS / 50)
#define TASKS_ANYHOW_NS (2 * TIME_SECOND_NS)

/* ----------------------------------------------------------------- begin and cut */

/* Chosen before the file is begun, large enough for every later section. */
static uint32_t drain_file_largest_raw(const struct drain *d, const struct file_head *h)
{
	uint64_t sizes[] = {d->reader.geometry.section_size, (uint64_t)d->rings * TF_LOSS_SIZE,
		(uint64_t)HEAD_TASKS_MAX * TF_TASK_SIZE, SHM_SCHEMA_BYTES, TF_LABELS_SECTION_MAX};
	uint64_t largest = head_largest(h);

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (sizes[i] > largest)
			largest = sizes[i];
	return (uint32_t)largest;
}

int drain_file_begin(struct drain *d, struct drain_file *f, struct session_error *error)
{
	const char *command = d->config.command[0] ? d->config.command : NULL;
	struct file_head h;

	tasks_untell(&d->tasks);
	int rc = head_gather(&h, d->session, &d->tasks, d->config.codec, command, true, error);
	h.minor = TF_VERSION_MINOR_TASKLOSS;
	drain_state_meta(d, f != &d->file, &h.meta);
	if (rc == 0 && h.meta.failed)
		rc = session_fail(
			error, PU_ERROR_NOT_ENOUGH_MEMORY, "not enough memory for a drain");
	f->out.fd = -1;
	if (rc == 0)
		rc = output_open_salted(&f->out, d->config.path, get_le32(d->id), error);
	if (rc == 0) {
		f->max_raw = drain_file_largest_raw(d, &h);
		rc = section_writer_open(&f->writer, &f->out, f->max_raw, 0, error);
	}
	if (rc == 0)
		rc = head_write(&h, &f->writer, d->id, f->max_raw, &f->labels, error);
	/* The file before has counted these losses. */
	if (rc == 0)
		rc = task_losses_write(
			&d->task_losses, NULL, true, &f->writer, d->config.codec, &d->tasks, error);
	if (rc == 0) {
		f->whole = f->out.written;
		f->regular = f->out.temporary;
		f->scripted = h.scripted;
		f->registered = h.registered;
	} else {
		drain_file_close(f);
	}
	head_free(&h);
	return rc;
}

void drain_file_close(struct drain_file *f)
{
	output_abandon(&f->out);
	section_writer_close(&f->writer);
}

int drain_file_cut(struct drain_file *f, uint64_t whole, struct session_error *error)
{
	if (!f->regular)
		return 0;
	if (ftruncate(f->out.fd, (off_t)whole) != 0 ||
		lseek(f->out.fd, (off_t)whole, SEEK_SET) != (off_t)whole)
		return output_fail(f->out.path, "cut off an incomplete section", errno, error);
	f->whole = f->out.written = whole;
	return 0;
}

/* After every write: keeps complete sections, truncates an incomplete one. */
static int drain_file_settle_write(struct drain *d, int rc)
{
	struct drain_file *f = &d->file;

	if (rc == 0)
		f->whole = f->out.written;
	else
		drain_file_cut(f, f->whole, NULL); /* report the first failure */
	return rc;
}

/* ----------------------------------------------------------------------- hooks */

static uint32_t at_most_32_bits(uint64_t n)
{
	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

void drain_file_count(struct drain *d, uint32_t ring, int64_t hooks, int64_t torn)
{
	struct drain_ring *r = &d->ring[ring];

	r->here.hooks += (uint64_t)hooks;
	r->here.torn += (uint64_t)torn;
	if (drain_owns_page(d))
		drain_tell_figures(d, ring);
}

int drain_file_tasks(struct drain *d, struct session_error *error)
{
	if (d->tasks.unwritten == 0)
		return 0;
	return drain_file_settle_write(
		d, head_write_tasks(&d->file.writer, d->config.codec, &d->tasks, error));
}

int drain_file_hooks(struct drain *d, const struct drain_job *job, struct session_error *error)
{
	struct drain_file *f = &d->file;
	struct drain_ring *r = &d->ring[job->ring];
	const struct ring_span *span = &job->span;
	uint64_t lost = job->entry_lost > r->recorded_lost ? job->entry_lost - r->recorded_lost : 0;
	/* Also writes sections without hooks: their torn records are then counted once, whenever
	 * the drain is killed. */
	struct section s = {.payload = job->copy,
		.head = {.type = TF_TYPE_HOOKS,
			.codec = d->config.codec,
			.raw = span->bytes,
			.ring = ring_reader_id(&d->reader, job->ring),
			.hooks = span->hooks,
			.position = span->position,
			.first = span->hooks ? span->first_stamp : job->stamp,
			.last = span->hooks ? span->last_stamp : job->stamp,
			.lost = at_most_32_bits(lost),
			.torn = span->torn}};

	if (span->bytes == 0) {
		r->here.loose_torn += span->torn;
		drain_file_count(d, job->ring, 0, span->torn);
		return 0;
	}
	uint64_t offset = f->whole;
	int rc = drain_file_settle_write(
		d, section_write_packed(&f->writer, &s, job->packer.bytes, job->packed, error));
	if (rc)
		return rc;
	f->tail[f->hooked++ % DRAIN_TAIL] = (struct drain_section){
		.offset = offset, .ring = job->ring, .hooks = span->hooks, .torn = span->torn};
	r->recorded_lost += lost;
	drain_file_count(d, job->ring, span->hooks, span->torn);
	return 0;
}

/* ---------------------------------------------------------------------- losses */

/* The losses not yet in a LOSS entry of this file. */
static uint64_t to_tell(const struct drain_ring *r)
{
	uint64_t sum = r->here.loose_torn + r->here.unwritten;

	for (int k = 0; k < SHM_LOSSES; k++)
		sum += r->loss[k] - r->lost0[k];
	return sum;
}

/* This file's. */
static void losses_here(const struct drain_ring *r, uint64_t loss[SHM_LOSSES])
{
	for (int k = 0; k < SHM_LOSSES; k++)
		loss[k] = r->loss[k] - r->lost0[k];
}

/* Whether to write about a ring: all of them, or those with new losses. */
static bool has_news(const struct drain_ring *r, bool all)
{
	return all || to_tell(r) != r->noted_loss;
}

static int drain_file_write_causes(
	struct drain *d, uint8_t *entries, bool all, struct session_error *error)
{
	uint64_t loss[SHM_LOSSES];
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->rings; i++) {
		uint64_t unwritten = d->ring[i].here.unwritten;

		losses_here(&d->ring[i], loss);
		if (has_news(&d->ring[i], all) && (losses_have_causes(loss) || unwritten))
			losses_put_causes(entries + (size_t)n++ * TF_CAUSES_SIZE,
				ring_reader_id(&d->reader, i), loss, unwritten);
	}
	return n ? head_write_plain(&d->file.writer, TF_TYPE_CAUSES, TF_CODEC_NONE, entries,
			   (size_t)n * TF_CAUSES_SIZE, error)
		 : 0;
}

static int drain_file_write_losses(struct drain *d, bool all, struct session_error *error)
{
	uint8_t *bytes = calloc(d->rings, TF_LOSS_SIZE);
	uint64_t loss[SHM_LOSSES];
	uint32_t n = 0;
	int rc = 0;

	if (!bytes)
		return session_fail(
			error, PU_ERROR_NOT_ENOUGH_MEMORY, "not enough memory for the losses");
	for (uint32_t i = 0; i < d->rings; i++) {
		uint8_t *p = bytes + (size_t)n * TF_LOSS_SIZE;

		if (!has_news(&d->ring[i], all))
			continue;
		losses_here(&d->ring[i], loss);
		losses_put(p, ring_reader_id(&d->reader, i), loss);
		put_le64(p + TF_LOSS_TORN, d->ring[i].here.loose_torn);
		n++;
	}
	if (n)
		rc = head_write_plain(&d->file.writer, TF_TYPE_LOSS, TF_CODEC_NONE, bytes,
			(size_t)n * TF_LOSS_SIZE, error);
	if (rc == 0)
		rc = drain_file_write_causes(d, bytes, all, error);
	free(bytes);
	if (rc)
		return rc;
	d->file.losses += n;
	for (uint32_t i = 0; i < d->rings; i++)
		d->ring[i].noted_loss = to_tell(&d->ring[i]);
	return 0;
}

static int drain_file_write_task_losses(
	struct drain *d, struct task_losses *now, bool all, struct session_error *error)
{
	int rc = task_losses_write(now, all ? NULL : &d->task_losses, false, &d->file.writer,
		d->config.codec, &d->tasks, error);

	task_losses_free(&d->task_losses);
	d->task_losses = *now;
	*now = (struct task_losses){0};
	/* The losses may name tasks that were not written yet. */
	return rc || !d->tasks.unwritten
		       ? rc
		       : head_write_tasks(&d->file.writer, d->config.codec, &d->tasks, error);
}

/* all: even those already written. If the tasks' losses cannot be read, the file lacks them. */
static int drain_file_write_news_of_losses(struct drain *d, bool all, struct session_error *error)
{
	struct task_losses now = {0};
	/* Read before the rings' losses, which then include them. */
	const bool known = task_losses_read(&now, d->session);

	now.all = drain_read_losses(d);
	int rc = drain_file_write_losses(d, all, error);
	if (rc == 0 && known)
		rc = drain_file_write_task_losses(d, &now, all, error);
	task_losses_free(&now);
	return rc;
}

static int losses_in_time(struct drain *d, struct session_error *error)
{
	uint64_t wait = (d->polled_at - d->began) / LOSS_PART;

	if (d->polled_at - d->noted < (wait > LOSS_NS ? wait : LOSS_NS) ||
		d->file.losses + d->rings > LOSS_ENTRIES_MAX)
		return 0;
	d->noted = d->polled_at;
	return drain_file_settle_write(d, drain_file_write_news_of_losses(d, false, error));
}

/* ------------------------------------------------------------------- other news */

static uint64_t clock_steps(const struct drain *d)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < d->rings; i++)
		sum += d->ring[i].clock_back;
	return sum;
}

/*
 * A file in which nothing happens does not grow. When the clock went back, the syncs so far hold
 * for earlier hooks only: one is due, at most one a second, since members write the counts.
 */
static int clock_in_time(struct drain *d, struct session_error *error)
{
	uint64_t back = clock_steps(d);
	uint64_t wait = back == d->clocked_back ? CLOCK_NS : CLOCK_BACK_NS;

	if (d->polled_at - d->clocked < wait || d->file.hooked == d->clocked_hooks)
		return 0;
	d->clocked = d->polled_at;
	d->clocked_hooks = d->file.hooked;
	d->clocked_back = back;
	return drain_file_settle_write(d, head_write_clock(&d->file.writer, d->session, error));
}

/* The header states whether counts in the file were scripted: the first scripted process may come
 * late. A stream's header cannot be changed. */
static void drain_file_set_scripted(struct drain *d)
{
	struct drain_file *f = &d->file;
	uint8_t h[TF_HEADER_SIZE];

	if (f->scripted || !f->regular || !drain_has_id(f->out.fd, d->id, h))
		return;
	put_le32(h + TF_H_FLAGS, get_le32(h + TF_H_FLAGS) | TF_FLAG_SCRIPTED);
	put_le64(h + TF_H_CHECKSUM, tf_header_checksum(h));
	f->scripted = pwrite(f->out.fd, h, sizeof h, 0) == (ssize_t)sizeof h;
}

static int new_tasks(struct drain *d, struct session_error *error)
{
	struct head_tasks t;
	/* Writes no tasks if members destroyed the table. */
	int rc =
		head_gather_tasks(&t, d->session, &d->tasks, NULL) ? 0 : drain_file_tasks(d, error);

	if (t.scripted || (session_sticky(d->session) & SHM_STICKY_SCRIPTED))
		drain_file_set_scripted(d);
	head_free_tasks(&t);
	return rc;
}

static int new_schemas(struct drain *d, struct session_error *error)
{
	struct drain_file *f = &d->file;
	char *text = NULL;
	int n = session_schemas(d->session, &text, NULL), rc = 0;

	if (n > 0 && (uint64_t)n > f->registered) {
		rc = drain_file_settle_write(
			d, head_write_plain(&f->writer, TF_TYPE_SCHEMA, d->config.codec,
				   text + f->registered, (size_t)n - f->registered, error));
		if (rc == 0)
			f->registered = (uint64_t)n;
	}
	free(text);
	return rc;
}

/* Before the hooks that cite them: reading the count costs a system call a round. */
static int drain_file_add_labels(struct drain *d, struct session_error *error)
{
	uint32_t used = session_labels_used(d->session);

	if (used == d->labels_used)
		return 0;
	d->labels_used = used;
	const uint32_t before = d->file.labels;
	int rc = drain_file_settle_write(d, head_write_labels(&d->file.writer, d->config.codec,
						    d->session, &d->file.labels, error));
	if (rc) {
		d->file.labels = before;
		d->labels_used = 0;
	}
	return rc;
}

/* Counts of claimed slots and bytes of schemas. Members can forge them: both areas are also
 * checked from time to time without news. */
static bool read_news(const struct session *s, uint64_t *claims, uint32_t *schemas)
{
	const off_t claims_at = offsetof(struct shm_task_header, claims);
	const off_t schemas_at = offsetof(struct shm_schema_file, used);

	return pread(s->tasks_fd, claims, sizeof *claims, claims_at) == sizeof *claims &&
	       pread(s->schemas_fd, schemas, sizeof *schemas, schemas_at) == sizeof *schemas;
}

static int drain_write_news(struct drain *d, struct session_error *error)
{
	uint64_t since = d->polled_at - d->gathered, claims;
	uint32_t schemas;
	int rc = 0;

	/* Reads a large table less often: the drain must keep up with the rings. */
	if (since < TASKS_NS + 20 * d->gather_ns || !read_news(d->session, &claims, &schemas))
		return 0;
	if (claims != d->claims || since >= TASKS_ANYHOW_NS) {
		uint64_t began = time_ns_monotonic();

		rc = new_tasks(d, error);
		d->gathered = d->polled_at;
		d->gather_ns = time_ns_monotonic() - began;
	}
	if (rc == 0 && schemas != d->schema_used)
		rc = new_schemas(d, error);
	d->claims = claims;
	d->schema_used = schemas;
	return rc;
}

int drain_file_keep_up(struct drain *d, struct session_error *error)
{
	int rc = drain_file_add_labels(d, error);

	if (rc == 0)
		rc = drain_write_news(d, error);
	if (rc == 0)
		rc = clock_in_time(d, error);
	if (rc == 0)
		rc = losses_in_time(d, error);
	return rc;
}

/* -------------------------------------------------------------------------- end */

static int drain_file_write_remarks(struct drain *d, struct session_error *error)
{
	struct buffer lines = {0};
	struct head_tasks t;
	const uint64_t until = session_on_until(d->session);
	int rc = 0;

	/* Programs may have dropped intervals since META was written. */
	meta_add_period(&lines, d->session->control);
	/* The file is complete without these lines, if members destroyed the table. */
	if (head_gather_tasks(&t, d->session, &d->tasks, NULL) == 0)
		head_add_living(&lines, &t, until);
	if (d->tasks.unwritten)
		rc = head_write_tasks(&d->file.writer, d->config.codec, &d->tasks, error);
	if (rc == 0 && lines.n && !lines.failed && lines.n <= d->file.max_raw)
		rc = head_write_plain(
			&d->file.writer, TF_TYPE_REMARKS, TF_CODEC_NONE, lines.p, lines.n, error);
	head_free_tasks(&t);
	buffer_free(&lines);
	return rc;
}

int drain_file_end(struct drain *d, struct session_error *error)
{
	int rc = drain_file_add_labels(d, error);

	if (rc == 0)
		rc = drain_file_write_news_of_losses(d, true, error);
	if (rc == 0)
		rc = drain_file_write_remarks(d, error);
	if (rc == 0)
		rc = head_write_clock(&d->file.writer, d->session, error);
	if (rc == 0)
		rc = head_write_plain(&d->file.writer, TF_TYPE_END, TF_CODEC_NONE, NULL, 0, error);
	return drain_file_settle_write(d, rc); /* all or nothing */
}

/* Drops the last section of hooks and everything after it, and counts its hooks. */
static bool give_up_last(struct drain *d, uint64_t *left)
{
	struct drain_file *f = &d->file;

	if (*left == 0 || f->hooked == 0)
		return false;
	(*left)--;
	const struct drain_section *s = &f->tail[--f->hooked % DRAIN_TAIL];
	if (drain_file_cut(f, s->offset, NULL) != 0)
		return false;
	struct drain_ring *r = &d->ring[s->ring];
	r->here.unwritten += s->hooks;
	r->here.loose_torn += s->torn;
	drain_file_count(d, s->ring, -(int64_t)s->hooks, 0);
	return true;
}

int drain_file_end_anyhow(struct drain *d)
{
	struct drain_file *f = &d->file;
	uint64_t left = f->hooked < DRAIN_TAIL ? f->hooked : DRAIN_TAIL;
	int rc;

	if (!f->regular)
		return d->failed;
	do {
		f->out.why = 0;
		rc = drain_file_end(d, NULL);
	} while (rc && (f->out.why == ENOSPC || f->out.why == EDQUOT || f->out.why == EFBIG) &&
		 give_up_last(d, &left));
	return rc;
}
