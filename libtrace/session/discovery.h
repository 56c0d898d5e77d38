/*
 * The session that this process traces in: where it is, and its control page, shown at the gate.
 * Called with attach.c's lock held. Control mappings are never unmapped: a writer may be reading
 * one.
 */
#ifndef SWT_SESSION_DISCOVERY_H
#define SWT_SESSION_DISCOVERY_H

#include <stdbool.h>
#include <stdint.h>

#include "../../formats/base/time_ns.h"
#include "session.h"

struct discovery {
	struct session_location location;
	const struct shm_control *control; /* NULL: no session, or `done` is false */
	dev_t device;			   /* of the control file */
	ino_t inode;
	uint64_t at; /* time of the last discovery, of discovery_now; 0: never */
	bool done;   /* a discovery has succeeded, even if it found no session */
	int rc;	     /* result of the last discovery */
};

/* In ns, up to a tick behind. Called by every CpiStart: the coarse clock costs a third of the
 * precise one. */
static inline uint64_t discovery_now(void)
{
	return time_ns_now(CLOCK_MONOTONIC_COARSE);
}

/*
 * Searches for the session. If it changed or is gone, shows its control page or "off" at the gate
 * and sets *is_new. Returns 0, or the PU_ code of the resource that was short (descriptors,
 * memory), with nothing changed. A session that this process may not use counts as absent.
 */
int discovery_renew(struct discovery *discovery, bool *is_new);

#endif
