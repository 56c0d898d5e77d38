#include "dump.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "../../formats/bytes.h"
#include "../../include/perfutil.h"
#include "../counters/clock.h"
#include "cpi_schema.h"
#include "fail.h"
#include "meta.h"
#include "output.h"
#include "rings.h"
#include "section.h"
#include "text.h"

/* An index is a convenience; beyond this it is left out. */
#define INDEX_BYTES_MAX ((uint64_t)64 << 20)

struct dump {
	struct session *session;
	const struct dump_options *options;
	struct session_error *error;
	struct dump_result result;
	struct rings rings;
	struct session_task *tasks;
	int ntasks;
	struct text meta, schema;
	uint8_t *task_bytes;
	bool scripted;
	uint64_t started[3]; /* clock sync */
	uint64_t done;	     /* sections */
	struct output out;
	struct section_writer writer;
};

/* In the clock of the session, whatever this process's own is. */
static void sync_now(const struct dump *d, uint64_t sync[3])
{
	uint32_t kind = d->session->geometry.clock;
	uint64_t best = UINT64_MAX;

	if (kind == clock_kind()) {
		clock_sync(sync);
		return;
	}
	for (int i = 0; i < 10; i++) {
		bool call = kind == TF_CLOCK_MONOTONIC_RAW;
		struct timespec real, mono;
		uint64_t before = call ? clock_raw_ns() : clock_instruction();

		clock_gettime(CLOCK_REALTIME, &real);
		clock_gettime(CLOCK_MONOTONIC, &mono);
		uint64_t after = call ? clock_raw_ns() : clock_instruction();
		if (after - before >= best)
			continue;
		best = after - before;
		sync[0] = before + best / 2;
		sync[1] = (uint64_t)real.tv_sec * 1000000000u + (uint64_t)real.tv_nsec;
		sync[2] = (uint64_t)mono.tv_sec * 1000000000u + (uint64_t)mono.tv_nsec;
	}
}

static int no_memory(struct dump *d)
{
	return dump_fail(d->error, PU_ERROR_NOT_ENOUGH_MEMORY, "not enough memory for a dump");
}

/* ---------------------------------------------------------- before the file is begun */

static int gather_schemas(struct dump *d)
{
	char *registered = NULL;
	int n = session_schemas(d->session, &registered);

	text_add(&d->schema, (const char *)swtrace_cpi_schema, swtrace_cpi_schema_size);
	if (n > 0)
		text_add(&d->schema, registered, (size_t)n);
	free(registered);
	if (n < 0)
		return dump_fail(
			d->error, n, "cannot read the programs' hook schemas: %s", RcToString(n));
	return d->schema.failed ? no_memory(d) : 0;
}

static int gather_tasks(struct dump *d)
{
	d->ntasks = session_tasks(d->session, &d->tasks);
	if (d->ntasks < 0)
		return dump_fail(d->error, d->ntasks, "cannot read the task table: %s",
			RcToString(d->ntasks));
	d->task_bytes = calloc((size_t)d->ntasks + 1, TF_TASK_SIZE);
	if (!d->task_bytes)
		return no_memory(d);
	for (int i = 0; i < d->ntasks; i++) {
		const struct session_task *t = &d->tasks[i];
		uint8_t *p = d->task_bytes + (size_t)i * TF_TASK_SIZE;

		put_le32(p + TF_TASK_TID, t->tid);
		put_le32(p + TF_TASK_PID, t->pid);
		put_le64(p + TF_TASK_FIRST, t->first);
		memcpy(p + TF_TASK_NAME, t->name, strnlen(t->name, TF_TASK_NAME_SIZE));
		if (t->source == SHM_SOURCE_SCRIPTED)
			d->scripted = true;
	}
	return 0;
}

/*
 * The heads first: a process sets the sticky flag and enters itself, its counter source
 * and its schemas before its first hook, so what is read after the heads knows the writer
 * of every hook before them.
 */
static int gather(struct dump *d)
{
	int rc = rings_open(&d->rings, d->session, d->error);

	if (rc == 0)
		rc = gather_tasks(d);
	if (rc == 0)
		rc = gather_schemas(d);
	if (rc)
		return rc;
	if (session_sticky(d->session) & SHM_STICKY_SCRIPTED)
		d->scripted = true;
	meta_lines(&d->meta, d->session, d->tasks, d->ntasks, d->options->command);
	sync_now(d, d->started);
	return d->meta.failed ? no_memory(d) : 0;
}

/* ------------------------------------------------------------------------ the file */

static uint64_t index_entries(const struct dump *d)
{
	return d->rings.total * TF_INDEX_SIZE <= INDEX_BYTES_MAX ? d->rings.total : 0;
}

