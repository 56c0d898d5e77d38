/*
 * Sessions in continuous mode: their output options, and how on, off, free and info handle the
 * drain.
 */
#ifndef SWT_CMD_CONTINUOUS_H
#define SWT_CMD_CONTINUOUS_H

#include "../dump/drain/control.h"
#include "cmd.h"

/* Options that init and record share. */
enum {
	DRAIN_FILE = INIT_OPTIONS,
	DRAIN_ROTATE,
	DRAIN_KEEP,
	DRAIN_COMPRESS,
	DRAIN_THREADS,
	DRAIN_OPTIONS
};
#define DRAIN_OPTION_LIST                                                                          \
	{DRAIN_COMPRESS, "--compress", .value = "none|lz4|zlib",                                   \
		.help = "how the hooks are stored (lz4)"},                                         \
		{DRAIN_ROTATE, "--rotate", .value = "SIZE",                                        \
			.help = "begins a new file after so many bytes (1M and more; K, M, G);\n"  \
				"              the older ones are FILE.1 (the newest), FILE.2, "   \
				"..."},                                                            \
		{DRAIN_KEEP, "--keep", .value = "N", .help = "keeps N of the older files (all)"},  \
	{                                                                                          \
		DRAIN_THREADS, "--drain-threads", .value = "N",                                    \
						  .help = "threads that copy and compress, 1 to "  \
							  "64 (1)"                                 \
	}
#define DRAIN_OPTION_USAGE                                                                         \
	"[--compress none|lz4|zlib] [--rotate SIZE [--keep N]] [--drain-threads N]"

/* Applies the option; `name` is DRAIN_FILE's. False if id is not one of them. */
bool drain_option(struct drain_config *config, const struct arguments *a, int id);
/* Checks the options together. Contradictions are wrong usage; an unwritable file is a failure. */
int drain_check(const struct verb *verb, const struct drain_config *config);

/* Sets defaults: rings large enough to bridge the time until the drain is scheduled. */
void continuous_defaults(struct session_config *config);

/* Whether the rings may hold the only copy of hooks: in continuous mode after the drain was killed;
 * in other modes whenever there are hooks. */
bool session_holds_hooks(const struct session *s);

/* How far the drain got, from the control page and the rings. */
void continuous_status(const struct session *s, struct drain_status *status);
/* Prints the final line: hooks, bytes, lost, torn, rotations. */
void continuous_report(
	const struct verb *verb, const char *path, const struct drain_status *status);

/* Whether there are rings in continuous mode. */
bool is_continuous(const struct session *s);
/* Whether a drain runs. The owner tries the drain's lock; a group member checks its process id. */
bool continuous_runs(struct session *s);

/* `on`: starts a drain as a daemon, then opens the gate. s: opened for control, and locked. Returns
 * an exit code. */
int continuous_on(const struct verb *verb, struct session *s);
/* `off`: closes the gate, then waits until the file is complete. Releases the lock. Returns an exit
 * code. */
int continuous_off(const struct verb *verb, struct session *s);
/* Whether continuous_off has a file to finish. */
bool continuous_is_open(const struct session *s);

#endif
