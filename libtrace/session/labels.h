/*
 * The session's labels, as a member sees them: texts that hooks state by number. A text gets its
 * number from the first program that needs it, for as long as the rings live, and dumps carry the
 * table, so that no hook repeats the text and no lapped ring loses it.
 *
 * The table of a member has an index of the session's file as far as it was read: readers need no
 * lock, also in signal handlers; it only grows, under attach.c's lock. Nothing here is allocated
 * from the heap. The file is shared with other members, so every length read there is bounded.
 */
#ifndef SWT_SESSION_LABELS_H
#define SWT_SESSION_LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../formats/session.h"

struct session_location;
struct label_index;

/* Starts zeroed. */
struct label_table {
	/* Never 0 once open, and of no other table of this process. */
	uint32_t serial;
	const struct shm_label_file *file; /* mapped read-only; NULL: not open */
	struct label_index *index;	   /* the newest; each knows its predecessor */
	uint32_t seen;			   /* bytes of the area that are in the index */
	bool is_full;
	uint64_t retry_at; /* after a failure, discovery_now(); 0: none */
};

uint32_t labels_hash(const char *text, uint32_t length);
/* The number of a label that is in the index, or 0. */
uint32_t labels_find_number(
	const struct label_table *t, const char *text, uint32_t length, uint32_t hash);
/* Whether a label that is not there might be added now. */
bool labels_may_add(const struct label_table *t);
/* Adds the label if it is not there: its number, or 0. With attach.c's lock held. */
uint32_t labels_add(struct label_table *t, uint32_t generation,
	const struct session_location *location, const char *text, uint32_t length, uint32_t hash);

/* Unmaps everything: no thread uses the member any more. */
void labels_close(struct label_table *t);

#endif
