/*
 * The owner's view of what members write: tasks, schemas, flags, and giving back what the
 * dead hold. Read by pread into private memory, bounded here.
 */
#include "session.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../formats/bytes.h"
#include "../../formats/record.h"
#include "../../include/perfutil.h"
#include "../ring/layout.h"
#include "../ring/reader.h"

/* ------------------------------------------------------------------- tasks */

static struct shm_task *read_slots(struct session *s)
{
	size_t bytes = SHM_TASK_SLOTS * sizeof(struct shm_task);
	struct shm_task *slots = malloc(bytes);

	if (slots &&
		!ring_read_at(s->tasks_fd, slots, bytes, offsetof(struct shm_task_file, slot))) {
		free(slots);
		slots = NULL;
	}
	/* Acquire: pairs with the release of a slot's state. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return slots;
}

/* Whether the process whose slot this is holds its lock. Unknown counts as alive. */
static bool lock_is_held(int fd, uint32_t lock)
{
	struct flock fl = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = lock, .l_len = 1};

	if (lock >= SHM_TASK_SLOTS)
		return true;
	return fcntl(fd, F_OFD_GETLK, &fl) != 0 || fl.l_type != F_UNLCK;
}

/* Locks asked for once per process: 0 unknown, 1 dead, 2 alive. */
static bool process_alive(struct session *s, uint8_t *known, uint32_t lock)
{
	if (lock >= SHM_TASK_SLOTS)
		return true;
	if (!known[lock])
		known[lock] = lock_is_held(s->tasks_fd, lock) ? 2 : 1;
	return known[lock] == 2;
}

static bool is_task(const struct shm_task *t)
{
	return (t->state == SHM_TASK_LIVE || t->state == SHM_TASK_ENDED) && t->tid != 0;
}

/* Room for the tasks of these slots, few of which are taken as a rule. */
static struct session_task *room_for_tasks(const struct shm_task *slots)
{
	size_t n = 0;

	for (uint32_t i = 0; slots && i < SHM_TASK_SLOTS; i++)
		n += is_task(&slots[i]);
	return calloc(n ? n : 1, sizeof(struct session_task));
}

int session_tasks(struct session *s, struct session_task **tasks)
{
	struct shm_task *slots = s->tasks_fd < 0 ? NULL : read_slots(s);
	uint8_t *known = calloc(1, 2 * SHM_TASK_SLOTS), *led;
	struct session_task *out = room_for_tasks(slots);
	int n = 0;

	*tasks = NULL;
	if (!slots || !known || !out) {
		free(slots);
		free(known);
		free(out);
		return s->tasks_fd < 0 ? PU_ERROR_NO_BUFFER : PU_ERR_FILE_ERROR;
	}
	led = known + SHM_TASK_SLOTS;
	for (uint32_t i = 0; i < SHM_TASK_SLOTS; i++) {
		const struct shm_task *t = &slots[i];
		struct session_task *o = &out[n];

		if (!is_task(t))
			continue;
		n++;
		o->tid = t->tid;
		o->pid = t->pid;
		o->first = t->first;
		memcpy(o->name, t->name, sizeof o->name);
		o->alive = t->state == SHM_TASK_LIVE && process_alive(s, known, t->lock);
		if (t->lock < SHM_TASK_SLOTS && slots[t->lock].state == SHM_TASK_PROCESS) {
			o->source = slots[t->lock].source;
			o->source_flags = slots[t->lock].source_flags;
			o->leader = !led[t->lock];
			led[t->lock] = 1;
		} else {
			o->source = t->source;
			o->source_flags = t->source_flags;
		}
	}
	free(slots);
	free(known);
	*tasks = out;
	return n;
}

/* ----------------------------------------------------------------- schemas */

