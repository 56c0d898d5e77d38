/*
 * Shared by the files of the verb counters. They use perflib.h like any other program, and check
 * every size.
 *
 * libtrace/cmd/counters owns the verb counters. It includes cmd, counters, dump and perflib.
 * Errors: an ERROR_ status; the verb's are those of cmd.h.
 */
#ifndef SWT_CMD_COUNTERS_COUNTERS_H
#define SWT_CMD_COUNTERS_COUNTERS_H

#include "../../../formats/base/hash_index.h"
#include "../../../include/perflib.h"
#include "../../dump/output.h"
#include "../cmd.h"

/* -------------------------------------------------------------------- catalogue */

struct catalogue_counter {
	ULONG id, type, base; /* base: PERF_NO_COUNTER if there is none */
	ULONGLONG attributes;
	bool base_is_clock; /* an object's clock replaces the sample's time stamp */
	bool supplied;	    /* by catalogue_try: this machine supplies the counter */
	char *name, *help;
};

struct catalogue_set {
	GUID guid, provider;
	bool many; /* has several instances */
	ULONG why; /* by catalogue_try: the status if no counter is supplied */
	char *name, *help, *provider_name;
	unsigned counters;
	struct catalogue_counter *counter;
};

struct catalogue {
	const char *where; /* a trace's path; NULL: this machine */
	char host[256];	   /* machine name, as in paths */
	unsigned sets;
	struct catalogue_set *set;
};

/* Returns an ERROR_ status. Skips countersets that vanish meanwhile. */
ULONG catalogue_load(struct catalogue *c, const char *where);
void catalogue_free(struct catalogue *c);
/* Calls `found` with the name of each present instance, in order. Returns an ERROR_ status. */
ULONG catalogue_instances(const struct catalogue *c, const struct catalogue_set *set,
	void (*found)(void *arg, const char *name, ULONG id), void *arg);
/* Finds a set by name, ignoring ASCII case; an exact match wins. NULL: not found. */
struct catalogue_set *catalogue_find(const struct catalogue *c, const char *name);

/* A name such as "PERF_COUNTER_BULK_COUNT"; NULL if perflib.h has no such type. */
const char *counter_type_name(ULONG type);
/* Whether the counter only serves others, as a base does, or is not for display. */
bool counter_is_hidden(const struct catalogue_counter *c);
/* Why values of the counter's registered type cannot be formatted; NULL if they can. */
const char *counter_no_value(const struct catalogue_counter *c);

/* Describes a status in words. */
const char *counters_status(ULONG status);

/* ---------------------------------------------------------------------------- paths */

struct question;

/* A path: \Set\Counter, \Set(instance)\Counter, or \\host\Set... with the catalogue's host. */
struct counter_path {
	const char *text;
	const struct catalogue_set *set;
	const struct catalogue_counter *counter; /* NULL: all counters */
	char instance[PERF_MAX_INSTANCE_NAME];	 /* a pattern; "" for a set without instances */
	/* For the query: */
	struct question *question, *base;
	struct question *named,
		*named_base;	    /* for name#N: the questions for name; NULL: no such path */
	unsigned number;	    /* for name#N: N */
	bool use_named;		    /* no instance is literally called name#N */
	unsigned columns, supplied; /* columns of this path; those that ever had a value */
	unsigned formatted;	    /* those whose type can be formatted */
};

/* PDH numbers instances of the same name: name, name#1, name#2. Whether this name has a number, and
 * its length without the number. */
bool path_is_numbered(const char *instance, size_t *length, unsigned *number);
/* Whether the name may match several instances. */
bool path_is_pattern(const char *instance);
/* Checks that the text is a path; exits with EXIT_USAGE if not. */
void path_check(const struct verb *verb, const char *text);
/* Returns EXIT_FINE, or an exit code after reporting the error. */
int path_resolve(const struct verb *verb, const struct catalogue *c, const char *text,
	struct counter_path *path);
/* The name that an unknown one probably meant; NULL: none is close. */
const char *nearest_set(const struct catalogue *c, const char *name);

/* ---------------------------------------------------------------------- result blocks */

struct block_instance {
	char *name;
	ULONG id;
};

/* A query's result: the values of instances, with a row per instance and a column per counter. */
struct block {
	ULONG status; /* if not ERROR_SUCCESS, there are no rows */
	unsigned counters, instances;
	ULONG *counter; /* ids */
	struct block_instance *instance;
	ULONGLONG *value; /* [instance * counters + counter] */
	uint8_t *known;
	unsigned cursor; /* the instance to search next */
};

