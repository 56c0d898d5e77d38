/*
 * See proof.h. A slot's fields change only while it is CLAIMED, under a sequence of their own, and
 * pread copies words in any order: a copy is taken as consistent once two in a row are equal.
 */
#include "proof.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../ring/reader.h"
#include "paths.h"

enum { PROOF_MAX_READS = 8, READ_SLOTS = 1024 };

#define SLOTS_BYTES (SHM_TASK_SLOTS * sizeof(struct shm_task))

struct proof_known {
	uint32_t number; /* whose */
	bool is_dead;
};
#define KNOWN_BYTES (SHM_TASK_SLOTS * sizeof(struct proof_known))

/* mmap, not calloc: calloc may clear the whole table, of which few slots are used. */
void proof_open(struct proof *p, struct session *s)
{
	void *known =
		mmap(NULL, KNOWN_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	p->session = s;
	p->known = known == MAP_FAILED ? NULL : known;
	for (int i = 0; i < SHM_LOCK_FILES; i++)
		p->lock_fd[i] = -1;
}

void proof_close(struct proof *p)
{
	for (int i = 0; i < SHM_LOCK_FILES; i++) {
		if (p->lock_fd[i] >= 0)
			close(p->lock_fd[i]);
	}
	if (p->known)
		munmap(p->known, KNOWN_BYTES);
}

/* -------------------------------------------------------------------- slots */

static uint64_t slot_offset(uint32_t index)
{
	return offsetof(struct shm_task_file, slot) + index * sizeof(struct shm_task);
}

static bool read_slots(struct session *s, struct shm_task *to, uint32_t index, uint32_t n)
{
	bool ok = ring_read_at(s->tasks_fd, to, n * sizeof *to, slot_offset(index));

	/* Acquire: pairs with the release of a slot's state.
	 * tests/litmus/slot-state.litmus, slot-settle.litmus, slot-after-record.litmus */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return ok;
}

/* Reads the slot until it is the same twice; `t` is the first read. */
static bool settle_slot(struct session *s, uint32_t index, struct shm_task *t)
{
	struct shm_task again;

	for (int i = 0; i < PROOF_MAX_READS; i++) {
		if (!read_slots(s, &again, index, 1))
			return false;
		if (memcmp(&again, t, sizeof again) == 0)
			return true;
		*t = again;
	}
	return false;
}

bool proof_read_slot(struct session *s, uint32_t index, struct shm_task *slot)
{
	return s->tasks_fd >= 0 && read_slots(s, slot, index, 1) && settle_slot(s, index, slot);
}

/* The first slot from `index` on whose memory is allocated: the others are as init left them. */
static uint32_t skip_hole(struct session *s, uint32_t index)
{
	off_t at = lseek(s->tasks_fd, (off_t)slot_offset(index), SEEK_DATA);
	uint64_t to;

	if (at < 0)
		return errno == ENXIO ? SHM_TASK_SLOTS : index;
	to = ((uint64_t)at - slot_offset(0)) / sizeof(struct shm_task);
	return to < SHM_TASK_SLOTS ? (uint32_t)to : SHM_TASK_SLOTS;
}

/* Reads slots from `index` on twice. */
static bool read_settled(struct session *s, struct shm_task *to, uint32_t index, uint32_t n)
{
	struct shm_task again[READ_SLOTS];

	if (!read_slots(s, to, index, n) || !read_slots(s, again, index, n))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (memcmp(&to[i], &again[i], sizeof again[i]) != 0 &&
			!settle_slot(s, index + i, &to[i]))
			to[i].state = SHM_TASK_FREE;
	}
	return true;
}

struct shm_task *proof_read_slots(struct session *s, uint32_t *used)
{
	struct shm_task *slots;
	struct stat st;
	uint64_t ever;