/* Known before anything is written, because a pipe cannot be gone back in. */
static uint32_t largest_raw(const struct dump *d)
{
	uint64_t sizes[] = {d->rings.total ? d->session->geometry.section_size : 0, d->meta.length,
		d->schema.length, (uint64_t)d->ntasks * TF_TASK_SIZE, 2 * TF_SYNC_SIZE,
		(uint64_t)d->rings.rings * TF_LOSS_SIZE, index_entries(d) * TF_INDEX_SIZE};
	uint64_t largest = 0;

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (sizes[i] > largest)
			largest = sizes[i];
	return (uint32_t)largest;
}

static void put_sync(uint8_t *p, const uint64_t sync[3])
{
	put_le64(p + TF_SYNC_TICKS, sync[0]);
	put_le64(p + TF_SYNC_REALTIME, sync[1]);
	put_le64(p + TF_SYNC_MONOTONIC, sync[2]);
}

static int write_header(struct dump *d, uint32_t max_raw)
{
	const struct shm_geometry *g = &d->session->geometry;
	uint8_t h[TF_HEADER_SIZE] = {0};

	memcpy(h + TF_H_MAGIC, TF_MAGIC, 8);
	put_le16(h + TF_H_VERSION_MAJOR, TF_VERSION_MAJOR);
	put_le16(h + TF_H_VERSION_MINOR, TF_VERSION_MINOR);
	put_le32(h + TF_H_HEADER_SIZE, TF_HEADER_SIZE);
	if (getrandom(h + TF_H_TRACE_ID, 16, 0) != 16)
		return dump_fail(d->error, PU_FAILURE, "no random numbers for the trace id: %s",
			strerror(errno));
	put_le32(h + TF_H_CPUS, g->cpus);
	put_le32(h + TF_H_MAX_RAW, max_raw);
	put_le32(h + TF_H_CLOCK, g->clock);
	put_le32(h + TF_H_FLAGS, d->scripted ? TF_FLAG_SCRIPTED : 0);
	put_le64(h + TF_H_TICKS_PER_SECOND, g->ticks_per_second);
	put_sync(h + TF_H_SYNC, d->started);
	put_le64(h + TF_H_CHECKSUM, XXH3_64bits(h, TF_H_CHECKSUM));
	return output_write(&d->out, h, sizeof h, d->error);
}

static int write_plain(
	struct dump *d, enum tf_type type, enum tf_codec codec, const void *payload, size_t raw)
{
	struct section s = {.type = type, .codec = codec, .payload = payload};

	s.raw = (uint32_t)raw;
	return section_write(&d->writer, &s, d->error);
}

/* The sync of init, if it is of this boot's clock, makes the first hooks' times better. */
static int write_first_clock(struct dump *d)
{
	const uint64_t *init = d->session->control->sync;
	uint8_t syncs[2 * TF_SYNC_SIZE];
	size_t n = 0;

	if (init[0] && init[0] < d->started[0])
		put_sync(syncs + n++ * TF_SYNC_SIZE, init);
	put_sync(syncs + n++ * TF_SYNC_SIZE, d->started);
	return write_plain(d, TF_TYPE_CLOCK, TF_CODEC_NONE, syncs, n * TF_SYNC_SIZE);
}

static int write_last_clock(struct dump *d)
{
	uint8_t bytes[TF_SYNC_SIZE];
	uint64_t sync[3];

	sync_now(d, sync);
	put_sync(bytes, sync);
	return write_plain(d, TF_TYPE_CLOCK, TF_CODEC_NONE, bytes, sizeof bytes);
}

static int write_hooks(struct dump *d)
{
	struct rings_section from;
	int rc;

	while ((rc = rings_next(&d->rings, &from, d->error)) == 1) {
		struct section s = {.type = TF_TYPE_HOOKS,
			.codec = d->options->codec,
			.payload = from.bytes,
			.raw = from.span.bytes,
			.ring = from.id,
			.hooks = from.span.hooks,
			.position = from.span.position,
			.first = from.span.first_stamp,
			.last = from.span.last_stamp,
			.lost = from.lost > UINT32_MAX ? UINT32_MAX : (uint32_t)from.lost,
			.torn = from.span.torn};

		rc = section_write(&d->writer, &s, d->error);
		if (rc)
			return rc;
		d->result.sections++;
		d->result.hooks += s.hooks;
		d->result.torn += s.torn;
		d->done++;
		if (d->options->progress &&
			!d->options->progress(d->options->progress_arg, d->done, d->rings.total))
			return dump_fail(d->error, PU_FAILURE, "%s: interrupted", d->out.path);
	}
	return rc;
}

