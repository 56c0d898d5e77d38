/*
 * What the files of the verb counters share. They use perflib.h as any program may, checks of
 * every size included.
 */
#ifndef SWT_CMD_COUNTERS_COUNTERS_H
#define SWT_CMD_COUNTERS_COUNTERS_H

#include "../../../include/perflib.h"
#include "../../dump/output.h"
#include "../cmd.h"

/* -------------------------------------------------------------------- what there is */

struct catalogue_counter {
	ULONG id, type, base; /* base: PERF_NO_COUNTER, none */
	ULONGLONG attributes;
	bool base_is_clock; /* of an object, in place of the sample's time stamp */
	bool supplied;	    /* catalogue_try: this machine has it */
	char *name, *help;
};

struct catalogue_set {
	GUID guid, provider;
	bool many; /* has instances */
	bool tried;
	ULONG why; /* catalogue_try: the status, if nothing is supplied */
	char *name, *help, *provider_name;
	unsigned counters;
	struct catalogue_counter *counter;
};

struct catalogue {
	const char *where; /* NULL: this machine; a trace's path */
	char host[256];	   /* the machine's name, as paths have it */
	unsigned sets;
	struct catalogue_set *set;
};

/* An ERROR_ status; what goes away meanwhile is left out. */
ULONG catalogue_load(struct catalogue *c, const char *where);
void catalogue_free(struct catalogue *c);
/* Asks for all counters of a set once, to see which are supplied. */
void catalogue_try(const struct catalogue *c, struct catalogue_set *set);
/* Of the names of its instances now, in turn; an ERROR_ status. */
ULONG catalogue_instances(const struct catalogue *c, const struct catalogue_set *set,
	void (*found)(void *arg, const char *name, ULONG id), void *arg);
/* By name, letter case of ASCII aside; the exact one first. NULL: there is none. */
struct catalogue_set *catalogue_find(const struct catalogue *c, const char *name);

/* "PERF_COUNTER_BULK_COUNT"; NULL: none of perflib.h. */
const char *counter_type_name(ULONG type);
/* Whether it is there for others: bases, and what is not to be shown. */
bool counter_is_hidden(const struct catalogue_counter *c);
/* Why values of its type, as registered, cannot be formatted; NULL: they can. */
const char *counter_no_value(const struct catalogue_counter *c);
void guid_text(const GUID *g, char text[40]);

/* What a status means, for people. */
const char *counters_status(ULONG status);

/* ---------------------------------------------------------------------------- paths */

struct question;

/* \Set\Counter, \Set(instance)\Counter, \\host\Set... with the catalogue's host. */
struct counter_path {
	const char *text;
	const struct catalogue_set *set;
	const struct catalogue_counter *counter; /* NULL: all of them */
	char instance[PERF_MAX_INSTANCE_NAME];	 /* a pattern; "" for a set without instances */
	/* Of the query: */
	struct question *question, *base;
	struct question *named, *named_base; /* of name#N: those of name; NULL: it is none */
	unsigned number;		     /* of name#N: N */
	bool use_named;			     /* there is none that is called name#N */
	unsigned columns, supplied;	     /* that came of it; those that ever had a value */
	unsigned formatted;		     /* of these, with a type that has a formula */
};

/* Instances of one name are told apart as PDH does: name, name#1, name#2. Whether it is such a
 * name, but for the first; then how long it is without the number. */
bool path_is_numbered(const char *instance, size_t *length, unsigned *number);
/* Whether it may be more than one. */
bool path_is_pattern(const char *instance);
/* Whether it is a path at all; ends the process with EXIT_USAGE if not. */
void path_check(const struct verb *verb, const char *text);
/* EXIT_FINE, or an exit code, told. */
int path_resolve(const struct verb *verb, const struct catalogue *c, const char *text,
	struct counter_path *path);
/* What a name that was not found may have been; NULL: nothing is near. */
const char *nearest_set(const struct catalogue *c, const char *name);
const char *nearest_counter(const struct catalogue_set *set, const char *name);

/* ---------------------------------------------------------------------- result blocks */

struct block_instance {
	char *name;
	ULONG id;
};

/* A query's result: values of instances, one row each, one column a counter. */
struct block {
	ULONG status; /* not ERROR_SUCCESS: there are no rows */
	unsigned counters, instances;
	ULONG *counter; /* ids */
	struct block_instance *instance;
	ULONGLONG *value; /* [instance * counters + counter] */
	uint8_t *known;
	unsigned cursor; /* of the instance to come */
};

