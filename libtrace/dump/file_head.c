#include "file_head.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "../../formats/bytes.h"
#include "../../formats/section_check.h"
#include "../../include/perfutil.h"
#include "../core/clock_trust.h"
#include "../session/fail.h"
#include "../session/own_schemas.h"
#include "meta.h"

static int head_fail_memory(struct session_error *error)
{
	return session_fail(
		error, PU_ERROR_NOT_ENOUGH_MEMORY, "not enough memory for a trace's head");
}

/* ------------------------------------------------------------------ gathering */

static int gather_schemas(struct file_head *h, struct session_error *error)
{
	char *registered = NULL;
	uint32_t left_out = 0;
	int n = session_schemas(h->session, &registered, &left_out);

	if (left_out)
		meta_add_linef(&h->meta, "schemas left out", "%u (refused)", left_out);

	buffer_add(&h->schema, swtrace_own_schemas, swtrace_own_schemas_size);
	if (n > 0) {
		buffer_add(&h->schema, registered, (size_t)n);
		h->registered = (size_t)n;
	}
	free(registered);
	if (n < 0)
		return session_fail(
			error, n, "cannot read the programs' hook schemas: %s", RcToString(n));
	return h->schema.failed ? head_fail_memory(error) : 0;
}

int head_gather_tasks(
	struct head_tasks *t, struct session *s, struct tasks *known, struct session_error *error)
{
	memset(t, 0, sizeof *t);
	t->count = session_tasks(s, &t->tasks);
	if (t->count < 0)
		return session_fail(
			error, t->count, "cannot read the task table: %s", RcToString(t->count));
	for (int i = 0; i < t->count; i++)
		t->scripted |= t->tasks[i].source == SHM_SOURCE_SCRIPTED;
	return tasks_read(known, t->tasks, t->count) ? 0 : head_fail_memory(error);
}

void head_free_tasks(struct head_tasks *t)
{
	free(t->tasks);
	memset(t, 0, sizeof *t);
}

void head_add_living(struct buffer *lines, const struct head_tasks *t, uint64_t ticks)
{
	enum { A_LINE = 32, LIVING_MAX = 4096, TICKS_MAX = 20, TID_MAX = 11 };
	char line[TICKS_MAX + A_LINE * TID_MAX + 1];
	int n = 0, at = 0;

	for (int i = 0; ticks && i < t->count && n < LIVING_MAX; i++) {
		if (!t->tasks[i].alive)
			continue;
		if (!at)
			at = sprintf(line, "%llu", (unsigned long long)ticks);
		at += sprintf(line + at, " %u", t->tasks[i].tid);
		if (++n % A_LINE == 0) {
			meta_add_line(lines, TF_META_ALIVE, line);
			at = 0;
		}
	}
	if (at)
		meta_add_line(lines, TF_META_ALIVE, line);
}

int head_gather(struct file_head *h, struct session *s, struct tasks *known, enum tf_codec codec,
	const char *command, bool anyhow, struct session_error *error)
{
	memset(h, 0, sizeof *h);
	h->session = s;
	h->known = known;
	h->codec = codec;
	int rc = head_gather_tasks(&h->tasks, s, known, error);
	if (rc && anyhow && !h->tasks.tasks)
		h->tasks.count = rc = 0;
	if (rc == 0)
		rc = gather_schemas(h, error);
	if (rc && anyhow && !h->schema.failed)
		rc = 0;
	if (rc)
		return rc;
	h->labels = session_labels_used(s);
	h->scripted = h->tasks.scripted || (session_sticky(s) & SHM_STICKY_SCRIPTED);
	meta_lines(&h->meta, s, h->tasks.tasks, h->tasks.count, command);
	session_sync_clock(s, h->started);
	return h->meta.failed ? head_fail_memory(error) : 0;
}

void head_free(struct file_head *h)
{
	buffer_free(&h->meta);
	buffer_free(&h->schema);
	head_free_tasks(&h->tasks);
}

