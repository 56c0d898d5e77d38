/*
 * bench: records a command several times, alternating with another one, and reports the
 * differences. Each run is a `record`; the comparison is cpidecode's diff.
 */
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../formats/base/number.h"
#include "private.h"

enum { BENCH_RUNS = 1, BENCH_AGAINST, BENCH_OUTPUT, BENCH_SIZE, BENCH_FAIL_IF, BENCH_FORMAT };

static const struct option options[] = {
	{.help = "With --against: the changes from OTHER-COMMAND to COMMAND (cpidecode --report diff).\n"
		 "Without: the noise between runs of COMMAND, and the least change that as many could show\n"
		 "(diff --aa).\n\n"},
	{BENCH_RUNS, "-n", .value = "RUNS",
		.help = "of each command, 1 to 10000 (10); a gate takes 3 or more"},
	{BENCH_AGAINST, "--against", .value = "OTHER-COMMAND", .help = "a line for sh"},
	{BENCH_FAIL_IF, "--fail-if", .value = "EXPR",
		.help = "exits with 5 if it came true, as of cpidecode: 'p90>+5%'; may be\n"
			"              given again"},
	{BENCH_FORMAT, "--format", .value = "text|csv|json", .help = "of the report (text)"},
	{BENCH_SIZE, "-s", .value = "MB", .help = "trace buffer per processor, as of record"},
	{BENCH_OUTPUT, "-o", .value = "DIR",
		.help = "keeps the traces: DIR/before/NNNN.bin, DIR/after/NNNN.bin"},
	{.help = "The commands' standard output goes to standard error: the report is on standard output.\n"
		 "Exits with cpidecode's status, 5 if a gate failed; with that of a command that fails, \n"
		 "and no report then; 126, 127 and 128 + N as record.\n"},
	{0}};

enum { MOST_RUNS = 10000, MOST_GATES = 64 };

struct bench {
	const struct verb *verb;
	uint64_t runs;
	char *against, *size, *format;
	char *gates[MOST_GATES];
	unsigned ngates;
	char **words; /* of the command */
	int nwords;
	char dir[PATH_MAX - 64]; /* directory of the traces */
	bool kept;
	char self[PATH_MAX];
};

