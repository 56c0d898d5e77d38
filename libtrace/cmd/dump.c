/*
 * dump (get): writes the trace buffers as a trace.bin. Also ends `run`.
 */
#include <string.h>
#include <unistd.h>

#include "../../formats/base/signals.h"
#include "../../formats/base/text.h"
#include "../../formats/base/time_ns.h"
#include "../../include/perfutil.h"
#include "../dump/drain/drain.h"
#include "../dump/dump.h"
#include "../dump/losses.h"
#include "flight.h"
#include "switches.h"

enum tf_codec cmd_codec(const struct arguments *a)
{
	const unsigned codec = tf_codec_find(a->value);

	if (codec == TF_CODECS)
		cmd_misuse(a->verb, "--compress: \"%s\": expected none, lz4 or zlib", a->value);
	return (enum tf_codec)codec;
}

/* ------------------------------------------------------- progress and interruption */

static volatile sig_atomic_t stopped_by;

static void dump_catch_signal(int signal)
{
	stopped_by = signal;
}

/* Remove the temporary file on a signal. */
static void dump_catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	const struct sigaction catcher = {.sa_handler = dump_catch_signal};

	stopped_by = 0;
	signals_catch(signals, sizeof signals / sizeof *signals, &catcher);
}

struct progress {
	const struct verb *verb;
	bool terminal;
	uint64_t started, shown; /* ns */
};

static bool show_progress(void *arg, uint64_t done, uint64_t total)
{
	struct progress *p = arg;
	uint64_t now = time_ns_monotonic();

	if (stopped_by)
		return false;
	if (!p->terminal || now - p->started < TIME_SECOND_NS || now - p->shown < 100000000u)
		return true;
	p->shown = now;
	fprintf(stderr, "\rswtrace %s: %3u%% ", p->verb->name,
		total ? (unsigned)(done * 100 / total) : 0);
	return true;
}

static void clear_progress(const struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
}

/* --------------------------------------------------------------------------- dump */

/* Shorter waits for another dump are no news. */
#define REPORTED_WAIT_NS UINT64_C(100000000)

/* Only wrap mode overwrites. */
static void tell_missed(const struct verb *verb, const struct dump_result *r)
{
	cmd_note(verb, "programs overwrote %u of %u sections before they were read: %s%s",
		r->missed, r->there, session_keep_why(r->keep),
		r->later ? "; the overwritten hooks include some from after the dump" : "");
}

void cmd_report_dump(const struct verb *verb, const char *path, const struct dump_result *r)
{
	cmd_note(verb,
		"%s: %llu hook%s in %u section%s, %llu bytes; lost %llu, overwritten %llu, torn %llu",
		strcmp(path, "-") == 0 ? "standard output" : path, (unsigned long long)r->hooks,
		text_plural(r->hooks), r->sections, text_plural(r->sections),
		(unsigned long long)r->bytes, (unsigned long long)r->lost,
		(unsigned long long)r->overwritten, (unsigned long long)r->torn);
	if (r->normal && r->loss[SHM_LOST_FULL]) {
		char kept[64];

		snprintf(kept, sizeof kept, "kept the first %llu hooks, ",
			(unsigned long long)r->hooks);
		cmd_note_filled(verb, kept, r->loss[SHM_LOST_FULL]);
	}
	if (losses_have_causes(r->loss))
		cmd_note(verb,
			"of those lost, %llu had no task slot (the table was full), %llu no memory for a section, %llu came before their program could attach",
			(unsigned long long)r->loss[SHM_LOST_NO_SLOT],
			(unsigned long long)r->loss[SHM_LOST_NO_MEMORY],
			(unsigned long long)r->loss[SHM_LOST_UNATTACHED]);
	if (r->waited_ns >= REPORTED_WAIT_NS)
		cmd_note(verb,
			"waited %.1f s for another dump of these buffers: the hooks are those of the time after that",
			time_seconds(r->waited_ns));
	if (r->missed)
		tell_missed(verb, r);
	if (r->damaged)
		cmd_note(verb,
			"a program truncated or overwrote %u rings: the dump holds their readable part",
			r->damaged);
}

int cmd_dump(const struct verb *verb, struct session *s, const char *path, enum cmd_format format,
	enum tf_codec codec, const char *command)
{
	struct progress progress = {.verb = verb,
		.terminal = isatty(STDERR_FILENO) != 0,
		.started = time_ns_monotonic()};
	struct dump_options options = {.path = path,
		.codec = codec,
		.command = command,
		.progress = show_progress,
		.progress_arg = &progress};
	struct session_error error = {"unknown error"};
	struct dump_result result;

	dump_catch_signals();
	int rc = cmd_write_dump(verb, s, format, &options, &result, &error);
	clear_progress(&progress);
	if (rc == 0) {
		cmd_report_dump(verb, path, &result);
		if (command && result.hooks + result.lost + result.overwritten + result.torn <=
				       switches_hooks(s))
			cmd_note_untraced(verb, command);
		return EXIT_FINE;
	}
	cmd_fail_output(verb, path, error.text);
	return stopped_by ? EXIT_SIGNAL + stopped_by : EXIT_FAILED;
}

