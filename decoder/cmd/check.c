#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../report/export/export.h"
#include "../report/query/gaps/gaps.h"
#include "../report/query/hook_counts.h"
#include "../report/slowest/slowest.h"
#include "../sink/zstd.h"
#include "complain.h"

enum { CHECK_LIST = 128 };

static void __attribute__((noreturn)) check_fail_memory(void)
{
	complain("no memory");
	exit(EXIT_FAILED);
}

/* Names the reports that accept this option (enum report_takes): "a, b and c". */
static const char *check_list_reports(unsigned takes, char list[CHECK_LIST])
{
	const char *before = NULL;

	*list = '\0';
	for (enum report_kind kind = 0; kind <= REPORT_NAMES; kind++) {
		if (kind < REPORT_NAMES && !report_takes(kind, takes))
			continue;
		if (before)
			snprintf(list + strlen(list), CHECK_LIST - strlen(list), "%s%s",
				!*list		      ? ""
				: kind < REPORT_NAMES ? ", "
						      : " and ",
				before);
		before = kind < REPORT_NAMES ? report_names[kind] : NULL;
	}
	return list;
}

static bool check_takes_or_draws(enum report_kind report, unsigned takes)
{
	return report == REPORT_FLAME || report_takes(report, takes);
}

/* A partial result for a diff is one run, or a part of it. */
static void check_run(const struct options *o)
{
	if (o->nsides[0] || o->nsides[1] || o->single || o->noise || o->ngates)
		misuse("--partial with --report diff is of one run: --before, --after, --single-run, --aa and --fail-if go with the diff of runs");
	if (o->format == FORMAT_SVG || o->format == FORMAT_HTML)
		misuse("--partial with --report diff has no stacks: the differential flame graph needs traces");
}

static void check_partial(struct options *o, const struct seen *seen)
{
	char list[CHECK_LIST];

	check_list_reports(TAKES_PARTIAL, list);
	if (seen->partial) {
		if (seen->output)
			misuse("--partial FILE is written instead of a report: it takes no -o");
		if (o->merge && o->carried.count)
			misuse("merge --partial takes no %s: the partial results have the options of their report",
				o->carried.at[0]);
	}
	const bool is_merged = check_takes_or_draws(o->report, TAKES_PARTIAL);
	const bool is_run = seen->partial && o->report == REPORT_DIFF;

	if (seen->partial && !is_merged && !is_run)
		misuse("--partial: of --report %s there are no partial results, only of %s, of the runs of diff, and of --format folded and svg",
			o->report < REPORT_NAMES ? report_names[o->report] : "intervals", list);
	if (is_run)
		check_run(o);
	if (o->slice && !is_merged && !is_run)
		misuse("--slice goes with --report %s, with --format folded and svg, and with --partial",
			list);
	if (!o->merge) {
		if (o->expect || o->allow_missing)
			misuse("--expect and --allow-missing go with merge");
		return;
	}
	if (seen->filter || o->slice || seen->schema)
		misuse("merge takes no filters, slices or schemas: they go with --partial, when the parts are made");
	if (o->report == REPORT_DIFF)
		misuse("merge: partial results of --report diff are runs: cpidecode --report diff compares them, merge --partial joins the parts of one");
	if (!is_merged)
		misuse("merge goes with --report %s, with --format folded and svg, and with --partial",
			list);
	if (!o->nfiles)
		misuse("merge: no partial results (cpidecode --partial writes them)");
}

