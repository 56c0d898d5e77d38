/*
 * top: the hooks that a session's rings receive, round by round, while programs trace.
 *
 * It follows the rings as `trigger` does (libtrace/trigger/watch.h): it reads by position, with
 * pread, stores nothing in the session and acquires no lock. Hooks that are overwritten before they
 * are read count as missed. Files, from the bottom up: histogram, interval, labels, programs and
 * rings are figures; collect feeds them; view and json print them; screen shows them; top is the
 * verb.
 *
 * libtrace/cmd/top owns the verb top. It includes cmd, core, dump, ring, session, sink and
 * trigger. Errors as in cmd.h.
 */
#ifndef SWT_CMD_TOP_STATE_H
#define SWT_CMD_TOP_STATE_H

#include "../../trigger/condition.h"
#include "../cmd.h"
#include "labels.h"
#include "programs.h"
#include "rings.h"

/* The order of labels, largest first; TOP_BY_LABEL by name. */
enum top_key {
	TOP_BY_RATE,
	TOP_BY_COUNT, /* since the start */
	TOP_BY_MEAN,
	TOP_BY_P50,
	TOP_BY_P99,
	TOP_BY_MAX,
	TOP_BY_CPI,
	TOP_BY_ON_CPU,
	TOP_BY_OFF_CPU,
	TOP_BY_LABEL,
	TOP_KEYS,
};

extern const char *const top_key_names[TOP_KEYS];

struct top_options {
	bool batch, json, counts;
	bool has_condition;
	struct condition condition;
	uint64_t interval_ns;
	uint32_t rounds; /* 0: no end */
	enum top_key sort;
	const char *label; /* whose histogram is shown; NULL: none */
	const char *path;  /* NULL: standard output */
};

/* A label's figures, summarized. */
struct top_row {
	uint32_t label; /* its index */
	struct top_summary last, total;
};

struct top {
	const struct verb *verb;
	struct top_options options;
	struct session session;
	struct watch watch;
	struct tasks tasks;
	struct top_rings rings;
	struct top_programs programs;
	struct top_labels labels;
	double ns_per_tick;
	bool open;
	/* CLOCK_MONOTONIC, ns. */
	uint64_t began, round_began;
	/* The round that was closed last. */
	uint64_t time_ns; /* CLOCK_REALTIME */
	double round_s, all_s;
	uint32_t state;	     /* enum shm_state */
	struct top_row *row; /* labels with intervals, sorted */
	size_t rows, rows_room;
	uint32_t *program; /* indexes of those with hooks, by rate */
	size_t shown_programs, programs_room;
};

#endif
