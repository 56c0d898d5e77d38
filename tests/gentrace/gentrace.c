/* The command line, and the loop. */
#include "gentrace.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/trace_file.h"

static const char help[] =
	"Usage: gentrace [options] FILE        (- is standard output; CTF: a new folder)\n"
	"\n"
	"Writes a trace of any size: the same options and seed, the same bytes.\n"
	"Numbers may end with k, M, G (thousands).\n"
	"\n"
	"  -k, --kind hooks    hooks of major 0x10 (default)\n"
	"             groups   CPI groups, of nested intervals of several threads\n"
	"             mixed    one or the other\n"
	"  -n, --count N       so many hooks or groups (default 1000)\n"
	"  -b, --bytes N       instead: until there are N bytes of records\n"
	"  -c, --cpus N        processors, a ring each (default 2)\n"
	"  -t, --threads N     (default 4 for each processor)\n"
	"  -w, --words N       data words of a hook (default 8)\n"
	"  -l, --labels N      different labels (default 64), few of which are most of the\n"
	"                      groups; each is nested in few others\n"
	"  -e, --even          ... any of them anywhere: nearly as many stacks as groups\n"
	"  -d, --depth N       of nested intervals, at most (default 5)\n"
	"  -p, --parts LIST    of a group: label,summary,system,cpus,thread (default: these), time\n"
	"  -u, --utilisation   groups of CPU utilisation (0xC8: label,summary,cpus)\n"
	"  -g, --gap NS        between hooks or groups, on average (default 500)\n"
	"      --drift PPM     the clock is slow by so many millionths (default 0)\n"
	"  -s, --seed N        (default 1)\n"
	"\n"
	"  -f, --format trace  trace.bin (default)\n"
	"               ctf    the same events as a CTF 1.8 trace\n"
	"               folded the groups as stacks, a line each, with elapsed ticks\n"
	"  -z, --codec none|lz4|zlib    of hooks' sections (default none)\n"
	"      --level N       zlib's, 1 to 9 (default: zlib's own)\n"
	"      --section N     bytes of a section, raw (default 65536)\n"
	"  -o, --order first   sections by first stamp, as in a dump (default)\n"
	"              filled  as they filled up, as the drain writes them\n"
	"              rings   ring after ring\n"
	"      --no-index      no INDEX section (a pipe never gets one)\n"
	"      --no-schema     no SCHEMA section for the hooks\n"
	"      --no-end        as if the writer was cut off before the END section\n"
	"  -h, --help\n";

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("gentrace: ", stderr);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

void *need_memory(void *p)
{
	if (!p)
		die("out of memory");
	return p;
}

static void misuse(const char *what, const char *value) __attribute__((noreturn));
static void misuse(const char *what, const char *value)
{
	fprintf(stderr, "gentrace: %s%s%s (see --help)\n", what, value ? ": " : "",
		value ? value : "");
	exit(2);
}

static uint64_t number(const char *text, const char *option, uint64_t least, uint64_t most)
{
	static const char units[] = "kMG";
	char *end;

	errno = 0;
	uint64_t v = strtoull(text, &end, 0), times = 1;

	if (*end && strchr(units, *end)) {
		for (const char *u = units; u <= strchr(units, *end); u++)
			times *= 1000;
		end++;
	}
	if (errno || end == text || *end || *text == '-' || v > UINT64_MAX / times ||
		v * times < least || v * times > most)
		misuse(option, text);
	return v * times;
}

static unsigned chosen(const char *text, const char *option, const char *const *names)
{
	for (unsigned i = 0; names[i]; i++)
		if (strcmp(text, names[i]) == 0)
			return i;
	misuse(option, text);
}

static unsigned parts(char *list)
{
	static const char *const names[] = {
		"label", "summary", "system", "cpus", "thread", "time", NULL};
	unsigned set = 0;

	for (char *word = strtok(list, ","); word; word = strtok(NULL, ","))
		set |= 1u << chosen(word, "--parts", names);
	if (!set)
		misuse("--parts names none", NULL);
	return set;
}

enum { OPT_DRIFT = 256, OPT_LEVEL, OPT_SECTION, OPT_NO_INDEX, OPT_NO_SCHEMA, OPT_NO_END };

