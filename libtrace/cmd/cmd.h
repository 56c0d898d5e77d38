/*
 * What the verbs of the swtrace command share.
 *
 * libtrace/cmd is the swtrace command, a file or a folder a verb. It may include every room of
 * libtrace, decoder/sink and cpidecode.h.
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
	const char *usage;	      /* what follows "swtrace " */
	const char *what;	      /* a line for the list of verbs */
	const struct option *options; /* and the text of --help */
	int (*run)(const struct verb *verb, int argc, char **argv); /* argv[0]: the verb */
};

extern const struct verb verb_init, verb_install, verb_on, verb_off, verb_enable, verb_disable,
	verb_maj, verb_info, verb_dump, verb_get, verb_free, verb_run, verb_record, verb_bench,
	verb_trigger, verb_doctor, verb_event, verb_stat, verb_ai, verb_counters;

/* Prints the countersets that the last argument may become, for completion. */
void counters_complete_set(int argc, char **argv);

/* "swtrace VERB: ..." on stderr. Returns EXIT_FAILED. */
__attribute__((format(printf, 2, 3))) int cmd_fail(
	const struct verb *verb, const char *format, ...);
/* The same of output to path that failed. Silent where that is standard output ("-") whose reader
 * has gone: `| head` had enough. */
int cmd_fail_output(const struct verb *verb, const char *path, const char *why);
bool cmd_reader_is_gone(void);
/* The same for a remark. */
__attribute__((format(printf, 2, 3))) void cmd_note(
	const struct verb *verb, const char *format, ...);
/* The same for wrong usage, with a pointer to --help. Ends the process with EXIT_USAGE. */
__attribute__((format(printf, 2, 3), noreturn)) void cmd_misuse(
	const struct verb *verb, const char *format, ...);

/* ------------------------------------------------------------------ arguments */

struct arguments {
	const struct verb *verb;
	bool stop; /* at the first operand: what follows is another command's */
	char **argv;
	int argc;
	const char *value; /* of the option returned last; NULL: it has none */
	int operands;	   /* argv[1] to argv[operands] when the options are at their end */
	struct options_scan scan;
};

/* The id of the next option, 0 at the end. Wrong ones and --help end the process. */
int arguments_next(struct arguments *a);

/* A whole number of decimal digits, or hexadecimal after 0x where that is allowed. */
bool parse_number(const char *text, bool hex, uint64_t max, uint64_t *value);
/* Bytes, with a suffix K, M or G (powers of 1024). */
bool parse_size(const char *text, uint64_t *bytes);
/* A duration: seconds, or with a suffix ns, us, ms, s, m or h; decimals may follow a point. */
bool parse_time(const char *text, uint64_t *ns);

/* The options of init and run. */
enum { INIT_SIZE = 1, INIT_MODE, INIT_SECTION, INIT_GROUP, INIT_PREALLOC, INIT_OPTIONS };
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

void init_config(struct session_config *config);
/* Takes one of them. False if id is none. */
bool init_option(struct session_config *config, const struct arguments *a, int id);

/* ------------------------------------------------------------------- sessions */

/* Finds and opens; says what is wrong and returns an exit code. */
int cmd_open(const struct verb *verb, struct session *s, int flags);
bool cmd_is_on(const struct session *s);
/* A member of root's group traces in root's session, whatever is made elsewhere: says so. */
void cmd_warn_if_elsewhere(const struct verb *verb, const struct session *s);
/* New buffers that will not fit in memory: says so, with figures. */
void cmd_warn_if_short(const struct verb *verb, const struct session *s);
/* For a verb that writes hooks of its own: says why none will be in the trace. */
void cmd_tell_tracing(const struct verb *verb, int major);
/* Before a command has run for an hour is the time to find out that its trace has no place. */
int cmd_check_output(const struct verb *verb, const char *path);

/* Removes private sessions of this user whose `run` was killed. */
void cmd_sweep(void);
#define RUNNER_LOCK_NAME "runner" /* in a private session's directory; `run` holds its lock */

enum cmd_format {
	CMD_TRACE, /* trace.bin */
	CMD_NRM2,
};
/* dump_write() in that format. libcpidecode writes NRM2; what the format cannot hold is told on
 * stderr. */
int cmd_write_dump(const struct verb *verb, struct session *s, enum cmd_format format,
	const struct dump_options *options, struct dump_result *result,
	struct session_error *error);
/* Dumps with a progress line, interruptibly, and says what became of the hooks. */
int cmd_dump(const struct verb *verb, struct session *s, const char *path, enum cmd_format format,
	enum tf_codec codec, const char *command);
/* The line that says what a dump holds. */
void cmd_report_dump(const struct verb *verb, const char *path, const struct dump_result *r);
/* A command line was traced and wrote no hook: says what to check. */
void cmd_note_untraced(const struct verb *verb, const char *command);
/* Rings of normal mode filled: says what they kept, and how to lose less. kept: text. */
#define FILLED_ADVICE                                                                              \
	"swtrace record streams all hooks to a file, -t wrap keeps the newest, -s MB (of init "    \
	"and run) makes more room"
void cmd_note_filled(const struct verb *verb, const char *kept, uint64_t lost);
/* Gives back what the dead hold, if the session is ours. */
void cmd_reclaim(void);
/* The codec's name as an option's value. False if it is none. */
bool cmd_codec(const char *name, enum tf_codec *codec);

/* --------------------------------------------------------------------- output */

const char *cmd_state_name(uint32_t state);
const char *cmd_mode_name(uint32_t mode);
/* The code that makes text bold, green, red or plain again; "" where colour is not wanted. */
const char *cmd_colour(FILE *f, const char *code);
#define COLOUR_GOOD "\033[32m"
#define COLOUR_BAD "\033[31m"
#define COLOUR_OFF "\033[0m"

/* text without what a terminal would obey: question marks in its place. */
void put_plain(FILE *f, const char *text);
void put_plain_bytes(FILE *f, const char *text, size_t bytes);
/* A cell of CSV (RFC 4180), in quotes where it takes them. */
void put_csv(FILE *f, const char *text);
/* A JSON string in quotes, as decoder/sink escapes it. */
void put_json(FILE *f, const char *text);

#endif
