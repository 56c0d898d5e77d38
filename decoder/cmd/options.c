#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/base/array.h"
#include "../../formats/base/glob.h"
#include "../../formats/base/number.h"
#include "../report/query/having.h"
#include "../report/partial/merge.h"
#include "../report/query/top.h"
#include "check.h"
#include "memory.h"
#include "options.h"
#include "width.h"

enum {
	MAX_SLICES = 1000000,
	LEAST_TAIL = 56, /* above the median */
	WIDTH_LEAST = 20,
	WIDTH_MOST = 100000,
};

static int options_choose_name(
	const char *option, const char *text, const char *const *names, size_t n)
{
	int found = report_name_find(text, names, n);

	if (found >= 0)
		return found;
	char list[256] = "";
	for (size_t i = 0; i < n; i++) {
		strcat(list, i ? i + 1 == n ? " or " : ", " : "");
		strcat(list, names[i]);
	}
	misuse("--%s: \"%s\": expected %s", option, text, list);
}

static uint32_t options_parse_number(const char *option, const char *text)
{
	uint64_t v;

	if (!number_parse(text, NUMBER_PREFIXED, UINT32_MAX, &v))
		misuse("--%s: \"%s\": expected a number from 0 to %u", option, text, UINT32_MAX);
	return (uint32_t)v;
}

static unsigned options_parse_jobs(const char *text)
{
	uint64_t n;

	if (!number_parse(text, 10, REPORT_MAX_THREADS, &n))
		misuse("-j: \"%s\": expected a number of threads from 1 to %d (0: one for each processor)",
			text, REPORT_MAX_THREADS);
	return (unsigned)n;
}

static uint8_t major_option(const char *text)
{
	const uint32_t major = options_parse_number("major", text);

	if (major > UINT8_MAX)
		misuse("--major: \"%s\": expected a number from 0 to 0xFF", text);
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
	misuse("--cpu: \"%s\": expected a list like 0-3,8 of processors 0 to %d (or guest)", text,
		FILTER_CPUS - 1);
}

static void time_option(const char *option, const char *text, struct time_arg *t)
{
	const char *wrong = time_arg_parse(text, t);

	if (wrong)
		misuse("--%s: \"%s\": %s", option, text, wrong);
}

static void memory_option(const char *text, uint64_t *bytes)
{
	const char *wrong = memory_parse(text, bytes);

	if (wrong)
		misuse("--memory: \"%s\": %s", text, wrong);
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
		misuse("--slice: \"%s\": expected I/N, the I-th of N slices (1/N to N/N, N up to %d)",
			text, MAX_SLICES);
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
		misuse("--tail: \"%s\": expected p%d to p99.9, with at most one decimal", text,
			LEAST_TAIL);
	return 10 * (unsigned)percent + (unsigned)tenths;
}

static void add_gate(struct options *o, const char *text)
{
	options_reserve(&o->gates, &o->gate_room, o->ngates + 1, sizeof *o->gates);
	const char *wrong = gate_parse(text, &o->gates[o->ngates++]);
	if (wrong)
		misuse("--fail-if: \"%s\": %s", text, wrong);
}