/* Bytes of the largest CONTAINERS section that is to be written. */
static uint32_t head_containers_room(const struct tasks *known)
{
	uint32_t n = known->unplaced < HEAD_CONTAINERS_MAX ? known->unplaced : HEAD_CONTAINERS_MAX;

	return n * TASKS_CONTAINER_MAX;
}

_Static_assert(HEAD_CONTAINERS_MAX *TASKS_CONTAINER_MAX <= HEAD_TASKS_MAX * TF_TASK_SIZE,
	"a drain's file has room for one");

uint64_t head_largest(const struct file_head *h)
{
	uint32_t unwritten = h->known->unwritten;
	uint32_t tasks = unwritten < HEAD_TASKS_MAX ? unwritten : HEAD_TASKS_MAX;
	uint64_t sizes[] = {h->meta.n, h->schema.n, (uint64_t)tasks * TF_TASK_SIZE,
		head_containers_room(h->known), h->labels ? TF_LABELS_SECTION_MAX : 0,
		2 * TF_SYNC_SIZE};
	uint64_t largest = 0;

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (sizes[i] > largest)
			largest = sizes[i];
	return largest;
}

/* -------------------------------------------------------------------- writing */

static void put_sync(uint8_t *p, const uint64_t sync[3])
{
	put_le64(p + TF_SYNC_TICKS, sync[0]);
	put_le64(p + TF_SYNC_REALTIME, sync[1]);
	put_le64(p + TF_SYNC_MONOTONIC, sync[2]);
}

int head_trace_id(uint8_t id[TRACE_ID_SIZE], struct session_error *error)
{
	if (getrandom(id, TRACE_ID_SIZE, 0) != TRACE_ID_SIZE)
		return session_fail(error, PU_FAILURE, "no random numbers for the trace id: %s",
			strerror(errno));
	return 0;
}

/* Writes the file header alone, TF_HEADER_SIZE bytes. */
static void head_bytes(const struct file_head *h, const uint8_t id[TRACE_ID_SIZE], uint32_t max_raw,
	uint8_t *bytes)
{
	const struct shm_geometry *g = &h->session->geometry;

	memset(bytes, 0, TF_HEADER_SIZE);
	memcpy(bytes + TF_H_MAGIC, TF_MAGIC, 8);
	put_le16(bytes + TF_H_VERSION_MAJOR, TF_VERSION_MAJOR);
	put_le16(bytes + TF_H_VERSION_MINOR, h->minor);
	put_le32(bytes + TF_H_HEADER_SIZE, TF_HEADER_SIZE);
	memcpy(bytes + TF_H_TRACE_ID, id, TRACE_ID_SIZE);
	put_le32(bytes + TF_H_CPUS, g->cpus);
	put_le32(bytes + TF_H_MAX_RAW, max_raw);
	put_le32(bytes + TF_H_CLOCK, g->clock);
	put_le32(bytes + TF_H_FLAGS, TF_FLAG_CHECKS | (h->scripted ? TF_FLAG_SCRIPTED : 0));
	put_le64(bytes + TF_H_TICKS_PER_SECOND, g->ticks_per_second);
	put_sync(bytes + TF_H_SYNC, h->started);
	put_le64(bytes + TF_H_CHECKSUM, tf_header_checksum(bytes));
}

int head_write_plain(struct section_writer *w, enum tf_type type, enum tf_codec codec,
	const void *payload, size_t raw, struct session_error *error)
{
	struct section s = {
		.head = {.type = type, .codec = codec, .raw = (uint32_t)raw}, .payload = payload};

	return section_write(w, &s, error);
}

/*
 * Whether the sync of init belongs in a file that began with `started`: it makes the first hooks'
 * times better, and where its ticks are the higher ones it shows that the clock went back since.
 * One of another time namespace has another CLOCK_MONOTONIC.
 */
static bool head_has_first_sync(const struct session *s, const uint64_t started[3])
{
	const struct shm_control *c = s->control;

	return c->sync[0] && memcmp(c->sync, started, sizeof c->sync) != 0 &&
	       clock_is_same_time(c->time_namespace);
}

