/*
 * All rings of a session as one run of sections, by their first stamps, up to where
 * each ring's head was when the dump began. Writers may continue meanwhile. With `keep`, they leave
 * everything before the cut unchanged until rings_close.
 *
 * Exact: let the cut be a ring's head, and its loss counters, at the beginning.
 * Every hook before the cut is in exactly one place: in a section that was handed out
 * (as a hook or as torn), or in the ledger of rings_settle as overwritten or torn. Hooks
 * after the cut are in neither, unless sections were overwritten before their turn and writers
 * lapped the ring between two calls: then the ledger counts overwritten ones among them too, and
 * says so. Losses are those up to the cut.
 */
#ifndef SWT_DUMP_RINGS_H
#define SWT_DUMP_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "../ring/reader.h"
#include "../session/session.h"

struct ring_cursor;
struct tasks;

struct rings {
	struct ring_reader reader;
	struct shm_ring_control *control; /* at the beginning of the dump */
	const struct ring_keep *keep;	  /* NULL: nothing is kept */
	struct ring_cursor *cursor;
	struct ring_cursor *given; /* the ring of the last section */
	struct ring_part *parts;   /* room for the list of any one ring */
	uint8_t *shared;	   /* a section, for cursors without a buffer of their own */
	uint32_t rings, watched;
	uint64_t total;	     /* parts of all rings */
	uint64_t skew_ns;    /* the cuts are no further apart */
	struct tasks *tasks; /* translates writers' numbers to thread ids; NULL: they stay */
};

/* A section of the dump. bytes lives until the next call. */
struct rings_section {
	const uint8_t *bytes;
	uint32_t id;   /* of the ring, in the file */
	uint64_t lost; /* on this ring since the section before */
	struct ring_span span;
};

/* The hooks of a ring that are in no section. */
struct rings_ledger {
	uint32_t id;
	uint64_t cut; /* the ring's head then */
	uint64_t loss[SHM_LOSSES];
	uint64_t overwritten, torn;
	uint32_t sections, missed; /* at the cut; of these, overwritten before their turn */
	bool damaged;
	bool later; /* overwritten includes hooks after the cut */
};

/* Sets the cut of every ring. `tasks` may be set afterwards. keep: of session_keep, or NULL.
 * Returns 0 or a PU_ code. */
int rings_open(struct rings *r, const struct session *s, const struct ring_keep *keep,
	struct session_error *error);
void rings_close(struct rings *r);

/* Gets the next section. Returns 1, 0 after the last one, or a PU_ code. */
int rings_next(struct rings *r, struct rings_section *out, struct session_error *error);

/* The time from which on the sections hold everything: 0, or ticks; UINT64_MAX: there is none. Call
 * it after the last section. */
uint64_t rings_complete_since(const struct rings *r);

/* Returns a ring's losses up to the cut, by cause. */
const uint64_t *rings_losses(const struct rings *r, uint32_t ring);

/* Returns the ledger of ring `ring` (0 to rings - 1). Call it after the last section. */
int rings_settle(
	struct rings *r, uint32_t ring, struct rings_ledger *out, struct session_error *error);

#endif
