/*
 * Reclaims what dead processes hold: their uncommitted records, their guest rings' locks and,
 * once enough of the task table is in use, their slots.
 */
#include "session.h"

#include <stdlib.h>
#include <unistd.h>

#include "../../formats/bytes.h"
#include "../../formats/record.h"
#include "../ring/layout.h"
#include "../ring/reader.h"
#include "proof.h"

struct reclaim {
	struct session *session;
	struct proof proof;
	int given_back;
};

/* ------------------------------------------------------------------ records */

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
	/* Acquire: pairs with the barrier after an entry word, as in reader.c.
	 * tests/litmus/entry-guard.litmus */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return ring_read_at(r->session->rings_fd, &entered, sizeof entered, entry_at) &&
	       entered == entry && get_le32(now) == get_le32(record) &&
	       get_le32(now + REC_TID) == get_le32(record + REC_TID) &&
	       get_le64(now + REC_STAMP) == get_le64(record + REC_STAMP);
}

/*
 * Marks the uncommitted records of dead writers in one section. Such a record, and the section that
 * it holds, do not change any more; the session's lock keeps other commands from marking.
 */
static void reclaim_section(struct reclaim *r, uint32_t ring, const struct ring_part *part,
	const struct ring_span *span, const uint8_t *buf)
{
	const struct shm_geometry *g = &r->session->geometry;
	uint64_t entry_at = ring_offset(g, ring) + offsetof(struct shm_ring, section) +
			    part->index * sizeof(struct shm_section);
	uint64_t offset =
		ring_data_offset(g, ring) + section_data_offset(g, span->position, part->area);
	uint64_t entry = section_entry(part->position, part->area);

	uint32_t at = 0, control;

	for (; rec_read_control(buf, at, span->bytes, &control); at += rec_control_size(control)) {
		const uint8_t *record = buf + at;
		uint32_t marked = control | REC_ABANDONED;

		if (!(control & REC_COMMITTED) && rec_control_size(control) >= REC_HEADER_SIZE &&
			proof_writer_is_dead(&r->proof, get_le32(record + REC_TID)) &&
			still_there(r, record, offset + at, entry_at, entry) &&
			pwrite(r->session->rings_fd, &marked, 4, (off_t)(offset + at)) == 4)
			r->given_back++;
	}
}

static void reclaim_lock(struct reclaim *r, uint32_t ring)
{
	uint64_t at = ring_offset(&r->session->geometry, ring) + offsetof(struct shm_ring, lock);
	uint32_t lock, now, none = 0;

	if (!ring_read_at(r->session->rings_fd, &lock, 4, at) || lock == 0 ||
		!proof_writer_is_dead(&r->proof, lock))
		return;
	/* Before the proof it may have been released, and acquired by another. */
	if (ring_read_at(r->session->rings_fd, &now, 4, at) && now == lock &&
		pwrite(r->session->rings_fd, &none, 4, (off_t)at) == 4)
		r->given_back++;
}

static void reclaim_rings(struct reclaim *r, struct ring_reader *reader)
{
	const struct shm_geometry *g = &r->session->geometry;
	struct ring_part *parts = malloc(g->sections * sizeof *parts);
	uint8_t *buf = malloc(g->section_size);

	for (uint32_t i = 0; parts && buf && i < ring_reader_rings(reader); i++) {
		int n = ring_reader_parts(reader, i, parts);

		if (i >= g->cpus)
			reclaim_lock(r, i);
		for (int k = 0; k < n; k++) {
			struct ring_span span;

			if (ring_reader_copy(reader, i, &parts[k], buf, &span) == 0 && span.torn)
				reclaim_section(r, i, &parts[k], &span, buf);
		}
	}
	free(parts);
	free(buf);
}

/* -------------------------------------------------------------------- slots */

static bool read_header(struct session *s, struct shm_task_header *h)
{
	return ring_read_at(s->tasks_fd, h, sizeof *h, 0);
}

static uint64_t reclaim_count_queued(const struct shm_task_queue *q)
{
	uint64_t n = q->freed - q->reused;

	return (int64_t)n < 0 ? 0 : n < SHM_TASK_SLOTS ? n : SHM_TASK_SLOTS;
}

/* The number of slots in use: neither unused nor queued. */
static uint64_t reclaim_count_taken(const struct shm_task_header *h)
{
	uint64_t used = h->used < SHM_TASK_SLOTS ? h->used : SHM_TASK_SLOTS;
	uint64_t waits = reclaim_count_queued(&h->given) + reclaim_count_queued(&h->swept);

	return waits < used ? used - waits : 0;
}

/*
 * Sweep once the slots in use reach twice those left by the last sweep plus half of init's, or the
 * midpoint between those left and the table's size, or a claim was refused. A sweep then costs no
 * more than the claims since the last.
 */
static bool sweep_is_due(const struct shm_task_header *h)
{
	uint64_t kept = h->kept < SHM_TASK_SLOTS ? h->kept : SHM_TASK_SLOTS;
	uint64_t limit = 2 * kept + SHM_TASK_FIRST_SLOTS / 2;

	if (limit > kept + (SHM_TASK_SLOTS - kept) / 2)
		limit = kept + (SHM_TASK_SLOTS - kept) / 2;
	return reclaim_count_taken(h) >= limit || h->refused != h->kept_refused;
}