static int write_first_clock(
	const struct file_head *h, struct section_writer *w, struct session_error *error)
{
	const uint64_t *init = h->session->control->sync;
	uint8_t syncs[2 * TF_SYNC_SIZE];
	size_t n = 0;

	if (head_has_first_sync(h->session, h->started))
		put_sync(syncs + n++ * TF_SYNC_SIZE, init);
	put_sync(syncs + n++ * TF_SYNC_SIZE, h->started);
	return head_write_plain(w, TF_TYPE_CLOCK, TF_CODEC_NONE, syncs, n * TF_SYNC_SIZE, error);
}

int head_write_clock(struct section_writer *w, const struct session *s, struct session_error *error)
{
	uint8_t bytes[TF_SYNC_SIZE];
	uint64_t sync[3];

	session_sync_clock(s, sync);
	put_sync(bytes, sync);
	return head_write_plain(w, TF_TYPE_CLOCK, TF_CODEC_NONE, bytes, sizeof bytes, error);
}

static int head_write_containers(struct section_writer *w, enum tf_codec codec, struct tasks *known,
	struct session_error *error)
{
	uint32_t room = head_containers_room(known), n;
	uint8_t *bytes = malloc(room);
	int rc = bytes ? 0 : head_fail_memory(error);

	while (rc == 0 && (n = tasks_tell_containers(known, bytes, room)))
		rc = head_write_plain(w, TF_TYPE_CONTAINERS, codec, bytes, n, error);
	free(bytes);
	return rc;
}

int head_write_tasks(struct section_writer *w, enum tf_codec codec, struct tasks *known,
	struct session_error *error)
{
	uint32_t room = known->unwritten < HEAD_TASKS_MAX ? known->unwritten : HEAD_TASKS_MAX, n;
	uint8_t *entries = malloc((size_t)room * TF_TASK_SIZE + 1);
	int rc = entries ? 0 : head_fail_memory(error);

	while (rc == 0 && (n = tasks_tell(known, entries, room)))
		rc = head_write_plain(
			w, TF_TYPE_TASKS, codec, entries, (size_t)n * TF_TASK_SIZE, error);
	free(entries);
	return rc || !known->unplaced ? rc : head_write_containers(w, codec, known, error);
}

int head_write_labels(struct section_writer *w, enum tf_codec codec, struct session *s,
	uint32_t *written, struct session_error *error)
{
	const uint32_t room =
		w->max_raw < TF_LABELS_SECTION_MAX ? w->max_raw : TF_LABELS_SECTION_MAX;
	uint8_t *bytes;
	uint32_t n;
	int rc = 0;

	if (session_labels_used(s) <= *written)
		return 0;
	bytes = malloc(room);
	if (!bytes)
		return head_fail_memory(error);
	while (rc == 0 && (n = session_read_labels(s, *written, bytes, room))) {
		const struct section labels = {.head = {.type = TF_TYPE_LABELS,
						       .codec = codec,
						       .raw = n,
						       .position = *written},
			.payload = bytes};

		rc = section_write(w, &labels, error);
		if (rc == 0)
			*written += n;
	}
	free(bytes);
	return rc;
}

/* Tasks and labels precede the hooks, so that a reader of a stream knows them in time. */
int head_write(const struct file_head *h, struct section_writer *w, const uint8_t id[TRACE_ID_SIZE],
	uint32_t max_raw, uint32_t *labels, struct session_error *error)
{
	uint8_t header[TF_HEADER_SIZE];

	head_bytes(h, id, max_raw, header);
	memcpy(w->trace_id, id, TRACE_ID_SIZE);
	int rc = output_write(w->out, header, sizeof header, error);
	if (rc == 0)
		rc = head_write_plain(w, TF_TYPE_META, TF_CODEC_NONE, h->meta.p, h->meta.n, error);
	if (rc == 0)
		rc = head_write_plain(w, TF_TYPE_SCHEMA, h->codec, h->schema.p, h->schema.n, error);
	if (rc == 0)
		rc = write_first_clock(h, w, error);
	if (rc == 0)
		rc = head_write_tasks(w, h->codec, h->known, error);
	*labels = 0;
	return rc || !h->labels ? rc : head_write_labels(w, h->codec, h->session, labels, error);
}