/* Its words depend on the report. */
static void where_option(struct options *o, const char *text)
{
	if (o->where_text)
		misuse("--where is given twice: join the conditions by and");
	o->where_text = text;
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

static void tiles_option(struct options *o, enum page_tiles tiles)
{
	if (o->tiles && o->tiles != tiles)
		misuse("--tiles and --tiles-dir exclude each other: a file, or a folder");
	o->tiles = tiles;
}

static void percentiles_option(struct options *o, const char *text)
{
	const char *wrong = percentiles_parse(&o->percentiles, text);

	if (wrong)
		misuse("--percentiles: \"%s\": %s", text, wrong);
}

static void partition_option(struct options *o, const char *text)
{
	char expected[PARTITION_EXPECTED];
	size_t at;

	if (o->partition.count)
		misuse("--partition is given twice: it takes a list, with commas between");
	if (!partition_parse(&o->partition, text, &at, expected))
		misuse("--partition: \"%s\": expected %s instead of \"%s\"", text, expected,
			text + at);
}

static size_t top_option(const char *text)
{
	uint64_t n;

	if (!number_parse(text, 10, TOP_MOST, &n) || n == 0)
		misuse("--top: \"%s\": expected a number of rows from 1 to %d", text, TOP_MOST);
	return n;
}

static unsigned width_option(const char *text)
{
	uint64_t n;

	if (!number_parse(text, 10, WIDTH_MOST, &n) || (n && n < WIDTH_LEAST))
		misuse("--width: \"%s\": expected a number of columns from %d to %d (0: no limit)",
			text, WIDTH_LEAST, WIDTH_MOST);
	return (unsigned)n;
}

static void add_metric(struct options *o, const char *text)
{
	options_reserve(&o->metrics, &o->metric_room, o->nmetrics + 1, sizeof *o->metrics);
	const char *wrong = formula_parse(text, &o->metrics[o->nmetrics++]);
	if (wrong)
		misuse("--metric: \"%s\": %s", text, wrong);
}

static uint16_t port_option(const char *text)
{
	uint64_t n;

	if (!number_parse(text, 10, UINT16_MAX, &n) || !n)
		misuse("--port: \"%s\": expected a number from 1 to %d", text, UINT16_MAX);
	return (uint16_t)n;
}

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

static void options_add_carried(struct options *o, char *text)
{
	if (merge_add_argument(&o->carried, text))
		misuse("%s: too many or too long options of a report", text);
}

/* The default report, where it is the one of options that a partial result carries. */
static void options_carry_report(struct options *o, const struct seen *seen)
{
	char report[] = "--report=summary";

	if (seen->partial && !seen->report && o->carried.count && o->partial_of == REPORT_SUMMARY)
		options_add_carried(o, report);
}

/* The report first, others by name. */
static bool options_is_before(const char *a, const char *b)
{
	static const char report[] = "--report=";
	const bool is_first = strncmp(a, report, sizeof report - 1) == 0;

	if (strncmp(b, report, sizeof report - 1) == 0)
		return false;
	return is_first || strncmp(a, b, strcspn(a, "=") + 1) < 0;
}

/* Sorts the arguments that a partial result carries, so that parts fit whatever order they were
 * given in. Arguments of one name keep their order. */
static void options_sort_carried(struct partial_arguments *a)
{
	for (size_t i = 1; i < a->count; i++) {
		char *moved = a->at[i];
		size_t to = i;

		for (; to && options_is_before(moved, a->at[to - 1]); to--)
			a->at[to] = a->at[to - 1];
		a->at[to] = moved;
	}
}

/* The long name. */
static const char *options_name(const struct option *option)
{
	return option->longer ? option->longer : option->name;
}

/* A partial result carries the options of its report. */
static void options_carry(struct options *o, const struct option *option, const char *value)
{
	char *text;

	if (!option->is_marked)
		return;
	if (asprintf(&text, "%s%s%s", options_name(option), value ? "=" : "", value ? value : "") <
		0) {
		complain("no memory");
		exit(EXIT_FAILED);
	}
	options_add_carried(o, text);
	free(text);
}

/* Call after the last write to standard output; an earlier one may have failed. */
static _Noreturn void options_end(void)
{
	exit(fflush(stdout) || ferror(stdout) ? EXIT_FAILED : EXIT_FINE);
}

/* From OPT_LABEL to OPT_TO. */
static void options_apply_filter(struct options *o, int option, const char *value)
{
	struct filter *f = &o->filter;
	const char *lacking;

	switch (option) {
	case OPT_LABEL:
		lacking = glob_check(value);
		if (lacking)
			misuse("--label: \"%s\": expected %s", value, lacking);
		f->label = value;
		break;
	case OPT_MAJOR:
		f->major = major_option(value);
		f->by_major = true;
		break;
	case OPT_MINOR:
		f->minor = options_parse_number("minor", value);
		f->by_minor = true;
		break;
	case OPT_CPU:
		cpu_list(f, value);
		break;
	case OPT_TID:
		f->tid = options_parse_number("tid", value);
		f->by_tid = true;
		break;
	case OPT_PID:
		f->pid = options_parse_number("pid", value);
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
	}
}

static void options_apply_argument(
	struct options *o, struct seen *seen, int option, const struct options_scan *scan)
{
	char *value = scan->value;

	if (option > 0)
		options_carry(o, scan->found, value);
	if (option >= OPT_LABEL && option <= OPT_TO) {
		seen->filter = true;
		options_apply_filter(o, option, value);
		return;
	}
	switch (option) {
	case OPT_REPORT:
		o->report = options_choose_name("report", value, report_names, REPORT_NAMES);
		seen->report = true;
		break;
	case OPT_FORMAT:
		o->format = options_choose_name("format", value, format_names, FORMAT_NAMES);
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
	case OPT_TILES:
		tiles_option(o, PAGE_TILES_FILE);
		break;
	case OPT_TILES_DIR:
		tiles_option(o, PAGE_TILES_FOLDER);
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
	case OPT_PARTITION:
		partition_option(o, value);
		break;
	case OPT_COMPRESS:
		o->compression = value;
		break;
	case OPT_TIME:
		o->times = (enum report_times)options_choose_name(
			"time", value, times_names, TIMES_NAMES);
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
		o->threads = options_parse_jobs(value);
		break;
	case OPT_PORT:
		o->port = port_option(value);
		break;
	case OPTIONS_HELP:
		options_print_help(stdout, cpidecode_options, 22);
		options_end();
	case OPT_VERSION:
		puts("cpidecode " SWTRACE_VERSION);
		options_end();
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

bool options_take_carried(const struct options *o, const struct partial_arguments *carried)
{
	return carried->count && !o->names_report;
}

/* The value of a carried option; NULL: it is not carried. */
static const char *options_find_carried(const struct partial_arguments *carried, const char *name)
{
	const size_t n = strlen(name);

	for (size_t i = 0; i < carried->count; i++)
		if (strncmp(carried->at[i], name, n) == 0 && carried->at[i][n] == '=')
			return carried->at[i] + n + 1;
	return NULL;
}

/* Rows of a heat map, which --report names again, are in the format that its parts were made for.
 */
static void options_take_format(
	struct options *o, const struct seen *seen, const struct partial_arguments *carried)
{
	const bool has_rows = o->top || o->sort || o->columns || o->having;
	const char *format = options_find_carried(carried, "--format");

	if (o->report == REPORT_HEATMAP && has_rows && !seen->format && format)
		o->format = options_choose_name("format", format, format_names, FORMAT_NAMES);
}

/* Before the options are checked: they may go with those that the first part carries. */
static bool options_ask_parts(struct options *o, const struct seen *seen)
{
	struct partial_arguments carried = {0};
	struct options given = *o;

	if (merge_peek_arguments(o->files[0], &carried)) {
		complain("no memory");
		exit(EXIT_FAILED);
	}
	if (!options_take_carried(o, &carried)) {
		options_take_format(o, seen, &carried);
		merge_free_arguments(&carried);
		return false;
	}
	options_parse_carried(o, &given, &carried, given.files[0]);
	options_free(&given);
	o->taken = carried;
	return true;
}

static void options_parse_words(struct options *o, int argc, char **argv, bool asks_parts)
{
	struct seen seen = {0};
	int option;

	memset(o, 0, sizeof *o);
	o->width = WIDTH_OF_TERMINAL;
	filter_init(&o->filter);
	if (argc > 2 && strcmp(argv[1], "--complete") == 0) {
		options_print_completion(stdout, cpidecode_options,
			argc == 3 ? "merge|serve" : NULL, argc - 1, argv + 1);
		options_end();
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
		options_apply_argument(o, &seen, option, &scan);
	o->has_filter = seen.filter;
	o->names_report = seen.report || seen.format;
	if (asks_parts && o->merge && !seen.partial && o->nfiles && options_ask_parts(o, &seen))
		return;
	check_options(o, &seen);
	options_carry_report(o, &seen);
	options_sort_carried(&o->carried);
}

void options_parse(struct options *o, int argc, char **argv)
{
	options_parse_words(o, argc, argv, true);
}

/* A file is untrusted: it chooses no file and no input. */
static bool options_may_be_carried(const char *text)
{
	for (const struct option *o = cpidecode_options; o->name || o->help; o++) {
		const size_t n = o->is_marked ? strlen(options_name(o)) : 0;

		if (n && strncmp(text, options_name(o), n) == 0 &&
			text[n] == (o->value ? '=' : '\0'))
			return true;
	}
	return false;
}

/* Lists and conditions of the command line replace those that are carried, and what it repeats
 * counts once. */
static bool options_are_given_instead(const struct options *given, const char *carried)
{
	for (size_t i = 0; i < given->carried.count; i++)
		if (strcmp(given->carried.at[i], carried) == 0)
			return true;
	return (given->by_list && strncmp(carried, "--by=", 5) == 0) ||
	       (given->having && strncmp(carried, "--having=", 9) == 0);
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
	if (given->merge)
		argv[argc++] = merge;
	for (size_t i = 0; i < carried->count; i++) {
		if (!options_may_be_carried(carried->at[i])) {
			complain("%s: it carries %s, which is no option of a report", path,
				carried->at[i]);
			exit(EXIT_FAILED);
		}
		if (!options_are_given_instead(given, carried->at[i]))
			argv[argc++] = carried->at[i];
	}
	for (int i = 0; i < given->narguments; i++)
		argv[argc++] = given->arguments[i];
	options_parse_words(o, argc, argv, false);
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
	if (o->where)
		where_free(o->where);
	free(o->where);
	free(o->hook_where);
	free(o->by);
	if (o->asked)
		asked_free(o->asked);
	free(o->asked);
	merge_free_arguments(&o->carried);
	merge_free_arguments(&o->taken);
}