static void check_sides(const struct options *o)
{
	bool sides = o->nsides[0] || o->nsides[1];

	if (sides && o->nfiles)
		misuse("%s: neither before nor after: give it with --before or --after",
			o->files[0]);
	if (o->noise && o->ngates)
		misuse("--fail-if and --aa exclude each other: one tests a change, the other measures noise");
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

static void check_diff(const struct options *o, const struct seen *seen)
{
	bool sides = o->nsides[0] || o->nsides[1];

	if (o->tail && o->report != REPORT_WHY)
		misuse("--tail goes with --report why");
	if (o->noise && (o->top || o->sort || o->columns || o->having))
		misuse("--aa shows all groups: it takes no --top, --sort, --columns or --having");
	if (o->ngates && o->report != REPORT_DIFF)
		misuse("--fail-if goes with --report diff");
	if (o->report == REPORT_DIFF && seen->partial)
		return;
	if (o->report == REPORT_DIFF)
		check_sides(o);
	else if (sides || o->single || o->noise)
		misuse("--before, --after, --single-run and --aa go with --report diff");
	if (o->single && !o->ngates)
		misuse("--single-run goes with --fail-if: it lets a gate judge one run per side");
}

static void check_metrics(const struct options *o, const struct seen *seen)
{
	char list[CHECK_LIST];

	if (o->nmetrics && o->report == REPORT_FLAME && !o->weight)
		misuse("--metric: of a graph it is the weight: --weight NAME");
	if (o->nmetrics && o->report == REPORT_WHY && (o->merge || seen->partial))
		misuse("--metric: partial results of --report why have no figures for it");
	if (o->nmetrics && !check_takes_or_draws(o->report, TAKES_METRICS) &&
		o->format != FORMAT_HTML && !(o->where && o->where->asks_metrics))
		misuse("--metric goes with --report %s, with --weight, with --format html, and with a --where that names it",
			check_list_reports(TAKES_METRICS, list));
}

static void check_compensate(const struct options *o)
{
	if (!o->compensate)
		return;
	if (o->report == REPORT_HOOKS)
		misuse("--compensate: --report hooks%s has no interval times to compensate",
			o->format == FORMAT_NRM2  ? " (--format nrm2)"
			: o->format == FORMAT_CTF ? " (--format ctf)"
						  : "");
	if (o->report == REPORT_CPUS)
		misuse("--compensate: --report cpus has no interval times to compensate");
	if (o->report == REPORT_INFO)
		misuse("--compensate: --report info shows the library's own cost itself");
	if (o->report == REPORT_GAPS)
		misuse("--compensate: --report gaps shows times between ends and starts: --compensate changes neither");
	if (o->format == FORMAT_SPEEDSCOPE ||
		(o->format == FORMAT_HTML && o->report != REPORT_DIFF))
		misuse("--compensate: %s holds only starts and ends, which --compensate does not change: use callgrind or folded for times",
			format_names[o->format]);
	if (o->weight && strcmp(o->weight, weight_names[WEIGHT_CYCLES]) != 0 &&
		strcmp(o->weight, weight_names[WEIGHT_NS]) != 0)
		misuse("--compensate goes with --weight cycles or ns: the library's own cost is time");
}

static void check_slowest(const struct options *o, const struct seen *seen)
{
	if (o->top > SLOWEST_MOST)
		misuse("--top %zu: --report slowest shows up to %d", o->top, SLOWEST_MOST);
	if (o->columns)
		misuse("--columns: --report slowest is no table: it describes each interval (--report intervals --top N has its columns)");
	if (o->having)
		misuse("--having: --report slowest has no groups: choose intervals with --where");
	if (o->sort && (o->merge || seen->partial))
		misuse("--sort: partial results of --report slowest hold the longest intervals: make the report of the traces");
}

static void check_rows(const struct options *o, const struct seen *seen)
{
	char list[CHECK_LIST];

	if (o->report == REPORT_SLOWEST) {
		check_slowest(o, seen);
		return;
	}
	if (o->having && !report_takes(o->report, TAKES_HAVING))
		misuse("--having goes with --report %s", check_list_reports(TAKES_HAVING, list));
	const bool is_table = o->format == FORMAT_PARQUET;
	if (o->columns && !o->top && !o->sort && !o->having && is_table)
		return;
	if (!o->top && !o->sort && !o->columns && !o->having)
		return;
	if (!report_takes(o->report, TAKES_ROWS))
		misuse("--top, --sort and --columns go with --report %s, --columns with --format parquet, too",
			check_list_reports(TAKES_ROWS, list));
	if (o->report == REPORT_HEATMAP && (o->format == FORMAT_TEXT || o->format == FORMAT_SVG))
		misuse("--top, --sort, --columns and --having: the text of --report heatmap and its svg are pictures of all intervals: give it --format csv or json");
	if (o->columns && o->report == REPORT_WHY && o->format == FORMAT_TEXT)
		misuse("--columns: the text of --report why is no table: give it --format csv or json");
	if (o->report == REPORT_HOOKS && (!o->by_list || report_is_hooks(o->format)))
		misuse("--top, --sort, --columns and --having choose kinds of hooks, which --by major,minor counts");
}

static void check_text(const struct options *o)
{
	const bool has_moments = o->report == REPORT_INTERVALS || o->report == REPORT_HOOKS ||
				 o->report == REPORT_SLOWEST || (o->by && o->by->asks_time);

	if (o->has_times && o->report != REPORT_HEATMAP &&
		(o->format != FORMAT_TEXT || !has_moments))
		misuse("--time goes with --report heatmap, and with the text of intervals, hooks, slowest and --by time: other formats have nanoseconds");
	if (o->width != WIDTH_OF_TERMINAL && o->format != FORMAT_TEXT)
		misuse("--width goes with --format text");
}

static void __attribute__((noreturn)) check_misuse_by(void)
{
	char list[CHECK_LIST], hosts[CHECK_LIST];

	misuse("--by goes with --report %s; --by host also with %s, and with --format folded and svg",
		check_list_reports(TAKES_BY, list), check_list_reports(TAKES_BY_HOST, hosts));
}

static void check_hooks(const struct options *o)
{
	bool by_minor;

	if (o->filter.by_major && o->report != REPORT_HOOKS)
		misuse("--major goes with --report hooks (of intervals: --where 'major=0x%X')",
			o->filter.major);
	if (!o->by_list || o->report != REPORT_HOOKS)
		return;
	if (report_is_hooks(o->format) || o->format == FORMAT_PARQUET)
		check_misuse_by();
	if (!hook_counts_parse(o->by_list, &by_minor))
		misuse("--by: \"%s\": expected major,minor or major of hooks, host, or host before these",
			o->by_list);
}

/* Parses --by of the summary. */
static void check_parse_by(struct options *o)
{
	const char *text = o->by_list;
	char expected[BY_EXPECTED];
	size_t at;

	o->by = malloc(sizeof *o->by);
	if (!o->by)
		check_fail_memory();
	if (!by_parse(o->by, text, &at, expected))
		misuse("--by: \"%s\": expected %s instead of \"%s\"", text, expected, text + at);
}

/* Why there is no --by host of a report. */
static void check_refuse_by_host(const struct options *o)
{
	if (o->report == REPORT_INFO)
		misuse("--by: --report info is about each file, and names its host");
	if (o->report == REPORT_EXPORT)
		misuse("--by: an export has every interval, and its host where the format has room: a column of parquet, the table files of sqlite, tracks of perfetto and chrome, a label of pprof");
	if (o->report == REPORT_HOOKS && report_is_hooks(o->format))
		misuse("--by: --format %s is a file of hooks, each by its ring",
			format_names[o->format]);
	if (o->report == REPORT_HEATMAP && o->format == FORMAT_SVG)
		misuse("--by: the svg of --report heatmap is one picture: make one of each host's traces, or give it --format text, csv or json");
}

/* Whether each row or stack names its host, in place of a report of each. */
static bool check_names_hosts(const struct options *o)
{
	return o->report == REPORT_INTERVALS || o->report == REPORT_FLAME ||
	       (o->report == REPORT_HOOKS && !o->by_list);
}

/* Strips a leading `host` from the list of keys of reports for which it is no key. */
static void check_by_host(struct options *o)
{
	static const char name[] = "host";
	const size_t n = sizeof name - 1;
	const bool is_gaps = o->report == REPORT_GAPS;

	if (!o->by_list)
		return;
	check_refuse_by_host(o);
	if (!check_takes_or_draws(o->report, TAKES_BY_HOST) || o->format == FORMAT_PARQUET)
		return;
	const char *list = o->by_list;
	if (strncmp(list, name, n) == 0 && (!list[n] || list[n] == ',')) {
		o->by_list = list[n] ? list + n + 1 : NULL;
		o->names_hosts = check_names_hosts(o);
		o->by_host = !o->names_hosts;
	}
	if (!o->by_list || o->report == REPORT_HOOKS)
		return;
	if (is_gaps && strcmp(o->by_list, GAPS_BY_THREAD) != 0)
		misuse("--by: \"%s\": expected host, " GAPS_BY_THREAD " or host," GAPS_BY_THREAD
		       " of gaps",
			list);
	if (o->report == REPORT_INTERVALS || o->report == REPORT_FLAME)
		check_misuse_by();
	if (!is_gaps)
		misuse("--by: \"%s\": expected host of %s", list, report_names[o->report]);
}

static void check_groups(struct options *o)
{
	const bool is_gaps = o->report == REPORT_GAPS;
	char list[CHECK_LIST];

	if (o->by_list && !report_takes(o->report, TAKES_BY))
		check_misuse_by();
	if (o->by_list && o->report != REPORT_HOOKS && !is_gaps)
		check_parse_by(o);
	if (o->by && o->by->asks_time && o->report == REPORT_DIFF)
		misuse("--by: runs of a diff have no times in common: time goes with --report summary and histogram");
	if (o->exact && o->report != REPORT_SUMMARY)
		misuse("--exact goes with --report summary");
	if (o->percentiles.count && !report_takes(o->report, TAKES_PERCENTILES))
		misuse("--percentiles goes with --report %s",
			check_list_reports(TAKES_PERCENTILES, list));
}

static void check_where(struct options *o)
{
	const bool is_hooks = o->report == REPORT_HOOKS;
	struct expression_error error;
	bool is_parsed = false;

	if (!o->where_text)
		return;
	if (is_hooks)
		o->hook_where = malloc(sizeof *o->hook_where);
	else
		o->where = malloc(sizeof *o->where);
	if (o->hook_where)
		is_parsed = hook_where_parse(o->hook_where, o->where_text, &error);
	else if (o->where)
		is_parsed = where_parse(o->where, o->where_text, o->metrics, o->nmetrics, &error);
	else
		check_fail_memory();
	if (!is_parsed)
		misuse_expression("where", o->where_text, &error);
}

static void check_gather_asked(struct options *o)
{
	const bool is_sorted = o->report == REPORT_INTERVALS || o->report == REPORT_SLOWEST;

	o->asked = calloc(1, sizeof *o->asked);
	if (!o->asked || asked_gather(o->asked, o->where, o->by, is_sorted ? o->sort : NULL))
		check_fail_memory();
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
	if (format_is_binary(o->format) && (!o->output || strcmp(o->output, "-") == 0) &&
		isatty(STDOUT_FILENO))
		misuse("--format %s is not text: give it a file with -o, or a pipe",
			format_names[o->format]);
}

/* These formats are not byte streams. */
static void check_output_is_named(const struct options *o)
{
	if (o->format == FORMAT_CTF && (!o->output || strcmp(o->output, "-") == 0))
		misuse("--format ctf: a trace of CTF is a folder: name one with -o");
	if (o->format == FORMAT_SQLITE && (!o->output || strcmp(o->output, "-") == 0))
		misuse("--format sqlite: a database cannot go to standard output, it is written in pages: give it a file with -o");
}

static void check_export(struct options *o, const struct seen *seen)
{
	if ((o->format == FORMAT_PARQUET && o->report == REPORT_HOOKS) ||
		(o->format == FORMAT_HTML && o->report == REPORT_DIFF))
		return;
	if (seen->report && o->report != REPORT_INTERVALS)
		misuse("--report %s has no --format %s: that is an export of the intervals",
			report_names[o->report], format_names[o->format]);
	o->report = REPORT_EXPORT;
}

/* serve is --format html, sent to a browser. */
static void check_partition(const struct options *o)
{
	if (!o->partition.count)
		return;
	if (o->format != FORMAT_PARQUET)
		misuse("--partition goes with --format parquet");
	const bool is_hooks = o->report == REPORT_HOOKS;
	for (unsigned i = 0; i < o->partition.count; i++) {
		const struct partition_key *key = &o->partition.keys[i];
		const int length = (int)key->name_length;

		/* Readers would have two columns of one name. */
		if ((is_hooks ? export_parquet_hooks_have_column : export_parquet_has_column)(
			    key->name, key->name_length) &&
			!partition_is_host(key))
			misuse("--partition %.*s: the file has a column %.*s: give the key another name",
				length, key->name, length, key->name);
	}
	if (!o->output || strcmp(o->output, "-") == 0)
		misuse("--partition: it takes a folder for the files: name one with -o");
}

static void check_compression(const struct options *o)
{
	const char *name = o->compression, *lacking;

	if (!name)
		return;
	if (o->format != FORMAT_PARQUET)
		misuse("--compress goes with --format parquet");
	if (strcmp(name, "lz4") == 0)
		return;
	if (strcmp(name, "zstd") != 0)
		misuse("--compress: \"%s\": expected lz4 or zstd", name);
	lacking = zstd_find_lacking();
	if (lacking)
		misuse("--compress zstd: %s", lacking);
}

static void check_tiles(const struct options *o)
{
	const char *name = o->tiles == PAGE_TILES_FOLDER ? "--tiles-dir" : "--tiles";

	if (!o->tiles || o->tiles == PAGE_TILES_SERVED)
		return;
	if (o->serve)
		misuse("--tiles-dir does not go with serve: there the page reads --tiles from the server");
	if (o->format != FORMAT_HTML || o->report == REPORT_DIFF)
		misuse("%s goes with --format html of intervals", name);
	if (!o->output || strcmp(o->output, "-") == 0)
		misuse("%s: tiles go next to the page: give the page a file with -o", name);
}

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
	if (o->tiles == PAGE_TILES_FILE)
		o->tiles = PAGE_TILES_SERVED;
}

