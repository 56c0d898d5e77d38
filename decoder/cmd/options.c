#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../formats/base/array.h"
#include "../../formats/base/glob.h"
#include "../../formats/base/number.h"
#include "../report/query/having.h"
#include "../report/partial/merge.h"
#include "../report/query/top.h"
#include "../report/query/gaps.h"
#include "../report/query/hook_counts.h"
#include "../report/query/slowest.h"
#include "../sink/escape.h"
#include "memory.h"
#include "options.h"
#include "width.h"

enum {
	MAX_SLICES = 1000000,
	LEAST_TAIL = 56, /* above the median */
	WIDTH_LEAST = 20,
	WIDTH_MOST = 100000,
};

/* Prints one escaped line to stderr; the names in it may hold any bytes. */
static void __attribute__((format(printf, 1, 0)))
tell(const char *format, va_list ap, const char *behind)
{
	struct out line;
	char *text;

	out_memory(&line);
	if (vasprintf(&text, format, ap) >= 0) {
		escape_text(&line, text, strlen(text));
		free(text);
	}
	fprintf(stderr, "cpidecode: %.*s%s\n", (int)line.len, line.buf ? line.buf : "", behind);
	out_discard(&line);
}

void complain(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	tell(format, ap, "");
	va_end(ap);
}

static void __attribute__((noreturn, format(printf, 1, 2))) misuse(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	tell(format, ap, " (cpidecode --help explains)");
	va_end(ap);
	exit(EXIT_USAGE);
}

static int choose(const char *option, const char *text, const char *const *names, size_t n)
{
	int found = report_name_find(text, names, n);

	if (found >= 0)
		return found;
	char list[256] = "";
	for (size_t i = 0; i < n; i++) {
		strcat(list, i ? i + 1 == n ? " or " : ", " : "");
		strcat(list, names[i]);
	}
	misuse("--%s %s: it is %s", option, text, list);
}

static uint32_t number(const char *option, const char *text)
{
	const char *s = text, *end = text + strlen(text);
	uint64_t v;

	if (!number_scan_prefixed(&s, end, UINT32_MAX, &v) || s < end)
		misuse("--%s %s: not a number from 0 to %u", option, text, UINT32_MAX);
	return (uint32_t)v;
}

static unsigned jobs(const char *text)
{
	const char *s = text, *end = text + strlen(text);
	uint64_t n;

	if (!number_scan(&s, end, 10, REPORT_MAX_THREADS, &n) || s < end)
		misuse("-j %s: not a number of threads from 1 to %d (0: one for each processor)",
			text, REPORT_MAX_THREADS);
	return (unsigned)n;
}

static uint8_t major_option(const char *text)
{
	const uint32_t major = number("major", text);

	if (major > UINT8_MAX)
		misuse("--major %s: a hook's major is 0 to 0xFF", text);
	return (uint8_t)major;
}

/* 0-3,8,guest */
static void cpu_list(struct filter *f, const char *text)
{
	const char *s = text, *end = text + strlen(text);

	f->by_cpu = true;
	for (;;) {
		if (strncmp(s, "guest", 5) == 0) {
			f->guests = true;
			s += 5;
		} else {
			uint64_t first, last;

			if (!number_scan(&s, end, 10, FILTER_CPUS - 1, &first))
				break;
			last = first;
			if (*s == '-' && (s++, !number_scan(&s, end, 10, FILTER_CPUS - 1, &last)))
				break;
			if (first > last)
				break;
			for (uint64_t cpu = first; cpu <= last; cpu++)
				f->cpus[cpu / 8] |= (uint8_t)(1u << cpu % 8);
		}
		if (!*s)
			return;
		if (*s++ != ',')
			break;
	}
	misuse("--cpu %s: not a list like 0-3,8 of processors 0 to %d (or guest)", text,
		FILTER_CPUS - 1);
}

static void time_option(const char *option, const char *text, struct time_arg *t)
{
	const char *wrong = time_arg_parse(text, t);

	if (wrong)
		misuse("--%s %s: %s", option, text, wrong);
}

