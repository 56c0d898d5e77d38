/*
 * SWTRACE Rings: what the session's rings hold and lost. Private to this folder.
 *
 * Opens the session read-only, as the commands do: does not attach and writes nothing.
 *
 * libtrace/perflib/sets/rings owns the counterset SWTRACE Rings. It includes perflib, ring,
 * session and sets. Errors as in counterset.h.
 */
#ifndef SWT_PERFLIB_SETS_RINGS_RINGS_H
#define SWT_PERFLIB_SETS_RINGS_RINGS_H

#include "../../../ring/reader.h"
#include "../../../session/session.h"
#include "../../counterset.h"

/* Columns of SWTRACE Rings; also the counters' ids. Hooks count since the last discard. */
enum rings_column {
	RINGS_ATTEMPTED_RATE,
	RINGS_WRITTEN_RATE,
	RINGS_LOST_RATE,
	RINGS_BYTES_RATE,
	RINGS_ATTEMPTED,
	RINGS_WRITTEN,
	RINGS_HELD, /* in the buffer now */
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
	bool open; /* the session is open */
	struct ring_reader reader;
	struct shm_ring_control *control; /* copied at the sample */
	struct ring_part *parts, *later;  /* of one ring, as are the next two */
	struct part_content *content;
	bool *present;
	uint8_t *bytes;		 /* buffer for a section */
	struct settled *settled; /* [ring * sections + section index] */
	uint64_t *starts;	 /* of each ring, when its sections were read */
	uint32_t rings;
};

/* A full section of finished hooks: only overwriting changes it. */
struct settled {
	uint64_t entry; /* its position + 1; 0: none */
	uint32_t hooks, bytes;
};

/* A section's finished and unfinished hooks. */
struct part_content {
	uint32_t hooks, torn, bytes;
	bool damaged;
};

struct ring_figures {
	uint32_t known; /* a bit per column */
	uint64_t value[RINGS_COLUMNS];
};

/* Opens the session that this process would trace in, or keeps it if it is current. Without a
 * session returns ERROR_SUCCESS and leaves `open` false. */
uint32_t rings_view_renew(struct rings_view *v);
void rings_view_close(struct rings_view *v);
/* Reads one ring's figures, a consistent snapshot of some moment during the call. */
void rings_view_read(struct rings_view *v, uint32_t ring, struct ring_figures *out);

#endif
