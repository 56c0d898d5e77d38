/*
 * The data that info collects, and its part on the drain.
 */
#ifndef SWT_CMD_INFO_H
#define SWT_CMD_INFO_H

#include "../../decoder/sink/document.h"
#include "../ring/reader.h"
#include "../session/clock_back.h"
#include "continuous.h"
#include "print_stream.h"
#include "top/programs.h"

struct ring_info {
	uint32_t id;
	uint64_t hooks, bytes, torn, overwritten;
	uint64_t written; /* continuous mode; `hooks` and `bytes` are then those not yet drained */
	uint64_t loss[SHM_LOSSES];
	bool damaged;
};

struct drain_info {
	const char *state;
	const struct shm_drain *page;
	struct drain_config config; /* path "": unreadable for this user */
	const char *advice;
};

struct info {
	struct session session;
	uint32_t state, group;
	uint32_t majors; /* enabled majors */
	bool continuous;
	struct drain_info drain; /* continuous mode only */
	struct ring_info *ring;
	uint32_t rings;
	struct ring_info sum;
	uint64_t unwritten;	     /* hooks that the drain failed to write; not known per ring */
	int tasks, alive, processes; /* -1: unknown */
	uint64_t memory;	     /* of the session's files, if the buffers fill */
	bool has_allocated;
	uint64_t allocated;	       /* of it now */
	char events[SHM_EVENTS_BYTES]; /* "": none */
	struct top_programs programs;  /* what each lost since init */
	uint64_t lost_since_init;
	bool records_switches;
	struct shm_kernel switches; /* of the last recorder; all zeros: there was none */
	bool has_clock_back;	    /* clock_back is valid */
	struct clock_back clock_back;
};

/* A ring in continuous mode: splits its hooks into those drained and those that wait. Overwritten
 * ones were drained before. */
void info_drained(
	struct ring_info *r, struct ring_reader *reader, uint32_t generation, uint32_t ring);
/* Subtracts from the sum the hooks that the drain could not write. */
void info_unwritten(struct info *i);
/* Reads the drain's state and figures. */
void info_drain(struct info *i);
void info_drain_text(const struct info *i);
void info_drain_json(struct json *j, const struct info *i);
/* Hooks lost since init, by program. The rings' figures are since the last discard. */
void info_read_losses(struct info *i);
void info_write_losses(struct document *d, const struct info *i);

#endif