static void memory_option(const char *text, uint64_t *bytes)
{
	const char *wrong = memory_parse(text, bytes);

	if (wrong)
		misuse("--memory %s: %s", text, wrong);
}

static void options_reserve(void *array, size_t *room, size_t need, size_t size)
{
	if (array_reserve(array, room, need, size))
		return;
	complain("no memory");
	exit(EXIT_FAILED);
}

static void add_schema(struct options *o, const char *file)
{
	options_reserve(&o->schemas, &o->schema_room, o->nschemas + 1, sizeof *o->schemas);
	o->schemas[o->nschemas++] = file;
}

/* 3/8 */
static void slice_option(struct options *o, const char *text)
{
	const char *s = text, *end = text + strlen(text);
	uint64_t at, of;

	if (!number_scan(&s, end, 10, MAX_SLICES, &at) || *s++ != '/' ||
		!number_scan(&s, end, 10, MAX_SLICES, &of) || s < end || at < 1 || at > of)
		misuse("--slice %s: it is I/N, the I-th of N slices (1/N to N/N, N up to %d)", text,
			MAX_SLICES);
	o->slice = (unsigned)at;
	o->slices = (unsigned)of;
}

/* p99, p99.9 */
static unsigned tail_option(const char *text)
{
	const char *s = text + 1, *end = text + strlen(text);
	uint64_t percent = 0;
	int tenths = 0;
	bool good = *text == 'p' && number_scan(&s, end, 10, 99, &percent);

	if (good && s[0] == '.' && (tenths = number_digit(s[1], 10)) >= 0)
		s += 2;
	if (!good || s < end || percent < LEAST_TAIL)
		misuse("--tail %s: it is p%d to p99.9, with at most one decimal", text, LEAST_TAIL);
	return 10 * (unsigned)percent + (unsigned)tenths;
}

static void add_gate(struct options *o, const char *text)
{
	options_reserve(&o->gates, &o->gate_room, o->ngates + 1, sizeof *o->gates);
	const char *wrong = gate_parse(text, &o->gates[o->ngates++]);
	if (wrong)
		misuse("--fail-if %s: %s", text, wrong);
}

/* Shows where a condition is wrong. */
static void __attribute__((noreturn))
misuse_expression(const char *option, const char *text, const struct expression_error *error)
{
	char shown[EXPRESSION_SHOWN];

	complain("--%s: %s", option, error->text);
	expression_show(text, error, shown);
	fputs(shown, stderr);
	exit(EXIT_USAGE);
}

static void where_option(struct options *o, const char *text)
{
	struct expression_error error;

	if (o->where)
		misuse("--where is given twice: join the conditions by and");
	o->where = malloc(sizeof *o->where);
	if (!o->where) {
		complain("no memory");
		exit(EXIT_FAILED);
	}
	if (!where_parse(o->where, text, &error))
		misuse_expression("where", text, &error);
}

/* Of the summary. */
static void parse_by(struct options *o)
{
	const char *text = o->by_list;
	char expected[BY_EXPECTED];
	size_t at;

	o->by = malloc(sizeof *o->by);
	if (!o->by) {
		complain("no memory");
		exit(EXIT_FAILED);
	}
	if (!by_parse(o->by, text, &at, expected))
		misuse("--by %s: expected %s instead of \"%s\"", text, expected, text + at);
}

/* Its words are columns, which are known later. */
static void having_option(struct options *o, const char *text)
{
	struct expression_error error;

	if (o->having)
		misuse("--having is given twice: join the conditions by and");
	if (!having_check(text, &error))
		misuse_expression("having", text, &error);
	o->having = text;
}

static void percentiles_option(struct options *o, const char *text)
{
	const char *wrong = percentiles_parse(&o->percentiles, text);

	if (wrong)
		misuse("--percentiles %s: %s", text, wrong);
}

static size_t top_option(const char *text)
{
	const char *s = text, *end = text + strlen(text);
	uint64_t n;

	if (!number_scan(&s, end, 10, TOP_MOST, &n) || s < end || n == 0)
		misuse("--top %s: not a number of rows from 1 to %d", text, TOP_MOST);
	return n;
}