void check_options(struct options *o, const struct seen *seen)
{
	check_serve(o, seen);
	bool is_change =
		(o->format == FORMAT_SVG || o->format == FORMAT_HTML) && o->report == REPORT_DIFF;
	bool flame = is_change || o->format == FORMAT_FOLDED ||
		     (o->format == FORMAT_SVG && o->report != REPORT_HEATMAP);

	if (is_change) {
		if (o->noise || o->ngates || o->nmetrics || o->single || o->percentiles.count ||
			o->by_list || o->top || o->sort || o->columns || o->having)
			misuse("--report diff --format %s is the differential flame graph: it takes no --aa, --fail-if, --single-run, --metric, --percentiles, --by, --top, --sort, --columns or --having",
				format_names[o->format]);
	} else if (flame) {
		if (seen->report && o->report != REPORT_INTERVALS)
			misuse("--report %s has no --format %s: folded and svg are the flame graph of the intervals; %s goes with text, %sjson",
				report_names[o->report], format_names[o->format],
				report_names[o->report],
				o->report == REPORT_HEATMAP	     ? "svg, csv, "
				: report_takes(o->report, TAKES_CSV) ? "csv, "
								     : "");
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
	check_output_is_named(o);
	check_partition(o);
	check_compression(o);
	check_tiles(o);
	if (o->format == FORMAT_CSV && !report_takes(o->report, TAKES_CSV))
		misuse("--report %s has no --format csv: %s goes with text or json",
			report_names[o->report], report_names[o->report]);
	if (o->csv_safe && o->format != FORMAT_CSV)
		misuse("--csv-safe goes with --format csv");
	if (seen->weight && !flame)
		misuse("--weight goes with --format folded or svg, and with --report diff --format html");
	if (seen->filter && o->report == REPORT_INFO)
		misuse("--report info describes whole files: it takes no filters");
	if (o->filter.by_minor && o->filter.minor > 0xFF && o->report != REPORT_HOOKS)
		misuse("--minor 0x%X: an interval's minor is 0 to 0xFF; whole codes go with --report hooks",
			o->filter.minor);
	check_partial(o, seen);
	check_diff(o, seen);
	check_compensate(o);
	check_where(o);
	check_metrics(o, seen);
	check_by_host(o);
	check_hooks(o);
	check_rows(o, seen);
	check_groups(o);
	check_gather_asked(o);
	check_text(o);
	o->partial_of = o->report;
	if (seen->partial)
		o->report = REPORT_PARTIAL;
	if (!o->nfiles && o->report != REPORT_DIFF)
		misuse("no trace file; - is standard input");
	if (count_pipes(o->files, o->nfiles) + count_pipes(o->sides[0], o->nsides[0]) +
			count_pipes(o->sides[1], o->nsides[1]) >
		1)
		misuse("standard input (-) can be read only once");
}