	*used = 0;
	/* A truncated file has no holes there. */
	if (s->tasks_fd < 0 || fstat(s->tasks_fd, &st) != 0 ||
		(uint64_t)st.st_size < sizeof(struct shm_task_file) ||
		!ring_read_at(
			s->tasks_fd, &ever, sizeof ever, offsetof(struct shm_task_header, used)))
		return NULL;
	/* mmap: holes of the table take no memory here either. */
	slots = mmap(NULL, SLOTS_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (slots == MAP_FAILED)
		return NULL;
	*used = ever < SHM_TASK_SLOTS ? (uint32_t)ever : SHM_TASK_SLOTS;
	for (uint32_t i = skip_hole(s, 0); i < *used;) {
		uint32_t n = *used - i < READ_SLOTS ? *used - i : READ_SLOTS;

		if (!read_settled(s, &slots[i], i, n)) {
			proof_free_slots(slots);
			return NULL;
		}
		i += n;
		if (i < *used)
			i = skip_hole(s, i);
	}
	return slots;
}

void proof_free_slots(struct shm_task *slots)
{
	if (slots)
		munmap(slots, SLOTS_BYTES);
}

/* A slot's state word; false: it cannot be read. */
static bool read_state(struct session *s, uint32_t index, uint32_t *state)
{
	bool ok = ring_read_at(s->tasks_fd, state, sizeof *state,
		slot_offset(index) + offsetof(struct shm_task, state));

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return ok;
}

/* -------------------------------------------------------------------- locks */

/* Whether the process whose slot this is holds its lock. Unknown counts as held. */
static bool lock_is_held(struct proof *p, uint32_t index)
{
	struct flock fl = {.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = index / SHM_LOCK_FILES,
		.l_len = 1};
	int *fd = &p->lock_fd[index % SHM_LOCK_FILES];
	char name[32];

	if (*fd < 0) {
		snprintf(name, sizeof name, SHM_LOCKS_FORMAT, p->session->generation,
			index % SHM_LOCK_FILES);
		*fd = session_open_file(p->session->dir, name, O_RDONLY, p->session->location.owner,
			S_IWGRP, 0, NULL);
	}
	return *fd < 0 || fcntl(*fd, F_OFD_GETLK, &fl) != 0 || fl.l_type != F_UNLCK;
}

static bool ask_process(struct proof *p, uint32_t number)
{
	uint32_t state;

	if (!read_state(p->session, shm_task_index(number), &state))
		return false;
	if (state >> SHM_TASK_STATE_BITS != shm_task_sequence(number))
		return true;
	switch (shm_task_kind(state)) {
	case SHM_TASK_FREE:
	case SHM_TASK_ENDED:
		return true;
	case SHM_TASK_PROCESS:
		return !lock_is_held(p, shm_task_index(number));
	default:
		return false;
	}
}

bool proof_process_is_dead(struct proof *p, uint32_t number)
{
	struct proof_known *known = p->known ? &p->known[shm_task_index(number)] : NULL;
	bool is_dead;

	if (number == 0)
		return false;
	if (known && known->number == number)
		return known->is_dead;
	is_dead = ask_process(p, number);
	if (known)
		*known = (struct proof_known){.number = number, .is_dead = is_dead};
	return is_dead;
}

bool proof_writer_is_dead(struct proof *p, uint32_t number)
{
	uint32_t index = shm_task_index(number);
	struct shm_task t;

	if (!read_slots(p->session, &t, index, 1))
		return false;
	if (t.state >> SHM_TASK_STATE_BITS != shm_task_sequence(number))
		return true;
	switch (shm_task_kind(t.state)) {
	case SHM_TASK_FREE:
	case SHM_TASK_ENDED:
		return true;
	case SHM_TASK_LIVE:
		/* A slot that does not settle is being renamed, or scribbled on. */
		if (!settle_slot(p->session, index, &t))
			return false;
		return t.state != shm_task_state(number, SHM_TASK_LIVE) ||
		       proof_process_is_dead(p, t.process);
	default:
		return false;
	}
}