static unsigned width_option(const char *text)
{
	const char *s = text, *end = text + strlen(text);
	uint64_t n;

	if (!number_scan(&s, end, 10, WIDTH_MOST, &n) || s < end || (n && n < WIDTH_LEAST))
		misuse("--width %s: not a number of columns from %d to %d (0: no limit)", text,
			WIDTH_LEAST, WIDTH_MOST);
	return (unsigned)n;
}

static void add_metric(struct options *o, const char *text)
{
	options_reserve(&o->metrics, &o->metric_room, o->nmetrics + 1, sizeof *o->metrics);
	const char *wrong = formula_parse(text, &o->metrics[o->nmetrics++]);
	if (wrong)
		misuse("--metric %s: %s", text, wrong);
}

static uint16_t port_option(const char *text)
{
	const char *s = text, *end = text + strlen(text);
	uint64_t n;

	if (!number_scan(&s, end, 10, UINT16_MAX, &n) || *s || !n)
		misuse("--port %s: not a port, a number from 1 to %d", text, UINT16_MAX);
	return (uint16_t)n;
}

struct seen {
	bool report, format, weight, filter, output, partial, schema;
	char ***list; /* the list that operands go to: --before and --after switch it */
	size_t *n;
};

/* Each list has room for all arguments. */
static void begin_side(struct options *o, struct seen *seen, unsigned side)
{
	seen->list = &o->sides[side];
	seen->n = &o->nsides[side];
}

static void add_operand(struct seen *seen, char *text)
{
	(*seen->list)[(*seen->n)++] = text;
}

/* Options of a report that a partial result carries. */
static const struct {
	int option;
	const char *name; /* with the =, if it has a value */
} carried_options[] = {{OPT_REPORT, "--report="}, {OPT_FORMAT, "--format="}, {OPT_TOP, "--top="},
	{OPT_SORT, "--sort="}, {OPT_COLUMNS, "--columns="}, {OPT_METRIC, "--metric="},
	{OPT_HAVING, "--having="}, {OPT_PERCENTILES, "--percentiles="}, {OPT_WEIGHT, "--weight="},
	{OPT_WIDTH, "--width="}, {OPT_CSV_SAFE, "--csv-safe"}};

enum { CARRIED_OPTIONS = sizeof carried_options / sizeof *carried_options };

static void options_carry(struct options *o, int option, const char *value)
{
	char *text;

	for (unsigned i = 0; i < CARRIED_OPTIONS; i++) {
		if (carried_options[i].option != option)
			continue;
		if (asprintf(&text, "%s%s", carried_options[i].name, value ? value : "") < 0) {
			complain("no memory");
			exit(EXIT_FAILED);
		}
		if (merge_add_argument(&o->carried, text))
			misuse("%s: too many or too long options of a report", text);
		free(text);
	}
}

static void options_take_argument(
	struct options *o, struct seen *seen, int option, const struct options_scan *scan)
{
	char *value = scan->value;
	struct filter *f = &o->filter;

