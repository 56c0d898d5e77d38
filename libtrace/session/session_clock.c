#include <string.h>
#include <time.h>

#include "../../formats/base/time_ns.h"
#include "../../formats/trace_file.h"
#include "../core/clock.h"
#include "../core/clock_trust.h"
#include "session.h"

/*
 * Uses the session's clock, whatever this process's own is. CLOCK_MONOTONIC_RAW of another time
 * namespace cannot be read: then the sync of init serves.
 */
void session_sync_clock(const struct session *s, uint64_t sync[3])
{
	uint32_t kind = s->geometry.clock;
	uint64_t best = UINT64_MAX;

	if (kind == TF_CLOCK_MONOTONIC_RAW && !clock_is_same_time(s->control->time_namespace)) {
		memcpy(sync, s->control->sync, sizeof s->control->sync);
		return;
	}
	if (kind == clock_kind()) {
		clock_sync(sync);
		return;
	}
	for (int i = 0; i < 10; i++) {
		bool call = kind == TF_CLOCK_MONOTONIC_RAW;
		uint64_t before = call ? clock_raw_ns() : clock_instruction();
		uint64_t real = time_ns_now(CLOCK_REALTIME), mono = time_ns_monotonic();
		uint64_t after = call ? clock_raw_ns() : clock_instruction();

		if (after - before >= best)
			continue;
		best = after - before;
		sync[0] = before + best / 2;
		sync[1] = real;
		sync[2] = mono;
	}
}

uint64_t session_on_until(const struct session *s)
{
	const struct shm_control *c = s->control;
	uint64_t sync[3];

	/* Before the look at `closings`: tracing was on then. */
	session_sync_clock(s, sync);
	/* Acquire: pairs with the release of owner_count_closing. */
	uint64_t closings = __atomic_load_n(&c->closings, __ATOMIC_ACQUIRE);
	return __atomic_load_n(&c->period, __ATOMIC_RELAXED) == closings ? sync[0] : c->closed;
}
