/*
 * Writing hooks: one reservation, filled by plain stores, made visible at once.
 *
 *	struct hook_writer w;
 *	int rc = hook_begin(&w, major, bytes, hooks);
 *	if (rc == HOOK_RESERVED) {
 *		... hook_record(&w, ...) for each of the `hooks` records, exactly `bytes` in all ...
 *		hook_commit(&w);
 *	}
 *
 * Between begin and commit nothing may block, fault on user data, or return early: the record
 * holds its section until it commits. ring_self.busy is raised from begin to commit, and lowered
 * at once where begin reserves nothing.
 *
 * libtrace/ring owns the rings' bytes and every memory order on them. It includes core only; what
 * the rooms above do for it (attach_thread) is declared in thread.h and defined in session. Errors:
 * negative PU_ codes.
 */
#ifndef SWT_RING_HOOK_H
#define SWT_RING_HOOK_H

#include <stdint.h>
#include <string.h>

#include "../../formats/bytes.h"
#include "../../formats/record.h"
#include "thread.h"

enum { HOOK_RESERVED = 1 };

struct hook_writer {
	uint8_t *first;	 /* the group's first record */
	uint8_t *at;	 /* address of the next record */
	uint64_t stamp;	 /* of every record of the group */
	uint32_t number; /* the writer's, where a file has its thread id */
	uint32_t first_control;
};

/*
 * HOOK_RESERVED; PU_SUCCESS (0) when the major is off, there is no session or this
 * process may not trace: nothing is to be written; or a negative PU_ code: the hook
 * (or the group: `hooks` of them) was lost, and counted under its cause.
 */
int hook_begin(struct hook_writer *w, uint32_t major, uint32_t bytes, uint32_t hooks);

/* A time that may be a hook's stamp: of the thread as it is attached now. */
struct hook_time {
	uint64_t ticks;
	uint32_t generation; /* loaded before the clock */
};

/*
 * The same, stamped with a time that the caller has read a moment ago, to spare a reading of the
 * clock. The stamp is a later one if the ring has one already, or if the hook attaches the thread.
 * at: NULL, now.
 */
int hook_begin_at(struct hook_writer *w, uint32_t major, uint32_t bytes, uint32_t hooks,
	const struct hook_time *at);

static inline void hook_raise_busy(void)
{
	uint32_t busy = __atomic_load_n(&ring_self.busy, __ATOMIC_RELAXED);

	__atomic_store_n(&ring_self.busy, busy + 1, __ATOMIC_RELAXED);
	/* Compiler barrier: gate and epoch are loaded after it. The processor may still load them
	 * before: the reader of busy issues a membarrier between closing and reading.
	 * tests/litmus/thread-busy.litmus */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void hook_lower_busy(void)
{
	uint32_t busy = __atomic_load_n(&ring_self.busy, __ATOMIC_RELAXED);

	/* Release: a reader that sees it lowered sees the hook committed.
	 * tests/litmus/slot-ended.litmus */
	__atomic_store_n(&ring_self.busy, busy - 1, __ATOMIC_RELEASE);
}

/* Makes the group visible by a release-store. */
static inline void hook_commit(struct hook_writer *w)
{
	/* Release: pairs with the reader's acquire after its first read; a reader that sees the
	 * record committed sees its contents. tests/litmus/commit-release.litmus */
	__atomic_store_n((uint32_t *)(void *)w->first, w->first_control, __ATOMIC_RELEASE);
	hook_lower_busy();
}

/*
 * Starts the next record; returns where its words go (nwords * 4 bytes, to be filled by
 * the caller), directly followed by string_bytes for its strings (see hook_string).
 * Tail padding is zeroed here.
 */
static inline uint8_t *hook_record(struct hook_writer *w, uint8_t major, uint32_t minor,
	uint32_t nwords, uint32_t nstrings, uint32_t string_bytes)
{
	uint8_t *rec = w->at;
	uint32_t size = rec_size(nwords, string_bytes);
	uint32_t control = size | REC_KIND_HOOK | REC_COMMITTED;

	if (rec == w->first)
		w->first_control = control; /* the control word still spans the group */
	else
		put_le32(rec + REC_CONTROL, control);
	put_le32(rec + REC_MAJOR, major | nstrings << 8 | nwords << 16);
	put_le32(rec + REC_MINOR, minor);
	put_le32(rec + REC_TID, w->number);
	put_le64(rec + REC_STAMP, w->stamp);
	if ((nwords * 4 + string_bytes) & 4)
		put_le32(rec + size - 4, 0);
	w->at = rec + size;
	return rec + REC_DATA;
}

/* Stores one string. Returns the address of the next one. */
static inline uint8_t *hook_string(uint8_t *p, const void *bytes, uint32_t length)
{
	uint32_t padded = rec_string_bytes(length);

	put_le32(p, length);
	if (padded > 4) {
		put_le32(p + padded - 4, 0);
		memcpy(p + 4, bytes, length);
	}
	return p + padded;
}

#endif
