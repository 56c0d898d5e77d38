/*
 * Keeping what the rings hold while a dump reads it: the owner's right, one dump at a time.
 */
#ifndef SWT_SESSION_KEEP_H
#define SWT_SESSION_KEEP_H

#include "../ring/reader.h"
#include "session.h"

enum keep_refusal {
	KEEP_GRANTED,
	KEEP_ONE_AREA,	/* not wrap mode, --prealloc, or a kernel before Linux 5.14 */
	KEEP_NOT_OWNER, /* or the session cannot be opened any more */
	KEEP_BUSY,	/* another dump is to keep the rings, and has stalled */
	KEEP_LOST,	/* granted at first, but another dump took it over */
	KEEP_NO_MEMORY, /* the rings may need the free memory themselves */
};

struct session_keep {
	const struct ring_keep *control; /* NULL: nothing may be kept */
	enum keep_refusal why;		 /* then */
	struct ring_keep granted;
	struct shm_control *page; /* with control */
	uint64_t waited_ns;	  /* for another dump */
	struct session own;	  /* open if s is not writable */
	int lock;		  /* a descriptor of the lock file, or -1 */
};

/*
 * Acquires the right to keep the rings. Waits while another dump that has it is alive and makes
 * progress, unless go_on (may be NULL) returns false; takes over from a dump that has read nothing
 * for 5 s. control may be NULL afterwards; otherwise ring_reader_keep keeps the rings. A killed
 * dump keeps them until the next dump, which costs only memory.
 */
void session_keep_begin(
	struct session_keep *k, const struct session *s, bool (*go_on)(void *arg), void *arg);
/* Call it for each section read: shows other dumps that this one makes progress. */
void session_keep_beat(struct session_keep *k);
/* Whether another dump has the right by now. */
bool session_keep_is_lost(const struct session_keep *k);
void session_keep_end(struct session_keep *k);

/* Why sections could be overwritten before they were read, in words. */
const char *session_keep_why(enum keep_refusal why);

#endif