/* Parses a PERF_COUNTER_HEADER and its `bytes`; counter: the id if a single counter was queried.
 * Returns ERROR_SUCCESS (see status), ERROR_INVALID_DATA or ERROR_OUTOFMEMORY. */
ULONG block_read(struct block *b, const PERF_COUNTER_HEADER *h, size_t bytes, ULONG counter);
/* The row of an instance; fast when called in row order. -1: not found. */
long block_find(struct block *b, const char *name, ULONG id);
/* The column of a counter; -1: not found. */
long block_column(const struct block *b, ULONG counter);
void block_free(struct block *b);

/* ---------------------------------------------------------------------------- queries */

/* One PerfLib specification: a counter (or all) of the matching instances. */
struct question {
	const struct catalogue_set *set;
	char instance[PERF_MAX_INSTANCE_NAME];
	ULONG counter; /* or PERF_WILDCARD_COUNTER */
	struct block block;
};

enum { COLUMNS_MAX = 1 << 18 }; /* a trace may hold any number of instances */

/* An output column: a counter of an instance. */
struct counters_column {
	struct question *question, *base; /* base: the question for the base counter */
	const struct catalogue_set *set;
	const struct catalogue_counter *counter;
	char *instance; /* "" for a set without instances */
	ULONG id;
	char *path;
	unsigned number;      /* N of name#N */
	unsigned order, made; /* the index of its path; its own index before sorting */
	bool has_last, known;
	PERF_SAMPLE last;
	double value;
};

struct counters_query {
	const struct verb *verb;
	const struct catalogue *catalogue;
	struct counter_path *path;
	unsigned paths;
	HANDLE handle;
	PERF_DATA_HEADER *data;
	DWORD room, bytes; /* of data */
	struct question *question;
	unsigned questions;
	struct question **result; /* the question of each result of PerfQueryCounterData */
	struct counters_column *column;
	unsigned columns;
	size_t column_room;
	bool too_many; /* columns */
	struct hash_index column_index;
};

/* Opens a query handle and adds what the paths need. Returns ERROR_SUCCESS or a status. */
ULONG query_open(struct counters_query *q);
/* Reads the next sample into data and the questions' blocks. */
ULONG query_sample(struct counters_query *q);
/* Makes columns for the sample's instances. False: out of memory, or too_many. */
bool query_add_columns(struct counters_query *q);
/* Makes empty columns, with a note, for paths without any value. Returns EXIT_FINE, or an exit code
 * after reporting an error: a path names no instance, or there are no values at all. */
int query_end_columns(struct counters_query *q);
/* Computes the columns' values from this sample and the previous one. */
void query_values(struct counters_query *q);
/* Closes the handle; keeps the columns, without values. */
void query_close(struct counters_query *q);
void query_free(struct counters_query *q);

/* Finds or makes the column of an instance's counter; NULL: out of memory. number: N of name#N, or
 * the next free one above. */
struct counters_column *column_of(struct counters_query *q, const struct counter_path *path,
	const struct catalogue_counter *counter, const struct block_instance *instance,
	unsigned number);
/* Sorts the columns by their paths. Make no more columns afterwards. */
void columns_sort(struct counters_query *q);

/* ----------------------------------------------------------------------------- output */

enum counters_format { COUNTERS_CSV, COUNTERS_TSV, COUNTERS_JSON };

struct counters_run {
	const struct verb *verb;
	struct catalogue catalogue;
	struct counters_query query;
	enum counters_format format;
	uint64_t interval, samples; /* ns; 0: no limit */
	const char *path;	    /* -o; "-" is standard output */
	bool traced;
	bool scripted; /* values may be scripted rather than measured */
	bool failed;
	struct output to;
};

/* Print the heading, and a row of values. */
void counters_print_head(const struct counters_run *r, FILE *f);
void counters_print_row(const struct counters_run *r, FILE *f);

/* Sets the catalogue's host to this machine's name. */
void counters_name_machine(struct counters_run *r);
/* Set `scripted`, and for a trace also the host, and warn if values are unreliable. */
void counters_ask_machine(struct counters_run *r);
void counters_ask_trace(struct counters_run *r);

int counters_follow(struct counters_run *r);
int counters_list(const struct catalogue *c, struct catalogue_set *set, bool json);
/* Lists paths that query accepts; instances: one path per present instance. */
int counters_list_paths(const struct verb *verb, const struct catalogue *c,
	struct catalogue_set *set, bool instances);
int counters_list_instances(
	const struct verb *verb, const struct catalogue *c, struct catalogue_set *set, bool json);

#endif
