/*
 * Shared by the verbs of the swtrace command.
 *
 * libtrace/cmd owns the swtrace command, with a file or a folder per verb. It includes trigger,
 * dump, kernel, measure, session, ring, counters, events, core, perflib, decoder's sink and
 * cpidecode.h. Errors: an exit code, after a line on stderr.
 */
#ifndef SWT_CMD_CMD_H
#define SWT_CMD_CMD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../../formats/base/options.h"
#include "../../formats/trace_file.h"
#include "../dump/dump.h"
#include "../session/session.h"

struct verb {
	const char *name;
	const char *usage;	      /* text after "swtrace " in usage lines */
	const char *what;	      /* one line, for the list of verbs */
	const struct option *options; /* also the text of --help */
	int (*run)(const struct verb *verb, int argc, char **argv); /* argv[0] is the verb */
};

extern const struct verb verb_init, verb_install, verb_on, verb_off, verb_enable, verb_disable,
	verb_maj, verb_info, verb_dump, verb_get, verb_free, verb_run, verb_record, verb_bench,
	verb_trigger, verb_top, verb_doctor, verb_event, verb_stat, verb_ai, verb_counters;

/* For completion of enable and disable: "all" and the majors that have a name. */
const char *enable_operands(void);
/* For completion: prints the countersets that the last argument may become. */
void counters_complete_set(int argc, char **argv);

/* Prints "swtrace VERB: ..." to stderr. Returns EXIT_FAILED. */
__attribute__((format(printf, 2, 3))) int cmd_fail(
	const struct verb *verb, const char *format, ...);
/* Reports failed output to path. Silent if path is standard output ("-") and its reader is gone, as
 * with `| head`. */
int cmd_fail_output(const struct verb *verb, const char *path, const char *why);
bool cmd_reader_is_gone(void);
/* The same of an open one. Returns true, for a field `failed`. */
struct output;
bool cmd_fail_writing(const struct verb *verb, const struct output *to, const char *why);
/* Finishes an output, or abandons one whose writing failed, which was reported. An exit status. */
int cmd_finish_output(const struct verb *verb, struct output *to, bool has_failed);
/* Prints a note to stderr. */
__attribute__((format(printf, 2, 3))) void cmd_note(
	const struct verb *verb, const char *format, ...);
/* Reports wrong usage, points to --help and exits with EXIT_USAGE. */
__attribute__((format(printf, 2, 3), noreturn)) void cmd_misuse(
	const struct verb *verb, const char *format, ...);

/* ------------------------------------------------------------------ arguments */

struct arguments {
	const struct verb *verb;
	bool stop; /* stop at the first operand: the rest is another command's */
	char **argv;
	int argc;
	const char *value; /* the last option's value; NULL if it has none */
	int operands;	   /* operands are argv[1] to argv[operands], valid after the last option */
	struct options_scan scan;
};

/* Returns the id of the next option, 0 at the end. Exits on a wrong option and on --help. */
int arguments_next(struct arguments *a);
/* For verbs without operands, after the last option. Exits with EXIT_USAGE if there is one. */
void arguments_expect_no_operand(const struct arguments *a);

/* Parses bytes, with an optional suffix K, M or G (powers of 1024). */
bool parse_size(const char *text, uint64_t *bytes);
/* Parses a duration in seconds, or with a suffix ns, us, ms, s, m, min or h; a fraction is allowed.
 */
bool parse_time(const char *text, uint64_t *ns);
#define CMD_TIME_HELP "seconds, or a time with ns, us, ms, s, m, min or h" /* in messages */

/* Options that init and run share. */
enum {
	INIT_SIZE = 1,
	INIT_MODE,
	INIT_SECTION,
	INIT_GROUP,
	INIT_PREALLOC,
	INIT_EVENTS,
	INIT_BEGINS,
	INIT_OPTIONS
};
#define INIT_OPTION_SIZE(preset)                                                                   \
	{                                                                                          \
		INIT_SIZE, "-s", .value = "MB",                                                    \
				 .help = "trace buffer per processor, 1 to 65536 MB (" preset ")"  \
	}
#define INIT_OPTION_SECTION                                                                        \
	{                                                                                          \
		INIT_SECTION, "-ss", .value = "KB",                                                \
				     .help = "section size, 4 to 8192 KB, a power of two (64, or " \
					     "what the machine needs)"                             \
	}