	seen->filter |= option >= OPT_LABEL && option <= OPT_TO;
	options_carry(o, option, value);
	switch (option) {
	case OPT_REPORT:
		o->report = choose("report", value, report_names, REPORT_NAMES);
		seen->report = true;
		break;
	case OPT_FORMAT:
		o->format = choose("format", value, format_names, FORMAT_NAMES);
		seen->format = true;
		break;
	case OPT_WEIGHT:
		o->weight = value;
		seen->weight = true;
		break;
	case OPT_OUTPUT:
		if (!*value)
			misuse("-o: an empty file name");
		o->output = value;
		seen->output = true;
		break;
	case OPT_PARTIAL:
		if (!*value)
			misuse("--partial: an empty file name");
		o->output = value;
		seen->partial = true;
		break;
	case OPT_TAIL:
		o->tail = tail_option(value);
		break;
	case OPT_COMPENSATE:
		o->compensate = true;
		break;
	case OPT_FAIL_IF:
		add_gate(o, value);
		break;
	case OPT_METRIC:
		add_metric(o, value);
		break;
	case OPT_TOP:
		o->top = top_option(value);
		break;
	case OPT_SORT:
		o->sort = value;
		break;
	case OPT_COLUMNS:
		o->columns = value;
		break;
	case OPT_TIME:
		o->times = (enum report_times)choose("time", value, times_names, TIMES_NAMES);
		o->has_times = true;
		break;
	case OPT_WIDTH:
		o->width = width_option(value);
		break;
	case OPT_BY:
		if (o->by_list)
			misuse("--by is given twice: it takes a list, with commas between");
		o->by_list = value;
		break;
	case OPT_HAVING:
		having_option(o, value);
		break;
	case OPT_PERCENTILES:
		percentiles_option(o, value);
		break;
	case OPT_EXACT:
		o->exact = true;
		if (!o->percentiles.count)
			percentiles_parse(&o->percentiles, "50,90,99");
		break;
	case OPT_BEFORE:
	case OPT_AFTER:
		begin_side(o, seen, option == OPT_AFTER);
		add_operand(seen, value);
		break;
	case OPT_SINGLE:
		o->single = true;
		break;
	case OPT_MEMORY:
		memory_option(value, &o->memory);
		break;
	case OPT_AA:
		o->noise = true;
		break;
	case OPT_EXPECT:
		o->expect = value;
		break;
	case OPT_ALLOW_MISSING:
		o->allow_missing = true;
		break;
	case OPT_SLICE:
		slice_option(o, value);
		break;
	case OPT_LABEL: {
		const char *lacking = glob_check(value);

		if (lacking)
			misuse("--label %s: it lacks %s", value, lacking);
		f->label = value;
		break;
	}
	case OPT_MAJOR:
		f->major = major_option(value);
		f->by_major = true;
		break;
	case OPT_MINOR:
		f->minor = number("minor", value);
		f->by_minor = true;
		break;
	case OPT_CPU:
		cpu_list(f, value);
		break;
	case OPT_TID:
		f->tid = number("tid", value);
		f->by_tid = true;
		break;
	case OPT_PID:
		f->pid = number("pid", value);
		f->by_pid = true;
		break;
	case OPT_FROM:
		time_option("from", value, &o->from);
		break;
	case OPT_WHERE:
		where_option(o, value);
		break;
	case OPT_TO:
		time_option("to", value, &o->to);
		break;
	case OPT_STRICT:
		o->strict = true;
		break;
	case OPT_CSV_SAFE:
		o->csv_safe = true;
		break;
	case OPT_SCHEMA:
		add_schema(o, value);
		seen->schema = true;
		break;
	case OPT_JOBS:
		o->threads = jobs(value);
		break;
	case OPT_PORT:
		o->port = port_option(value);
		break;
	case OPTIONS_HELP:
		options_print_help(stdout, cpidecode_options, 22);
		exit(fflush(stdout) ? EXIT_FAILED : EXIT_FINE);
	case OPT_VERSION:
		puts("cpidecode " SWTRACE_VERSION);
		exit(fflush(stdout) ? EXIT_FAILED : EXIT_FINE);
	case OPTIONS_OPERAND:
		add_operand(seen, scan->text);
		break;
	case OPTIONS_NEEDS_VALUE:
		misuse("%s needs a value", scan->text);
	case OPTIONS_TAKES_NO_VALUE:
		misuse("%s: it takes no value", scan->text);
	case OPTIONS_UNKNOWN:
		if (scan->text[1] != '-')
			misuse("no option -%c", scan->text[1]);
		misuse("%s: no such option", scan->text);
	}
}