static const struct option longs[] = {
	{"kind", required_argument, NULL, 'k'},
	{"count", required_argument, NULL, 'n'},
	{"bytes", required_argument, NULL, 'b'},
	{"cpus", required_argument, NULL, 'c'},
	{"threads", required_argument, NULL, 't'},
	{"words", required_argument, NULL, 'w'},
	{"labels", required_argument, NULL, 'l'},
	{"even", no_argument, NULL, 'e'},
	{"depth", required_argument, NULL, 'd'},
	{"parts", required_argument, NULL, 'p'},
	{"utilisation", no_argument, NULL, 'u'},
	{"gap", required_argument, NULL, 'g'},
	{"drift", required_argument, NULL, OPT_DRIFT},
	{"seed", required_argument, NULL, 's'},
	{"format", required_argument, NULL, 'f'},
	{"codec", required_argument, NULL, 'z'},
	{"level", required_argument, NULL, OPT_LEVEL},
	{"section", required_argument, NULL, OPT_SECTION},
	{"order", required_argument, NULL, 'o'},
	{"no-index", no_argument, NULL, OPT_NO_INDEX},
	{"no-schema", no_argument, NULL, OPT_NO_SCHEMA},
	{"no-end", no_argument, NULL, OPT_NO_END},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static void content_option(struct options *o, int option, char *value)
{
	static const char *const kinds[] = {"hooks", "groups", "mixed", NULL};

	switch (option) {
	case 'k':
		o->kind = chosen(value, "--kind", kinds);
		break;
	case 'n':
		o->count = number(value, "--count", 1, UINT64_MAX);
		break;
	case 'b':
		o->bytes = number(value, "--bytes", 1, UINT64_MAX);
		break;
	case 'c':
		o->cpus = (unsigned)number(value, "--cpus", 1, MAX_CPUS);
		break;
	case 't':
		o->threads = (unsigned)number(value, "--threads", 1, MAX_THREADS);
		break;
	case 'w':
		o->words = (unsigned)number(value, "--words", 0, 0xffff);
		break;
	case 'l':
		o->labels = (unsigned)number(value, "--labels", 1, MAX_LABELS);
		break;
	case 'e':
		o->even = true;
		break;
	case 'd':
		o->depth = (unsigned)number(value, "--depth", 1, MAX_DEPTH);
		break;
	case 'p':
		o->parts = parts(value);
		break;
	case 'u':
		o->utilisation = true;
		break;
	case 'g':
		o->gap = number(value, "--gap", 1, 1000000000);
		break;
	case OPT_DRIFT:
		o->drift = (int64_t)number(value, "--drift", 0, 10000);
		break;
	default:
		o->seed = number(value, "--seed", 0, UINT64_MAX);
		break;
	}
}

static void format_option(struct options *o, int option, const char *value)
{
	static const char *const formats[] = {"trace", "ctf", "folded", NULL};
	static const char *const codecs[] = {"none", "lz4", "zlib", NULL};
	static const char *const orders[] = {"first", "filled", "rings", NULL};

	switch (option) {
	case 'f':
		o->format = chosen(value, "--format", formats);
		break;
	case 'z':
		o->codec = chosen(value, "--codec", codecs);
		break;
	case OPT_LEVEL:
		o->level = (int)number(value, "--level", 1, 9);
		break;
	case OPT_SECTION:
		o->section = (unsigned)number(value, "--section", 4096, 64 << 20);
		break;
	case 'o':
		o->order = chosen(value, "--order", orders);
		break;
	case OPT_NO_INDEX:
		o->index = false;
		break;
	case OPT_NO_SCHEMA:
		o->schema = false;
		break;
	default:
		o->end = false;
		break;
	}
}

static struct options arguments(int argc, char **argv)
{
	struct options o = {.cpus = 2,
		.words = 8,
		.labels = 64,
		.depth = 5,
		.parts = PART_ALL,
		.section = 65536,
		.level = -1,
		.gap = 500,
		.seed = 1,
		.index = true,
		.schema = true,
		.end = true};
	int option;

	while ((option = getopt_long(argc, argv, "k:n:b:c:t:w:l:ed:p:ug:s:f:z:o:h", longs, NULL)) !=
		-1) {
		if (option == '?')
			exit(2);
		if (option == 'h') {
			fputs(help, stdout);
			exit(fflush(stdout) == 0 ? 0 : 1);
		}
		if (option == 'f' || option == 'z' || option == 'o' || option == OPT_LEVEL ||
			option >= OPT_SECTION)
			format_option(&o, option, optarg);
		else
			content_option(&o, option, optarg);
	}
	if (optind != argc - 1)
		misuse("one output is needed", NULL);
	o.output = argv[optind];
	if (o.count && o.bytes)
		misuse("--count and --bytes exclude each other", NULL);
	if (!o.count && !o.bytes)
		o.count = 1000;
	if (!o.threads)
		o.threads = 4 * o.cpus;
	if (o.section % TF_ALIGN)
		misuse("--section is a multiple of 8", NULL);
	if (o.format == FORMAT_FOLDED && o.kind != KIND_GROUPS)
		misuse("only groups have stacks: --kind groups", NULL);
	if (o.format != FORMAT_TRACE && o.utilisation)
		misuse("--utilisation is for trace.bin only", NULL);
	return o;
}

static void write_trace(const struct options *o)
{
	struct trace_sink *sink = trace_sink_open(o);
	unsigned passes = o->order == ORDER_RINGS ? o->cpus : 1;
	struct unit unit = {0};

	for (unsigned pass = 0; pass < passes; pass++) {
		struct content *content = content_open(o);

		trace_sink_pass(sink, o->order == ORDER_RINGS ? (int)pass : -1);
		while (content_next(content, &unit))
			trace_sink_put(sink, &unit);
		content_close(content);
	}
	trace_sink_close(sink);
}

static void write_ctf(const struct options *o)
{
	struct ctf_sink *sink = ctf_sink_open(o);
	struct content *content = content_open(o);
	struct unit unit = {0};

	while (content_next(content, &unit))
		ctf_sink_put(sink, &unit);
	content_close(content);
	ctf_sink_close(sink);
}

static void write_folded(const struct options *o)
{
	FILE *f = strcmp(o->output, "-") ? fopen(o->output, "w") : stdout;
	struct content *content = content_open(o);
	struct unit unit = {0};

	if (!f)
		die("cannot create %s: %s", o->output, strerror(errno));
	while (content_next(content, &unit)) {
		fprintf(f, "%s;%s", unit.process, unit.task);
		for (unsigned i = 0; i < unit.depth; i++) {
			putc_unlocked(';', f);
			fputs(unit.stack[i], f);
		}
		fprintf(f, " %llu\n", (unsigned long long)unit.self);
	}
	content_close(content);
	if (ferror(f) || fclose(f) != 0)
		die("cannot write %s: %s", o->output, strerror(errno));
}

int main(int argc, char **argv)
{
	struct options o = arguments(argc, argv);

	if (o.format == FORMAT_TRACE)
		write_trace(&o);
	else if (o.format == FORMAT_CTF)
		write_ctf(&o);
	else
		write_folded(&o);
	return 0;
}
