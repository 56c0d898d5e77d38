/*
 * See proof.h. A slot's fields change only while it is CLAIMED, under a sequence of their own, and
 * pread copies words in any order: a copy is taken as consistent once two in a row are equal.
 */
#include "proof.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../ring/reader.h"
#include "paths.h"

enum { MAX_LOOKS = 8 };

struct proof_known {
	uint32_t number; /* whose */
	bool is_dead;
};

void proof_open(struct proof *p, struct session *s)
{
	p->session = s;
	/* Large, but only what is asked for is touched. */
	p->known = calloc(SHM_TASK_SLOTS, sizeof *p->known);
	for (int i = 0; i < SHM_LOCK_FILES; i++)
		p->lock_fd[i] = -1;
}

void proof_close(struct proof *p)
{
	for (int i = 0; i < SHM_LOCK_FILES; i++) {
		if (p->lock_fd[i] >= 0)
			close(p->lock_fd[i]);
	}
	free(p->known);
}

/* -------------------------------------------------------------------- slots */

static uint64_t slot_offset(uint32_t index)
{
	return offsetof(struct shm_task_file, slot) + index * sizeof(struct shm_task);
}

static bool read_slots(struct session *s, struct shm_task *to, uint32_t index, uint32_t n)
{
	bool ok = ring_read_at(s->tasks_fd, to, n * sizeof *to, slot_offset(index));

	/* Acquire: pairs with the release of a slot's state. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return ok;
}

/* Reads the slot until it is the same twice; `t` is a first look. */
static bool settle_slot(struct session *s, uint32_t index, struct shm_task *t)
{
	struct shm_task again;

	for (int i = 0; i < MAX_LOOKS; i++) {
		if (!read_slots(s, &again, index, 1))
			return false;
		if (memcmp(&again, t, sizeof again) == 0)
			return true;
		*t = again;
	}
	return false;
}

struct shm_task *proof_read_slots(struct session *s, uint32_t *used)
{
	struct shm_task *slots, *again;
	uint64_t ever;

	*used = 0;
	if (s->tasks_fd < 0 || !ring_read_at(s->tasks_fd, &ever, sizeof ever,
				       offsetof(struct shm_task_header, used)))
		return NULL;
	*used = ever < SHM_TASK_SLOTS ? (uint32_t)ever : SHM_TASK_SLOTS;
	slots = malloc((*used + 1) * sizeof *slots);
	again = malloc((*used + 1) * sizeof *again);
	if (!slots || !again || !read_slots(s, slots, 0, *used) ||
		!read_slots(s, again, 0, *used)) {
		free(slots);
		slots = NULL;
	}
	for (uint32_t i = 0; slots && i < *used; i++) {
		if (memcmp(&slots[i], &again[i], sizeof again[i]) != 0 &&
			!settle_slot(s, i, &slots[i]))
			slots[i].state = SHM_TASK_FREE;
	}
	free(again);
	return slots;
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
		*fd = session_open_file(
			p->session->dir, name, O_RDONLY, p->session->place.owner, S_IWGRP, 0, NULL);
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
		/* If it does not settle, its thread is being renamed, or it is nobody's. */
		if (!settle_slot(p->session, index, &t))
			return false;
		return t.state != shm_task_state(number, SHM_TASK_LIVE) ||
		       proof_process_is_dead(p, t.process);
	default:
		return false;
	}
}