static int remove_entry(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static void remove_traces(const struct bench *b)
{
	if (!b->kept)
		nftw(b->dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static int make_side(const struct bench *b, const char *side)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/%s", b->dir, side);
	if (mkdir(path, 0777) == 0)
		return EXIT_FINE;
	/* Only an empty directory may be reused: files of an earlier bench would count as runs. */
	if (errno == EEXIST && rmdir(path) == 0 && mkdir(path, 0777) == 0)
		return EXIT_FINE;
	return cmd_fail(b->verb, "%s: %s", path, strerror(errno));
}

static int make_folders(struct bench *b)
{
	const char *parent = getenv("TMPDIR");

	if (b->kept) {
		if (mkdir(b->dir, 0777) != 0 && errno != EEXIST)
			return cmd_fail(b->verb, "%s: %s", b->dir, strerror(errno));
	} else {
		snprintf(b->dir, sizeof b->dir, "%s/swtrace-bench.XXXXXX",
			parent && *parent ? parent : "/tmp");
		if (!mkdtemp(b->dir))
			return cmd_fail(b->verb, "%s: %s", b->dir, strerror(errno));
	}
	int code = b->against ? make_side(b, "before") : EXIT_FINE;
	return code ? code : make_side(b, "after");
}

/* Runs a program of this toolkit. quiet: its standard output goes to standard error, since standard
 * output carries the report. */
static int run_words(const struct bench *b, char **words, bool quiet)
{
	struct command c = {.words = words, .output_is_ours = quiet};
	int failure = command_start(&c, NULL);

	if (failure)
		return command_failed(b->verb, &c, failure);
	command_wait(&c);
	return command_exit_code(&c);
}

static int bench_record_round(struct bench *b, bool against, uint64_t number)
{
	char path[PATH_MAX];
	char *shell[] = {"sh", "-c", b->against, NULL};
	char **command = against ? shell : b->words;
	char **words = calloc((size_t)b->nwords + 16, sizeof *words);
	int n = 0;

	if (!words)
		return cmd_fail(b->verb, "benchmark: not enough memory");
	snprintf(path, sizeof path, "%s/%s/%04u.bin", b->dir, against ? "before" : "after",
		(unsigned)number);
	words[n++] = b->self;
	words[n++] = "record";
	words[n++] = "-o";
	words[n++] = path;
	if (b->size) {
		words[n++] = "-s";
		words[n++] = b->size;
	}
	words[n++] = "--";
	for (char **w = command; *w; w++)
		words[n++] = *w;
	int code = run_words(b, words, true);
	free(words);
	if (code)
		cmd_fail(b->verb, "run %u of %s: exit status %d: no comparison", (unsigned)number,
			command[against ? 2 : 0], code);
	return code;
}

/* Alternates which command runs first, so that drift affects both equally. */
static int record_all(struct bench *b)
{
	int code = EXIT_FINE;

	for (uint64_t i = 1; i <= b->runs && !code; i++) {
		bool first = i % 2;

		if (b->against && first)
			code = bench_record_round(b, true, i);
		if (!code)
			code = bench_record_round(b, false, i);
		if (!code && b->against && !first)
			code = bench_record_round(b, true, i);
	}
	return code;
}

/* Runs the cpidecode in swtrace's directory, or else the one in PATH. */
static int bench_run_report(struct bench *b)
{
	char decoder[PATH_MAX], before[PATH_MAX], after[PATH_MAX];
	char *words[2 * MOST_GATES + 16];
	char *slash = strrchr(b->self, '/');
	int n = 0;

	snprintf(decoder, sizeof decoder, "%.*s/cpidecode", (int)(slash ? slash - b->self : 0),
		b->self);
	snprintf(before, sizeof before, "%s/before", b->dir);
	snprintf(after, sizeof after, "%s/after", b->dir);
	words[n++] = slash && access(decoder, X_OK) == 0 ? decoder : "cpidecode";
	words[n++] = "--report";
	words[n++] = "diff";
	if (b->format) {
		words[n++] = "--format";
		words[n++] = b->format;
	}
	for (unsigned i = 0; i < b->ngates; i++) {
		words[n++] = "--fail-if";
		words[n++] = b->gates[i];
	}
	words[n++] = b->against ? before : "--aa";
	words[n++] = after;
	words[n] = NULL;
	return run_words(b, words, false);
}

static void bench_parse_option(struct bench *b, const struct arguments *a, int id)
{
	switch (id) {
	case BENCH_RUNS:
		if (!number_parse(a->value, 10, MOST_RUNS, &b->runs) || b->runs == 0)
			cmd_misuse(
				a->verb, "-n: \"%s\": expected 1 to %d runs", a->value, MOST_RUNS);
		break;
	case BENCH_AGAINST:
		b->against = (char *)a->value;
		break;
	case BENCH_OUTPUT:
		b->kept = true;
		if (!*a->value ||
			(size_t)snprintf(b->dir, sizeof b->dir, "%s", a->value) >= sizeof b->dir)
			cmd_misuse(a->verb, "-o: the folder's name is empty or too long");
		break;
	case BENCH_SIZE:
		b->size = (char *)a->value;
		break;
	case BENCH_FORMAT:
		b->format = (char *)a->value;
		if (strcmp(a->value, "text") != 0 && strcmp(a->value, "csv") != 0 &&
			strcmp(a->value, "json") != 0)
			cmd_misuse(
				a->verb, "--format: \"%s\": expected text, csv or json", a->value);
		break;
	case BENCH_FAIL_IF:
		if (b->ngates == MOST_GATES)
			cmd_misuse(a->verb, "more than %d times --fail-if", MOST_GATES);
		b->gates[b->ngates++] = (char *)a->value;
		break;
	}
}

static int bench_run(const struct verb *verb, int argc, char **argv)
{
	struct arguments a = {.verb = verb, .stop = true, .argc = argc, .argv = argv};
	struct bench b = {.verb = verb, .runs = 10};
	int id;

	while ((id = arguments_next(&a)))
		bench_parse_option(&b, &a, id);
	if (a.operands == 0)
		cmd_misuse(verb, "the command is missing");
	if (b.ngates && !b.against)
		cmd_misuse(verb, "--fail-if compares with another command: --against is missing");
	if (b.ngates && b.runs < 3)
		cmd_misuse(verb, "--fail-if needs at least 3 runs of each command");
	ssize_t length = readlink("/proc/self/exe", b.self, sizeof b.self - 1);
	if (length < 0)
		return cmd_fail(verb, "/proc/self/exe: %s", strerror(errno));
	b.words = argv + 1;
	b.nwords = a.operands;
	argv[1 + a.operands] = NULL;
	int code = make_folders(&b);
	if (code)
		return code;
	code = record_all(&b);
	if (!code)
		code = bench_run_report(&b);
	remove_traces(&b);
	return code;
}

const struct verb verb_bench = {"bench",
	"bench [-n RUNS] [--against OTHER-COMMAND] [--fail-if EXPR] [--format FORMAT] [-s MB] [-o DIR] -- COMMAND ...",
	"records runs of a command, in turn with another one, and shows differences", options,
	bench_run};
