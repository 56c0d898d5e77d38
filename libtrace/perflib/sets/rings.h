/*
 * SWTRACE Rings: what the rings of the session hold and lost. Private to rings*.c.
 *
 * Reads the session as the commands do, never as one that traces in it: nothing is attached
 * to and nothing is written.
 */
#ifndef SWT_PERFLIB_SETS_RINGS_H
#define SWT_PERFLIB_SETS_RINGS_H

#include "../../ring/reader.h"
#include "../../session/session.h"
#include "../counterset.h"

/* Columns of SWTRACE Rings: their numbers are the counters' ids. Hooks since the rings were last
 * discarded. */
enum rings_column {
	RINGS_ATTEMPTED_RATE,
	RINGS_WRITTEN_RATE,
	RINGS_LOST_RATE,
	RINGS_BYTES_RATE,
	RINGS_ATTEMPTED,
	RINGS_WRITTEN,
	RINGS_HELD, /* in the buffer */
	RINGS_BYTES,
	RINGS_LOST_FULL,
	RINGS_LOST_BIG,
	RINGS_LOST_HELD,
	RINGS_LOST_NO_GUEST,
	RINGS_OVERWRITTEN,
	RINGS_TORN,
	RINGS_DRAINED,
	RINGS_SKIPPED,
	RINGS_POSITION,
	RINGS_SIZE,
	RINGS_STATE,
	RINGS_DAMAGED,
	RINGS_LOST_NO_SLOT,
	RINGS_LOST_NO_MEMORY,
	RINGS_LOST_UNATTACHED,
	RINGS_COLUMNS,
};

extern const struct counterset_definition rings_definition;

/* The session that a query reads. */
struct rings_view {
	struct session session;
	bool open; /* with rings */
	struct ring_reader reader;
	struct shm_ring_control *control; /* as it was at the sample */
	struct ring_part *parts, *later;  /* of one ring; the next two, too */
	struct part_content *content;
	bool *present;
	uint8_t *bytes;		 /* a section */
	struct settled *settled; /* [ring * sections + index of the section] */
	uint64_t *starts;	 /* of each ring, when its sections were looked at */
	uint32_t rings;
};

/* A section that will not change any more, but be overwritten. */
struct settled {
	uint64_t entry; /* its position + 1; 0: none */
	uint32_t hooks, bytes;
};

/* What stands in a section: hooks, and those not finished. */
struct part_content {
	uint32_t hooks, torn, bytes;
	bool damaged;
};

struct ring_figures {
	uint32_t known; /* a bit a column */
	uint64_t value[RINGS_COLUMNS];
};

/* To the session that this process would trace in, as it is now. ERROR_SUCCESS also where there
 * is none: then !open. */
uint32_t rings_view_renew(struct rings_view *v);
void rings_view_close(struct rings_view *v);
/* Of one ring: hooks as they were at some moment of the reading. */
void rings_view_read(struct rings_view *v, uint32_t ring, struct ring_figures *out);

#endif