static void check_partial(struct options *o, const struct seen *seen)
{
	if (seen->partial) {
		if (seen->output)
			misuse("--partial FILE is written instead of a report: it takes no -o");
		if (o->merge && o->carried.count)
			misuse("merge --partial takes no %s: the partial results have the options of their report",
				o->carried.at[0]);
		if (!seen->report && o->carried.count && o->report != REPORT_FLAME)
			misuse("--partial FILE is written instead of a report: %s takes --report NAME, of the report that it is for",
				o->carried.at[0]);
	}
	const bool is_merged = o->report == REPORT_SUMMARY || o->report == REPORT_CPUS ||
			       o->report == REPORT_HISTOGRAM || o->report == REPORT_FLAME;

	if (seen->partial && !is_merged)
		misuse("--partial: of --report %s there are no partial results, only of summary, cpus and histogram, and of --format folded and svg",
			o->report < REPORT_NAMES ? report_names[o->report] : "intervals");

	if (o->slice && !is_merged)
		misuse("--slice goes with --report summary, cpus or histogram, with --format folded or svg, and with --partial");
	if (!o->merge) {
		if (o->expect || o->allow_missing)
			misuse("--expect and --allow-missing go with merge");
		return;
	}
	if (seen->filter || o->slice || seen->schema)
		misuse("merge takes no filters, slices or schemas: they go with --partial, when the parts are made");
	if (!is_merged)
		misuse("merge goes with --report summary, cpus or histogram, with --format folded or svg, or with --partial");
	if (!o->nfiles)
		misuse("merge: no partial results (cpidecode --partial writes them)");
}

static void check_sides(const struct options *o)
{
	bool sides = o->nsides[0] || o->nsides[1];

	if (sides && o->nfiles)
		misuse("%s: before or after? Files go behind --before or --after", o->files[0]);
	if (o->noise && o->ngates)
		misuse("--fail-if asks what changed, --aa what runs of one program differ by");
	if (o->noise && !sides && !o->nfiles)
		misuse("--aa: no runs: traces or partial results, or folders of them");
	if (o->noise)
		return;
	if (sides && !(o->nsides[0] && o->nsides[1]))
		misuse("--%s: there is nothing to compare with: --%s is missing",
			o->nsides[0] ? "before" : "after", o->nsides[0] ? "after" : "before");
	if (!sides && o->nfiles != 2)
		misuse("--report diff compares two: a trace, partial result or folder of runs before, one after; or several with --before and --after");
}

static void check_diff(const struct options *o)
{
	bool sides = o->nsides[0] || o->nsides[1];

	if (o->tail && o->report != REPORT_WHY)
		misuse("--tail goes with --report why");
	if (o->ngates && o->report != REPORT_DIFF)
		misuse("--fail-if goes with --report diff");
	if (o->report == REPORT_DIFF)
		check_sides(o);
	else if (sides || o->single || o->noise)
		misuse("--before, --after, --single-run and --aa go with --report diff");
}

static void check_metrics(const struct options *o)
{
	if (o->nmetrics && o->report == REPORT_FLAME && !o->weight)
		misuse("--metric: of a graph it is the weight: --weight NAME");
	if (o->nmetrics && o->report != REPORT_SUMMARY && o->report != REPORT_INTERVALS &&
		o->report != REPORT_DIFF && o->report != REPORT_WHY && o->report != REPORT_FLAME)
		misuse("--metric goes with --report summary, intervals, diff or why, and with --weight");
}

static void check_compensate(const struct options *o)
{
	if (!o->compensate)
		return;
	if (o->report == REPORT_HOOKS)
		misuse("--compensate: --report hooks%s shows hooks as they were written: there is no cost in them",
			o->format == FORMAT_NRM2  ? " (--format nrm2)"
			: o->format == FORMAT_CTF ? " (--format ctf)"
						  : "");
	if (o->report == REPORT_CPUS)
		misuse("--compensate: --report cpus shows what processors counted, and no times of intervals: there is nothing to take off");
	if (o->report == REPORT_INFO)
		misuse("--compensate: --report info shows the library's own cost itself");
	if (o->report == REPORT_GAPS)
		misuse("--compensate: --report gaps shows what is between ends and starts, which stay as they are");
	if (o->format == FORMAT_SPEEDSCOPE || o->format == FORMAT_HTML)
		misuse("--compensate: %s holds starts and ends alone, which stay as they are: callgrind and folded hold times",
			format_names[o->format]);
	if (o->weight && strcmp(o->weight, weight_names[WEIGHT_CYCLES]) &&
		strcmp(o->weight, weight_names[WEIGHT_NS]))
		misuse("--compensate goes with --weight cycles or ns: the library's own cost is time");
}

