/*
 * The session's labels, as a member sees them: texts that hooks state by number. A text gets its
 * number from the first program that needs it, for as long as the rings live, and dumps carry the
 * table, so that no hook repeats the text and no lapped ring loses it.
 *
 * The table of a member has an index of what it read in the session's file: readers need no lock,
 * also in signal handlers; it only grows, under attach.c's lock. Nothing here is allocated from the
 * heap. The file is shared with other members, so every length read there is bounded.
 */
#ifndef SWT_SESSION_LABELS_H
#define SWT_SESSION_LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../formats/session.h"

struct member;
struct session_place;
struct label_index;

/* Starts zeroed. */
struct label_table {
	/* Never 0 once open, and of no other table of this process. */
	uint32_t serial;
	const struct shm_label_file *file; /* mapped read-only; NULL: not open */
	struct label_index *index;	   /* the newest; each knows its predecessor */
	uint32_t seen;			   /* bytes of the area that are in the index */
	bool is_full;
	uint64_t retry_at; /* after a failure, look_now(); 0: none */
};

/*
 * The number of a label in the rings that the calling thread is attached to. 0: it has none,
 * because it is empty or too long, or the table is full or cannot be had: the hook has to hold the
 * text. cached: NULL, or 8 bytes of the caller's, 0 at first, that save looking it up again;
 * several threads may share them. Takes no lock if the process knows the label.
 */
uint32_t labels_find_number(const char *text, uint32_t length, uint64_t *cached);

/* Adds the label if it is not there. With attach.c's lock held. */
uint32_t labels_add(struct member *m, const struct session_place *place, const char *text,
	uint32_t length, uint32_t hash);

/* Unmaps everything: no thread uses the member any more. */
void labels_close(struct label_table *t);

#endif
