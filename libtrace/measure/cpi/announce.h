/*
 * Tells the session where this process's counts come from, before its first hook.
 */
#ifndef SWT_MEASURE_CPI_ANNOUNCE_H
#define SWT_MEASURE_CPI_ANNOUNCE_H

#include "../../counters/source.h"
#include "../../session/attach.h"

static inline void instance_announce_source(void)
{
	uint32_t flags;
	enum shm_source source = counters_tell_source(&flags);

	attach_set_source(source, flags);
}

#endif
