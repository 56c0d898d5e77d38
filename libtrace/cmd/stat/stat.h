/*
 * What the files of the verb stat share.
 */
#ifndef SWT_CMD_STAT_STAT_H
#define SWT_CMD_STAT_STAT_H

#include "../../counters/count/count.h"
#include "../../dump/output.h"
#include "../cmd.h"
#include "../private.h"

enum { STAT_EVENTS_MAX = 256, STAT_TARGETS_MAX = 256 };

enum stat_scope { STAT_COMMAND, STAT_PROCESSES, STAT_THREADS, STAT_PROCESSORS };

/* ---------------------------------------------------------------------------- targets */

struct stat_targets {
	bool threads; /* of numbers of threads, else of processes */
	unsigned count;
	pid_t pid[STAT_TARGETS_MAX];
	int fd[STAT_TARGETS_MAX]; /* tells its end; -1: it has to be looked for */
};

/* "12,34": adds what is not there yet. False: text is no such list, or there are too many. */
bool stat_targets_add(struct stat_targets *t, const char *text);
/* Makes their ends known. */
void stat_targets_watch(struct stat_targets *t);
/* Forgets those that have ended. Whether there are others. */
bool stat_targets_live(struct stat_targets *t);
/* Waits at most that long, or until `wake` is readable, which is then read, or one may have
 * ended. */
void stat_targets_wait(const struct stat_targets *t, int wake, uint64_t ns);

/* ----------------------------------------------------------------------------- events */

struct stat_events {
	struct count_event event[STAT_EVENTS_MAX];
	unsigned count, groups;
};

/* The list of an -e. What is no event ends the process; what is not there has its why. */
void stat_events_add(struct stat_events *events, const struct verb *verb, const char *list);
void stat_events_defaults(struct stat_events *events, const struct verb *verb, bool processors);
/* The name with ":u" where the kernel's part is denied. */
const char *stat_event_name(const struct count_event *e, char name[EVENT_NAME_MAX + 8]);
bool stat_event_is_time(const struct count_event *e);

/* ------------------------------------------------------------------------------- rows */

/* An event over the time of a report. */
struct stat_row {
	const struct count_event *event;
	int cpu;       /* -1: all places together */
	bool measured; /* else why says why not */
	const char *why;
	uint64_t count, enabled, running; /* count is scaled */
	unsigned places, measured_places; /* of processors: 2 of 4 counted */
	bool has_figure;
	double figure;
	const char *figure_unit;
	int decimals; /* that the figure is worth */
};

struct stat_report {
	bool total;
	uint64_t at, elapsed; /* ns since the beginning; that it covers */
	uint64_t least;	      /* of elapsed: between the reads of any counter */
	struct stat_row *row;
	unsigned rows;
	/* Of the total. */
	const char *target; /* "command ./x", "process 12", ... */
	bool has_command;   /* then: */
	int exit_code;
	uint64_t user_us, system_us; /* of the counted command; UINT64_MAX: not known */
};

/* The values of all events at all places; from may be NULL: since the beginning. One row an
 * event, and before it one a processor where per_cpu says so. */
void stat_rows(const struct count *c, const struct count_value *from, const struct count_value *to,
	bool per_cpu, struct stat_report *r);

/* ----------------------------------------------------------------------------- output */

enum stat_format { STAT_TEXT, STAT_CSV, STAT_JSON };

struct stat_printer {
	const struct verb *verb;
	enum stat_format format;
	bool per_cpu;
	bool begun;    /* a report is printed */
	bool coloured; /* text */
	bool failed;
	struct output to;
};

/* path NULL: standard error. Says what is wrong and returns an exit code. */
int stat_printer_open(struct stat_printer *p, const char *path);
/* A failure is told once; then nothing more is written. */
void stat_print(struct stat_printer *p, const struct stat_report *r);
int stat_printer_close(struct stat_printer *p);

void stat_print_text(struct stat_printer *p, FILE *f, const struct stat_report *r);
void stat_print_csv(struct stat_printer *p, FILE *f, const struct stat_report *r);
void stat_print_json(struct stat_printer *p, FILE *f, const struct stat_report *r);

/* ---------------------------------------------------------------------------- the run */

struct stat_run {
	const struct verb *verb;
	enum stat_scope scope;
	struct stat_targets targets;
	struct stat_events events;
	struct stat_printer printer;
	struct command command;	     /* words NULL: none */
	uint64_t interval, duration; /* ns; 0: none */
	char target[256];
};

/* Opens, counts, prints. An exit code. */
int stat_follow(struct stat_run *r);

#endif