static void check_rows(const struct options *o)
{
	if (o->report == REPORT_SLOWEST && !o->sort && !o->columns) {
		if (o->top > SLOWEST_MOST)
			misuse("--top %zu: --report slowest shows up to %d", o->top, SLOWEST_MOST);
		return;
	}
	if ((o->top || o->sort || o->columns) && o->report != REPORT_SUMMARY &&
		o->report != REPORT_INTERVALS)
		misuse("--top, --sort and --columns go with --report summary and intervals");
}

static void check_text(const struct options *o)
{
	const bool has_moments = o->report == REPORT_INTERVALS || o->report == REPORT_HOOKS;

	if (o->has_times && (o->format != FORMAT_TEXT || !has_moments))
		misuse("--time goes with the text of --report intervals and hooks: other formats have nanoseconds");
	if (o->width != WIDTH_OF_TERMINAL && o->format != FORMAT_TEXT)
		misuse("--width goes with --format text");
}

#define BY_REPORTS "--by goes with --report summary, histogram, hooks and gaps"

static void check_hooks(const struct options *o)
{
	bool by_minor;

	if (o->filter.by_major && o->report != REPORT_HOOKS)
		misuse("--major goes with --report hooks (of intervals: --where 'major=0x%X')",
			o->filter.major);
	if (!o->by_list || o->report != REPORT_HOOKS)
		return;
	if (report_is_hooks(o->format))
		misuse(BY_REPORTS);
	if (!hook_counts_parse(o->by_list, &by_minor))
		misuse("--by %s: of hooks it is major,minor or major", o->by_list);
}

static void check_groups(struct options *o, const struct seen *seen)
{
	const bool is_gaps = o->report == REPORT_GAPS;

	if (o->by_list && o->report != REPORT_HOOKS && o->report != REPORT_SUMMARY &&
		o->report != REPORT_HISTOGRAM && !is_gaps)
		misuse(BY_REPORTS);
	if (o->by_list && is_gaps && strcmp(o->by_list, GAPS_BY_THREAD))
		misuse("--by %s: of gaps it is " GAPS_BY_THREAD, o->by_list);
	if (o->by_list && o->report != REPORT_HOOKS && !is_gaps)
		parse_by(o);
	const bool is_grouped = o->by || o->exact;

	if ((o->exact || o->having) && o->report != REPORT_SUMMARY)
		misuse("--having and --exact go with --report summary");
	if (o->percentiles.count && o->report != REPORT_SUMMARY && o->report != REPORT_DIFF)
		misuse("--percentiles goes with --report summary and diff");
	if (is_grouped && (o->merge || seen->partial))
		misuse("%s takes no --by and no --exact: partial results have no intervals",
			o->merge ? "merge" : "--partial");
	if (o->by && o->by->asks_around && o->slice)
		misuse("--by: a slice lacks what is around its intervals: parent, root and stack go with whole traces");
}

static void check_where(const struct options *o)
{
	if (!o->where)
		return;
	if (o->report == REPORT_HOOKS)
		misuse("--where asks intervals: --report hooks%s takes --label, --major, --minor, --cpu, --tid, --pid, --from and --to",
			o->format == FORMAT_NRM2  ? " (--format nrm2)"
			: o->format == FORMAT_CTF ? " (--format ctf)"
						  : "");
	if (o->slice && o->where->nests)
		misuse("--where: a slice lacks what is around and nested in its intervals: depth, self_ns, parent., root., under() and contains() go with whole traces");
}

static size_t count_pipes(char *const *files, size_t n)
{
	size_t pipes = 0;

	for (size_t i = 0; i < n; i++)
		pipes += strcmp(files[i], "-") == 0;
	return pipes;
}