static int write_losses(struct dump *d)
{
	static const struct {
		uint8_t offset, cause;
	} column[] = {{TF_LOSS_FULL, SHM_LOST_FULL}, {TF_LOSS_BIG, SHM_LOST_BIG},
		{TF_LOSS_HELD, SHM_LOST_HELD}, {TF_LOSS_NO_GUEST, SHM_LOST_NO_GUEST},
		{TF_LOSS_SKIPPED, SHM_SKIPPED}};
	uint8_t *bytes = calloc(d->rings.rings + 1, TF_LOSS_SIZE);
	int rc = 0;

	if (!bytes)
		return no_memory(d);
	for (uint32_t i = 0; i < d->rings.rings && rc == 0; i++) {
		struct rings_ledger ledger;
		uint8_t *p = bytes + (size_t)i * TF_LOSS_SIZE;

		rc = rings_settle(&d->rings, i, &ledger, d->error);
		if (rc)
			break;
		put_le32(p + TF_LOSS_RING, ledger.id);
		for (size_t k = 0; k < sizeof column / sizeof *column; k++) {
			put_le64(p + column[k].offset, ledger.loss[column[k].cause]);
			if (column[k].cause != SHM_SKIPPED)
				d->result.lost += ledger.loss[column[k].cause];
		}
		put_le64(p + TF_LOSS_OVERWRITTEN, ledger.overwritten);
		put_le64(p + TF_LOSS_TORN, ledger.torn);
		d->result.overwritten += ledger.overwritten;
		d->result.torn += ledger.torn;
		d->result.damaged += ledger.damaged;
	}
	if (rc == 0)
		rc = write_plain(d, TF_TYPE_LOSS, TF_CODEC_NONE, bytes,
			(size_t)d->rings.rings * TF_LOSS_SIZE);
	free(bytes);
	return rc;
}

static int write_tasks(struct dump *d)
{
	if (d->ntasks == 0)
		return 0;
	return write_plain(d, TF_TYPE_TASKS, d->options->codec, d->task_bytes,
		(size_t)d->ntasks * TF_TASK_SIZE);
}

/* Tasks stand before the hooks, so that a reader of a stream knows them in time. */
static int write_all(struct dump *d)
{
	uint32_t max_raw = largest_raw(d);
	int rc = section_writer_open(&d->writer, &d->out, max_raw, index_entries(d), d->error);

	if (rc == 0)
		rc = write_header(d, max_raw);
	if (rc == 0)
		rc = write_plain(d, TF_TYPE_META, TF_CODEC_NONE, d->meta.bytes, d->meta.length);
	if (rc == 0)
		rc = write_plain(
			d, TF_TYPE_SCHEMA, d->options->codec, d->schema.bytes, d->schema.length);
	if (rc == 0)
		rc = write_first_clock(d);
	if (rc == 0)
		rc = write_tasks(d);
	if (rc == 0)
		rc = write_hooks(d);
	if (rc == 0)
		rc = write_losses(d);
	if (rc == 0)
		rc = section_write_index(&d->writer, d->options->codec, d->error);
	if (rc == 0)
		rc = write_last_clock(d);
	if (rc == 0)
		rc = write_plain(d, TF_TYPE_END, TF_CODEC_NONE, NULL, 0);
	return rc;
}

static bool keep_going(void *arg)
{
	struct dump *d = arg;

	return d->options->progress(d->options->progress_arg, d->done, d->rings.total);
}

static int write_file(struct dump *d)
{
	int rc = output_open(&d->out, d->options->path, d->error);

	if (rc)
		return rc;
	if (d->options->progress) {
		d->out.go_on = keep_going;
		d->out.go_on_arg = d;
	}
	rc = write_all(d);
	section_writer_close(&d->writer);
	if (rc) {
		output_abandon(&d->out);
		return rc;
	}
	d->result.bytes = d->out.written;
	return output_finish(&d->out, d->error);
}

/*
 * A closed pipe and the file size limit are errors to report, not ends of the process.
 * Both signals come to the thread that writes, so they are held back in this one only.
 */
static void hold_signals(sigset_t *held, sigset_t *before)
{
	sigset_t pending;

	sigemptyset(held);
	sigpending(&pending);
	/* One that was pending already is somebody else's. */
	if (!sigismember(&pending, SIGPIPE))
		sigaddset(held, SIGPIPE);
	if (!sigismember(&pending, SIGXFSZ))
		sigaddset(held, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, held, before);
}

static void drop_signals(const sigset_t *held, const sigset_t *before)
{
	const struct timespec at_once = {0};

	while (sigtimedwait(held, NULL, &at_once) > 0)
		;
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

int dump_write(struct session *s, const struct dump_options *options, struct dump_result *result,
	struct session_error *error)
{
	struct dump d = {.session = s, .options = options, .error = error};
	sigset_t held, before;
	int rc = gather(&d);

	if (rc == 0) {
		hold_signals(&held, &before);
		rc = write_file(&d);
		drop_signals(&held, &before);
	}
	if (result)
		*result = d.result;
	rings_close(&d.rings);
	text_free(&d.meta);
	text_free(&d.schema);
	free(d.tasks);
	free(d.task_bytes);
	return rc;
}
