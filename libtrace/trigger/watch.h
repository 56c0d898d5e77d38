/*
 * Watching the rings of a session: every hook that is committed from now on, once, in order within
 * its ring, while writers continue. It removes nothing from the rings and stores nothing in them.
 *
 * Exact, per ring: attempted = seen + missed + unfinished + lost, for the hooks from the ring's
 * head when the watch began to the watch's position. missed were overwritten before they were read.
 * unfinished were passed over, because their writer did not commit them for long or the ring was
 * filling up; if it does commit them later, they are not seen.
 *
 * libtrace/trigger owns conditions and watching. It includes session and ring. Errors: a
 * negative PU_ code and a line in struct session_error.
 */
#ifndef SWT_TRIGGER_WATCH_H
#define SWT_TRIGGER_WATCH_H

#include "../ring/reader.h"
#include "../session/session.h"
#include "event.h"

struct watch_ring {
	uint64_t position; /* hooks before it were seen or counted */
	uint64_t head;	   /* of the last poll */
	uint64_t start;	   /* the owner's, of the last poll */
	uint64_t before;   /* hooks from start to position, all there ever were */
	uint64_t lost, lost0;
	uint64_t seen, missed; /* missed: and unfinished */
	uint64_t
		held_since; /* ns: since then the record at position is uncommitted; 0: it is not */
	bool damaged;
};

struct watch {
	const struct session *session;
	struct ring_reader reader;
	struct watch_ring *ring;
	uint32_t rings;
	struct ring_part *parts, *later; /* room for the list of any one ring, twice */
	uint32_t *counted;		 /* per part */
	uint8_t *copy;			 /* a section */
	uint64_t polled_at;		 /* ns */
	double rate;			 /* part of a ring that the fastest one fills in a second */
	struct label_copy labels;
	bool is_scripted;
	uint64_t seen, missed, unfinished;
	uint64_t lost;	  /* by writers, all causes, since the watch began */
	uint32_t damaged; /* rings that were cut off or made no sense; not seen */
};

/* s is to outlive the watch, opened for reading at least. 0 or a PU_ code; PU_ERROR_NO_BUFFER:
 * it has no rings. */
int watch_open(struct watch *w, const struct session *s, struct session_error *error);
void watch_close(struct watch *w);

/* False: stop here; the next poll continues behind this event. */
typedef bool watch_fn(void *arg, struct event *event);

/* Hands out new hooks, at most those in each ring when it came to it. False: it was stopped. */
bool watch_poll(struct watch *w, watch_fn *each, void *arg);

/* A run of complete committed records of ring `ring`, pads among them. */
typedef void watch_run_fn(void *arg, uint32_t ring, const uint8_t *records, uint32_t bytes);

/* Like watch_poll, at half the cost, to count hooks: only the records' headers are valid. */
void watch_poll_headers(struct watch *w, watch_run_fn *each, void *arg);

/* Milliseconds until the next poll, by how fast the rings fill. */
unsigned watch_pause(const struct watch *w);

#endif