#define INIT_OPTION_GROUP                                                                          \
	{                                                                                          \
		INIT_GROUP, "-g",                                                                  \
			.value = "GROUP",                                                          \
			.help = "members of this group may trace too; without it only the owner"   \
	}
#define INIT_OPTION_EVENTS                                                                         \
	{                                                                                          \
		INIT_EVENTS, "-e", .value = "LIST",                                                \
				   .help = "up to 8 events that programs count in each interval, " \
					   "such as\n"                                             \
					   "              instructions,LLC-misses; not in those "  \
					   "that have SWTRACE_EVENTS"                              \
	}

#define INIT_OPTION_BEGINS                                                                            \
	{                                                                                             \
		INIT_BEGINS, "--begins",                                                              \
			.help = "intervals have a hook at their start too, so that the trace\n"       \
				"              shows open intervals when it is dumped, or a program " \
				"is killed"                                                           \
	}

void init_config(struct session_config *config);
/* Applies the option. False if id is not one of them. */
bool init_option(struct session_config *config, const struct arguments *a, int id);

struct expression_error;
/* Reports a condition that cannot be read, shows where, and exits with EXIT_USAGE. */
__attribute__((noreturn)) void cmd_misuse_condition(
	const struct arguments *a, const char *option, const struct expression_error *error);

/* ------------------------------------------------------------------- sessions */

/* Finds and opens the session; reports errors and returns an exit code. */
int cmd_open(const struct verb *verb, struct session *s, int flags);
bool cmd_is_on(const struct session *s);
/* The time of a stamp by the session's clock, in ns since 1970, counted back from now: more exact
 * than forward from `init`. 0: an impossible one, of a stamp that is corrupt. */
uint64_t cmd_unix_time(const struct session *s, uint64_t stamp);
/* Warns a member of root's group that programs trace in root's session, not in this one. */
void cmd_warn_if_elsewhere(const struct verb *verb, const struct session *s);
/* Warns, with figures, if full buffers will not fit in memory. */
void cmd_warn_if_short(const struct verb *verb, const struct session *s);
/* For verbs that write hooks: explains why none will be in the trace. */
void cmd_tell_tracing(const struct verb *verb, int major);
/* Checks up front that the output can be written, not after the command has run for an hour. */
int cmd_check_output(const struct verb *verb, const char *path);

/* Removes private sessions of this user whose `run` was killed. */
void cmd_sweep(void);
#define RUNNER_LOCK_NAME "runner" /* lock file in a private session's directory, held by `run` */

enum cmd_format {
	CMD_TRACE, /* trace.bin */
	CMD_NRM2,
};
/* Calls dump_write() with that format; libcpidecode writes NRM2. Reports on stderr what the format
 * cannot hold. */
int cmd_write_dump(const struct verb *verb, struct session *s, enum cmd_format format,
	const struct dump_options *options, struct dump_result *result,
	struct session_error *error);
/* Dumps with a progress line, interruptibly, and reports how many hooks were written and lost. */
int cmd_dump(const struct verb *verb, struct session *s, const char *path, enum cmd_format format,
	enum tf_codec codec, const char *command);
/* Prints a line on the dump's content. */
void cmd_report_dump(const struct verb *verb, const char *path, const struct dump_result *r);
/* A traced command line wrote no hooks: suggests what to check. */
void cmd_note_untraced(const struct verb *verb, const char *command);
/* Rings of normal mode filled up: reports what they kept, and how to lose less. kept: text. */
#define FILLED_ADVICE                                                                              \
	"swtrace record streams all hooks to a file, -t wrap keeps the newest, -s MB (of init "    \
	"and run) makes more room"
void cmd_note_filled(const struct verb *verb, const char *kept, uint64_t lost);
/* Reclaims sections and tasks of ended processes, if the caller owns the session. */
void cmd_reclaim(void);
/* The codec that --compress names. */
enum tf_codec cmd_codec(const struct arguments *a);

/* --------------------------------------------------------------------- output */

const char *cmd_state_name(uint32_t state);
const char *cmd_mode_name(uint32_t mode);
/* Whether NO_COLOR allows colour. */
bool cmd_may_colour(void);
/* The escape code for bold, green, red or plain text; "" if colour is off. */
const char *cmd_colour(FILE *f, const char *code);
#define COLOUR_GOOD "\033[32m"
#define COLOUR_BAD "\033[31m"
#define COLOUR_OFF "\033[0m"

/* Prints text with question marks instead of control characters, which could drive a terminal. */
void print_plain(FILE *f, const char *text);

#endif