enum { OPTION_COMPRESS = 1, OPTION_FORMAT, OPTION_ON_SIGNAL, OPTION_KEEP, OPTION_FILE };
static const struct option options_of_dump[] = {
	{.help = "FILE (or -o FILE) defaults to that of `init -f`, else swtrace.bin (.nrm2); - is standard\n"
		 "output. Works while tracing is on: the dump holds the contents of the buffers when it\n"
		 "began. The buffers stay as they are.\n\n"},
	{OPTION_FORMAT, "--format", .value = "trace|nrm2",
		.help = "a trace.bin, or a file of the original toolkit's format (trace)"},
	{OPTION_COMPRESS, "--compress", .value = "none|lz4|zlib",
		.help = "how the hooks of a trace.bin are stored (lz4)"},
	{OPTION_ON_SIGNAL, "--on-signal", .value = "[=NAME]",
		.words = "USR1|USR2|QUIT|ALRM|CONT|URG|WINCH|RTMIN",
		.help = "stays, and dumps at each such signal (USR1), until SIGINT, SIGTERM\n"
			"              or SIGHUP; FILE is the newest dump, older ones are FILE.1, FILE.2, ..."},
	{OPTION_KEEP, "--keep", .value = "N", .help = "with it: keeps N of the older dumps (all)"},
	{OPTION_FILE, "-o", .value = "FILE", .help = ""}, {0}};

/* First reclaims the sections of ended processes, so that the dump counts their records as torn;
 * only the owner can. Releases the lock: a dump into a slow pipe may last long. */
void cmd_reclaim(void)
{
	struct session_location location;
	struct session s;

	if (session_find(&location, NULL) == 0 &&
		session_open(&s, &location, SESSION_CONTROL, NULL) == 0) {
		session_reclaim(&s);
		session_close(&s);
	}
}

struct request {
	enum cmd_format format;
	enum tf_codec codec;
	bool compress; /* --compress was given */
	const char *path;
	int signal; /* 0: dump once, now */
	uint32_t keep;
};

static void dump_parse_option(struct request *r, const struct arguments *a, int id)
{
	switch (id) {
	case OPTION_COMPRESS:
		r->codec = cmd_codec(a);
		r->compress = true;
		break;
	case OPTION_FORMAT:
		r->format = strcmp(a->value, "nrm2") == 0 ? CMD_NRM2 : CMD_TRACE;
		if (r->format == CMD_TRACE && strcmp(a->value, "trace") != 0)
			cmd_misuse(a->verb, "--format: \"%s\": expected trace or nrm2", a->value);
		break;
	case OPTION_ON_SIGNAL:
		r->signal = a->value ? flight_signal(a->value) : SIGUSR1;
		if (r->signal == 0)
			cmd_misuse(a->verb,
				"--on-signal: \"%s\": expected USR1, USR2, QUIT, ALRM, CONT, URG, WINCH or RTMIN+N",
				a->value);
		break;
	case OPTION_KEEP:
		r->keep = flight_keep(a->verb, a->value);
		break;
	case OPTION_FILE:
		r->path = a->value;
		break;
	}
}

static int dump_on_signal(const struct verb *verb, const struct request *r)
{
	struct flight f = {.verb = verb, .format = r->format, .codec = r->codec, .keep = r->keep};
	int length = snprintf(f.path, sizeof f.path, "%s", r->path);

	if (strcmp(r->path, "-") == 0)
		cmd_misuse(verb, "--on-signal takes a file, not standard output");
	if (length < 0 || (size_t)length >= sizeof f.path)
		cmd_misuse(verb, "the file's name is too long");
	return flight_on_signal(&f, r->signal);
}

/* The file configured by `init -f`, unless it belongs to a drain. */
static bool find_named_file(struct drain_config *config)
{
	struct session_location location;
	struct session s;
	bool found = false;

	if (session_find(&location, NULL) == 0 &&
		session_open(&s, &location, SESSION_READ, NULL) == 0) {
		found = !session_is_continuous(&s) && drain_load(&s, config, NULL) == 0 &&
			config->path[0] == '/';
		session_close(&s);
	}
	return found;
}

static int dump_now(const struct verb *verb, const struct request *r)
{
	struct session s;

	if (strcmp(r->path, "-") == 0 && isatty(STDOUT_FILENO))
		cmd_misuse(verb, "a dump is not text: send standard output to a file or a pipe");
	cmd_reclaim();
	int code = cmd_open(verb, &s, SESSION_READ);
	if (code)
		return code;
	code = cmd_dump(verb, &s, r->path, r->format, r->codec, NULL);
	session_close(&s);
	return code;
}

static int dump_run(const struct verb *verb, int argc, char **argv)
{
	struct arguments a = {.verb = verb, .argc = argc, .argv = argv};
	struct request r = {.codec = TF_CODEC_LZ4};
	struct drain_config named;
	int id;

	while ((id = arguments_next(&a)))
		dump_parse_option(&r, &a, id);
	if (a.operands && (r.path || a.operands > 1))
		cmd_misuse(verb, "\"%s\": one argument too many", argv[a.operands]);
	if (a.operands)
		r.path = argv[1];
	if (!r.path && find_named_file(&named))
		r.path = named.path;
	if (!r.path)
		r.path = r.format == CMD_NRM2 ? "swtrace.nrm2" : "swtrace.bin";
	if (!*r.path)
		cmd_misuse(verb, "the file's name is empty");
	if (r.compress && r.format == CMD_NRM2)
		cmd_misuse(verb, "--compress goes with --format trace: NRM2 is not compressed");
	if (r.keep && !r.signal)
		cmd_misuse(verb, "--keep goes with --on-signal");
	return r.signal ? dump_on_signal(verb, &r) : dump_now(verb, &r);
}

#define DUMP_USAGE                                                                                 \
	"[FILE] [--format trace|nrm2] [--compress none|lz4|zlib] [--on-signal[=NAME] [--keep N]]"

const struct verb verb_dump = {"dump", "dump " DUMP_USAGE, "writes the trace buffers to a file",
	options_of_dump, dump_run};
const struct verb verb_get = {
	"get", "get " DUMP_USAGE, "the same as dump", options_of_dump, dump_run};
