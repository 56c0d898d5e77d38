/*
 * Reads rings while others write: private copies by pread, read twice, nothing trusted. For the
 * dump, the commands and the drain, not for writers.
 */
#ifndef SWT_RING_READER_H
#define SWT_RING_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../core/private_abi.h"
#include "../../formats/session.h"

/* Repeats pread until all bytes are there, despite signals. False: they are not; errno is 0 at
 * the end of the file. */
bool ring_read_at(int fd, void *to, size_t bytes, uint64_t offset);

struct ring_reader {
	int fd;					/* of the ring file, readable */
	struct shm_geometry geometry;		/* the owner's, from the control file */
	const struct shm_ring_control *control; /* the owner's, per ring */
	uint8_t *first_read;			/* private: a section's copy of the first read */
	/* Private: tables of entry words and counts, of one ring, the later and the earlier. The
	 * entry words are without their area, which is in `held`. */
	struct shm_section *sections, *before;
	const struct ring_keep *keep; /* NULL: nothing is kept */
	uint64_t
		*kept; /* by ring: the word that it stored as the ring's keep; 0: nothing is kept */
};

/* The right to keep the rings, of one dump at a time. */
struct ring_keep {
	struct shm_ring_control *control; /* the owner's, writable, per ring */
	const uint32_t *owner;		  /* the number of the dump that has the right */
	uint32_t number;		  /* of this dump */
};

/* Returns 0 or a PU_ code. The caller keeps fd and control, which must outlive the reader.
 * control NULL: nothing is discarded, and no zero is subtracted from the counters. */
int ring_reader_open(struct ring_reader *r, int fd, const struct shm_geometry *geometry,
	const struct shm_ring_control *control) PRIVATE_ABI(ring_reader_open);
void ring_reader_close(struct ring_reader *r) PRIVATE_ABI(ring_reader_close);

/* Copies the rings' part of a control page. Fails unless it is of that generation before and
 * after the copy. */
bool ring_control_copy(
	struct shm_ring_control *to, const struct shm_control *from, uint32_t generation);

/* The file's id of a ring: its CPU number, or TF_GUEST_RING + n. */
uint32_t ring_reader_id(const struct ring_reader *r, uint32_t ring);
uint32_t ring_reader_rings(const struct ring_reader *r) PRIVATE_ABI(ring_reader_rings);

/* The ledger of one ring since it was last discarded; all in hooks but skipped and bytes. */
struct ring_ledger {
	uint64_t loss[SHM_LOSSES]; /* by enum shm_loss */
	uint64_t overwritten;
	uint64_t torn;	  /* overwritten while uncommitted; those still in the ring are in spans */
	uint64_t head;	  /* position; nothing beyond it was written at that moment */
	uint64_t entered; /* position + 1 of the section entered last by then; 0: none */
	bool damaged;	  /* the file is truncated or its header invalid */
};

int ring_reader_ledger(struct ring_reader *r, uint32_t ring, struct ring_ledger *out)
	PRIVATE_ABI(ring_reader_ledger);

/* Discards the hooks in all rings, through the owner's control words: moves each start to its
 * head, then makes the counters' present values their zero. 0 or a PU_ code. */
int ring_reader_discard(struct ring_reader *r, struct shm_ring_control *control);

/*
 * For the owner, and for rings with two areas: until ring_reader_let_go
 * writers leave a ring's contents as they are, as long as there is memory for others. First
 * ring_reader_keep, then a list of the ring, then ring_reader_keep_below with its cut: 1 if
 * everything on the list is kept; 0: the writers went too far meanwhile, begin again;
 * PU_ERR_FILE_ERROR; or PU_ERROR_INCORRECT_STATE: another dump has the right now, and nothing of
 * the ring is kept for this one. That may happen later, too: copies then report the loss.
 */
int ring_reader_keep(struct ring_reader *r, uint32_t ring, const struct ring_keep *keep);
int ring_reader_keep_below(struct ring_reader *r, uint32_t ring, uint64_t cut);
void ring_reader_let_go(struct ring_reader *r);
/* Whether everything below the cut is still kept: of a copy made before. */
bool ring_reader_still_keeps(const struct ring_reader *r, uint32_t ring);

/* The sections of a ring that hold something, by position. Returns how many (at most
 * geometry.sections) or a PU_ code. lost_before: hooks lost on this ring since the
 * section before it in this list (for the first: since the discard). */
struct ring_part {
	uint64_t position; /* position of its first byte */
	uint32_t index;	   /* section of the ring */
	uint32_t area;
	uint64_t lost_before;
};

int ring_reader_parts(struct ring_reader *r, uint32_t ring, struct ring_part *parts)
	PRIVATE_ABI(ring_reader_parts);

/* The same, and the ledger of the same moment: every record below ledger->head is either listed or
 * counted as overwritten, exactly once. Reads the ring's table a fixed number of times, independent
 * of writers. */
int ring_reader_list(struct ring_reader *r, uint32_t ring, struct ring_part *parts,
	struct ring_ledger *ledger) PRIVATE_ABI(ring_reader_list);

/*
 * The ledger of an earlier moment: when no section at `position` or behind had been entered; and
 * which of n parts, listed with the ledger `listed`, were gone by then. As long as the writers are
 * within a ring's size behind it; else out->entered is 0. 0 or PU_ERR_FILE_ERROR.
 */
int ring_reader_gone_below(struct ring_reader *r, uint32_t ring, uint64_t position,
	const struct ring_part *parts, uint32_t n, const struct ring_ledger *listed, bool *gone,
	struct ring_ledger *out);

/* A parsed copy of a section, bounded, with control words as in a file. */
struct ring_span {
	uint64_t position;
	uint32_t bytes; /* 0: nothing (any more): overwritten in the meantime, or empty */
	uint32_t hooks, torn;
	uint64_t first_stamp, last_stamp; /* of its hooks; 0: it has none */
	bool damaged;	  /* a record is invalid: it and the rest count as one torn record */
	bool held;	  /* some that are torn may still be committed */
	bool overwritten; /* writers overwrote it during the copy */
};

/* Copies one part into buf (geometry.section_size bytes). Returns 0 or a PU_ code. */
int ring_reader_copy(struct ring_reader *r, uint32_t ring, const struct ring_part *part,
	uint8_t *buf, struct ring_span *span) PRIVATE_ABI(ring_reader_copy);

/* ------------------------------------------------------------ for the drain */

/* A ring's header, head acquired: one that was reached. 0 or PU_ERR_FILE_ERROR: it was truncated.
 */
int ring_reader_header(struct ring_reader *r, uint32_t ring, struct shm_ring *header);

/*
 * Whether the section at `position` (its first byte, below a head that was read before) was
 * entered: 1, and the hooks that this ring had lost by then; 0: skipped; or PU_ERR_FILE_ERROR.
 */
int ring_reader_entered(
	struct ring_reader *r, uint32_t ring, uint64_t position, uint64_t *lost_so_far);

/* Returns the stamp of the record at a position, to sort sections by; 0: there is none. */
uint64_t ring_reader_stamp(struct ring_reader *r, uint32_t ring, uint64_t position);

#endif
