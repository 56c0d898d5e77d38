/*
 * Sessions in continuous mode: the options that say where to, and what on, off, free and info
 * do with the drain.
 */
#ifndef SWT_CMD_CONTINUOUS_H
#define SWT_CMD_CONTINUOUS_H

#include "../dump/drain/control.h"
#include "cmd.h"

/* The options of init and record. */
enum { DRAIN_FILE = INIT_OPTIONS, DRAIN_ROTATE, DRAIN_KEEP, DRAIN_COMPRESS, DRAIN_OPTIONS };
#define DRAIN_OPTION_LIST                                                                          \
	{DRAIN_COMPRESS, "--compress", .value = "none|lz4|zlib",                                   \
		.help = "how the hooks are stored (lz4)"},                                         \
		{DRAIN_ROTATE, "--rotate", .value = "SIZE",                                        \
			.help = "begins a new file after so many bytes (1M and more; K, M, G);\n"  \
				"              the older ones are FILE.1 (the newest), FILE.2, "   \
				"..."},                                                            \
	{                                                                                          \
		DRAIN_KEEP, "--keep", .value = "N", .help = "keeps N of the older files (all)"     \
	}
#define DRAIN_OPTION_USAGE "[--compress none|lz4|zlib] [--rotate SIZE [--keep N]]"

/* Takes one of them; `name` is DRAIN_FILE's. False if id is none. */
bool drain_option(struct drain_config *config, const struct arguments *a, int id);
/* What makes no sense together is wrong usage; what cannot be written, a failure. */
int drain_check(const struct verb *verb, const struct drain_config *config);

/* Sets what was not asked for: rings that bridge the time until a drain gets the processor. */
void continuous_defaults(struct session_config *config);

/* Whether hooks of these rings may be nowhere else: in continuous mode, when the drain was
 * killed; in another, when there are any. */
bool session_holds_hooks(const struct session *s);

/* How far the files got, from the control page and the rings. */
void continuous_status(const struct session *s, struct drain_status *status);
/* The line at the end: hooks, bytes, lost, torn, rotations. */
void continuous_report(
	const struct verb *verb, const char *path, const struct drain_status *status);

/* There are rings, and they are in continuous mode. */
bool is_continuous(const struct session *s);
/* Whether a drain runs. The lock that tells is the owner's to try; a member of the group has
 * the process number. */
bool continuous_runs(struct session *s);

/* `on`: a drain as a daemon, then the gate. s: opened for control, and locked. An exit code. */
int continuous_on(const struct verb *verb, struct session *s);
/* `off`: the gate, then until the file is whole. The lock is let go of. An exit code. */
int continuous_off(const struct verb *verb, struct session *s);
/* Whether there is something for continuous_off to end. */
bool continuous_is_open(const struct session *s);

#endif