int session_schemas(struct session *s, char **text)
{
	struct shm_schema_file *f = malloc(sizeof *f);
	char *out = malloc(SHM_SCHEMA_BYTES + 1);
	uint32_t at = 0, n = 0, used;

	*text = NULL;
	if (!f || !out || s->schemas_fd < 0 || !ring_read_at(s->schemas_fd, f, sizeof *f, 0)) {
		free(f);
		free(out);
		return PU_ERR_FILE_ERROR;
	}
	used = f->used > SHM_SCHEMA_BYTES ? SHM_SCHEMA_BYTES : f->used;
	while (used - at >= sizeof(struct shm_schema)) {
		const struct shm_schema *e = (const struct shm_schema *)(f->area + at);
		uint32_t next;

		if (e->length == 0 || e->length > used - at - sizeof *e)
			break;
		/* Each entry's header is longer than the newline added here. */
		memcpy(out + n, e->text, e->length);
		n += e->length;
		if (out[n - 1] != '\n')
			out[n++] = '\n';
		next = (uint32_t)((sizeof *e + e->length + 7) & ~(size_t)7);
		if (next > used - at)
			break;
		at += next;
	}
	out[n] = '\0';
	free(f);
	*text = out;
	return (int)n;
}

uint32_t session_sticky(struct session *s)
{
	struct shm_ring_file f;

	return s->rings_fd >= 0 && ring_read_at(s->rings_fd, &f, sizeof f, 0) ? f.sticky : 0;
}

/* ----------------------------------------------------------------- reclaim */

struct reclaim {
	struct session *session;
	struct shm_task *slots;
	uint8_t *known;
	int given_back;
};

/*
 * Whether the writer of an uncommitted record is gone: every thread of that id that was
 * registered before the stamp is of a dead process, and there is one. A thread that
 * registered later did not write it; one that nobody registered proves nothing.
 */
static bool writer_is_dead(struct reclaim *r, uint32_t tid, uint64_t stamp)
{
	bool seen = false;

	for (uint32_t i = 0; i < SHM_TASK_SLOTS; i++) {
		const struct shm_task *t = &r->slots[i];

		if ((t->state != SHM_TASK_LIVE && t->state != SHM_TASK_ENDED) || t->tid != tid ||
			t->first > stamp)
			continue;
		if (process_alive(r->session, r->known, t->lock))
			return false;
		seen = true;
	}
	return seen;
}

/*
 * Whether the record still is what the copy shows, and of the same lap. Asked after its
 * writer was proven dead: before that it may commit, and its bytes become another's.
 */
static bool still_there(struct reclaim *r, const uint8_t *record, uint64_t offset,
	uint64_t entry_at, uint64_t entry)
{
	uint8_t now[REC_HEADER_SIZE];
	uint64_t entered;

	if (!ring_read_at(r->session->rings_fd, now, sizeof now, offset))
		return false;
	/* Acquire: pairs with the barrier after an entry word, as in reader.c. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return ring_read_at(r->session->rings_fd, &entered, sizeof entered, entry_at) &&
	       entered == entry && get_le32(now) == get_le32(record) &&
	       get_le32(now + REC_TID) == get_le32(record + REC_TID) &&
	       get_le64(now + REC_STAMP) == get_le64(record + REC_STAMP);
}

/*
 * Marks the dead's uncommitted records of one section. Once proven to be a dead writer's, a
 * record and the section that it holds stay as they are. Nobody else marks: the session's
 * lock is ours.
 */
static void reclaim_section(struct reclaim *r, uint32_t ring, const struct ring_part *part,
	const struct ring_span *span, const uint8_t *buf)
{
	const struct shm_geometry *g = &r->session->geometry;
	uint64_t entry_at = ring_offset(g, ring) + offsetof(struct shm_ring, section) +
			    part->index * sizeof(struct shm_section);
	uint64_t offset = ring_data_offset(g, ring) + (uint64_t)part->index * g->section_size +
			  (span->position - part->position);

	for (uint32_t at = 0; at < span->bytes;) {
		const uint8_t *record = buf + at;
		uint32_t control = get_le32(record), size = control & REC_SIZE_MASK;
		uint32_t marked = control | REC_ABANDONED;

		if (!(control & REC_COMMITTED) && size >= REC_HEADER_SIZE &&
			writer_is_dead(
				r, get_le32(record + REC_TID), get_le64(record + REC_STAMP)) &&
			still_there(r, record, offset + at, entry_at, part->position + 1) &&
			pwrite(r->session->rings_fd, &marked, 4, (off_t)(offset + at)) == 4)
			r->given_back++;
		at += size;
	}
}

static void reclaim_lock(struct reclaim *r, uint32_t ring)
{
	uint64_t at = ring_offset(&r->session->geometry, ring) + offsetof(struct shm_ring, lock);
	uint32_t lock, none = 0;

	if (!ring_read_at(r->session->rings_fd, &lock, 4, at) || lock == 0 || lock > SHM_TASK_SLOTS)
		return;
	const struct shm_task *t = &r->slots[lock - 1];
	if (t->state == SHM_TASK_LIVE && !process_alive(r->session, r->known, t->lock) &&
		pwrite(r->session->rings_fd, &none, 4, (off_t)at) == 4)
		r->given_back++;
}

static bool half_taken(const struct shm_task *slots)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < SHM_TASK_SLOTS; i++)
		used += slots[i].state != SHM_TASK_FREE && slots[i].state != SHM_TASK_ENDED;
	return used > SHM_TASK_SLOTS / 2;
}