/* Whether a slot is in one of the queues: a bit for each. NULL: they cannot be read. */
static uint8_t *read_queued(struct session *s, const struct shm_task_header *h)
{
	const struct {
		const struct shm_task_queue *queue;
		uint64_t at;
	} queues[] = {{&h->given, offsetof(struct shm_task_file, given_entry)},
		{&h->swept, offsetof(struct shm_task_file, swept_entry)}};
	const size_t bytes = SHM_TASK_SLOTS * sizeof(uint32_t);
	uint32_t *entry = malloc(bytes);
	uint8_t *queued = calloc(1, SHM_TASK_SLOTS / 8);

	for (int k = 0; k < 2; k++) {
		if (!entry || !queued || !ring_read_at(s->tasks_fd, entry, bytes, queues[k].at)) {
			free(queued);
			queued = NULL;
			break;
		}
		for (uint64_t i = 0; i < reclaim_count_queued(queues[k].queue); i++) {
			uint32_t number = entry[(queues[k].queue->reused + i) % SHM_TASK_SLOTS];
			uint32_t index = shm_task_index(number);

			queued[index / 8] |= (uint8_t)(1u << index % 8);
		}
	}
	free(entry);
	return queued;
}

/* Appends to the owner's queue: entries first, then their count. */
static bool reclaim_queue_swept(struct session *s, const uint32_t *numbers, uint32_t n)
{
	struct shm_task_header h;
	uint64_t freed;

	if (!read_header(s, &h))
		return false;
	freed = h.swept.freed;
	for (uint32_t i = 0; i < n;) {
		uint32_t at = (uint32_t)((freed + i) % SHM_TASK_SLOTS);
		uint32_t run = SHM_TASK_SLOTS - at < n - i ? SHM_TASK_SLOTS - at : n - i;
		off_t to = (off_t)(offsetof(struct shm_task_file, swept_entry) + 4 * (off_t)at);

		if (pwrite(s->tasks_fd, numbers + i, 4 * (size_t)run, to) !=
			(ssize_t)(4 * (size_t)run))
			return false;
		i += run;
	}
	freed += n;
	return pwrite(s->tasks_fd, &freed, sizeof freed,
		       offsetof(struct shm_task_header, swept.freed)) == (ssize_t)sizeof freed;
}

/* Whether the slot is a dead process's, ended now if it was not, and in no queue. */
static bool sweep_slot(
	struct reclaim *r, uint32_t index, const struct shm_task *t, const uint8_t *queued)
{
	uint32_t kind = shm_task_kind(t->state), number = shm_task_number(index, t->state);
	uint32_t ended = shm_task_state(number, SHM_TASK_ENDED), now;
	off_t at = (off_t)(offsetof(struct shm_task_file, slot) + index * sizeof *t +
			   offsetof(struct shm_task, state));

	if (kind != SHM_TASK_LIVE && kind != SHM_TASK_PROCESS && kind != SHM_TASK_ENDED)
		return false;
	/* Given back by its own process, which died before it queued the slot. */
	if (kind == SHM_TASK_ENDED)
		return !(queued[index / 8] >> index % 8 & 1) &&
		       proof_process_is_dead(&r->proof, t->process);
	/* Before the proof the process may have given the slot back, and another claimed it. */
	return proof_process_is_dead(&r->proof, t->process) &&
	       ring_read_at(r->session->tasks_fd, &now, sizeof now, (uint64_t)at) &&
	       now == t->state &&
	       pwrite(r->session->tasks_fd, &ended, sizeof ended, at) == (ssize_t)sizeof ended;
}

/*
 * Ends the slots of dead processes and queues them. Needs no order with the rings: a number whose
 * slot has ended, or is another's by now, stays a dead writer's.
 */
static void reclaim_sweep_slots(struct reclaim *r)
{
	struct shm_task_header h;
	struct shm_task *slots;
	uint32_t *numbers;
	uint8_t *queued;
	uint32_t used, n = 0;

	if (!read_header(r->session, &h) || !sweep_is_due(&h))
		return;
	slots = proof_read_slots(r->session, &used);
	queued = read_queued(r->session, &h);
	numbers = malloc(((size_t)used + 1) * sizeof *numbers);
	for (uint32_t i = 0; slots && queued && numbers && i < used; i++) {
		if (sweep_slot(r, i, &slots[i], queued))
			numbers[n++] = shm_task_number(i, slots[i].state);
	}
	if (n == 0 || reclaim_queue_swept(r->session, numbers, n)) {
		uint64_t kept[2] = {
			reclaim_count_taken(&h) > n ? reclaim_count_taken(&h) - n : 0, h.refused};

		/* If this fails, the next sweep runs earlier. */
		(void)!pwrite(r->session->tasks_fd, kept, sizeof kept,
			offsetof(struct shm_task_header, kept));
	}
	proof_free_slots(slots);
	free(queued);
	free(numbers);
}

int session_reclaim(struct session *s)
{
	struct reclaim r = {.session = s};
	struct ring_reader reader;

	/* Ignores the owner's starts: a discarded record can still hold a section. */
	if (!s->writable || s->rings_fd < 0 ||
		ring_reader_open(&reader, s->rings_fd, &s->geometry, NULL) != 0)
		return 0;
	proof_open(&r.proof, s);
	reclaim_rings(&r, &reader);
	reclaim_sweep_slots(&r);
	proof_close(&r.proof);
	ring_reader_close(&reader);
	return r.given_back;
}
