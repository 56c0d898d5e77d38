/*
 * What the parts of libperflib have in common: a counterset, where countersets are found (this
 * machine, other programs' shared memory, a trace), and the rows of values that one collects.
 * The public functions (query*.c) know only this; no part knows another.
 *
 * Errors in this room: ERROR_SUCCESS or an ERROR_ code of perflib.h.
 *
 * libtrace/perflib includes session, ring, counters, core and cpidecode.h.
 */
#ifndef SWT_PERFLIB_COUNTERSET_H
#define SWT_PERFLIB_COUNTERSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../include/perflib.h"

/* Bounds of what is handed on; more from a provider or a trace is an error of its own. */
enum {
	COUNTERSET_COUNTERS = 256,
	COUNTERSET_INSTANCES = 65536,
	COUNTERSET_NAME_BYTES = 256, /* of a counterset or counter, with its NUL */
	COUNTERSET_HELP_BYTES = 1024,
};

struct counter_definition {
	uint32_t id;   /* ascending within a set */
	uint32_t type; /* PERF_; its PERF_SIZE_MASK is the size of the value */
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

/* Index of a counter in the definition; -1: there is none. */
int counterset_column(const struct counterset_definition *set, uint32_t id);

/* ------------------------------------------------------------------------- rows */

/*
 * The instances of a counterset at one moment and their values, one column a counter of the
 * definition, in its order. A value that was not set is not available. Kept by a query from
 * sample to sample, so that nothing is allocated once it has grown.
 */
struct rows {
	uint32_t columns;
	uint32_t used, allocated; /* rows */
	struct row {
		uint32_t id;
		uint32_t name, name_bytes; /* offset in names; without the NUL */
	} * row;
	uint64_t *value; /* [row * columns + column] */
	uint8_t *known;	 /* the same: 0 not available */
	char *names;
	size_t names_used, names_allocated;
};

/* Empties it, for so many columns. */
void rows_begin(struct rows *r, uint32_t columns);
/* Adds an instance; name: at most PERF_MAX_INSTANCE_NAME - 1 bytes of UTF-8 (others are cut, and
 * what is not UTF-8 or a control character becomes U+FFFD). False: out of memory, or
 * COUNTERSET_INSTANCES are there. */
bool rows_add(struct rows *r, const char *name, size_t bytes, uint32_t id);
/* A value of the row added last. */
static inline void rows_set(struct rows *r, uint32_t column, uint64_t value)
{
	size_t at = (size_t)(r->used - 1) * r->columns + column;

	r->value[at] = value;
	r->known[at] = 1;
}
void rows_free(struct rows *r);

/* ------------------------------------------------------------------ countersets */

/* The moment of a sample, as PERF_DATA_HEADER has it. */
struct sample_time {
	int64_t ticks, frequency; /* the time stamp clock */
	int64_t time_100ns;	  /* since 1601 UTC */
};

struct counterset;

/*
 * What a counterset does. state: of one query handle; open makes it (NULL is fine), so that
 * counting may begin when a query is added and end when the last one of the handle is removed.
 * wanted: a bit a column that the query asks for; others need not be set. rows were begun, for
 * the columns of the definition.
 */
struct counterset_operations {
	uint32_t (*open)(const struct counterset *set, void **state); /* NULL: nothing to do */
	void (*close)(const struct counterset *set, void *state);
	/* The rows, without values: instances now. */
	uint32_t (*instances)(const struct counterset *set, struct rows *rows);
	/* The rows with their values, at about `time`; a counterset whose values have a moment of
	 * their own (a trace's) takes that of the host's step, and gives the same for it again. */
	uint32_t (*collect)(const struct counterset *set, void *state, const uint64_t *wanted,
		const struct sample_time *time, struct rows *rows);
	/* Whether its values are, or may be, scripted instead of measured. NULL: never. */
	bool (*scripted)(const struct counterset *set);
};

struct counterset {
	const struct counterset_definition *definition;
	const struct counterset_operations *operations;
	void *context; /* of whoever made it */
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
 * Where countersets are: this machine or a trace. A host belongs to one query handle, or to one
 * call that needs none. Definitions live as long as their host; the set of countersets of this
 * machine may change from one refresh to the next, but a counterset that was found stays
 * valid until the host is closed (its collect then fails with ERROR_WMI_GUID_NOT_FOUND).
 */
struct host {
	const struct host_operations *operations;
};

struct host_operations {
	/* The countersets now: sets[0..*n), the host's own array, until the next refresh. */
	uint32_t (*refresh)(struct host *host, const struct counterset *const **sets, uint32_t *n);
	/* The next sample: its moment. A trace's goes on to its next recorded sample of any of
	 * these countersets; ERROR_NO_MORE_ITEMS after the last one. */
	uint32_t (*step)(struct host *host, const struct counterset *const *of, uint32_t n,
		struct sample_time *time);
	void (*close)(struct host *host);
};

/* This machine: built-in countersets, then those of living providers (libtrace/perflib/shared/). */
uint32_t host_live(struct host **host);
/* A trace file (libtrace/perflib/replay/). ERROR_FILE_NOT_FOUND, ERROR_ACCESS_DENIED,
 * ERROR_READ_FAULT, ERROR_INVALID_DATA (no trace), ERROR_OUTOFMEMORY. */
uint32_t host_trace(const char *path, struct host **host);

/*
 * Countersets of other programs' providers, for host_live.
 * refresh: those that are alive now, whose memory makes sense; ones seen before stay valid.
 */
struct providers;
struct providers *providers_open(void); /* NULL: out of memory */
uint32_t providers_refresh(struct providers *p, const struct counterset *const **sets, uint32_t *n);
void providers_close(struct providers *p);

#endif