/* From a PERF_COUNTER_HEADER with `bytes` behind its beginning; counter: the id of a query for
 * one. ERROR_SUCCESS (see status), ERROR_INVALID_DATA or ERROR_OUTOFMEMORY. */
ULONG block_read(struct block *b, const PERF_COUNTER_HEADER *h, size_t bytes, ULONG counter);
/* The row of an instance, which is quick in the order of the rows; -1: it is not there. */
long block_find(struct block *b, const char *name, ULONG id);
/* The column of a counter; -1: it is not there. */
long block_column(const struct block *b, ULONG counter);
void block_free(struct block *b);

/* ---------------------------------------------------------------------------- queries */

/* What PerfLib is asked: a counter (or all) of the instances that match. */
struct question {
	const struct catalogue_set *set;
	char instance[PERF_MAX_INSTANCE_NAME];
	ULONG counter; /* or PERF_WILDCARD_COUNTER */
	struct block block;
};

enum { COLUMNS_MAX = 1 << 18 }; /* a trace may hold any number of instances */

/* A counter of an instance: what has a value in every row. */
struct column {
	struct question *question, *base; /* base: has the values of the base counter */
	const struct catalogue_set *set;
	const struct catalogue_counter *counter;
	char *instance; /* "" for a set without instances */
	ULONG id;
	char *path;
	unsigned number;      /* of those of its name: N of name#N */
	unsigned order, made; /* the index of the path that it came of; its own before sorting */
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
	struct question **result; /* by index, of PerfQueryCounterData */
	struct column *column;
	unsigned columns, column_room;
	bool too_many;	/* columns */
	unsigned *hash; /* of columns: index + 1; 0: free. A power of two */
	unsigned hash_room;
};

/* Opens a handle and asks it what the paths want. ERROR_SUCCESS, or a status. */
ULONG query_open(struct counters_query *q);
/* The next sample, into data and the questions' blocks. */
ULONG query_sample(struct counters_query *q);
/* Columns for what the sample has. False: no memory, or too_many. */
bool query_add_columns(struct counters_query *q);
/* Columns of paths that nothing can be supplied for, with a word about it; EXIT_FINE, or an exit
 * code, told: a path that names no instance, no value for any of them. */
int query_end_columns(struct counters_query *q);
/* The columns' values, from the sample and the one before it. */
void query_values(struct counters_query *q);
/* The handle; the columns stay, without values. */
void query_close(struct counters_query *q);
void query_free(struct counters_query *q);

/* The column of a counter of an instance, made if need be; NULL: no memory. number: which of
 * its name it is, or the next one that is free. */
struct column *column_of(struct counters_query *q, const struct counter_path *path,
	const struct catalogue_counter *counter, const struct block_instance *instance,
	unsigned number);
/* Into the order of the paths. No more are to be made then. */
void columns_sort(struct counters_query *q);

/* ----------------------------------------------------------------------------- output */

enum counters_format { COUNTERS_CSV, COUNTERS_TSV, COUNTERS_JSON };

struct counters_run {
	const struct verb *verb;
	struct catalogue catalogue;
	struct counters_query query;
	enum counters_format format;
	uint64_t interval, samples; /* ns; 0: no end */
	const char *path;	    /* -o, "-" */
	bool traced;
	bool scripted; /* values are, or may be, scripted instead of measured */
	bool failed;
	struct output to;
};

/* The first row, and one of values. */
void counters_print_head(const struct counters_run *r, FILE *f);
void counters_print_row(const struct counters_run *r, FILE *f);

/* The catalogue's host: this machine's name. */
void counters_name_machine(struct counters_run *r);
/* scripted, of this machine for the query's paths; host and scripted of the catalogue's trace. Says
 * what puts values in doubt. */
void counters_ask_machine(struct counters_run *r);
void counters_ask_trace(struct counters_run *r);

int counters_follow(struct counters_run *r);
int counters_list(
	const struct verb *verb, const struct catalogue *c, struct catalogue_set *set, bool json);
/* Paths, as query takes them; with instances those that are there now. */
int counters_list_paths(const struct verb *verb, const struct catalogue *c,
	struct catalogue_set *set, bool instances);
int counters_list_instances(
	const struct verb *verb, const struct catalogue *c, struct catalogue_set *set, bool json);

#endif