/* Bytes of these formats can do harm in a terminal. */
static void check_binary(const struct options *o)
{
	bool binary = o->format == FORMAT_NRM2 || o->format == FORMAT_PERFETTO ||
		      o->format == FORMAT_PPROF || o->format == FORMAT_PARQUET;

	if (binary && (!o->output || strcmp(o->output, "-") == 0) && isatty(STDOUT_FILENO))
		misuse("--format %s is not text: give it a file with -o, or a pipe",
			format_names[o->format]);
}

/* What is no stream of bytes. */
static void check_place(const struct options *o)
{
	if (o->format == FORMAT_CTF && (!o->output || strcmp(o->output, "-") == 0))
		misuse("--format ctf: a trace of CTF is a folder: name one with -o");
	if (o->format == FORMAT_SQLITE && (!o->output || strcmp(o->output, "-") == 0))
		misuse("--format sqlite: a database cannot go to standard output, it is written in pages: give it a file with -o");
}

static void check_export(struct options *o, const struct seen *seen)
{
	if (o->format == FORMAT_PARQUET && o->report == REPORT_HOOKS)
		return;
	if (seen->report && o->report != REPORT_INTERVALS)
		misuse("--report %s has no --format %s: that is an export of the intervals",
			report_names[o->report], format_names[o->format]);
	o->report = REPORT_EXPORT;
}

/* serve is --format html, sent to a browser. */
static void check_serve(struct options *o, const struct seen *seen)
{
	if (!o->serve) {
		if (o->port)
			misuse("--port goes with serve");
		return;
	}
	if (seen->report || seen->partial || o->format != FORMAT_TEXT || o->output)
		misuse("serve shows the page of --format html: it takes no --report, --format, --partial or -o");
	o->format = FORMAT_HTML;
}

static void check(struct options *o, const struct seen *seen)
{
	check_serve(o, seen);
	bool flame = o->format == FORMAT_FOLDED ||
		     (o->format == FORMAT_SVG && o->report != REPORT_HEATMAP);

	if (o->format == FORMAT_SVG && o->report == REPORT_DIFF) {
		if (o->noise || o->ngates || o->nmetrics || o->single || o->percentiles.count)
			misuse("--report diff --format svg is the differential flame graph: it takes no --aa, --fail-if, --single-run, --metric or --percentiles");
	} else if (flame) {
		if (seen->report && o->report != REPORT_INTERVALS)
			misuse("--report %s has no --format %s: folded and svg are the flame graph of the intervals; %s goes with text, %sjson",
				report_names[o->report], format_names[o->format],
				report_names[o->report],
				o->report == REPORT_INFO || o->report == REPORT_SLOWEST ? ""
				: o->report == REPORT_HEATMAP ? "svg, csv, "
							      : "csv, ");
		o->report = REPORT_FLAME;
	}
	if (report_is_hooks(o->format)) {
		if (seen->report && o->report != REPORT_HOOKS)
			misuse("--report %s has no --format %s: that is a file of the hooks",
				report_names[o->report], format_names[o->format]);
		o->report = REPORT_HOOKS;
	}
	if (report_is_export(o->format))
		check_export(o, seen);
	check_binary(o);
	check_place(o);
	if ((o->report == REPORT_INFO || o->report == REPORT_SLOWEST) && o->format == FORMAT_CSV)
		misuse("--report %s has no --format csv: %s goes with text or json",
			report_names[o->report], report_names[o->report]);
	if (o->csv_safe && o->format != FORMAT_CSV)
		misuse("--csv-safe goes with --format csv");
	if (seen->weight && !flame)
		misuse("--weight goes with --format folded or svg");
	if (seen->filter && o->report == REPORT_INFO)
		misuse("--report info tells about whole files: it takes no filters");
	if (o->filter.by_minor && o->filter.minor > 0xFF && o->report != REPORT_HOOKS)
		misuse("--minor 0x%X: an interval's minor is 0 to 0xFF; whole codes go with --report hooks",
			o->filter.minor);
	check_partial(o, seen);
	check_diff(o);
	check_compensate(o);
	check_metrics(o);
	check_where(o);
	check_hooks(o);
	check_rows(o);
	check_text(o);
	check_groups(o, seen);
	o->is_flame = o->report == REPORT_FLAME;
	if (seen->partial)
		o->report = REPORT_PARTIAL;
	if (!o->nfiles && o->report != REPORT_DIFF)
		misuse("no trace file; - is standard input");
	if (count_pipes(o->files, o->nfiles) + count_pipes(o->sides[0], o->nsides[0]) +
			count_pipes(o->sides[1], o->nsides[1]) >
		1)
		misuse("standard input (-) can be read only once");
}

