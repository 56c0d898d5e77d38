/* What readers store in the control page, and writers compare. */
#ifndef SWT_RING_READER_CONTROL_H
#define SWT_RING_READER_CONTROL_H

#include "../../formats/session.h"

/* Entries that were prepared with the start or keep of before are not made any more. Release: pairs
 * with the acquire of writers, who load those after it. */
static inline void reader_tell_writers(struct shm_ring_control *control)
{
	__atomic_fetch_add(&control->changes, 1, __ATOMIC_RELEASE);
}

#endif
