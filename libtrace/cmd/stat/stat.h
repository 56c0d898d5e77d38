/*
 * Shared by the files of the verb stat.
 *
 * libtrace/cmd/stat owns the verb stat. It includes cmd, core, counters, dump and sink. Errors
 * as in cmd.h.
 */
#ifndef SWT_CMD_STAT_STAT_H
#define SWT_CMD_STAT_STAT_H

#include "../../../decoder/sink/column.h"
#include "../../counters/count/count.h"
#include "../../../decoder/sink/out.h"
#include "../../dump/output.h"
#include "../cmd.h"
#include "../private.h"

enum { STAT_EVENTS_MAX = 256, STAT_TARGETS_MAX = 256 };

enum stat_scope { STAT_COMMAND, STAT_PROCESSES, STAT_THREADS, STAT_PROCESSORS };

/* ---------------------------------------------------------------------------- targets */

struct stat_targets {
	bool threads; /* ids are threads', else processes' */
	unsigned count;
	pid_t pid[STAT_TARGETS_MAX];
	int fd[STAT_TARGETS_MAX]; /* pidfd, readable at the end; -1: poll /proc instead */
};

/* Parses "12,34" and adds the new ids. False: text is not a list of ids, or there are too many. */
bool stat_targets_add(struct stat_targets *t, const char *text);
/* Opens pidfds, so that targets' ends are noticed. */
void stat_targets_watch(struct stat_targets *t);
/* Removes targets that have ended. Returns whether any are left. */
bool stat_targets_live(struct stat_targets *t);
/* Waits at most ns, until `wake` is readable, which is then read, or until a target may have
 * ended. */
void stat_targets_wait(const struct stat_targets *t, int wake, uint64_t ns);

/* ----------------------------------------------------------------------------- events */

struct stat_events {
	struct count_event event[STAT_EVENTS_MAX];
	unsigned count, groups;
};

/* Parses the list of an -e. Exits on an invalid event; sets why for an unavailable one. */
void stat_events_add(struct stat_events *events, const struct verb *verb, const char *list);
void stat_events_defaults(struct stat_events *events, const struct verb *verb, bool processors);
/* The event's name, with ":u" if the kernel denies counting itself. */
const char *stat_event_name(const struct count_event *e, char name[EVENT_NAME_MAX + 8]);
bool stat_event_is_time(const struct count_event *e);

/* ------------------------------------------------------------------------------- rows */

/* An event's values over the time of a report. */
struct stat_row {
	const struct count_event *event;
	char name[EVENT_NAME_MAX + 8]; /* stat_event_name */
	int cpu;		       /* -1: sum of all targets */
	bool user_only, measured;
	const char *why;		    /* if not measured, else NULL */
	uint64_t count, enabled, running;   /* the count is scaled; UINT64_MAX: not measured */
	double running_percent;		    /* NAN: not measured */
	const char *unit;		    /* of the count; NULL: none */
	uint32_t targets, measured_targets; /* of processors, such as 2 of 4 counted */
	struct cell figure;		    /* a CELL_REAL, or none */
	const char *figure_unit;	    /* NULL: there is no figure */
	/* In text: */
	double time;	    /* s, of the report */
	const char *colour; /* of n/a */
	bool tells_why;
};

struct stat_report {
	bool total;
	uint64_t at, elapsed; /* ns since the beginning; length of the report's time */
	uint64_t least;	      /* the shortest time between two reads of a counter */
	struct stat_row *row;
	unsigned rows;
	/* For the total: */
	const char *target; /* "command ./x", "process 12", ... */
	bool has_command;   /* if set: */
	int exit_code;
	uint64_t user_us, system_us; /* of the counted command; UINT64_MAX: unknown */
};

/* Computes the rows of all events from the values at all targets; from NULL: since the beginning.
 * One row per event; with per_cpu, preceded by one per processor. */
void stat_rows(const struct count *c, const struct count_value *from, const struct count_value *to,
	bool per_cpu, struct stat_report *r);

/* ----------------------------------------------------------------------------- output */

enum stat_format { STAT_TEXT, STAT_CSV, STAT_JSON };

struct stat_printer {
	const struct verb *verb;
	enum stat_format format;
	bool per_cpu;
	bool begun;    /* a report was printed */
	bool coloured; /* text only */
	bool failed;
	struct output to;
};

/* path NULL: standard error. Returns an exit code after reporting errors. */
int stat_printer_open(struct stat_printer *p, const char *path);
/* Reports the first failure and then stops writing. */
void stat_print(struct stat_printer *p, const struct stat_report *r);

void stat_print_text(struct stat_printer *p, struct out *o, const struct stat_report *r);
void stat_print_csv(struct stat_printer *p, struct out *o, const struct stat_report *r);
void stat_print_json(struct stat_printer *p, struct out *o, const struct stat_report *r);

/* ---------------------------------------------------------------------------- the run */

struct stat_run {
	const struct verb *verb;
	enum stat_scope scope;
	struct stat_targets targets;
	struct stat_events events;
	struct stat_printer printer;
	struct command command;	     /* words NULL: no command */
	uint64_t interval, duration; /* ns; 0: not given */
	char target[256];
};

/* Opens the events, counts and prints. Returns an exit code. */
int stat_follow(struct stat_run *r);

#endif
