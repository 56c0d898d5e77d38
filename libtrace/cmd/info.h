/*
 * What info finds out, and its part about the drain.
 */
#ifndef SWT_CMD_INFO_H
#define SWT_CMD_INFO_H

#include "../ring/reader.h"
#include "../session/clock_back.h"
#include "continuous.h"
#include "put_json.h"

struct ring_info {
	uint32_t id;
	uint64_t hooks, bytes, torn, overwritten;
	uint64_t written; /* continuous mode; `hooks` and `bytes` then wait for the drain */
	uint64_t loss[SHM_LOSSES];
	bool damaged;
};

struct drain_info {
	const char *state;
	const struct shm_drain *page;
	struct drain_config config; /* path "": not ours to know */
	const char *advice;
};

struct info {
	struct session session;
	uint32_t state, group;
	uint32_t majors; /* enabled */
	bool continuous;
	struct drain_info drain; /* if continuous */
	struct ring_info *ring;
	uint32_t rings;
	struct ring_info sum;
	uint64_t unwritten; /* hooks that the drain's file had no room for; not known by ring */
	int tasks, alive, processes; /* -1: unknown */
	uint64_t memory;
	bool has_clock_back; /* clock_back is known */
	struct clock_back clock_back;
};

/* Of one ring in continuous mode, whose overwritten hooks are what the drain took: what is
 * written, and what is left of the rest. */
void info_drained(
	struct ring_info *r, struct ring_reader *reader, uint32_t generation, uint32_t ring);
/* Takes off the sum of the buffers what was in no file's power to hold. */
void info_unwritten(struct info *i);
/* The drain's own state and figures. */
void info_drain(struct info *i);
void info_drain_text(const struct info *i);
void info_drain_json(struct json *j, const struct info *i);

#endif