static void options_parse_words(struct options *o, int argc, char **argv)
{
	struct seen seen = {0};
	int option;

	memset(o, 0, sizeof *o);
	o->width = WIDTH_OF_TERMINAL;
	filter_init(&o->filter);
	if (argc > 2 && strcmp(argv[1], "--complete") == 0) {
		options_print_completion(stdout, cpidecode_options,
			argc == 3 ? "merge|serve" : NULL, argc - 1, argv + 1);
		exit(fflush(stdout) ? EXIT_FAILED : EXIT_FINE);
	}
	o->merge = argc > 1 && strcmp(argv[1], "merge") == 0;
	o->serve = argc > 1 && strcmp(argv[1], "serve") == 0;
	if (o->merge || o->serve) {
		argc--;
		argv++;
	}
	o->arguments = argv + 1;
	o->narguments = argc - 1;
	o->files = calloc(3 * ((size_t)argc + 1), sizeof *o->files);
	if (!o->files) {
		complain("no memory");
		exit(EXIT_FAILED);
	}
	o->sides[0] = o->files + argc + 1;
	o->sides[1] = o->sides[0] + argc + 1;
	seen.list = &o->files;
	seen.n = &o->nfiles;
	struct options_scan scan = {.table = cpidecode_options, .argc = argc, .argv = argv};
	/* Keeps operands in order, because some belong to the option before them. */
	while ((option = options_next(&scan)) != OPTIONS_END)
		options_take_argument(o, &seen, option, &scan);
	o->has_filter = seen.filter;
	o->names_report = seen.report || seen.format;
	check(o, &seen);
}

void options_parse(struct options *o, int argc, char **argv)
{
	options_parse_words(o, argc, argv);
}

/* A file may be anybody's: it chooses no file and no input. */
static bool options_may_be_carried(const char *text)
{
	for (unsigned i = 0; i < CARRIED_OPTIONS; i++)
		if (strncmp(text, carried_options[i].name, strlen(carried_options[i].name)) == 0)
			return true;
	return false;
}

void options_parse_carried(struct options *o, const struct options *given,
	const struct partial_arguments *carried, const char *path)
{
	char **argv = calloc(carried->count + (size_t)given->narguments + 3, sizeof *argv);
	char merge[] = "merge";
	int argc = 0;

	if (!argv) {
		complain("no memory");
		exit(EXIT_FAILED);
	}
	argv[argc++] = given->arguments[-1];
	argv[argc++] = merge;
	for (size_t i = 0; i < carried->count; i++) {
		if (!options_may_be_carried(carried->at[i])) {
			complain("%s: it carries %s, which is no option of a report", path,
				carried->at[i]);
			exit(EXIT_FAILED);
		}
		argv[argc++] = carried->at[i];
	}
	for (int i = 0; i < given->narguments; i++)
		argv[argc++] = given->arguments[i];
	options_parse_words(o, argc, argv);
	free(argv);
	o->arguments = given->arguments;
	o->narguments = given->narguments;
}

unsigned options_width(const struct options *o, const struct out *out)
{
	if (o->width != WIDTH_OF_TERMINAL)
		return o->width;
	return out ? width_of_terminal(out->fd) : 0;
}

void options_free(struct options *o)
{
	free(o->files);
	free(o->schemas);
	free(o->gates);
	free(o->metrics);
	free(o->where);
	free(o->by);
	merge_free_arguments(&o->carried);
}
