/*
 * Shared by the parts of libperflib: a counterset, the hosts that have countersets (this machine,
 * other programs' shared memory, a trace), and the rows of values that a counterset collects. The
 * public functions (query*.c) depend only on this header; the parts do not depend on each other.
 *
 * libtrace/perflib owns PerfLib: countersets of this machine, of programs and of traces, and
 * queries of them. It includes session, ring, counters, core and cpidecode.h. Errors: ERROR_SUCCESS
 * or an ERROR_ code of perflib.h.
 */
#ifndef SWT_PERFLIB_COUNTERSET_H
#define SWT_PERFLIB_COUNTERSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../include/perflib.h"

/* Limits of the data that callers receive; a provider or trace that exceeds them is in error. */
enum {
	COUNTERSET_COUNTERS = 256,
	COUNTERSET_INSTANCES = 65536,
	COUNTERSET_NAME_BYTES = 256, /* of a counterset or counter, with its NUL */
	COUNTERSET_HELP_BYTES = 1024,
};

struct counter_definition {
	uint32_t id;   /* ascending within a counterset */
	uint32_t type; /* PERF_ flags; PERF_SIZE_MASK gives the value's size */
	uint64_t attrib;
	uint32_t detail;    /* PERF_DETAIL_ */
	int32_t scale;	    /* power of ten */
	uint32_t base;	    /* id of the base counter, or PERF_NO_COUNTER */
	uint32_t aggregate; /* PERF_AGGREGATE_ */
	const char *name, *help;
};

struct counterset_definition {
	GUID guid, provider;
	const char *name, *help, *provider_name;
	uint32_t type; /* PERF_COUNTERSET_ */
	uint32_t detail;
	uint32_t ncounters;
	const struct counter_definition *counter;
};

/* Index of a counter in the definition; -1 if it is not there. */
int counterset_column(const struct counterset_definition *set, uint32_t id);

/* ------------------------------------------------------------------------- rows */

/*
 * The instances of a counterset at one moment and their values, one column per counter of the
 * definition, in its order. Values not set are not available. A query reuses its rows, so that a
 * sample allocates nothing once they have grown.
 */
struct rows {
	uint32_t columns;
	uint32_t used;
	struct row {
		uint32_t id;
		uint32_t name, name_bytes; /* offset in names; length without the NUL */
	} * row;
	uint64_t *value; /* [row * columns + column] */
	uint8_t *known;	 /* same index; 0: not available */
	char *names;
	size_t names_used;
	size_t row_room, value_room, known_room, names_room;
};

/* Empties the rows and sets the number of columns. */
void rows_begin(struct rows *r, uint32_t columns);
/* Adds an instance; name: at most PERF_MAX_INSTANCE_NAME - 1 bytes of UTF-8 (longer ones are cut;
 * U+FFFD replaces invalid UTF-8 and control characters). False: out of memory, or there are
 * COUNTERSET_INSTANCES already. */
bool rows_add(struct rows *r, const char *name, size_t bytes, uint32_t id);
/* Sets a value of the row added last. */
static inline void rows_set(struct rows *r, uint32_t column, uint64_t value)
{
	size_t at = (size_t)(r->used - 1) * r->columns + column;

	r->value[at] = value;
	r->known[at] = 1;
}
void rows_free(struct rows *r);

/* ------------------------------------------------------------------ countersets */

/* The time of a sample, as in PERF_DATA_HEADER. */
struct sample_time {
	int64_t ticks, frequency; /* the time stamp clock */
	int64_t time_100ns;	  /* since 1601-01-01 UTC */
};

struct counterset;

/*
 * A counterset's operations. state belongs to one query handle and comes from open (NULL is fine):
 * counting may start when a query is added and stop when the handle's last one is removed. wanted
 * has a bit for each column that the query reads; other columns may stay unset. The caller has
 * called rows_begin with the definition's columns.
 */
struct counterset_operations {
	uint32_t (*open)(const struct counterset *set, void **state); /* NULL: needs no state */
	void (*close)(const struct counterset *set, void *state);
	/* Lists the present instances, without values. */
	uint32_t (*instances)(const struct counterset *set, struct rows *rows);
	/* Lists the instances with their values, at about `time`. A counterset with sample times of
	 * its own (a trace's) uses the host's current step, and returns the same values until the
	 * next one. */
	uint32_t (*collect)(const struct counterset *set, void *state, const uint64_t *wanted,
		const struct sample_time *time, struct rows *rows);
	/* Whether its values may be scripted rather than measured. NULL: never. */
	bool (*scripted)(const struct counterset *set);
};

struct counterset {
	const struct counterset_definition *definition;
	const struct counterset_operations *operations;
	void *context; /* the creator's */
};

static inline bool column_wanted(const uint64_t *wanted, uint32_t column)
{
	return wanted[column / 64] >> column % 64 & 1;
}

/* The countersets built into the library: libtrace/perflib/sets/. */
extern const struct counterset *const counterset_builtin[];
extern const unsigned counterset_builtins;

/* ------------------------------------------------------------------------- hosts */

/*
 * A source of countersets: this machine or a trace. A host belongs to one query handle, or to one
 * call that needs none. Definitions stay valid as long as their host. The countersets of this
 * machine may change with each refresh, but a counterset found once stays valid until the host is
 * closed (its collect then fails with ERROR_WMI_GUID_NOT_FOUND).
 */
struct host {
	const struct host_operations *operations;
};

struct host_operations {
	/* The present countersets: sets[0..*n), an array of the host, valid until the next
	 * refresh. */
	uint32_t (*refresh)(struct host *host, const struct counterset *const **sets, uint32_t *n);
	/* Advances to the next sample and returns its time. A trace advances to its next recorded
	 * sample of any of these countersets; ERROR_NO_MORE_ITEMS after the last one. */
	uint32_t (*step)(struct host *host, const struct counterset *const *of, uint32_t n,
		struct sample_time *time);
	void (*close)(struct host *host);
};

/* This machine: built-in countersets, then those of running providers
 * (libtrace/perflib/shared/). */
uint32_t host_live(struct host **host);
/* A trace file (libtrace/perflib/replay/). ERROR_FILE_NOT_FOUND, ERROR_ACCESS_DENIED,
 * ERROR_READ_FAULT, ERROR_INVALID_DATA (not a trace), ERROR_OUTOFMEMORY. */
uint32_t host_trace(const char *path, struct host **host);

/*
 * Countersets of other programs' providers, for host_live. refresh lists those of running providers
 * with valid memory; countersets seen earlier stay valid.
 */
struct providers;
struct providers *providers_open(void); /* NULL: out of memory */
uint32_t providers_refresh(struct providers *p, const struct counterset *const **sets, uint32_t *n);
void providers_close(struct providers *p);

#endif