/*
 * Frees the slots of the dead for reuse once half the table is taken; their names stay
 * until then. Safe after their records were marked: nothing asks for their proof again.
 * Only of those known dead before the rings were read (see session_reclaim): who died
 * since may have left a record that was not marked.
 */
static void retire_slots(struct reclaim *r)
{
	static const uint32_t ended = SHM_TASK_ENDED;

	for (uint32_t i = 0; i < SHM_TASK_SLOTS; i++) {
		const struct shm_task *t = &r->slots[i];
		off_t at = (off_t)(offsetof(struct shm_task_file, slot) + i * sizeof *t);

		if ((t->state == SHM_TASK_LIVE || t->state == SHM_TASK_PROCESS) &&
			!process_alive(r->session, r->known, t->lock) &&
			pwrite(r->session->tasks_fd, &ended, 4, at) != 4)
			return;
	}
}

int session_reclaim(struct session *s)
{
	struct reclaim r = {.session = s};
	struct ring_reader reader;
	struct ring_part *parts = NULL;
	uint8_t *buf = NULL;
	bool retire;

	if (!s->writable || s->rings_fd < 0 ||
		ring_reader_open(&reader, s->rings_fd, &s->geometry, s->control->ring) != 0)
		return 0;
	r.slots = read_slots(s);
	r.known = calloc(1, SHM_TASK_SLOTS);
	parts = malloc(s->geometry.sections * sizeof *parts);
	buf = malloc(s->geometry.section_size);
	retire = r.slots && r.known && half_taken(r.slots);
	for (uint32_t i = 0; retire && i < SHM_TASK_SLOTS; i++)
		process_alive(s, r.known, r.slots[i].lock);
	for (uint32_t i = 0; r.slots && r.known && parts && buf && i < ring_reader_rings(&reader);
		i++) {
		int n = ring_reader_parts(&reader, i, parts);

		if (i >= s->geometry.cpus)
			reclaim_lock(&r, i);
		for (int k = 0; k < n; k++) {
			struct ring_span span;

			if (ring_reader_copy(&reader, i, &parts[k], buf, &span) == 0 && span.torn)
				reclaim_section(&r, i, &parts[k], &span, buf);
		}
	}
	if (retire && parts && buf)
		retire_slots(&r);
	ring_reader_close(&reader);
	free(r.slots);
	free(r.known);
	free(parts);
	free(buf);
	return r.given_back;
}
