/* Values that readers store in the control page for writers to compare. */
#ifndef SWT_RING_READER_CONTROL_H
#define SWT_RING_READER_CONTROL_H

#include "../../formats/session.h"

/* Invalidates entries that writers prepared with the previous start or keep. Release: pairs with
 * the acquire of writers, which load start and keep after it. */
static inline void reader_tell_writers(struct shm_ring_control *control)
{
	__atomic_fetch_add(&control->changes, 1, __ATOMIC_RELEASE);
}

#endif
