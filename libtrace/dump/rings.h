/*
 * All rings of a session as one run of sections, by their first stamps, up to where
 * each ring's head was when the dump began. Writers may go on meanwhile.
 *
 * What is exact: let the cut be a ring's head, and its loss counters, at the beginning.
 * Every hook before the cut is in exactly one place: in a section that was handed out
 * (as a hook or as torn), or in the ledger of rings_settle as overwritten or torn. Hooks
 * after the cut are in neither, unless writers went round the whole ring between two
 * calls: then the ledger counts overwritten ones among them too, and says so. Losses are those up
 * to the cut.
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
	struct shm_ring_control *control; /* as it was when the dump began */
	struct ring_cursor *cursor;
	struct ring_cursor *given; /* whose section was handed out last */
	struct ring_part *parts;   /* room for the list of any one ring */
	uint8_t *shared;	   /* a section, for cursors without a buffer of their own */
	uint32_t rings, watched;
	uint64_t total;	     /* parts of all rings */
	struct tasks *tasks; /* records get their thread ids; NULL: they keep numbers */
};

/* A section of the dump. bytes lives until the next call. */
struct rings_section {
	const uint8_t *bytes;
	uint32_t id;   /* of the ring, in the file */
	uint64_t lost; /* on this ring since the section before */
	struct ring_span span;
};

/* What became of a ring's hooks that are in no section. */
struct rings_ledger {
	uint32_t id;
	uint64_t loss[SHM_LOSSES];
	uint64_t overwritten, torn;
	bool damaged;
	bool later; /* overwritten ones after the cut are counted, too */
};

/* Notes the cut of every ring; `tasks` may be set behind it. 0 or a PU_ code. */
int rings_open(struct rings *r, const struct session *s, struct session_error *error);
void rings_close(struct rings *r);

/* The next section: 1, 0 when there are no more, or a PU_ code. */
int rings_next(struct rings *r, struct rings_section *out, struct session_error *error);

/* Where a ring's head was at the cut: what is below it is in the dump. */
uint64_t rings_cut(const struct rings *r, uint32_t ring);

/* A ring's losses up to the cut, by cause. */
const uint64_t *rings_losses(const struct rings *r, uint32_t ring);

/* The ledger of ring `ring` (0 to rings - 1), after the last section was handed out. */
int rings_settle(
	struct rings *r, uint32_t ring, struct rings_ledger *out, struct session_error *error);

#endif
